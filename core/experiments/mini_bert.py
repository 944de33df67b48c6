"""MiniBERT: characters of a text are masked, the model reads both sides and fills them in."""

from __future__ import annotations

from dataclasses import dataclass

from core.experiments import common
from core.experiments.experiment import Experiment
from core.settings import N_, SettingError, choice, integer, number, text


@dataclass(frozen=True, kw_only=True)
class MiniBERTSettings(common.Architecture, common.TextSettings):
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
    mask_share: float = number(
        1.0,
        0.0,
        1.0,
        N_("Share of [MASK]"),
        N_("Of the characters to predict, how many become [MASK]: 1 in the document, 0.8 in BERT."),
        step=0.1,
        live=True,
    )
    random_share: float = number(
        0.0,
        0.0,
        1.0,
        N_("Share of random characters"),
        N_("Of the characters to predict, how many become a random character: 0.1 in BERT. The rest stays as it is."),
        step=0.1,
        live=True,
    )
    loss_on: str = choice(
        "chosen",
        {"chosen": N_("the characters to predict"), "all": N_("every character")},
        N_("Loss on"),
        N_("What the training loss is taken over. Every character: most of them stand in the input, to be copied."),
    )
    block: int = integer(32, 4, 128, N_("Block"), N_("How many characters the model reads at once."))
    layers: int = common.layers(2)
    heads: int = common.heads(4)
    width: int = common.width(48)
    feed_forward: int = common.feed_forward(96)
    dropout: float = common.dropout(0.1)
    pre_norm: bool = common.pre_norm()
    positions: str = common.positions("learned")
    tied_embeddings: bool = common.tied_embeddings()

    def check(self) -> None:
        """Raise :class:`SettingError` when the shares add up to more than all."""
        super().check()
        if self.mask_share + self.random_share > 1 + 1e-9:
            raise SettingError(
                N_("[MASK] ({mask:g}) and random characters ({random:g}) are more than all there is to predict"),
                mask=self.mask_share,
                random=self.random_share,
            )


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
    summary=N_("An encoder learns to fill in the hidden characters of a text."),
    model="core.models.mini_bert:MiniBERT",
    task="core.data.texts:MaskedCharacters",
    objective="core.training.objectives:masked_characters",
    settings=MiniBERTSettings,
    view=MiniBERTView,
    recipes={
        "document": {},
        "fast": {"steps": 300, "batch_size": 32, "learning_rate": 6e-3, "mask_rate": 0.3, "dropout": 0.0},
    },
    metrics={"masked_accuracy": N_("masked accuracy")},
)
