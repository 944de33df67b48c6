"""Settings that several experiments share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.settings import N_, SettingError, choice, integer, number, switch, text

CORPORA = {
    "daodejing": N_("Dao De Jing"),
    "lunyu": N_("The Analects"),
    "garden": N_("The wall and the fern (English)"),
    "own": N_("own text"),
}
OWN_TEXT_LONGEST = 20_000
OWN_TEXT_VOCABULARY = 3_000


def steps(default: int) -> Any:
    """How long a run is."""
    return integer(
        default, 1, 20_000, N_("Steps"), N_("How many steps of the optimizer the run takes."), step=50, live=True
    )


def batch_size(default: int) -> Any:
    """How many sequences a step learns from."""
    return integer(default, 1, 256, N_("Batch size"), N_("How many sequences one step learns from."))


def learning_rate(default: float) -> Any:
    """How far a step moves the weights."""
    return number(
        default,
        1e-5,
        10.0,
        N_("Learning rate"),
        N_("How far one step moves the weights. Takes effect at the next step."),
        step=1e-4,
        logarithmic=True,
        live=True,
    )


def beta2(default: float) -> Any:
    """How long AdamW remembers the size of the gradients."""
    return number(
        default,
        0.5,
        0.9999,
        N_("AdamW β₂"),
        N_("How long AdamW remembers the size of the gradients."),
        step=0.001,
    )


def schedule(default: str) -> Any:
    """How the learning rate changes along the run."""
    return choice(
        default,
        {"constant": N_("constant"), "warmup": N_("warm-up"), "cosine": N_("warm-up and cosine")},
        N_("Schedule"),
        N_("How the learning rate changes along the run."),
    )


def warmup_steps(default: int) -> Any:
    """Over how many steps the learning rate rises."""
    return integer(
        default, 0, 5_000, N_("Warm-up steps"), N_("Over how many steps the learning rate rises from zero."), step=10
    )


@dataclass(frozen=True, kw_only=True)
class TrainingSettings:
    """How a model is trained, whatever the model."""

    steps: int = steps(400)
    seed: int = integer(
        0, 0, 2**31 - 1, N_("Seed"), N_("Fixes the first weights, the batches, the masks and the dropout of the run.")
    )
    batch_size: int = batch_size(32)
    optimizer: str = choice(
        "adamw",
        {"adamw": "AdamW", "sgd": "SGD", "muon": "Muon + AdamW"},
        N_("Optimizer"),
        N_(
            "AdamW adapts the step of each weight, SGD takes one learning rate for all. Muon takes the matrices of the"
            " blocks, AdamW everything else."
        ),
    )
    momentum: float = number(
        0.9, 0.0, 0.99, N_("SGD momentum"), N_("How much of its last step SGD repeats at each step."), step=0.05
    )
    learning_rate: float = learning_rate(1e-3)
    beta2: float = beta2(0.999)
    schedule: str = schedule("constant")
    warmup_steps: int = warmup_steps(0)
    weight_decay: float = number(
        0.01, 0.0, 1.0, N_("Weight decay"), N_("How strongly the optimizer pulls the weights towards zero.")
    )
    gradient_clipping: float = number(
        0.0,
        0.0,
        100.0,
        N_("Gradient clipping"),
        N_("The largest norm of the gradient; 0 leaves it as it is."),
        step=0.1,
    )
    gradient_accumulation: int = integer(
        1, 1, 16, N_("Gradient accumulation"), N_("How many batches are added up before the weights move once.")
    )

    label_smoothing: float = number(
        0.0,
        0.0,
        0.5,
        N_("Label smoothing"),
        N_(
            "The share of the target that is spread evenly over all answers while training, so that the model is not"
            " asked to be certain. Held-out loss and accuracy are measured without it."
        ),
        step=0.05,
    )

    def check(self) -> None:
        """Raise :class:`SettingError` when settings that are each allowed do not fit together."""

    def enough_steps(self) -> int:
        """With fewer steps than these it is known that little is learned; 0 where nothing of the kind is known."""
        return 0


TOO_FEW = N_("With these settings the model takes about {enough} steps to learn; the run has {steps}.")


@dataclass(frozen=True, kw_only=True)
class TextSettings(TrainingSettings):
    """What a run on a text adds."""

    held_out: float = number(
        0.0,
        0.0,
        0.5,
        N_("Held-out share"),
        N_("The last part of the text that is not trained on. The documents' recipe trains on the whole text."),
        step=0.05,
    )
    own_text: str = text("", N_("Own text"), N_("A text of yours as the corpus."), linked=False)

    def check(self) -> None:
        """Raise :class:`SettingError` too when the own text is too long, too varied or too short for a block."""
        super().check()
        if getattr(self, "corpus", "") != "own":
            return
        given, needed = len(self.own_text), self.shortest_text()
        if given < needed:
            raise SettingError(
                N_("your text has {given} characters; with this block and held-out share it needs at least {needed}"),
                given=given,
                needed=needed,
            )
        if given > OWN_TEXT_LONGEST:
            raise SettingError(
                N_("your text has {given} characters; at most {longest} can be learned here"),
                given=given,
                longest=OWN_TEXT_LONGEST,
            )
        if len(set(self.own_text)) > OWN_TEXT_VOCABULARY:
            raise SettingError(
                N_("your text has {given} different characters; at most {most} can be told apart here"),
                given=len(set(self.own_text)),
                most=OWN_TEXT_VOCABULARY,
            )

    def shortest_text(self) -> int:
        """How many characters an own text needs, for one window to be left when the held-out part is taken off."""
        window = int(getattr(self, "block", 1)) + 1
        shortest = window
        while shortest - round(shortest * self.held_out) < window:
            shortest += 1
        return shortest


def activation(default: str) -> Any:
    """What stands between the two layers of the feed-forward part."""
    return choice(
        default,
        {"gelu": "GELU", "relu": "ReLU", "swiglu": "SwiGLU"},
        N_("Activation"),
        N_(
            "What stands between the two layers of the feed-forward part. SwiGLU adds a third layer that opens or"
            " closes each inner number."
        ),
    )


@dataclass(frozen=True, kw_only=True)
class Architecture:
    """What a model is built from, whatever it is trained to do; its sizes have defaults of the model's own."""

    layers: int
    heads: int
    width: int
    feed_forward: int
    dropout: float
    pre_norm: bool
    positions: str
    normalisation: str = choice(
        "layer",
        {"layer": "LayerNorm", "rms": "RMSNorm", "none": N_("none")},
        N_("Normalisation"),
        N_(
            "LayerNorm brings each token's numbers to mean 0 and variance 1; RMSNorm only to one size, with no mean and"
            " no bias."
        ),
    )
    activation: str = activation("gelu")
    key_value_heads: int = integer(
        0,
        0,
        16,
        N_("Heads of keys and values"),
        N_(
            "Fewer than the heads: neighbouring heads share their keys and values (grouped-query attention; 1 is"
            " multi-query attention). 0 gives each head its own."
        ),
    )
    scaled: bool = switch(
        True, N_("Scale by 1/√d_k"), N_("Off: scores grow with the width of a head, and the softmax saturates.")
    )
    residual: bool = switch(
        True,
        N_("Residual connections"),
        N_("Off: each part of a block replaces what it was given, instead of adding to it."),
    )

    def attention_layers(self) -> tuple[str, ...]:
        """The attention layers in the order in which they compute, by their names on a control."""
        return tuple(str(layer) for layer in range(self.layers))

    def check(self) -> None:
        """Raise :class:`SettingError` when the heads do not fit the width, one another or the positions."""
        if self.width % self.heads:
            raise SettingError(
                N_("{heads} heads do not divide a width of {width} evenly"), heads=self.heads, width=self.width
            )
        if self.key_value_heads and self.heads % self.key_value_heads:
            raise SettingError(
                N_("{groups} heads of keys and values do not divide {heads} heads evenly"),
                groups=self.key_value_heads,
                heads=self.heads,
            )
        if self.positions == "rope" and self.width // self.heads % 2:
            raise SettingError(
                N_("rotary positions turn pairs of numbers, and {width} numbers a head are odd"),
                width=self.width // self.heads,
            )
        super().check()  # type: ignore[misc]


@dataclass(frozen=True, kw_only=True)
class View:
    """How a model is looked at, whatever the model."""

    prompt: str = text("", N_("Sentence"), N_("What the model reads. Every map follows it as you type."))
    layer: int = integer(0, 0, 11, N_("Layer"), N_("Which layer's heads are shown, counted from 0."))
    head: int = integer(0, 0, 15, N_("Head"), N_("Which head is shown large, counted from 0."))
    scale: str = choice(
        "fixed",
        {"fixed": N_("0–1"), "head": N_("max"), "log": N_("log"), "uniform": N_("± uniform")},
        N_("Scale"),
        N_(
            "From 0 to 1 makes maps comparable, but an untrained one looks blank. Up to each head's largest weight"
            " shows every pattern, but makes noise look meaningful. The logarithm tells small weights apart. The"
            " difference from uniform shows what a head looks at more, and less, than an untrained one would."
        ),
    )
    summary: str = choice(
        "head",
        {"head": N_("one head"), "mean": N_("mean of the heads"), "rollout": N_("rollout")},
        N_("Large map"),
        N_(
            "One head is what the model computes. The mean of a layer's heads hides what each of them does. Rollout"
            " multiplies the means of all layers up to this one, half of each given to the residual connection (Abnar"
            " & Zuidema 2020): where information could have come from, not what it was used for."
        ),
    )
    colours: str = choice(
        "blue",
        {"blue": N_("blue"), "viridis": N_("viridis"), "grey": N_("grey, for print")},
        N_("Colours"),
        N_("All three can be told apart with every kind of colour vision, and grow evenly in lightness."),
    )
    numbers: bool = switch(
        True, N_("Weights in the cells"), N_("Where there is room, the large map says each weight to three decimals.")
    )
    hide_first: bool = switch(
        False,
        N_("Leave out the first key"),
        N_(
            "Many heads rest on the first token when they have nothing to do. This leaves its column out and lets the"
            " other weights of each row sum to 1."
        ),
    )
    silenced: str = text(
        "",
        N_("Silenced heads"),
        N_(
            "Heads that hand on nothing, written as layer.head: 0.2,1.3 silences head 2 of layer 0 and head 3 of layer"
            " 1. What the model does not have is left out."
        ),
    )
    present: str = choice(
        "off",
        {"off": N_("off"), "map": N_("Map"), "curve": N_("Curve")},
        N_("Presenter view"),
        N_("One map or one curve, large enough for the last row."),
    )
    controls: str = text(
        "prompt,train",
        N_("Controls in presenter view"),
        N_("What stays in reach while the map or the curve is projected."),
    )


def layers(default: int) -> Any:
    """How many blocks are stacked."""
    return integer(default, 1, 6, N_("Layers"), N_("How many blocks are stacked."))


def heads(default: int) -> Any:
    """How many heads a layer has."""
    return integer(default, 1, 16, N_("Heads"), N_("How many heads a layer has; they divide the width evenly."))


def width(default: int) -> Any:
    """How many numbers stand for a token."""
    return integer(default, 8, 256, N_("Width"), N_("How many numbers stand for a token (d_model)."), step=8)


def feed_forward(default: int) -> Any:
    """How wide the feed-forward part is inside."""
    return integer(
        default, 8, 1024, N_("Feed-forward width"), N_("How many numbers the feed-forward part works with."), step=8
    )


def dropout(default: float) -> Any:
    """The share of activations set to zero while training."""
    return number(
        default,
        0.0,
        0.9,
        N_("Dropout"),
        N_("The share of activations set to zero while training. Looking never uses it."),
        step=0.05,
        live=True,
    )


def pre_norm() -> Any:
    """Where a block normalises."""
    return switch(
        True, N_("Pre-norm"), N_("Normalise before each part of a block (on) or after it, as in the 2017 paper (off).")
    )


def positions(default: str) -> Any:
    """How a model knows the order of its tokens."""
    return choice(
        default,
        {
            "sinusoidal": N_("sinusoidal"),
            "learned": N_("learned"),
            "rope": "RoPE",
            "alibi": "ALiBi",
            "none": N_("none"),
        },
        N_("Positions"),
        N_(
            "How the model knows the order of its tokens. Sinusoidal and learned positions are added to the tokens;"
            " RoPE turns queries and keys, ALiBi lowers the scores of what stands far away."
        ),
    )


def tied_embeddings() -> Any:
    """Whether the output layer is the embedding's matrix."""
    return switch(
        False,
        N_("Tied embeddings"),
        N_("The output layer takes the matrix of the embedding, so that one vector a token serves both."),
    )
