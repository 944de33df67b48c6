"""How many parameters BERT-Base and BERT-Large have, counted on our own classes.

They are built on torch's ``meta`` device, where tensors have a shape and no memory: BERT-Large would take 1.3 GB.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

import torch
from torch import nn

from core.experiments.pretrained import PretrainedSettings
from core.inference.checkpoint import Checkpoint
from core.models.bert import Bert
from core.studies import Progress

VOCABULARY = 30_522  # pieces of the uncased models, with [CLS], [SEP], [PAD], [MASK], [UNK] and those never used
SHAPES = {  # Devlin et al. 2018 (arXiv:1810.04805, section 3)
    "base": PretrainedSettings(vocabulary=VOCABULARY, layers=12, heads=12, width=768, feed_forward=3072, block=512),
    "large": PretrainedSettings(vocabulary=VOCABULARY, layers=24, heads=16, width=1024, feed_forward=4096, block=512),
}
PUBLISHED = {"base": 110_000_000, "large": 340_000_000}
PARTS = ("embeddings", "attention", "feed_forward", "norms", "pooler")


def study(_options: Mapping[str, Any], _seen: Checkpoint | None) -> Generator[Progress, None, dict[str, Any]]:
    """Of every model its shape, its parameters by part and in all, and the count that was published."""
    counted: dict[str, Any] = {}
    for name, settings in SHAPES.items():
        with torch.device("meta"):
            model = Bert(settings)
        parts = by_part(model)
        counted[name] = {
            "layers": settings.layers,
            "width": settings.width,
            "heads": settings.heads,
            "feed_forward": settings.feed_forward,
            "parts": parts,
            "parameters": sum(one.numel() for one in model.parameters()),
            "published": PUBLISHED[name],
        }
        yield Progress(fraction=len(counted) / len(SHAPES), partial=counted)
    return counted


def by_part(model: nn.Module) -> dict[str, int]:
    """The parameters of a BERT by the part that they belong to, every one counted once."""
    parts = dict.fromkeys(PARTS, 0)
    for name, parameter in model.named_parameters():
        parts[part_of(name)] += parameter.numel()
    return parts


def part_of(name: str) -> str:
    """The part that a parameter belongs to, by its place in the model. Raises ValueError for a name of no BERT."""
    if "norm" in name:
        return "norms"
    if name.startswith("blocks."):
        return name.split(".")[2]
    kinds = {"embedding": "embeddings", "positions": "embeddings", "segments": "embeddings", "pooler": "pooler"}
    if (kind := name.split(".")[0]) not in kinds:
        raise ValueError(f"{name} is no parameter of a BERT")
    return kinds[kind]
