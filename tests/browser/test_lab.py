"""The attention lab in a real browser: maps, switches, a cell in numbers, and the heads that send a token somewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.browser.app import App, running_app
from tests.browser.conftest import Visit
from tests.browser.problems import Problems
from tests.core.minilm import folder, needs_minilm

STEPS = ["query", "key", "value", "scores", "scaled", "masked", "weights", "weighted", "mixed", "share"]
Open = Callable[..., Page]


@pytest.fixture
def lab(visit: Visit) -> Open:
    """Follow a link to the lab, on the shared server or on another, and wait until its maps are painted."""

    def opened(server: str | None = None, **parameters: object) -> Page:
        screen = visit() if server is None else visit(server)
        screen.page.goto(f"{screen.server}/attention-lab?{urlencode(parameters)}")
        expect(root(screen.page)).to_have_attribute("data-state", "ok")
        return screen.page

    return opened


@pytest.fixture(scope="module")
def minilm() -> Iterator[App]:
    """A server whose owner has named a folder of models."""
    with running_app(ATTENTION_LIVE_MODELS=str(folder())) as app:
        yield app


def root(page: Page) -> Locator:
    """The component."""
    return page.locator(".st-key-lab .attention-lab")


def canvas(page: Page, step: str) -> Locator:
    """The map of a step."""
    return root(page).locator(f'[data-step="{step}"] canvas')


def picture(page: Page, step: str) -> str:
    """Its pixels."""
    return str(canvas(page, step).evaluate("canvas => canvas.toDataURL()"))


def spelled(page: Page) -> dict[str, float]:
    """The numbers of the chosen cell."""
    data = root(page).locator(".lab-spelled").evaluate("place => ({ ...place.dataset })")
    return {name: float(value) for name, value in data.items()}


def number(words: str) -> float:
    """A number as the page writes it."""
    return float(words.replace("−", "-"))


def wait_for_parameters(page: Page, **wanted: str) -> None:
    """Wait until the address names all of these."""
    page.wait_for_function(
        """wanted => {
          const found = new URL(location.href).searchParams
          return Object.entries(wanted).every(([name, value]) => found.get(name) === value)
        }""",
        arg=wanted,
    )


def adds_up(page: Page) -> None:
    """The products that are written add up to the score, and the laws hold."""
    terms = root(page).locator(".spelled-terms li")
    products = terms.evaluate_all("items => items.map(item => Number(item.dataset.product))")
    told = spelled(page)
    assert sum(products) == pytest.approx(told["score"], abs=1e-4)
    written = [number(words.split(" = ")[1]) for words in terms.all_inner_texts()]
    assert sum(written) == pytest.approx(told["score"], abs=1e-4 * len(written))
    for words in terms.all_inner_texts():
        left, right = re.split(" × ", words.split(" = ")[0])
        assert number(left) * number(right) == pytest.approx(number(words.split(" = ")[1]), rel=0.02, abs=1e-3)
    assert "✗" not in root(page).locator(".lab-laws").inner_text()


def test_a_deep_link_shows_every_step_and_spells_its_cell_out(lab: Open) -> None:
    page = lab(model="shipped.mini_gpt", layer=1, head=2, query=3, key=1)
    for step in STEPS:
        assert canvas(page, step).get_attribute("aria-label")
        assert len(picture(page, step)) > 500
    assert (spelled(page)["query"], spelled(page)["key"]) == (3, 1)
    assert root(page).locator(".spelled-terms li").count() == 16
    adds_up(page)
    page.reload()
    expect(root(page)).to_have_attribute("data-query", "3")
    wait_for_parameters(page, layer="1", head="2", query="3", key="1")


def test_a_cell_is_chosen_by_mouse_by_keyboard_and_by_name(lab: Open) -> None:
    page = lab(model="shipped.mini_bert", prompt="温故而知新", layer=1)
    before = spelled(page)
    cells = canvas(page, "scores").evaluate("canvas => [canvas.dataset.left, canvas.dataset.across].map(Number)")
    canvas(page, "scores").click(position={"x": sum(cells) - 4, "y": 3})
    expect(root(page)).to_have_attribute("data-query", "0")
    expect(root(page)).to_have_attribute("data-key", "4")
    wait_for_parameters(page, query="0", key="4")
    assert spelled(page) != before
    adds_up(page)
    canvas(page, "weights").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowLeft")
    expect(root(page)).to_have_attribute("data-query", "1")
    expect(root(page)).to_have_attribute("data-key", "3")
    adds_up(page)
    root(page).get_by_label("Query: the token that looks").select_option("4 tokens")
    expect(root(page)).to_have_attribute("data-query", "4")
    wait_for_parameters(page, query="4", key="3")
    adds_up(page)


def test_each_switch_changes_the_maps_and_says_so(lab: Open) -> None:
    page = lab(model="shipped.mini_gpt", prompt="道可道非常道", layer=1, query=1, key=3)
    changed = root(page).locator(".lab-changed")
    expect(changed).to_be_empty()
    assert spelled(page)["weight"] == 0  # the future is masked …
    for step in ("masked", "weights"):  # … and shown as such, not as a small number
        readout = root(page).locator(f'[data-step="{step}"] .step-readout')
        expect(readout).to_have_text("可 → 非: masked")
    for name, attribute in (("causal_mask", "causal"), ("scaled", "scaled"), ("positions", "positions")):
        before = {step: picture(page, step) for step in STEPS}
        page.locator(f".st-key-{name} label").first.click()
        expect(root(page)).to_have_attribute(f"data-{attribute}", "false")
        expect(changed).to_contain_text("not trained like this")
        assert all(picture(page, step) != before[step] for step in ("query", "scores", "weights", "mixed"))
        adds_up(page)
        wait_for_parameters(page, **{name: "false"})
    assert spelled(page)["weight"] > 0
    assert "Q·K" in root(page).locator(".lab-formula").inner_text()
    assert "√" not in root(page).locator(".lab-formula").inner_text()


@needs_minilm
def test_the_finder_names_the_heads_that_send_it_to_the_animal(lab: Open, minilm: App) -> None:
    page = lab(minilm.url)
    best = root(page).locator(".finder-best button")
    expect(best.nth(0)).to_have_text(re.compile(r"layer 5 · head 11\s*0\.647"))
    expect(best.nth(1)).to_have_text(re.compile(r"layer 3 · head 1\s*0\.640"))
    best.nth(1).click()
    expect(root(page)).to_have_attribute("data-layer", "3")
    expect(best.nth(1)).to_have_attribute("aria-pressed", "true")
    assert spelled(page)["weight"] == pytest.approx(0.640, abs=0.001)
    adds_up(page)
    wait_for_parameters(page, layer="3", head="1")
    root(page).get_by_role("button", name="Example 2").click()
    expect(root(page)).to_have_attribute("data-painted-text", re.compile("too wide$"))
    assert spelled(page)["weight"] == pytest.approx(0.266, abs=0.001)
    wait_for_parameters(page, prompt="The animal didn't cross the street because it was too wide")
    expect(best.nth(0)).to_have_text(re.compile(r"layer 5 · head 11\s*0\.503"))
    expect(page.get_by_text("22,713,216 parameters")).to_be_visible()


@needs_minilm
def test_chosen_words_stay_chosen_while_one_types_before_them(lab: Open, minilm: App) -> None:
    page = lab(minilm.url)
    page.get_by_role("textbox", name="Sentence").press("Home")
    page.keyboard.type("Yes ")
    expect(root(page)).to_have_attribute("data-painted-text", re.compile("^Yes The"))
    expect(root(page)).to_have_attribute("data-query", "11")
    expect(root(page)).to_have_attribute("data-key", "3")


def test_an_encoder_decoder_is_worked_out_across_its_two_rows_of_tokens(lab: Open) -> None:
    page = lab(model="shipped.seq2seq", prompt="47+85", layer=5, head=3, query=1, key=3)
    told = root(page)
    expect(told).to_have_attribute("data-kind", "target-source")
    expect(told.locator(".lab-answer")).to_have_text("Written from the right: 231 ✓")
    expect(told.locator(".lab-kind")).to_contain_text("no causal mask here")
    expect(told.locator(".spelled-title")).to_have_text("2 (1) → 8 (3), in numbers")
    sizes = {
        step: told.locator(f'[data-step="{step}"]').evaluate("card => [card.dataset.rows, card.dataset.columns]")
        for step in STEPS
    }
    assert sizes["weights"] == ["4", "5"]
    assert (sizes["query"][0], sizes["key"][0], sizes["weighted"][0]) == ("4", "5", "5")
    adds_up(page)
    expect(told.locator(".finder-best button").first).to_have_text(re.compile(r"^cross \d · head \d"))
    told.get_by_label("Key: the token that is looked at").select_option("0 target")  # another kind: its layer is shown
    expect(told).to_have_attribute("data-kind", "target-target")
    expect(told).to_have_attribute("data-layer", "4")
    expect(told.locator(".finder-best button").first).to_have_text(re.compile(r"^decoder \d · head \d"))
    wait_for_parameters(page, layer="4", head="3", query="1", key="0")
    adds_up(page)
    page.locator(".st-key-causal_mask label").first.click()
    expect(told.locator(".lab-changed")).to_contain_text("without the decoder's causal mask")
    expect(told).to_have_attribute("data-causal", "false")
    told.get_by_label("Query: the token that looks").select_option("2 source")
    expect(told).to_have_attribute("data-kind", "source-source")
    expect(told).to_have_attribute("data-layer", "1")
    expect(told.locator(".lab-changed")).to_be_empty()  # an encoder never has the mask
    told.get_by_role("textbox").press("End")
    page.keyboard.type("9")
    expect(told.locator(".lab-news")).to_contain_text("this is read as 47+59")
    adds_up(page)


@pytest.mark.parametrize("text", ["<b>道</b>", "道👩🏽‍🔬可", "[MASK]道", ""])
def test_text_is_shown_literally(lab: Open, text: str) -> None:
    page = lab(model="shipped.mini_gpt")
    box = root(page).get_by_role("textbox")
    box.press("ControlOrMeta+a")
    page.keyboard.insert_text(text) if text else box.press("Delete")
    expect(root(page)).to_have_attribute("data-painted-text", text)
    expect(box).to_have_value(text)
    expect(root(page).locator(".lab-steps b").first).to_have_text("Q")
    assert "道" in root(page).locator(".spelled-title").inner_text()
    if text != "[MASK]道":
        expect(root(page).locator(".lab-news")).not_to_be_empty()


def test_a_run_of_ones_own_is_followed_while_it_trains(visit: Visit) -> None:
    screen = visit().open("mini_bert", recipe="fast", steps=100)
    screen.train_to_end()
    page = screen.page
    page.get_by_role("navigation").get_by_role("button", name="Look").click()
    page.get_by_role("menuitem", name="Attention lab").click()
    expect(page.get_by_role("heading", name="Attention lab")).to_be_visible()
    page.locator(".st-key-model").get_by_role("combobox").click()
    page.get_by_role("option", name="MiniBERT (your run)").click()
    expect(root(page)).to_have_attribute("data-step", "100")
    wait_for_parameters(page, model="own.mini_bert")
    adds_up(page)


def test_a_server_that_does_not_answer_is_said_so(lab: Open, problems: Problems) -> None:
    problems.expect("failed: .*/api/lab/")
    page = lab(model="shipped.mini_gpt")
    page.route("**/api/lab/**", lambda route: route.abort("connectionrefused"))
    root(page).get_by_role("textbox").press_sequentially("道")
    expect(root(page)).to_have_attribute("data-state", "stale")
    expect(root(page).locator(".lab-news")).to_contain_text("cannot be reached")
    page.unroute("**/api/lab/**")
    expect(root(page)).to_have_attribute("data-state", "ok")


@pytest.mark.parametrize("width", [1024, 1280, 1920])
def test_nothing_overflows(lab: Open, width: int) -> None:
    page = lab(model="shipped.mini_gpt", language="zh")
    page.set_viewport_size({"width": width, "height": 720})
    expect(root(page)).to_have_attribute("data-state", "ok")
    page.wait_for_function(
        """() => [...document.querySelectorAll(".lab-step")].every(card => {
          const [own, map] = [card, card.querySelector("canvas")].map(one => one.getBoundingClientRect())
          return map.width > 100 && map.right <= own.right + 1 && own.right <= innerWidth
        })"""
    )
    expect(page.get_by_role("heading", name="注意力实验室")).to_be_visible()


@pytest.mark.parametrize("language", ["en", "zh"])
def test_no_serious_barrier(lab: Open, language: str) -> None:
    page = lab(model="shipped.mini_gpt", causal_mask="false", language=language)
    found = Axe().run(page).response["violations"]
    assert [rule["id"] for rule in found if rule["impact"] in ("serious", "critical")] == []
