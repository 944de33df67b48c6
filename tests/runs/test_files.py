"""Every way of writing the maps of a look to a file tells the same, and what the engine saw."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import numpy as np
import pytest
import torch

from core.experiments import find
from core.inference.look import look
from core.runs.files import COLUMNS, file_of
from core.runs.requests import LookRequest
from core.runs.trainer import Trainer
from core.runs.wire import Floats
from core.settings import SettingError, values
from tests.runs.tools import NAMES, finish, small, start

ASKED = {name: LookRequest(text=find(name).view().prompt, ablate=((0, 1),), without_keys=(1,)) for name in NAMES}


@pytest.fixture(scope="module")
def trainer() -> Trainer:
    """A run of every model, finished."""
    one = Trainer()
    for name in NAMES:
        start(one, name, name)
        one.control(name, "train")
    finish(one)
    return one


def content(trainer: Trainer, name: str, kind: str) -> bytes:
    """The whole file."""
    return b"".join(file_of(trainer.maps(name, ASKED[name]), kind).content)


def arrays(trainer: Trainer, name: str) -> tuple[list[Floats], list[str], dict[str, Any]]:
    """What the npz file holds: weights of every layer, tokens, about."""
    with np.load(io.BytesIO(content(trainer, name, "npz")), allow_pickle=False) as file:
        weights = [file[f"layer_{layer}"] for layer in range(len(file.files) - 2)]
        return weights, file["tokens"].tolist(), json.loads(str(file["about"]))


@pytest.mark.parametrize("name", NAMES)
def test_arrays_are_what_the_engine_saw(trainer: Trainer, name: str) -> None:
    weights, tokens, about = arrays(trainer, name)
    view = trainer._view(name, None)
    looked = look(view.model, view.task, view.settings, ASKED[name])
    assert tokens == list(looked.reading.tokens)
    for found, shown in zip(weights, looked.maps, strict=True):
        expected = shown.weights.masked_fill(~shown.allowed, torch.nan)[0].numpy()
        assert found.dtype == np.float32
        assert np.array_equal(found, expected, equal_nan=True)
    assert (about["experiment"], about["step"], about["seed"]) == (name, view.step, 0)
    assert about["loss"] == view.loss
    assert about["settings"] == values(small(name))
    assert about["ablation"] == {"heads": [[0, 1]], "keys": [1]}


@pytest.mark.parametrize("name", NAMES)
def test_the_table_has_a_row_a_cell(trainer: Trainer, name: str) -> None:
    weights, _, about = arrays(trainer, name)
    header, *rows = csv.reader(io.StringIO(content(trainer, name, "csv").decode(), newline=""))
    assert tuple(header) == COLUMNS
    assert len(rows) == sum(layer.size for layer in weights)
    for layer, head, query, query_token, key, key_token, weight in rows:
        queries, keys = (about["streams"][about["maps"][int(layer)][side]] for side in ("queries", "keys"))
        assert (query_token, key_token) == (queries[int(query)], keys[int(key)])
        expected = weights[int(layer)][int(head), int(query), int(key)]
        assert np.isnan(expected) if weight == "" else np.float32(weight) == expected


@pytest.mark.parametrize("name", NAMES)
def test_json_tells_the_same(trainer: Trainer, name: str) -> None:
    weights, tokens, about = arrays(trainer, name)
    told = json.loads(content(trainer, name, "json"))
    assert (told["tokens"], told["about"]) == (tokens, about)
    for entry, layer in zip(told["maps"], weights, strict=True):
        assert entry["shape"] == list(layer.shape)
        assert np.array_equal(np.array(entry["weights"], dtype=np.float32), layer, equal_nan=True)


def test_another_kind_of_file_is_refused_in_words(trainer: Trainer) -> None:
    with pytest.raises(SettingError, match="format is one of npz, csv, json, not “exe”"):
        file_of(trainer.maps("mini_gpt", ASKED["mini_gpt"]), "exe")
