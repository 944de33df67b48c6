"""The mistakes that can be made on purpose, with the pairs that each of them is tried on. Free of torch."""

from __future__ import annotations

from core.experiments.mistakes import Mistake, Variant
from core.settings import N_, SettingError

PREFIX = ("prefix_loss", "training_loss")
MASKED = ("masked_accuracy", "training_loss")
ANSWERED = ("accuracy", "training_loss")
MIXED_UP = ("core.models.mixed_up:Output", "core.models.mixed_up:Weights")

MISTAKES: dict[str, Mistake] = {
    "causal_mask": Mistake(
        title=N_("Causal mask forgotten"),
        about=N_("MiniGPT may look at every character of its window, the one that it has to predict included."),
        variants={
            "held_out": Variant(
                label=N_("English text, a tenth held out"),
                experiment="mini_gpt",
                measures=("prefix_loss", "held_out_loss", "training_loss"),
                both={"corpus": "garden", "held_out": 0.1, "steps": 300},
                broken={"causal_mask": False},
            ),
            "classic": Variant(
                label=N_("Dao De Jing"), experiment="mini_gpt", measures=PREFIX, broken={"causal_mask": False}
            ),
        },
        causes={
            "worse": N_(
                "With the next character in sight the model learned to copy it. Given the beginning alone, which is all"
                " that generation has, there is nothing to copy. Only the prefix-only loss asks for that."
            ),
            "throughout": N_(
                "The model learned with all characters in sight. Given the beginning alone, which is all that"
                " generation has, most of what it leans on is missing. It has not even learned to copy the answer in"
                " these steps: its training loss would be next to nothing."
            ),
            "same": N_(
                "Given the beginning alone the wrong twin is about as good as the right one on this text, which is to"
                " say not good: neither knows these sentences. Compare what its other losses claim: they were measured"
                " with the answer in sight."
            ),
        },
    ),
    "scaled": Mistake(
        title=N_("No 1/√d_k"),
        about=N_("The scores go into the softmax as they are, however many numbers were added up in each of them."),
        variants={
            "d64": Variant(
                label=N_("one head, d_k = 64"),
                experiment="mini_gpt",
                measures=("row_entropy", "training_loss"),
                both={"heads": 1},
                broken={"scaled": False},
            ),
            "d16": Variant(
                label=N_("four heads, d_k = 16"),
                experiment="mini_gpt",
                measures=("row_entropy", "training_loss"),
                broken={"scaled": False},
            ),
        },
        causes={
            "worse": N_(
                "A dot product of d_k numbers spreads like √d_k. Undivided, the scores push the softmax towards one key"
                " a row: the entropy falls. Whether the loss suffers is another question, and stands beside it."
            ),
        },
    ),
    "positions": Mistake(
        title=N_("No positions"),
        about=N_("Nothing tells the model where a token stands: not the embedding, not the attention."),
        variants={
            "mini_bert": Variant(
                label="MiniBERT", experiment="mini_bert", measures=MASKED, broken={"positions": "none"}
            ),
            "mini_gpt": Variant(
                label="MiniGPT",
                experiment="mini_gpt",
                measures=PREFIX,
                broken={"positions": "none"},
                causes={
                    "same": N_(
                        "Order is not missed here: the causal mask gives it away, for each character sees one more than"
                        " the character before it."
                    ),
                },
            ),
            "before": Variant(
                label=N_("digits: a 3 before the first 7"),
                experiment="tiny_transformer",
                measures=ANSWERED,
                both={"question": "3_before_7", "steps": 300},
                broken={"positions": "none"},
            ),
            "contains": Variant(
                label=N_("digits: contains a 3"),
                experiment="tiny_transformer",
                measures=ANSWERED,
                broken={"positions": "none"},
                causes={"same": N_("Whether a digit is among others does not depend on their order.")},
            ),
        },
        causes={
            "worse": N_(
                "Attention alone treats its tokens as a set. This task depends on their order, and the wrong twin"
                " cannot know it."
            ),
            "mixed": N_(
                "The causal mask gives the order away, for each character sees one more than the one before it. What is"
                " left of the difference depends on the seed."
            ),
        },
    ),
    "mask_copied": Mistake(
        title=N_("[MASK] copied through"),
        about=N_("The characters that MiniBERT has to predict are left in its input: nothing is hidden."),
        variants={
            "mini_bert": Variant(label="MiniBERT", experiment="mini_bert", measures=MASKED, broken={"mask_share": 0.0})
        },
        causes={
            "worse": N_(
                "Copying what stands in the input solves the training task, so its loss says nothing. Asked about real"
                " blanks, the wrong twin meets [MASK] for the first time."
            ),
        },
    ),
    "loss_on": Mistake(
        title=N_("Loss on every character"),
        about=N_(
            "The loss is taken over all characters, most of which stand in the input, and not over the hidden ones."
        ),
        variants={
            "short": Variant(
                label=N_("150 steps"),
                experiment="mini_bert",
                measures=MASKED,
                both={"steps": 150},
                broken={"loss_on": "all"},
            ),
            "long": Variant(label=N_("300 steps"), experiment="mini_bert", measures=MASKED, broken={"loss_on": "all"}),
        },
        causes={
            "same": N_(
                "The two losses are not of the same thing: most characters only have to be copied, which makes a mean"
                " over all of them look good. What counts, the hidden ones, is learned about equally well here."
            ),
            "worse": N_("Most of the gradient was about copying, and the hidden characters were learned more slowly."),
        },
    ),
    "residual": Mistake(
        title=N_("No residual connections"),
        about=N_("Each part of a block replaces what it was given, instead of adding to it."),
        variants={
            "two": Variant(label=N_("2 layers"), experiment="mini_gpt", measures=PREFIX, broken={"residual": False}),
            "four": Variant(
                label=N_("4 layers"),
                experiment="mini_gpt",
                measures=PREFIX,
                both={"layers": 4},
                broken={"residual": False},
            ),
        },
        causes={
            "worse": N_(
                "Without the sum, what a character is has to squeeze through every attention layer, and so has the"
                " gradient on its way back. The more layers, the less arrives."
            ),
        },
    ),
    "normalisation": Mistake(
        title=N_("No layer norm"),
        about=N_("Nothing brings the numbers of a token back to one size between the parts of the model."),
        variants={
            "deep": Variant(
                label=N_("6 layers, learning rate 0.03"),
                experiment="mini_gpt",
                measures=PREFIX,
                both={"layers": 6, "learning_rate": 0.03},
                broken={"normalisation": "none"},
            ),
            "shallow": Variant(
                label=N_("2 layers, learning rate 0.01"),
                experiment="mini_gpt",
                measures=PREFIX,
                broken={"normalisation": "none"},
            ),
        },
        causes={
            "worse": N_(
                "Each block adds to the numbers it was given, and with a step this large they grow without a limit. A"
                " norm keeps what goes into a part at one size, whatever the weights have become."
            ),
            "same": N_(
                "A model this shallow, with a step this small, keeps its numbers within bounds by itself. The norm"
                " earns its place with more layers and larger steps."
            ),
        },
    ),
    "warmup": Mistake(
        title=N_("Post-norm without warm-up"),
        about=N_("The norm stands after each sum, as in the 2017 paper, and the learning rate is at its peak at once."),
        variants={
            "fast": Variant(
                label=N_("6 layers, learning rate 0.01"),
                experiment="mini_gpt",
                measures=PREFIX,
                both={"layers": 6, "pre_norm": False, "beta2": 0.999, "warmup_steps": 50},
                correct={"schedule": "warmup"},
                broken={"schedule": "constant"},
            ),
            "faster": Variant(
                label=N_("6 layers, learning rate 0.02"),
                experiment="mini_gpt",
                measures=PREFIX,
                both={"layers": 6, "pre_norm": False, "beta2": 0.999, "learning_rate": 0.02, "warmup_steps": 50},
                correct={"schedule": "warmup"},
                broken={"schedule": "constant"},
            ),
        },
        causes={
            "worse": N_(
                "At the start the gradients of a post-norm model are large in its last layers (Xiong et al. 2020); full"
                " steps drive it somewhere from where it does not come back. Warm-up takes small steps until then."
            ),
            "same": N_(
                "Warm-up makes no difference here: six layers this narrow are trained, or fail to, with and without it."
                " The published trouble is that of larger models."
            ),
        },
    ),
    "learning_rate": Mistake(
        title=N_("Learning rate far too high"),
        about=N_("One step moves the weights ten times as far, or more."),
        variants={
            "adamw": Variant(
                label=N_("AdamW, 0.003 against 0.1"),
                experiment="mini_gpt",
                measures=("training_loss", "row_entropy"),
                both={"schedule": "constant"},
                correct={"learning_rate": 0.003},
                broken={"learning_rate": 0.1},
            ),
            "schedule": Variant(
                label=N_("AdamW with warm-up and cosine, 0.01 against 0.1"),
                experiment="mini_gpt",
                measures=("training_loss", "row_entropy"),
                broken={"learning_rate": 0.1},
            ),
            "sgd": Variant(
                label=N_("SGD, 0.1 against 1"),
                experiment="mini_gpt",
                measures=("training_loss",),
                both={"optimizer": "sgd"},
                correct={"learning_rate": 0.1},
                broken={"learning_rate": 1.0},
                causes={
                    "worse": N_(
                        "SGD takes the gradient as it is: each step leaps past the valley that it was meant to go down"
                        " into."
                    )
                },
            ),
        },
        causes={
            "worse": N_(
                "AdamW divides each step by the size of the gradients, so a step stays finite however large the rate."
                " The weights jump about without settling, and no NaN ever says so."
            ),
            "same": N_(
                "The schedule has saved it: after the warm-up the rate falls to zero, and the last, small steps tidy"
                " up. How evenly the heads look shows where it has been."
            ),
            "fails": N_(
                "SGD takes the gradient as it is: a large rate makes larger weights, which make a larger gradient,"
                " until a number overflows. The loss then is not a number, and the run ends."
            ),
        },
    ),
    "dropout": Mistake(
        title=N_("Dropout left on at inference"),
        about=N_("One model, asked in two ways: after model.eval(), and with dropout still at work."),
        variants={
            "mini_gpt": Variant(
                label=N_("MiniGPT, dropout 0.1"),
                experiment="mini_gpt",
                measures=("answers_changed", "largest_row_sum"),
                both={"dropout": 0.1},
                reading="dropout",
            ),
            "strong": Variant(
                label=N_("MiniGPT, dropout 0.4"),
                experiment="mini_gpt",
                measures=("answers_changed", "largest_row_sum"),
                both={"dropout": 0.4},
                reading="dropout",
            ),
        },
        causes={
            "worse": N_(
                "Dropout strikes out weights at random and enlarges the others, so rows no longer sum to 1 and the same"
                " text is answered in two ways. model.eval() turns it off."
            ),
        },
    ),
    "too_long": Mistake(
        title=N_("Longer than the trained block"),
        about=N_(
            "One model, asked about the second block of a text in two ways: each character with one block before it, or"
            " the whole text at once, twice as long as anything it was trained on."
        ),
        variants={
            kind: Variant(
                label=label,
                experiment="mini_gpt",
                measures=("past_block_loss",),
                both={"positions": kind, "block": 24},
                reading="stretched",
            )
            for kind, label in (
                ("learned", N_("learned positions")),
                ("sinusoidal", N_("sinusoidal positions")),
                ("rope", "RoPE"),
                ("alibi", "ALiBi"),
            )
        },
        causes={
            "worse": N_(
                "These positions can be computed for any length, so nothing complains. But the model has never met them"
                " and does not know what to make of them."
            ),
            "same": N_("These positions carry over to twice the length: what stands far away already counted little."),
            "fails": N_(
                "A learned table has one row for each position of the block and none beyond it. That is why the prompt"
                " is cropped here before the model reads it."
            ),
        },
    ),
    "mixed_up": Mistake(
        title=N_("Weights taken for the output"),
        about=N_(
            "nn.MultiheadAttention answers with its output and its weights, in this order. The wrong twin hands on the"
            " second."
        ),
        variants={
            "silent": Variant(
                label=N_("block 48, width 48"),
                experiment="mini_gpt",
                measures=PREFIX,
                both={"layers": 1, "width": 48},
                models=MIXED_UP,
            ),
            "loud": Variant(
                label=N_("block 48, width 64"),
                experiment="mini_gpt",
                measures=PREFIX,
                both={"layers": 1},
                models=MIXED_UP,
            ),
        },
        causes={
            "worse": N_(
                "The weights are as long as the block, which here is as wide as the model, so nothing complains. But"
                " they only say where a character looked, not what it found there."
            ),
            "fails": N_(
                "The weights are as long as the block and the model is wider, so the sum with the residual fails. Such"
                " an error is luck: with a block as long as the width there is none."
            ),
        },
    ),
}


def find_variant(mistake: str, variant: str) -> Variant:
    """The pair of that name. Raises :class:`SettingError` when there is none."""
    if mistake not in MISTAKES or variant not in MISTAKES[mistake].variants:
        raise SettingError(N_("there is no mistake “{mistake}” with “{variant}”"), mistake=mistake, variant=variant)
    return MISTAKES[mistake].variants[variant]
