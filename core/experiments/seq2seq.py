"""The encoder–decoder: reads one row of characters and writes another, such as a sum and its answer."""

from __future__ import annotations

from dataclasses import dataclass

from core.experiments import common
from core.experiments.experiment import Experiment
from core.settings import N_, choice, integer, switch, text

THREE_DIGITS = 1_000  # steps with which sums of three digits are learned from every seed that was tried
PADDING, START, END = 0, 1, 2  # tokens of the model's own: fills up short rows, begins a target, ends one


@dataclass(frozen=True, kw_only=True)
class Seq2SeqSettings(common.Architecture, common.TrainingSettings):
    """The encoder–decoder and its data."""

    steps: int = common.steps(1_000)
    batch_size: int = common.batch_size(128)
    learning_rate: float = common.learning_rate(2e-3)
    beta2: float = common.beta2(0.98)
    schedule: str = common.schedule("cosine")
    warmup_steps: int = common.warmup_steps(100)
    exercise: str = choice(
        "add",
        {"add": N_("add two numbers"), "reverse": N_("reverse a row of digits"), "sort": N_("sort a row of digits")},
        N_("Exercise"),
        N_("What the model has to write: the sum of two numbers, a row of digits backwards, or its digits in order."),
    )
    digits: int = integer(2, 1, 3, N_("Digits"), N_("How many digits the numbers to add have; shorter ones get zeros."))
    length: int = integer(
        8, 2, 16, N_("Longest row"), N_("How many digits there are at most in a row to reverse or to sort.")
    )
    answer: str = choice(
        "reversed",
        {"reversed": N_("from the right"), "forwards": N_("from the left")},
        N_("Sum written"),
        N_(
            "From the right, ones first, every digit needs two digits and a carry that is already decided. From the"
            " left, the first digit needs all the carries to come."
        ),
    )
    layers: int = common.layers(2)
    heads: int = common.heads(4)
    width: int = common.width(64)
    feed_forward: int = common.feed_forward(128)
    dropout: float = common.dropout(0.0)
    pre_norm: bool = switch(
        False,
        N_("Pre-norm"),
        N_("Normalise before each part of a block (on) or after it, as in the 2017 paper (off)."),
    )
    positions: str = common.positions("sinusoidal")
    activation: str = common.activation("relu")
    tied_embeddings: bool = common.tied_embeddings()

    def attention_layers(self) -> tuple[str, ...]:
        """The encoder's layers, then, of each layer of the decoder, its own attention and that to the encoder."""
        decoder = (f"{kind} {layer}" for layer in range(self.layers) for kind in ("decoder", "cross"))
        return (*(f"encoder {layer}" for layer in range(self.layers)), *decoder)

    def enough_steps(self) -> int:
        """Carries over three digits take longer than those over two."""
        return THREE_DIGITS if self.exercise == "add" and self.digits == 3 else 0

    def longest_source(self) -> int:
        """How many characters the encoder reads at most: two numbers and a plus, or a row."""
        return 2 * self.digits + 1 if self.exercise == "add" else self.length

    def longest_target(self) -> int:
        """How many characters the decoder writes at most, the end counted."""
        return self.digits + 2 if self.exercise == "add" else self.length + 1


@dataclass(frozen=True, kw_only=True)
class Seq2SeqView(common.View):
    """How the encoder–decoder is looked at."""

    layer: int = integer(0, 0, 17, N_("Attention"), N_("Whose attention is shown: encoder, decoder, or across."))
    prompt: str = text(
        "12+39", N_("To be answered"), N_("A sum such as 12+39, or a row of digits. The answer follows as you type.")
    )


EXPERIMENT = Experiment(
    name="seq2seq",
    order=4,
    title=N_("Encoder–decoder"),
    summary=N_("An encoder reads a sum or a row of digits, a decoder writes the answer, one digit after another."),
    model="core.models.seq2seq:Seq2Seq",
    task="core.data.sums:Sums",
    objective="core.training.objectives:sequence_to_sequence",
    settings=Seq2SeqSettings,
    view=Seq2SeqView,
    recipes={
        "document": {},
        "fast": {"steps": 500, "pre_norm": True, "learning_rate": 3e-3, "gradient_clipping": 1.0},
    },
    metrics={"exact_match": N_("exact match")},
    answers=True,
)
