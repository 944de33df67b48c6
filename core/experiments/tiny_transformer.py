"""TinyTransformer: is there a 3 among eight digits?"""

from __future__ import annotations

from dataclasses import dataclass

from core.experiments import common
from core.experiments.experiment import Experiment
from core.settings import N_, choice, integer, text


@dataclass(frozen=True, kw_only=True)
class TinyTransformerSettings(common.Architecture, common.TrainingSettings):
    """The classifier and its data."""

    steps: int = common.steps(300)
    batch_size: int = common.batch_size(64)
    learning_rate: float = common.learning_rate(1e-3)
    question: str = choice(
        "contains_3",
        {
            "contains_3": N_("contains a 3"),
            "two_3s": N_("at least two 3s"),
            "3_before_7": N_("a 3 before the first 7"),
        },
        N_("Question"),
        N_("What the model has to tell of the digits. Without a 7, any 3 counts as one before the first 7."),
    )
    readout: str = choice(
        "mean",
        {"mean": N_("mean of all positions"), "cls": N_("[CLS] token")},
        N_("Readout"),
        N_("Where the answer is read off: the mean over the digits, or a [CLS] token of its own before them."),
    )
    sequences: int = integer(
        4_000, 100, 20_000, N_("Training sequences"), N_("How many random sequences are drawn to train on."), step=100
    )
    length: int = integer(8, 2, 32, N_("Digits"), N_("How many digits a sequence has."))
    layers: int = common.layers(2)
    heads: int = common.heads(4)
    width: int = common.width(32)
    feed_forward: int = common.feed_forward(64)
    dropout: float = common.dropout(0.1)
    pre_norm: bool = common.pre_norm()
    positions: str = common.positions("sinusoidal")


@dataclass(frozen=True, kw_only=True)
class TinyTransformerView(common.View):
    """How the classifier is looked at."""

    prompt: str = text(
        "49303973", N_("Digits to look at"), N_("Digits 0–9. The maps and the answer follow as you type.")
    )


EXPERIMENT = Experiment(
    name="tiny_transformer",
    order=1,
    title="TinyTransformer",
    summary=N_("An encoder learns to answer a question about a row of digits."),
    model="core.models.tiny_transformer:TinyTransformer",
    task="core.data.digits:Digits",
    objective="core.training.objectives:classification",
    settings=TinyTransformerSettings,
    view=TinyTransformerView,
    recipes={
        "document": {},
        "fast": {"steps": 100, "batch_size": 32, "learning_rate": 3e-3, "dropout": 0.0},
    },
    metrics={"accuracy": N_("accuracy")},
)
