"""MiniGPT: reads a text from left to right and predicts the next character."""

from __future__ import annotations

from dataclasses import dataclass

from core.experiments import common
from core.experiments.experiment import Experiment
from core.settings import N_, choice, integer, number, switch, text


@dataclass(frozen=True, kw_only=True)
class MiniGPTSettings(common.Architecture, common.TextSettings):
    """The language model and its data."""

    steps: int = common.steps(400)
    batch_size: int = common.batch_size(32)
    learning_rate: float = common.learning_rate(1e-3)
    corpus: str = choice("daodejing", common.CORPORA, N_("Corpus"), N_("The text that the model learns."))
    causal_mask: bool = switch(
        True,
        N_("Causal mask"),
        N_("On: a character sees itself and what stands before it. Off: it sees what it has to predict."),
        live=True,
    )
    block: int = integer(48, 4, 128, N_("Block"), N_("How many characters the model reads at once."))
    layers: int = common.layers(2)
    heads: int = common.heads(4)
    width: int = common.width(64)
    feed_forward: int = common.feed_forward(256)
    dropout: float = common.dropout(0.0)
    pre_norm: bool = common.pre_norm()
    positions: str = common.positions("learned")
    tied_embeddings: bool = common.tied_embeddings()


@dataclass(frozen=True, kw_only=True)
class MiniGPTView(common.View):
    """How the language model is looked at and how it writes."""

    prompt: str = text(
        "道可道非常道", N_("Sentence"), N_("The model reads it and writes on. Every map follows as you type.")
    )
    both: bool = switch(
        False, N_("Both masks"), N_("The same weights and the same sentence, with and without the causal mask")
    )
    temperature: float = number(
        0.8,
        0.0,
        2.0,
        N_("Temperature"),
        N_("Divides the logits before the softmax: 0 always takes the likeliest character, 2 is nearly even."),
        step=0.05,
    )
    top_k: int = integer(0, 0, 200, N_("Top-k"), N_("Sample among the k likeliest characters only; 0 is no limit."))
    top_p: float = number(
        1.0,
        0.0,
        1.0,
        N_("Top-p"),
        N_("Sample among the likeliest characters that together have this probability; 1 is no limit."),
        step=0.05,
    )
    samples: int = integer(1, 1, 4, N_("Samples"), N_("How many texts are drawn at once."))
    tokens: int = integer(60, 1, 300, N_("Characters"), N_("How many characters the model writes."), step=10)


EXPERIMENT = Experiment(
    name="mini_gpt",
    order=3,
    title="MiniGPT",
    summary=N_("A decoder learns to write on in a text, one character after another."),
    model="core.models.mini_gpt:MiniGPT",
    task="core.data.texts:NextCharacter",
    objective="core.training.objectives:next_character",
    settings=MiniGPTSettings,
    view=MiniGPTView,
    recipes={
        "document": {},
        "fast": {
            "steps": 190,
            "batch_size": 12,
            "learning_rate": 1e-2,
            "beta2": 0.95,
            "schedule": "cosine",
            "warmup_steps": 20,
        },
    },
    metrics={"prefix_loss": N_("prefix-only loss")},
    generates=True,
)
