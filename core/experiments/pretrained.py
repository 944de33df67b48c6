"""Pre-trained models: BERT-type models of the Hugging Face format in a folder that the server's owner names.

``ATTENTION_LIVE_MODELS`` is a folder that holds model folders, each with a ``config.json``, a ``model.safetensors`` and
a ``tokenizer.json``. They are looked at, never trained, so the catalogue does not list them. Free of torch: the face
asks here which models there are and how large they are. The variable is read by the server alone; no page takes a path.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.experiments import common
from core.experiments.experiment import Experiment
from core.settings import N_, SettingError

VARIABLE = "ATTENTION_LIVE_MODELS"
CONFIG, WEIGHTS, TOKENIZER = "config.json", "model.safetensors", "tokenizer.json"
NAME = "pretrained"
MOST_TOKENS = 128  # that are read of a text; maps of more cannot be read by anybody
FIXED = {  # what a BERT may say otherwise, and our layers do not have
    "model_type": ("bert",),
    "hidden_act": ("gelu",),  # the exact one
    "position_embedding_type": ("absolute",),
    "is_decoder": (False,),
}


@dataclass(frozen=True, kw_only=True)
class PretrainedSettings:
    """The shape of a BERT (Devlin et al. 2018, section 3), as its ``config.json`` gives it."""

    vocabulary: int
    layers: int
    heads: int
    width: int
    feed_forward: int
    block: int  # the longest text that it has positions for, in tokens
    segments: int = 2
    norm_eps: float = 1e-12
    pooler: bool = True  # whether there is a layer over the first token's vector
    seed: int = 0  # it was not trained here: neither seed nor steps are known
    steps: int = 0

    @property
    def parameters(self) -> int:
        """How many parameters such a model has."""
        width, inner = self.width, self.feed_forward
        embeddings = (self.vocabulary + self.block + self.segments + 2) * width
        block = 4 * (width * width + width) + 2 * width * inner + inner + width + 4 * width
        return embeddings + self.layers * block + self.pooler * (width * width + width)

    def attention_layers(self) -> tuple[str, ...]:
        """The attention layers by their names on a control."""
        return tuple(str(layer) for layer in range(self.layers))


EXAMPLE = "The animal didn't cross the street because it was too tired"  # Uszkoreit 2017: “it” is the animal …
OTHER_EXAMPLE = "The animal didn't cross the street because it was too wide"  # … and here the street


PRETRAINED = Experiment(
    name=NAME,
    order=100,
    title="BERT",
    summary=N_("A pre-trained BERT from this server's folder of models."),
    model="core.models.bert:Bert",
    task="core.inference.pretrained:WordPieces",
    objective="",
    settings=PretrainedSettings,
    view=common.View,
    recipes={},
)


def models(folder: Path | None = None) -> dict[str, Path]:
    """The model folders in the owner's folder, by their names; none when the variable names no folder."""
    named = os.environ.get(VARIABLE, "").strip()
    if folder is None and not named:
        return {}
    folder = folder or Path(named)
    try:
        found = sorted(path for path in folder.iterdir() if (path / CONFIG).is_file() and (path / WEIGHTS).is_file())
    except OSError:
        return {}
    return {path.name: path for path in found}


def read_settings(folder: Path) -> PretrainedSettings:
    """The shape of the model in a folder. Raises :class:`SettingError` for anything but a BERT that we can build."""
    config = _config(folder)
    for name, known in FIXED.items():
        if (value := config.get(name, known[0])) not in known:
            raise SettingError(
                N_("“{folder}” has {name} = {value}; this app reads {known} alone"),
                folder=folder.name,
                name=name,
                value=str(value)[:40],
                known=", ".join(str(one) for one in known),
            )
    try:
        settings = PretrainedSettings(
            vocabulary=_count(config["vocab_size"]),
            layers=_count(config["num_hidden_layers"]),
            heads=_count(config["num_attention_heads"]),
            width=_count(config["hidden_size"]),
            feed_forward=_count(config["intermediate_size"]),
            block=_count(config["max_position_embeddings"]),
            segments=_count(config.get("type_vocab_size", 2)),
            norm_eps=float(config.get("layer_norm_eps", 1e-12)),
        )
        if settings.width % settings.heads:
            raise ValueError
    except (KeyError, TypeError, ValueError):
        raise SettingError(N_("“{folder}” has no config.json of a BERT"), folder=folder.name) from None
    return settings


def _config(folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        config = None
    if not isinstance(config, dict):
        raise SettingError(N_("“{folder}” has no config.json of a BERT"), folder=folder.name)
    return config


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError
    return value
