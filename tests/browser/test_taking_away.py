"""What one takes away of a figure: pictures, data, and the run's past as an animation that needs no network."""

from __future__ import annotations

import csv
import io
import json
import struct
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, expect

from tests.browser.conftest import Visit
from tests.browser.problems import Problems
from tests.browser.screen import Screen

STEPS = 6
LARGEST_FILE = 2_000_000


def opened(screen: Screen, figure: str) -> Locator:
    """The menu of a figure, opened with the mouse."""
    screen.look.locator(f".save-image[data-plot={figure}]").click()
    return screen.page.locator(".page-menu:popover-open")


def taken(screen: Screen, figure: str, item: str, folder: Path) -> Path:
    """Choose from a figure's menu, and keep the file that comes."""
    return kept(screen, opened(screen, figure), item, folder)


def kept(screen: Screen, menu: Locator, item: str, folder: Path) -> Path:
    """Choose from an open menu, and keep the file that comes."""
    with screen.page.expect_download() as coming:
        menu.locator(f"[data-item={item}]").click()
    expect(menu).to_be_hidden()
    file = folder / coming.value.suggested_filename
    coming.value.save_as(file)
    return file


def trained(screen: Screen, experiment: str = "mini_gpt", **more: object) -> Screen:
    """A run of a few steps, at its end."""
    screen.open(experiment, **({"steps": STEPS, "seed": 5} | more))
    screen.train_to_end()
    return screen


def png_size(file: Path) -> tuple[int, int]:
    """Width and height of a PNG. Raises :class:`AssertionError` for anything else."""
    content = file.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    width, height = struct.unpack(">II", content[16:24])
    return int(width), int(height)


def shown_size(screen: Screen, selector: str) -> tuple[float, float]:
    """Width and height of what stands on the page."""
    box = screen.look.locator(selector).bounding_box()
    assert box
    return box["width"], box["height"]


# Pictures


@pytest.mark.parametrize(
    ("figure", "place"),
    [
        ("attention-grid", ".heads-block"),
        ("attention-zoom", ".attention-zoom .main-svg >> nth=0"),
        ("predictions", ".predictions .js-plotly-plot"),
    ],
)
def test_a_png_is_the_figure_three_times_as_large_with_room_for_its_stamp(
    screen: Screen, tmp_path: Path, figure: str, place: str
) -> None:
    trained(screen)
    wide, high = shown_size(screen, place)
    width, height = png_size(taken(screen, figure, "png", tmp_path))
    assert width >= 3 * (wide - 1)
    assert height >= 3 * (high + 2 * 15 - 1)  # two lines at least


def test_a_picture_says_what_it_shows_and_when(screen: Screen, tmp_path: Path) -> None:
    trained(screen, scale="log", layer=1, head=2)
    screen.write("道可<名")
    for figure in ("attention-zoom", "attention-grid", "predictions"):
        picture = taken(screen, figure, "svg", tmp_path).read_text(encoding="utf-8")
        words = " ".join(screen.page.evaluate(READ_SVG, picture))
        loss = screen.look.locator(".look-stamp").inner_text().split("loss ")[1].split(" ")[0]
        for said in ("MiniGPT", "道可<名", f"step {STEPS}", f"loss {loss}", "seed 5"):
            assert said in words, (figure, said)
        if figure != "predictions":
            assert "ayer 1, head 2" in words
            assert "scale log" in words
            assert words.count("可") >= 3  # in the title, among the queries, among the keys
    layers = screen.look.locator(".heads-block .layer-name").all_inner_texts()
    picture = next(tmp_path.glob("attention-grid*.svg")).read_text(encoding="utf-8")
    assert set(layers) <= set(screen.page.evaluate(READ_SVG, picture))


# The words of a picture. What is no XML has none.
READ_SVG = """source => {
  const read = new DOMParser().parseFromString(source, "image/svg+xml")
  if (read.querySelector("parsererror")) throw new Error(read.documentElement.textContent)
  return [...read.querySelectorAll("text")].map(one => one.textContent)
}"""


def test_both_masks_have_pictures_and_data_of_their_own(screen: Screen, tmp_path: Path) -> None:
    screen.open("mini_gpt")
    screen.look.get_by_role("button", name="Both masks").click()
    expect(screen.look.locator(".other-predictions .js-plotly-plot")).to_be_visible()
    picture = taken(screen, "other-map", "svg", tmp_path).read_text(encoding="utf-8")
    assert "without" in " ".join(screen.page.evaluate(READ_SVG, picture))
    table = read_table(taken(screen, "other-map", "csv", tmp_path))
    assert all(row["weight"] for row in table)  # nothing is masked
    assert png_size(taken(screen, "other-predictions", "png", tmp_path))[0] > 0


# Data


def read_table(file: Path) -> list[dict[str, str]]:
    """A table with a header."""
    return list(csv.DictReader(io.StringIO(file.read_text(encoding="utf-8-sig"))))


def test_data_are_the_painted_weights_of_every_layer_and_head(screen: Screen, tmp_path: Path) -> None:
    trained(screen, layer=1)
    painted = screen.maps
    with np.load(taken(screen, "attention-zoom", "npz", tmp_path)) as arrays:
        np.testing.assert_allclose(arrays["layer_1"], painted, atol=1e-5)
        assert arrays["layer_0"].shape == painted.shape
        assert "".join(arrays["tokens"]) == screen.sentence.input_value()
        about = json.loads(str(arrays["about"]))
    assert (about["step"], about["seed"]) == (STEPS, 5)
    rows = [row for row in read_table(taken(screen, "attention-grid", "csv", tmp_path)) if row["layer"] == "1"]
    weights = np.array([float(row["weight"] or "nan") for row in rows]).reshape(painted.shape)
    np.testing.assert_allclose(weights, painted, atol=1e-5)


def test_data_of_an_earlier_step_are_those_of_that_step(screen: Screen, tmp_path: Path) -> None:
    trained(screen)
    now = screen.maps
    screen.page.locator(".st-key-time").get_by_role("slider").press("Home")
    expect(screen.grid).to_have_attribute("data-painted-step", "0")
    with np.load(taken(screen, "attention-grid", "npz", tmp_path)) as arrays:
        assert json.loads(str(arrays["about"]))["step"] == 0
        np.testing.assert_allclose(arrays["layer_0"], screen.maps, atol=0.5 / 254 + 1e-6)
        assert np.nanmax(np.abs(arrays["layer_0"] - now)) > 1e-4


def test_candidates_are_those_of_the_bars(screen: Screen, tmp_path: Path) -> None:
    screen.open("mini_gpt")
    table = {
        row["candidate"]: float(row["probability"]) for row in read_table(taken(screen, "predictions", "csv", tmp_path))
    }
    assert sum(table.values()) == pytest.approx(1, abs=1e-4)
    for label, chance in screen.probabilities.items():
        assert table[label] == pytest.approx(chance, abs=1e-6)


def test_a_refusal_is_said_and_the_menu_stays(screen: Screen, problems: Problems) -> None:
    problems.expect(r"answered: 503 .*/api/maps/")
    screen.open("mini_gpt")
    screen.page.route("**/api/maps/**", lambda route: route.fulfill(status=503, body="{}"))
    menu = opened(screen, "attention-zoom")
    menu.locator("[data-item=npz]").click()
    expect(menu.locator("[data-item=npz]")).to_contain_text("did not work")
    expect(menu).to_be_visible()


# The chart


def test_the_chart_and_its_history_are_taken_away(screen: Screen, tmp_path: Path) -> None:
    trained(screen)
    button = screen.chart.locator(".save-image")
    files = {}
    for item in ("png", "svg", "csv"):
        button.click()
        files[item] = kept(screen, screen.page.locator(".page-menu:popover-open"), item, tmp_path)
    assert png_size(files["png"])[0] > 3 * 250
    words = " ".join(screen.page.evaluate(READ_SVG, files["svg"].read_text(encoding="utf-8")))
    for said in ("MiniGPT", f"step {STEPS} of {STEPS}", "seed 5", "loss (nats)", "each step"):
        assert said in words
    rows = [row for row in read_table(files["csv"]) if row["training_loss"]]
    assert [int(row["step"]) for row in rows] == list(range(1, STEPS + 1))
    np.testing.assert_allclose([float(row["training_loss"]) for row in rows], screen.loss)
    measured = [value for value in (row[name] for row in rows for name in row if name.endswith("loss")) if value]
    assert len(measured) > STEPS  # the measure of held-out text, or of the prefix, too


# The lives of the heads


def test_the_lives_of_the_heads_are_taken_away(screen: Screen, tmp_path: Path) -> None:
    trained(screen, layer=1)
    place = screen.page.locator(".st-key-biography .attention-biography")
    place.scroll_into_view_if_needed()
    expect(place).to_have_attribute("data-last", str(STEPS))
    files = {}
    for item in ("png", "svg", "csv"):
        place.locator(".save-image").click()
        files[item] = kept(screen, screen.page.locator(".page-menu:popover-open"), item, tmp_path)
    assert png_size(files["png"])[0] > 3 * 500
    words = " ".join(screen.page.evaluate(READ_SVG, files["svg"].read_text(encoding="utf-8")))
    for said in (f"Layer 1, head 0, from step 0 to step {STEPS}", "seed 5", "entropy (nats)"):
        assert said in words
    rows = read_table(files["csv"])
    assert [(int(row["step"]), int(row["head"])) for row in rows] == [
        (step, head) for step in range(STEPS + 1) for head in range(4)
    ]
    assert all(0 <= float(row["self"]) <= 1 for row in rows)


# The lab


def test_a_matrix_of_the_lab_is_taken_away(screen: Screen, tmp_path: Path) -> None:
    screen.page.goto(f"{screen.server}/attention-lab")
    place = screen.page.locator(".st-key-lab .attention-lab")
    expect(place).to_have_attribute("data-state", "ok")
    files = {}
    for item in ("png", "svg", "csv"):
        place.locator('[data-step="scores"] .save-image').click()
        files[item] = kept(screen, screen.page.locator(".page-menu:popover-open"), item, tmp_path)
    assert png_size(files["png"])[0] > 300
    words = " ".join(screen.page.evaluate(READ_SVG, files["svg"].read_text(encoding="utf-8")))
    assert "layer 0, head 0" in words
    rows = read_table(files["csv"])
    names = [row[""] for row in rows]
    assert list(rows[0])[1:] == names  # as many keys as queries
    numbers = np.array([[float(row[name]) for name in names] for row in rows])
    assert np.isfinite(numbers).all() and numbers.std() > 0


# The animation


@pytest.fixture
def film(visit: Visit, tmp_path: Path) -> Path:
    """An animation of a short run."""
    screen = trained(visit())
    return taken(screen, "attention-zoom", "film", tmp_path)


def test_an_animation_plays_by_itself_without_any_network(browser: Browser, film: Path) -> None:
    assert film.suffix == ".html"
    assert film.stat().st_size < LARGEST_FILE
    problems, asked = Problems(), []
    context = browser.new_context(offline=True, reduced_motion="no-preference", viewport={"width": 1280, "height": 800})
    page = context.new_page()
    problems.watch(page)
    page.on("request", lambda request: asked.append(request.url))
    page.goto(film.as_uri())
    said = page.locator("output")
    expect(said).to_contain_text(f"step {STEPS} of {STEPS}")  # it plays to the end
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.keyboard.press("Home")
    expect(said).to_contain_text(f"step 0 of {STEPS}")
    before = page.locator("canvas.film-map").evaluate("canvas => canvas.toDataURL()")
    page.keyboard.press("ArrowRight")
    expect(page.locator("body")).to_have_attribute("data-frame", "1")
    expect(said).to_contain_text("loss")
    assert page.locator("canvas.film-map").evaluate("canvas => canvas.toDataURL()") != before
    page.keyboard.press("End")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".film-caption")).to_have_text("Layer 0, head 1")
    page.get_by_role("button", name="Layer 1, head 3").click()
    expect(page.locator(".film-caption")).to_have_text("Layer 1, head 3")
    page.get_by_role("slider").fill("2")
    expect(page.locator("body")).to_have_attribute("data-frame", "2")
    assert problems.unexpected == []
    assert asked == [film.as_uri()]
    context.close()


def test_an_animation_shows_the_weights_of_its_last_step(visit: Visit, browser: Browser, tmp_path: Path) -> None:
    screen = trained(visit())
    painted = screen.large_map
    context = browser.new_context(offline=True, reduced_motion="reduce")
    page = context.new_page()
    page.goto(taken(screen, "attention-zoom", "film", tmp_path).as_uri())
    expect(page.locator("body")).to_have_attribute("data-step", str(STEPS))
    canvas = page.locator("canvas.film-map")
    expect(page.get_by_role("button", name="Play")).to_be_visible()  # nothing moves by itself
    place = page.evaluate("() => document.querySelector('.film-map').getBoundingClientRect().toJSON()")
    assert canvas.get_attribute("aria-label")
    last = painted.shape[0] - 1
    left = place["x"] + place["width"] - 90 - 460  # the map's own corner: bars to the right of it, 460 pixels wide
    side = 460 / painted.shape[0]
    for key in range(painted.shape[1]):
        page.mouse.move(left + (key + 0.5) * side, place["y"] + 6 + (last + 0.5) * side)
        told = page.locator(".film-readout").inner_text()
        assert f"({last}) to key" in told
        assert float(told.split(": ")[-1]) == pytest.approx(painted[last, key], abs=0.5 / 254 + 6e-4)
    page.mouse.move(left + (last + 0.5) * side, place["y"] + 6 + 0.5 * side)
    expect(page.locator(".film-readout")).to_contain_text("masked")
    context.close()


def test_without_a_past_there_is_no_animation_and_it_says_why(screen: Screen) -> None:
    screen.open("mini_gpt")  # the shipped checkpoint
    item = opened(screen, "attention-zoom").locator("[data-item=film]")
    expect(item).to_have_attribute("aria-disabled", "true")
    expect(item).to_contain_text("nothing to play yet")
    item.click(force=True)
    expect(item).to_be_visible()


# The menu


def test_the_menu_is_worked_with_the_keyboard(screen: Screen) -> None:
    screen.open("mini_gpt")
    button = screen.look.locator(".save-image[data-plot=attention-zoom]")
    expect(button).to_have_attribute("aria-haspopup", "menu")
    expect(button).to_have_attribute("aria-expanded", "false")
    button.focus()
    screen.page.keyboard.press("Enter")
    menu = screen.page.get_by_role("menu", name="Take away")
    items = menu.get_by_role("menuitem")
    expect(items).to_have_count(5)
    expect(button).to_have_attribute("aria-expanded", "true")
    expect(items.nth(0)).to_be_focused()
    for key, place in (("ArrowDown", 1), ("ArrowUp", 0), ("ArrowUp", 4), ("ArrowDown", 0), ("End", 4), ("Home", 0)):
        screen.page.keyboard.press(key)
        expect(items.nth(place)).to_be_focused()
    screen.page.keyboard.press("Escape")
    expect(menu).to_be_hidden()
    expect(button).to_be_focused()
    screen.page.keyboard.press("ArrowUp")
    expect(items.nth(4)).to_be_focused()
    screen.page.keyboard.press("Home")
    with screen.page.expect_download() as coming:
        screen.page.keyboard.press("Enter")
    assert coming.value.suggested_filename.endswith(".png")
    expect(button).to_be_focused()
    button.click()
    screen.look.locator(".look-label").click()
    expect(menu).to_be_hidden()
    expect(button).to_have_attribute("aria-expanded", "false")


@pytest.mark.parametrize("width", [360, 768, 1280])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_menu_is_cut_off(screen: Screen, width: int, language: str) -> None:
    screen.page.set_viewport_size({"width": width, "height": 640})
    screen.open("mini_gpt", language=language)
    buttons = screen.page.locator(".save-image[aria-haspopup=menu]:visible")
    assert buttons.count() >= 4
    for button in buttons.all():
        button.click()
        menu = screen.page.locator(".page-menu:popover-open")
        expect(menu).to_have_count(1)
        for part in (menu, *menu.get_by_role("menuitem").all()):
            box = part.bounding_box()
            assert box
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= width
            assert box["y"] >= 0
            assert box["y"] + box["height"] <= 640
        words = menu.inner_text()
        assert ("图片" in words) is (language == "zh")
        screen.page.keyboard.press("Escape")
