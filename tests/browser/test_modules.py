"""The components' modules by themselves: what Python knows too, they know alike."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from playwright.sync_api import Browser, Route

from core.experiments import find
from core.figures import attention, tokens
from core.figures.theme import LIGHT
from core.inference.generation import probabilities
from core.runs.history import History, Report
from core.runs.wire import pack_look, pack_past, quantise, quantise_small, unpack_look
from core.training.build import build

COMPONENTS = Path(__file__).parents[2] / "core" / "ui" / "components"
HOST = "http://modules.test"
HEADS, QUERIES, KEYS = 3, 5, 7

Call = Callable[..., Any]


@pytest.fixture(scope="module")
def call(browser: Browser) -> Iterator[Call]:
    """Calls an exported function: ``call("look/chances.js", "probabilities", …)``. NaN comes and goes as null."""
    page = browser.new_page()
    page.route(f"{HOST}/**", serve)
    page.goto(f"{HOST}/blank.html")

    def call_exported(module: str, function: str, *arguments: Any) -> Any:
        return page.evaluate(
            """async ([module, name, given]) => {
              const revive = (key, value) => value?.floats
                ? Float32Array.from(value.floats, one => one ?? NaN)
                : value?.bytes ? Uint8Array.from(value.bytes).buffer : value
              const plain = (key, value) => ArrayBuffer.isView(value) ? [...value] : value
              const exported = (await import(module))[name]
              const taken = JSON.parse(given, revive)
              const result = exported(...taken)
              return JSON.parse(JSON.stringify(result === undefined ? taken[0] : result, plain))
            }""",
            [f"{HOST}/{module}", function, json.dumps(arguments)],
        )

    yield call_exported
    page.close()


def serve(route: Route) -> None:
    """The components' own files, and an empty page to load them into."""
    path = route.request.url.removeprefix(f"{HOST}/")
    if path == "blank.html":
        route.fulfill(body="<!doctype html><title>modules</title>", content_type="text/html")
    else:
        route.fulfill(body=(COMPONENTS / path).read_text(encoding="utf-8"), content_type="text/javascript")


def floats(values: Any) -> dict[str, Any]:
    """Numbers that arrive as a Float32Array."""
    return {"floats": [None if np.isnan(value) else float(value) for value in np.asarray(values)]}


@pytest.mark.parametrize("temperature", [0.0, 0.05, 0.8, 2.0])
@pytest.mark.parametrize("top_k", [0, 1, 5, 13, 99])
@pytest.mark.parametrize("top_p", [0.0, 0.3, 0.9, 1.0])
def test_probabilities_are_those_of_the_engine(call: Call, temperature: float, top_k: int, top_p: float) -> None:
    logits = torch.randn(13, generator=torch.Generator().manual_seed(top_k)) * 3
    logits[7] = logits[2]  # two equal ones
    seen = call("look/chances.js", "probabilities", floats(logits), temperature, top_k, top_p)
    np.testing.assert_allclose(seen, probabilities(logits, temperature, top_k, top_p), atol=1e-6)


def test_likeliest_are_ordered_and_of_equals_the_earlier_comes_first(call: Call) -> None:
    assert call("look/chances.js", "likeliest", floats([0.1, 0.3, 0.1, 0.4, 0.1]), 4) == [3, 1, 0, 2]


@pytest.mark.parametrize("token", ["道", " ", "a\nb\t ", "<b>&amp;</b>", "👩🏽‍🔬", "[MASK]", ""])
def test_tokens_are_shown_as_in_python(call: Call, token: str) -> None:
    assert call("shared/tokens.js", "shown", token) == tokens.shown(token)


@pytest.mark.parametrize("causal", [True, False])
def test_largest_weight_is_that_of_the_figures(call: Call, causal: bool) -> None:
    weights = np.random.default_rng(2).dirichlet(np.ones(5), 5).astype(np.float32)
    allowed = np.tril(np.ones((5, 5), dtype=np.bool_)) if causal else np.ones((5, 5), dtype=np.bool_)
    weights[0, 0] = 1.0
    seen = call("look/facts.js", "largest", [floats(row) for row in np.where(allowed, weights, np.nan)])
    assert seen["weight"] == pytest.approx(attention.largest(weights, allowed))
    assert weights[seen["query"], seen["key"]] == pytest.approx(seen["weight"])


@pytest.mark.parametrize("scale", ["fixed", "head", "log", "uniform"])
def test_colours_stand_for_what_they_stand_for_in_the_figures(call: Call, scale: str) -> None:
    weights = np.random.default_rng(6).dirichlet(np.ones(6) / 4, 6).astype(np.float32)
    allowed = np.tril(np.ones((6, 6), dtype=np.bool_))
    map_ = [floats(row) for row in np.where(allowed, weights, np.nan)]
    seen = call("look/lens.js", "painted", map_, {"scale": scale})
    expected = attention.painted(weights, allowed, scale)
    np.testing.assert_allclose(np.array(seen, dtype=np.float32), expected, atol=1e-6)


def test_without_the_first_key_the_others_sum_to_one(call: Call) -> None:
    weights = np.random.default_rng(7).dirichlet(np.ones(5), 5).astype(np.float32)
    weights[2] = [1, 0, 0, 0, 0]  # gave everything to the first key
    seen = call("look/lens.js", "weightsOf", [floats(row) for row in weights], {"hide_first": True})
    shown = np.array(seen, dtype=np.float32)
    assert np.isnan(shown[:, 0]).all()
    assert np.isnan(shown[2]).all()
    rest = np.delete(shown, 2, axis=0)[:, 1:]
    np.testing.assert_allclose(rest.sum(axis=1), 1, atol=1e-6)
    np.testing.assert_allclose(rest[0] / rest[0].sum(), weights[0, 1:] / weights[0, 1:].sum(), atol=1e-6)


@pytest.mark.parametrize(
    ("key", "place"),
    [
        ("ArrowRight", (1, 0)),
        ("ArrowLeft", (1, 2)),
        ("ArrowDown", (0, 3)),
        ("ArrowUp", (0, 3)),
        ("Home", (1, 0)),
        ("End", (1, 3)),
        ("x", (1, 3)),
    ],
)
def test_arrows_move_among_heads_and_layers(call: Call, key: str, place: tuple[int, int]) -> None:
    seen = call("look/grid.js", "mapAfter", key, {"layer": 1, "head": 3}, 2, 4)
    assert (seen["layer"], seen["head"]) == place


def test_a_frame_is_read_as_it_was_written(call: Call) -> None:
    random = np.random.default_rng(3)
    allowed = random.random((HEADS, QUERIES, KEYS)) < 0.7
    cells = quantise(random.random((HEADS, QUERIES, KEYS)), allowed)
    logits = [random.random(size).astype(np.float32) for size in (11, 2)]
    header = {"tokens": ["道", "é"], "shape": list(cells.shape), "predictions": [{"size": 11}, {"size": 2}]}
    frame = pack_look(header, logits, cells)
    seen = call("shared/frame.js", "readFrame", {"bytes": list(frame)})
    written = unpack_look(frame)
    assert seen["header"] == written.header
    assert (seen["overview"], seen["rollout"], seen["baseline"]) == ([], None, None)
    for read, sent in zip(seen["logits"], logits, strict=True):
        np.testing.assert_array_equal(np.array(read, dtype=np.float32), sent)
    np.testing.assert_allclose(np.array(seen["maps"], dtype=np.float32), written.weights, atol=1e-7)


@pytest.mark.parametrize("causal", [True, False])
def test_a_frame_of_every_layer_is_read_as_it_was_written(call: Call, causal: bool) -> None:
    random = np.random.default_rng(5)
    shapes = [(HEADS, KEYS, KEYS), (1, KEYS, KEYS), (HEADS, QUERIES, KEYS)]
    seeing = np.tri(KEYS, dtype=bool) if causal else np.ones((KEYS, KEYS), dtype=bool)
    overview = [quantise_small(random.random(shape), seeing[: shape[1]]) for shape in shapes]
    rollout = quantise_small(random.random((2, KEYS, KEYS)), seeing)
    logits, baseline = ([random.random(size).astype(np.float32) for size in (11, 2)] for _ in range(2))
    header = {
        "shape": list(shapes[0]),
        "predictions": [{"size": 11}, {"size": 2}],
        "maps": [{"shape": list(shape)} for shape in shapes],
        "rollout": list(rollout.shape),
        "ablation": {"heads": [[0, 1]], "keys": []},
    }
    frame = pack_look(header, logits, quantise(random.random(shapes[0]), seeing), overview, rollout, baseline)
    seen = call("shared/frame.js", "readFrame", {"bytes": list(frame)})
    assert seen["header"]["only_past"] == [causal, causal, causal, False, causal]
    written = unpack_look(frame)
    np.testing.assert_allclose(np.array(seen["maps"], dtype=np.float32), written.weights, atol=1e-7)
    assert seen["overview"] == [cells.flatten().tolist() for cells in overview]
    assert seen["rollout"] == rollout.flatten().tolist()
    for read, sent in zip(seen["baseline"], baseline, strict=True):
        np.testing.assert_array_equal(np.array(read, dtype=np.float32), sent)


def test_a_past_is_read_as_it_was_written(call: Call) -> None:
    random = np.random.default_rng(7)
    shapes = [(HEADS, QUERIES, KEYS), (1, KEYS, KEYS), (2, KEYS, KEYS)]
    frames = [
        (
            [quantise_small(random.random(shape), np.tril(random.random(shape) < 0.7)) for shape in shapes],
            [random.random(size).astype(np.float32) for size in (11, 2)],
        )
        for _ in range(3)
    ]
    header: dict[str, Any] = {
        "predictions": [{"size": 11}, {"size": 2}],
        "maps": [{"shape": list(shape)} for shape in shapes[:2]],
        "rollout": list(shapes[2]),
        "frames": [{"step": step, "loss": None, "statistics": []} for step in (0, 3, 7)],
    }
    seen = call("shared/frame.js", "readPast", {"bytes": list(pack_past(header, frames))})
    assert seen["header"] == header | {"only_past": [False, True, True]}
    for read, told, (cells, logits) in zip(seen["frames"], header["frames"], frames, strict=True):
        assert {key: read[key] for key in told} == told
        assert [*read["maps"], read["rollout"]] == [one.flatten().tolist() for one in cells]
        for one, other in zip(read["logits"], logits, strict=True):
            np.testing.assert_array_equal(np.array(one, dtype=np.float32), other)


def report(start: int, losses: int, **more: Any) -> Report:
    """Some steps of a run."""
    end = start + losses
    return Report(
        run="one",
        start=start,
        loss=[1 / step for step in range(start + 1, end + 1)],
        learning_rate=[0.001] * losses,
        evaluations=[{"step": end, "held_out_loss": 2.0 / end}],
        marks=[{"step": start + 1, "setting": "mask_rate", "value": 0.3}],
        step=end,
        steps=100,
        status="running",
        reason=None,
        tokens=0,
        steps_per_second=None,
        seconds=0.0,
        seconds_left=None,
        **more,
    )


def test_a_course_is_followed_like_the_server_even_when_the_run_goes_back(call: Call) -> None:
    history = History()
    course: dict[str, Any] = {"loss": [], "evaluations": [], "marks": []}
    for one in (report(0, 7), report(7, 5), report(5, 3), report(8, 11)):
        history.absorb(one)
        state = {"step": one.step, "steps": 100, "status": "running", "reason": None}
        event = history.since(one.start) | state | {"steps_per_second": None, "seconds_left": None}
        course = call("shared/stream.js", "absorb", course, event)
    for name in ("loss", "evaluations", "marks"):
        assert course[name] == getattr(history, name)
    assert course["step"] == 19


def test_a_long_curve_is_thinned_out_but_keeps_its_peaks(call: Call) -> None:
    loss = np.random.default_rng(4).random(20_000)
    loss[12_347], loss[17_001] = 9.0, -9.0
    drawn = call("curve/series.js", "losses", loss.tolist())
    assert len(drawn["x"]) < 5_000
    assert drawn["x"] == sorted(set(drawn["x"]))
    assert [loss[step - 1] for step in drawn["x"]] == drawn["y"]
    assert {12_348, 17_002} <= set(drawn["x"])


def test_of_one_movement_of_a_slider_the_last_mark_is_drawn(call: Call) -> None:
    steps = [10, 11, 12, 50, 51]
    marks = [{"step": step, "setting": "mask_rate", "value": 0.3} for step in steps]
    other = {"step": 11, "setting": "learning_rate", "value": 0.01}
    drawn = call("curve/series.js", "settled", sorted([*marks, other], key=lambda mark: mark["step"]), 100)
    assert [(mark["step"], mark["setting"]) for mark in drawn] == [
        (11, "learning_rate"),
        (12, "mask_rate"),
        (51, "mask_rate"),
    ]


@pytest.mark.parametrize(
    ("experiment", "kind", "text"),
    [
        ("tiny_transformer", "digits", "4, 9x３ ①0"),
        ("mini_bert", "blanks", "温x故[MASK]而_👩🏽‍🔬新"),
        ("mini_bert", "blanks", "[MASK[MASK]]__"),
        ("mini_bert", "blanks", ""),
    ],
)
def test_every_token_is_found_again_in_the_text(call: Call, experiment: str, kind: str, text: str) -> None:
    settings = find(experiment).defaults()
    reading = build(find(experiment), settings).task.read(text)
    units = call("look/units.js", "unitsOf", text, kind)
    aligned = call("look/units.js", "align", units, list(reading.tokens), reading.special)
    given = text.encode("utf-16-le")  # JavaScript counts in units of two bytes
    for token, unit in zip(reading.tokens, aligned, strict=True):
        if unit is None:
            assert text == ""
            continue
        written = given[2 * unit["start"] : 2 * unit["end"]].decode("utf-16-le")
        assert unicodedata.normalize("NFKC", written).replace("_", "[MASK]") == token
    places = [unit["start"] for unit in aligned if unit]
    assert places == sorted(set(places))


def test_memory_moves_with_its_token(call: Call) -> None:
    memory = [[1, "b"], [3, "d"]]
    assert call("look/units.js", "carried", memory, list("a_c_e"), list("xa_c_e")) == [[2, "b"], [4, "d"]]
    assert call("look/units.js", "carried", memory, list("a_c_e"), list("a_e")) == [[1, "b"]]
    assert call("look/units.js", "carried", memory, list("a_c_e"), list("zz")) == []


def test_what_was_written_is_told_apart_by_its_origin(call: Call) -> None:
    written = {"text": "abcdefghijklm", "recited": 3, "copied": [[0, 5], [7, 12]]}
    passages = call("look/written.js", "passages", written)
    assert [(one["origin"], one["text"]) for one in passages] == [
        ("recited", "abc"),
        ("copied", "de"),
        ("own", "fg"),
        ("copied", "hijkl"),
        ("own", "m"),
    ]
    assert call("look/written.js", "counts", written) == {"recited": 3, "copied": 7, "count": 13}


@pytest.mark.parametrize("heads", [1, 2, 4, 8, 16])
@pytest.mark.parametrize("width", [300, 627, 799, 1228])
@pytest.mark.parametrize("tokens", [1, 9, 30, 64])
def test_the_maps_fit_beside_each_other(call: Call, heads: int, width: int, tokens: int) -> None:
    words = attention.MapWords(query="q", key="k", weight="w", masked="m")
    small = json.loads(attention.grid(heads=heads, palette=LIGHT, words=words).to_json())["layout"]
    large = json.loads(attention.zoom(palette=LIGHT, words=words).to_json())["layout"]
    for both, rows in ((False, 2), (True, 2), (False, 6)):
        columns = call("look/geometry.js", "abreast", rows, heads, width, both)
        assert columns == (2 if rows == 6 and heads <= 4 and width >= 560 else 1)
        grid = call("look/geometry.js", "gridSize", small, heads, width, both, columns)
        zoom = call("look/geometry.js", "zoomSize", large, tokens, tokens, width, both, 720, columns)
        assert min(grid["side"], zoom["side"]) > 0
        maps = 2 if both else 1
        used = columns * grid["width"] + maps * zoom["width"]
        assert (max(grid["width"], zoom["width"]) if width < 560 else used) <= width


@pytest.mark.parametrize(
    ("loss", "words"), [(1e-9, "< 0.0001"), (0.0, "< 0.0001"), (0.00012, "0.000120"), (2.4, "2.40")]
)
def test_a_loss_next_to_nothing_is_said_to_be_one(call: Call, loss: float, words: str) -> None:
    assert call("shared/words.js", "lossWords", loss) == words
