"""The modules behind what one takes away and what one guesses, by themselves."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser

from core.figures import attention
from core.figures.theme import PALETTES
from core.runs.wire import quantise_small
from core.ui.components.look.words import map_words
from tests.browser.test_modules import HOST, Call, floats, serve
from tests.browser.test_modules import call as call

Evaluate = Callable[..., Any]


@pytest.fixture
def modules(browser: Browser) -> Iterator[Evaluate]:
    """Runs a script in a page of its own: ``await load("look/animation.js")`` gives a module."""
    page = browser.new_page()
    page.route(f"{HOST}/**", serve)
    page.goto(f"{HOST}/blank.html")

    def run(script: str, argument: Any = None) -> Any:
        source = f"async given => {{ const load = name => import(`{HOST}/${{name}}`); {script} }}"
        return page.evaluate(source, argument)

    yield run
    page.close()


# Files and pictures


def test_a_table_is_read_back_as_it_was(modules: Evaluate) -> None:
    rows: list[list[str | float | None]] = [
        ["step", 'a "b"', "c,d"],
        [1, None, 0.5],
        [2, "zwei\nZeilen", "道"],
        [3, "", " "],
    ]
    written = modules('return (await load("shared/files.js")).table(given).text()', rows)
    read = list(csv.reader(io.StringIO(written.removeprefix("\ufeff"), newline="")))
    assert read == [["" if value is None else str(value) for value in row] for row in rows]


@pytest.mark.parametrize("room", [1, 4, 9, 30])
@pytest.mark.parametrize(
    "sentence", ["", "one two  three", "道可道非常道名可名", "a 道可道非常道 b", "withoutanyspace"]
)
def test_lines_keep_every_letter_and_fit_their_room(modules: Evaluate, sentence: str, room: int) -> None:
    script = 'return (await load("shared/picture.js")).wrapped(given.sentence, words => words.length, given.room)'
    lines = modules(script, {"sentence": sentence, "room": room})
    assert "".join(lines).replace(" ", "") == sentence.replace(" ", "")
    assert all(len(line) <= room for line in lines)
    if room >= 15:
        assert all(word in " ".join(lines) for word in sentence.split())  # no word is broken that fits


def test_a_runs_history_has_a_row_for_every_step_and_what_happened_at_it(call: Call) -> None:
    course = {
        "loss": [3.5, None, 2.5],
        "evaluations": [{"step": 0, "held_out_loss": 4.0}, {"step": 3, "held_out_loss": 2.0, "accuracy": 0.5}],
        "marks": [
            {"step": 2, "setting": "learning_rate", "value": 0.1},
            {"step": 2, "setting": "causal_mask", "value": True},
        ],
    }
    assert call("curve/export.js", "history", course) == [
        ["step", "training_loss", "held_out_loss", "accuracy", "changed"],
        [0, None, 4.0, None, ""],
        [1, 3.5, None, None, ""],
        [2, None, None, None, "learning_rate=0.1; causal_mask=true"],
        [3, 2.5, 2.0, 0.5, ""],
    ]


# The animation


@pytest.mark.parametrize("count", [2, 3, 7, 10, 11])
def test_of_many_frames_evenly_many_are_kept_and_both_ends(call: Call, count: int) -> None:
    kept = call("look/animation.js", "thinned", list(range(10)), count)
    assert (kept[0], kept[-1]) == (0, 9)
    assert len(kept) == min(count, 10)
    assert set(np.diff(kept)) <= {9 // (count - 1), -(-9 // (count - 1))} if count < 10 else {1}


def past(steps: int, layers: int, heads: int, tokens: int, *, causal: bool = True) -> tuple[list[Any], Any]:
    """Frames as the past gives them, and their weights (steps, layers, heads, queries, keys)."""
    random = np.random.default_rng(steps)
    weights = random.dirichlet(np.ones(tokens) / 3, (steps, layers, heads, tokens)).astype(np.float32)
    allowed = np.tril(np.ones((tokens, tokens), dtype=bool)) if causal else np.ones((tokens, tokens), dtype=bool)
    weights = np.where(allowed, weights, 0)
    weights /= weights.sum(axis=-1, keepdims=True)
    maps = [
        {"layer": layer, "queries": "tokens", "keys": "tokens", "shape": [heads, tokens, tokens]}
        for layer in range(layers)
    ]
    names = [chr(0x4E00 + place) for place in range(tokens)]
    header = {"tokens": names, "streams": {"tokens": names}, "maps": maps}
    frames = [
        {
            "step": 10 * step,
            "loss": 3.0 - step / 100,
            "header": header,
            "maps": [quantise_small(layer, np.broadcast_to(allowed, layer.shape)).ravel().tolist() for layer in frame],
        }
        for step, frame in enumerate(weights)
    ]
    return frames, np.where(allowed, weights, np.nan)


@pytest.mark.parametrize("scale", ["fixed", "head", "log", "uniform"])
def test_cells_of_an_animation_stand_for_what_the_figures_paint(modules: Evaluate, scale: str) -> None:
    frames, weights = past(3, 2, 2, 5)
    allowed = ~np.isnan(weights[0, 0, 0])
    told = modules(
        """const { filmOf } = await load("look/animation.js")
        for (const frame of given.frames) frame.maps = frame.maps.map(cells => Uint8Array.from(cells))
        const parts = [{ layer: 1, heads: [0, 1] }, { layer: 0, heads: [1] }]
        const { film, cells } = filmOf(given.frames, parts, { scale: given.scale, hide_first: false })
        return { film, cells: cells.map(one => [...one]) }""",
        {"frames": frames, "scale": scale},
    )
    cells = iter(told["cells"])
    for frame in weights:
        for part in told["film"]["parts"]:
            for head, (low, high) in zip(part["heads"], part["limits"], strict=True):
                shown = np.array(next(cells)).reshape(5, 5)
                np.testing.assert_array_equal(shown == 255, ~allowed)
                painted = attention.painted(np.nan_to_num(frame[part["layer"], head]), allowed, scale)
                expected = np.clip(painted, low, high)
                # half a step of the film's cells, and what half a step of the wire's own is worth on this scale
                wire = (
                    0.5
                    / 254
                    * (
                        1 / (np.log(10) * np.maximum(np.nan_to_num(frame[part["layer"], head]), 1e-3))
                        if scale == "log"
                        else 1
                    )
                )
                error = np.abs(low + shown / 254 * (high - low) - expected)
                assert (error <= 0.5 / 254 * (high - low) + 2 * wire + 1e-6)[allowed].all()
    assert next(cells, None) is None
    for part in told["film"]["parts"]:
        for place, head in enumerate(part["heads"]):
            low, high = part["limits"][place]
            if scale == "fixed":
                assert (low, high) == (0, 1)
            if scale == "head":
                most = max(attention.largest(np.nan_to_num(frame[part["layer"], head]), allowed) for frame in weights)
                assert high == pytest.approx(most, abs=1 / 254)


@pytest.mark.parametrize(("steps", "layers", "heads", "tokens"), [(5, 2, 2, 6), (40, 4, 8, 48), (60, 6, 16, 64)])
def test_an_animation_stays_below_two_megabytes_however_much_there_is(
    modules: Evaluate, steps: int, layers: int, heads: int, tokens: int
) -> None:
    figures = {
        name: {"zoom": json.loads(attention.zoom(palette=palette, words=map_words()).to_json())}
        for name, palette in PALETTES.items()
    }
    page = modules(
        MAKE_ANIMATION,
        {"steps": steps, "layers": layers, "heads": heads, "tokens": tokens, "figures": figures},
    )
    assert len(page.encode()) < 2_000_000
    assert "</script><b>" not in page
    told = json.loads(page.split('id="film">')[1].split("</script>")[0])
    kept = [frame["step"] for frame in told["frames"]]
    taken = sum(len(part["heads"]) for part in told["parts"])
    assert (kept[0], kept[-1]) == (0, steps - 1)
    assert len(kept) >= min(steps, 12)
    assert (f"{len(kept)} of {steps} steps" in told["about"]) is (len(kept) < steps)
    assert (f"{taken} of {layers * heads} heads" in told["about"]) is (taken < layers * heads)
    assert any(part["layer"] == 1 and 1 in part["heads"] for part in told["parts"])
    if tokens == 6:
        assert (taken, len(kept)) == (layers * heads, steps)
    elif tokens == 64:
        assert taken < layers * heads


# An animation of cells that nothing could compress (xorshift; Marsaglia 2003).
MAKE_ANIMATION = """
  const { animation } = await load("look/animation.js")
  const { steps, layers, heads, tokens, figures } = given
  const shape = [heads, tokens, tokens]
  const maps = Array.from({ length: layers }, (_, layer) => ({ layer, queries: "t", keys: "t", shape }))
  const names = Array.from({ length: tokens }, (_, place) => String.fromCharCode(0x4e00 + place))
  const header = { tokens: names, streams: { t: names }, maps }
  let state = 1
  const random = () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % 255
  }
  const cells = () => Uint8Array.from({ length: heads * tokens * tokens }, random)
  const frames = Array.from({ length: steps }, (_, step) => ({ step, loss: 2, header, maps: maps.map(cells) }))
  const counts = { some_frames: "{kept} of {all} steps", some_heads: "{kept} of {all} heads" }
  const take = { title: "{text}", scale: "", scales: {}, player: {}, ...counts }
  const labels = { take, stamp_without_loss: "{step}", zoom: "", layer: "", head: "", masked: "" }
  const data = { labels, figures, lens: { scale: "fixed", hide_first: false }, language: "en", causal_mask: null }
  const look = { header: { layer: 1, seed: 1 } }
  return animation(frames, { root: document.body, text: "</script><b>", focus: { layer: 1, head: 1 }, look, data })
"""


# Guesses


def test_a_query_is_drawn_from_those_with_three_keys_and_not_twice(call: Call) -> None:
    map_ = [floats(row) for row in np.where(np.tril(np.ones((6, 6))) > 0, 0.1, np.nan)]
    seen = {call("look/guess.js", "drawn", map_, f"topic {number}", None) for number in range(60)}
    assert seen == {2, 3, 4, 5}
    assert {call("look/guess.js", "drawn", map_, f"topic {number}", 4) for number in range(60)} == {2, 3, 5}
    assert len({call("look/guess.js", "drawn", map_, "the same", None) for _ in range(3)}) == 1
    assert call("look/guess.js", "drawn", map_[:2], "none", None) is None
    assert call("look/guess.js", "drawn", map_[:3], "one", 2) == 2


def test_a_guess_is_worth_its_share_of_the_largest_weight(call: Call) -> None:
    row = np.array([0.1, np.nan, 0.4, 0.2, 0.2, 0.1])
    for guess, rank in ((2, 1), (3, 2), (4, 2), (0, 4)):
        judged = call("look/guess.js", "judged", floats(row), guess)
        assert (judged["favourite"], judged["rank"], judged["keys"]) == (2, rank, 5)
        assert judged["share"] == pytest.approx(row[guess] / 0.4)
        assert judged["weight"] == pytest.approx(row[guess])


def test_the_large_map_is_a_head_the_mean_or_rollout_where_there_is_one(modules: Evaluate) -> None:
    seen = modules(
        """const { shownLarge } = await load("look/summary.js")
        const maps = [0.25, 0.75].map(first => [Float32Array.of(1, NaN), Float32Array.of(first, 1 - first)])
        const header = { layer: 1, rollout: [2, 2, 2] }
        const rollout = Uint8Array.of(0, 0, 0, 0, 254, 255, 127, 127)
        const listed = (_, value) => ArrayBuffer.isView(value) ? [...value] : value
        const plain = one => JSON.parse(JSON.stringify(one, listed))
        return ["head", "mean", "rollout"].map(summary => plain(shownLarge({ header, maps, rollout }, 5, summary)))
          .concat(plain(shownLarge({ header: { ...header, rollout: null }, maps, rollout: null }, 0, "rollout")))"""
    )
    assert [(one["summary"], one["head"], len(one["maps"])) for one in seen] == [
        ("head", 1, 2),
        ("mean", 0, 1),
        ("rollout", 0, 1),
        ("head", 0, 2),
    ]
    assert seen[1]["maps"] == [[[1, None], [0.5, 0.5]]]
    assert seen[2]["maps"] == [[[1, None], [0.5, 0.5]]]


def test_what_is_covered_holds_no_weight_but_those_of_the_open_row(modules: Evaluate) -> None:
    seen = modules(
        """const { covered } = await load("look/cover.js")
        const maps = [0, 1].map(head => [0, 1].map(query => Float32Array.of(head, query, 0.5)))
        const look = { header: {}, maps, overview: [Uint8Array.of(1, 2, 255)], rollout: Uint8Array.of(3) }
        const listed = (_, value) => ArrayBuffer.isView(value) ? [...value] : value
        const plain = one => JSON.parse(JSON.stringify(one, listed))
        return [plain(covered(look, null)), plain(covered(look, { head: 1, query: 0 })), plain(look)]"""
    )
    nothing = [None, None, None]
    assert seen[0]["maps"] == [[nothing, nothing], [nothing, nothing]]
    assert seen[1]["maps"] == [[nothing, nothing], [[1, 0, 0.5], nothing]]
    assert seen[0]["overview"] == seen[1]["overview"] == [[255, 255, 255]]
    assert seen[0]["rollout"] == [255]
    assert seen[2]["overview"] == [[1, 2, 255]]
