"""Loads a BERT of the Hugging Face format into our own layers.

A model is a folder with ``config.json``, ``model.safetensors`` and ``tokenizer.json``: nothing is unpickled, nothing is
downloaded. Words are split by the ``tokenizers`` library, which is optional: without it a sentence says so.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NoReturn

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor

from core.data.reading import Notice, Reading
from core.data.task import Batch, Prediction
from core.experiments.pretrained import MOST_TOKENS, PRETRAINED, TOKENIZER, WEIGHTS, PretrainedSettings, read_settings
from core.inference.checkpoint import Checkpoint
from core.models.bert import Bert
from core.settings import N_, SettingError

NAMES = (  # theirs → ours, applied from top to bottom
    (r"^bert\.", ""),
    (r"\.gamma$", ".weight"),  # as the first TensorFlow checkpoints called them
    (r"\.beta$", ".bias"),
    (r"^embeddings\.word_embeddings\.", "embedding."),
    (r"^embeddings\.position_embeddings\.", "positions.table."),
    (r"^embeddings\.token_type_embeddings\.", "segments."),
    (r"^embeddings\.LayerNorm\.", "norm."),
    (r"^encoder\.layer\.(\d+)\.", r"blocks.\1."),
    (r"\.attention\.self\.(query|key|value)\.", r".attention.\1."),
    (r"\.attention\.output\.dense\.", ".attention.output."),
    (r"\.attention\.output\.LayerNorm\.", ".attention_norm."),
    (r"\.intermediate\.dense\.", ".feed_forward.expand."),
    (r"^(blocks\.\d+)\.output\.dense\.", r"\1.feed_forward.contract."),
    (r"^(blocks\.\d+)\.output\.LayerNorm\.", r"\1.feed_forward_norm."),
    (r"^pooler\.dense\.", "pooler."),
)
LEFT_OUT = re.compile(r"^cls\.|position_ids$")  # the heads of the pre-training tasks; a table of 0, 1, 2 …
UNKNOWN = "[UNK]"
MOST_WORDS, LONGEST_WORD = 20, 20  # of unknown words that a notice repeats, in words and in characters


class WordPieces:
    """Reads a text as BERT does: pieces of words between [CLS] and [SEP] (Devlin et al. 2018, section 3).

    A model that came from elsewhere is looked at only; whatever training would need is refused in words.
    """

    def __init__(self, folder: Path, settings: PretrainedSettings) -> None:
        """Raises :class:`SettingError` when there is no ``tokenizers`` library or no vocabulary that fits."""
        self._tokenizer = _tokenizer(folder)
        self._tokenizer.no_padding()  # a file may ask for both
        self._tokenizer.no_truncation()
        self.tokens: int = self._tokenizer.get_vocab_size()
        if self.tokens > settings.vocabulary:
            raise SettingError(
                N_("the vocabulary of “{folder}” has {given} pieces, its model knows {known}"),
                folder=folder.name,
                given=self.tokens,
                known=settings.vocabulary,
            )
        self.longest = min(MOST_TOKENS, settings.block)

    def read(self, text: str) -> Reading:
        """The first pieces that fit between [CLS] and [SEP]."""
        frame = self._tokenizer.encode("")  # [CLS] [SEP]
        before, after = list(zip(frame.tokens, frame.ids, strict=True))[:1], _rest(frame)
        pieces = self._tokenizer.encode(text, add_special_tokens=False)
        room = self.longest - len(before) - len(after)
        kept = list(zip(pieces.tokens, pieces.ids, strict=True))[:room]
        notices: list[Notice] = []
        if unknown := self._unknown(text, pieces):
            notices.append({"code": "unknown_words", "words": unknown})
        if not kept:
            notices.append({"code": "empty", "start": before[0][0] if before else ""})
        if len(kept) < len(pieces.ids):
            notices.append({"code": "cropped", "kept": len(kept), "given": len(pieces.ids), "side": "start"})
        whole = [*before, *kept, *after]
        return Reading(
            tokens=tuple(token for token, _ in whole),
            numbers=tuple(number for _, number in whole),
            start=0,
            given=len(pieces.ids) + len(after),
            special=len(before),
            notices=tuple(notices),
        )

    @staticmethod
    def _unknown(text: str, pieces: Any) -> str:
        """The words that became [UNK], unless that is what was typed."""
        places = [place for place, piece in zip(pieces.offsets, pieces.tokens, strict=True) if piece == UNKNOWN]
        words = dict.fromkeys(text[start:end] for start, end in places)
        return " ".join(word[:LONGEST_WORD] for word in list(words)[:MOST_WORDS] if word != UNKNOWN)

    def predictions(self, logits: Tensor, reading: Reading, position: int | None = None) -> Sequence[Prediction]:
        """None: the model gives vectors, and says nothing."""
        return []

    def baselines(self) -> dict[str, float]:
        """None: there is nothing to guess."""
        return {}

    def batch(self, generator: torch.Generator, settings: Any) -> Batch:
        """Refused."""
        _refuse()

    def held_out(self, settings: Any) -> Batch | None:
        """Refused."""
        _refuse()

    def training_data(self) -> Batch:
        """Refused."""
        _refuse()


def load(folder: Path) -> Checkpoint:
    """Read a model folder. Raises :class:`SettingError` for anything that is not a whole BERT."""
    settings = read_settings(folder)
    reader = WordPieces(folder, settings)
    weights = translated(_weights(folder / WEIGHTS))
    settings = _with_pooler(settings, "pooler.weight" in weights)
    with torch.device("meta"):  # the weights of the file become the model's own: nothing is held twice
        model = Bert(settings)
    try:
        model.load_state_dict(weights, assign=True)
    except RuntimeError:
        raise SettingError(
            N_("the weights and the config.json in “{folder}” do not fit together"), folder=folder.name
        ) from None
    return Checkpoint(
        experiment=PRETRAINED,
        settings=settings,
        step=0,
        loss=None,
        task=reader,
        model=model.eval().requires_grad_(False),
    )


def translated(weights: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Weights of the Hugging Face format under the names of our layers, as float32."""
    ours = {}
    for theirs, tensor in weights.items():
        if LEFT_OUT.search(theirs):
            continue
        name = theirs
        for pattern, replacement in NAMES:
            name = re.sub(pattern, replacement, name)
        ours[name] = tensor.float()
    return ours


def _weights(path: Path) -> dict[str, Tensor]:
    try:
        return load_file(path)
    except (SafetensorError, OSError, ValueError):
        raise SettingError(N_("the weights in “{folder}” cannot be read"), folder=path.parent.name) from None


def _with_pooler(settings: PretrainedSettings, pooler: bool) -> PretrainedSettings:
    return settings if pooler else PretrainedSettings(**{**vars(settings), "pooler": False})


def _tokenizer(folder: Path) -> Any:
    try:
        library = importlib.import_module("tokenizers")
    except ImportError:
        raise SettingError(N_("the library “tokenizers” is not installed: see requirements-pretrained.txt")) from None
    try:
        return library.Tokenizer.from_file(str(folder / TOKENIZER))
    except Exception:  # the library raises nothing narrower
        raise SettingError(N_("“{folder}” has no tokenizer.json that can be read"), folder=folder.name) from None


def _rest(frame: Any) -> list[tuple[str, int]]:
    return list(zip(frame.tokens, frame.ids, strict=True))[1:]


def _refuse() -> NoReturn:
    raise SettingError(N_("a pre-trained model is looked at here; it is not trained"))
