"""MiniBERT: characters of a text are masked, the model reads both sides and fills them in."""

from __future__ import annotations

from dataclasses import dataclass

from core.experiments import common
from core.experiments.experiment import Experiment
from core.settings import N_, choice, integer, number, text


@dataclass(frozen=True, kw_only=True)
class MiniBERTSettings(common.TextSettings):
    """The masked language model and its data."""

    steps: int = common.steps(800)
    batch_size: int = common.batch_size(16)
    learning_rate: float = common.learning_rate(2e-3)
    corpus: str = choice("lunyu", common.CORPORA, N_("Corpus"), N_("The text that the model learns."))
    mask_rate: float = number(
        0.15,
        0.05,
        1.0,
        N_("Masking rate"),
        N_("The share of characters hidden in training. Takes effect at the next step."),
        step=0.05,
        live=True,
    )
    block: int = integer(32, 4, 128, N_("Block"), N_("How many characters the model reads at once."))
    layers: int = common.layers(2)
    heads: int = common.heads(4)
    width: int = common.width(48)
    feed_forward: int = common.feed_forward(96)
    dropout: float = common.dropout(0.1)
    pre_norm: bool = common.pre_norm()
    positions: str = common.positions("learned")


@dataclass(frozen=True, kw_only=True)
class MiniBERTView(common.View):
    """How the masked language model is looked at."""

    prompt: str = text(
        "温故而_新可以为师", N_("Sentence with a blank"), N_("Type _ or [MASK] for a blank; the model fills it in.")
    )


EXPERIMENT = Experiment(
    name="mini_bert",
    order=2,
    title="MiniBERT",
    summary=N_("An encoder learns to fill in hidden characters of the Analects."),
    model="core.models.mini_bert:MiniBERT",
    task="core.data.texts:MaskedCharacters",
    objective="core.training.objectives:masked_characters",
    settings=MiniBERTSettings,
    view=MiniBERTView,
    recipes={
        "document": {},
        "fast": {"steps": 250, "batch_size": 32, "learning_rate": 6e-3, "mask_rate": 0.3, "dropout": 0.0},
    },
    metrics={"masked_accuracy": N_("masked accuracy")},
)
