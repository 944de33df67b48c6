"""Looking back: the scrubber, the curve and the past of a run, in a browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Request, expect

from tests.browser.conftest import Visit
from tests.browser.screen import LONG, Screen

STEPS = 60


def scrubber(screen: Screen) -> Locator:
    """The component beneath the curve."""
    return screen.page.locator(".st-key-time .attention-time")


def slider(screen: Screen) -> Locator:
    """Its track."""
    return scrubber(screen).get_by_role("slider")


def line(screen: Screen) -> Locator:
    """The marker on the curve."""
    return screen.chart.locator(".moment-line")


def trained(screen: Screen, experiment: str = "tiny_transformer") -> Screen:
    """A page whose own run is over and has a past."""
    screen.open(experiment, recipe="fast", steps=STEPS)
    screen.train_to_end()
    expect(scrubber(screen)).to_have_attribute("data-past", "kept")
    expect(line(screen)).to_have_attribute("data-faint", "true")
    return screen


def expect_moment(screen: Screen, moment: str) -> None:
    """The scrubber and the curve are at the same step (or at the newest)."""
    expect(scrubber(screen)).to_have_attribute("data-moment", moment)
    expect(screen.chart).to_have_attribute("data-moment", moment)


def drawn_step(screen: Screen) -> float:
    """The step at which the line stands, read back from its pixels."""
    return float(
        line(screen).evaluate(
            """line => {
              const { layout } = line.parentElement.querySelector(".js-plotly-plot")
              const [low, high] = layout.xaxis.range
              const inner = layout.width - layout.margin.l - layout.margin.r
              return low + ((parseFloat(line.style.left) - layout.margin.l) / inner) * (high - low)
            }"""
        )
    )


def pixel_of(screen: Screen, step: float) -> tuple[float, float]:
    """Where a step is on the curve, in pixels of the screen, at half its height."""
    place = screen.chart.locator(".js-plotly-plot").evaluate(
        """(plot, step) => {
          const corner = plot.getBoundingClientRect()
          const { layout } = plot
          const [low, high] = layout.xaxis.range
          const inner = layout.width - layout.margin.l - layout.margin.r
          const x = corner.left + layout.margin.l + ((step - low) / (high - low)) * inner
          return [x, corner.top + layout.height / 2]
        }""",
        step,
    )
    return float(place[0]), float(place[1])


def count_questions(screen: Screen) -> Callable[[], int]:
    """Count the looks and the questions about the past from now on."""
    asked: list[str] = []

    def notice(request: Request) -> None:
        if "/api/look/" in request.url or "/api/past/" in request.url:
            asked.append(request.url)

    screen.page.on("request", notice)
    return lambda: len(asked)


def wait_until_read(screen: Screen) -> None:
    """Wait until all of the past is in the browser; the scrubber says how much is missing."""
    expect(scrubber(screen).locator(".time-words")).not_to_contain_text("snapshots")
    screen.page.wait_for_timeout(1_500)
    expect(scrubber(screen).locator(".time-words")).not_to_contain_text("snapshots")


def test_dragging_the_scrubber_moves_the_line_on_the_curve(screen: Screen) -> None:
    trained(screen)
    slider(screen).scroll_into_view_if_needed()
    box = slider(screen).bounding_box()
    assert box is not None
    level = box["y"] + box["height"] / 2
    screen.page.mouse.move(box["x"] + box["width"] - 8, level)
    screen.page.mouse.down()
    seen = []
    for share in (0.75, 0.5, 0.25):
        screen.page.mouse.move(box["x"] + share * box["width"], level, steps=4)
        expect(line(screen)).to_have_attribute("data-faint", "false")
        moment = int(scrubber(screen).get_attribute("data-moment") or -1)
        expect_moment(screen, str(moment))
        assert drawn_step(screen) == pytest.approx(moment, abs=0.5)
        assert moment == pytest.approx(share * STEPS, abs=3)
        seen.append(moment)
    screen.page.mouse.up()
    assert seen == sorted(set(seen), reverse=True)


def test_the_track_lies_beneath_the_axis_of_steps(screen: Screen) -> None:
    trained(screen)
    slider(screen).press("ArrowLeft")
    step = int(scrubber(screen).get_attribute("data-moment") or -1)
    thumb = slider(screen).evaluate(
        """slider => {
          const box = slider.getBoundingClientRect()
          return box.left + 7 + (slider.value / slider.max) * (box.width - 14)
        }"""
    )
    assert thumb == pytest.approx(pixel_of(screen, step)[0], abs=2)


def test_a_click_on_the_curve_moves_the_scrubber_and_a_double_click_does_not(screen: Screen) -> None:
    trained(screen)
    screen.page.mouse.click(*pixel_of(screen, 20))
    expect_moment(screen, "20")
    assert slider(screen).input_value() == "20"
    expect(slider(screen)).to_have_attribute("aria-valuetext", "step 20 · loss " + shown_loss(screen, 20))
    screen.page.wait_for_timeout(600)
    screen.page.mouse.dblclick(*pixel_of(screen, 40))
    expect_moment(screen, "20")
    screen.page.mouse.click(*pixel_of(screen, STEPS))
    expect_moment(screen, "newest")


def shown_loss(screen: Screen, step: int) -> str:
    """The loss of a step as the page writes it."""
    words = screen.page.evaluate(
        """async loss => (await import(new URL("./components/shared/words.js", document.baseURI))).lossWords(loss)""",
        screen.loss[step - 1],
    )
    return str(words)


def test_the_line_on_the_curve_can_be_dragged(screen: Screen) -> None:
    trained(screen)
    start, end = pixel_of(screen, STEPS), pixel_of(screen, 33)
    screen.page.mouse.move(*start)
    screen.page.mouse.down()
    screen.page.mouse.move(*end, steps=6)
    screen.page.mouse.up()
    expect_moment(screen, "33")
    assert slider(screen).input_value() == "33"


def test_keys_go_from_snapshot_to_snapshot(screen: Screen) -> None:
    trained(screen)
    track = slider(screen)
    for key, moment in (
        ("ArrowLeft", STEPS - 1),
        ("ArrowLeft", STEPS - 2),
        ("PageDown", STEPS - 12),
        ("ArrowRight", STEPS - 11),
        ("Home", 0),
        ("ArrowLeft", 0),
        ("PageUp", 10),
        ("End", "newest"),
    ):
        track.press(key)
        expect_moment(screen, str(moment))
    track.press("Home")
    scrubber(screen).get_by_role("button", name="Go to the newest step").press("Enter")
    expect_moment(screen, "newest")


def test_playing_asks_nothing_of_the_server(screen: Screen) -> None:
    trained(screen)
    slider(screen).press("Home")
    expect_moment(screen, "0")
    wait_until_read(screen)
    scrubber(screen).get_by_role("combobox").select_option("4")
    asked = count_questions(screen)
    screen.page.evaluate(
        """() => {
          const time = document.querySelector(".st-key-time .attention-time")
          window.moments = []
          new MutationObserver(() => window.moments.push(time.dataset.moment))
            .observe(time, { attributeFilter: ["data-moment"] })
        }"""
    )
    scrubber(screen).get_by_role("button", name="Play").click()
    expect(scrubber(screen)).to_have_attribute("data-playing", "true")
    screen.page.wait_for_function("window.moments.length >= 15")
    assert asked() == 0
    expect_moment(screen, "newest")  # where it ends
    expect(scrubber(screen)).to_have_attribute("data-playing", "false")
    moments = [STEPS + 1 if one == "newest" else int(one) for one in screen.page.evaluate("window.moments")]
    assert moments == sorted(moments)
    assert len(set(moments)) >= 15


def test_the_space_bar_plays_and_pauses_but_not_from_another_control(screen: Screen) -> None:
    trained(screen)
    scrubber(screen).get_by_role("combobox").select_option("0.5")
    screen.page.evaluate("document.activeElement.blur()")
    screen.page.keyboard.press("Space")
    expect(scrubber(screen)).to_have_attribute("data-playing", "true")
    screen.page.keyboard.press("Space")
    expect(scrubber(screen)).to_have_attribute("data-playing", "false")
    moment = scrubber(screen).get_attribute("data-moment") or ""
    assert moment.isdigit()
    slider(screen).press("Space")
    expect(scrubber(screen)).to_have_attribute("data-playing", "true")
    slider(screen).press("Space")
    expect(scrubber(screen)).to_have_attribute("data-playing", "false")
    screen.chart.locator("[data-choice=log]").press("Space")
    expect(screen.chart.locator("[data-choice=log]")).to_have_attribute("aria-pressed", "true")
    screen.sentence.press("End")
    screen.sentence.press("Space")
    screen.page.wait_for_timeout(300)
    assert scrubber(screen).get_attribute("data-playing") == "false"


def test_without_motion_the_space_bar_takes_one_step(screen: Screen) -> None:
    screen.page.emulate_media(reduced_motion="reduce")
    trained(screen)
    button = scrubber(screen).get_by_role("button", name="Next snapshot")
    for moment in range(3):
        button.press("Space")
        expect_moment(screen, str(moment))
    screen.page.wait_for_timeout(700)
    expect_moment(screen, "2")


@pytest.mark.parametrize(("language", "said"), [("en", "their past was not kept"), ("zh", "没有保留")])
def test_a_model_from_a_file_says_that_it_has_no_past(screen: Screen, language: str, said: str) -> None:
    screen.open("mini_gpt", language=language)
    expect(scrubber(screen).locator(".time-words")).to_contain_text(said)
    expect(slider(screen)).to_be_disabled()
    expect(line(screen)).to_have_count(0)
    screen.page.mouse.click(*pixel_of(screen, 100))
    screen.page.wait_for_timeout(200)
    expect_moment(screen, "newest")


def test_nothing_moves_when_a_past_comes_to_be(visit: Visit) -> None:
    screen = visit().open("mini_gpt", steps=LONG)
    before = scrubber(screen).bounding_box()
    assert before is not None
    assert before["height"] <= 44
    screen.button("reset").click()
    screen.wait_for_status("ready")
    expect(scrubber(screen).locator(".time-words")).to_contain_text("can be looked back at here")
    screen.train()
    expect(scrubber(screen)).to_have_attribute("data-past", "kept")
    after = scrubber(screen).bounding_box()
    assert after is not None
    assert after["height"] == before["height"]
    slider(screen).press("Home")
    expect_moment(screen, "0")
    screen.page.wait_for_timeout(1_500)  # training goes on, the moment stays
    expect_moment(screen, "0")


def test_another_run_is_looked_at_as_it_now_is(screen: Screen) -> None:
    trained(screen)
    slider(screen).press("Home")
    expect_moment(screen, "0")
    screen.button("reset").click()
    screen.wait_for_status("ready")
    expect_moment(screen, "newest")


def biography(screen: Screen) -> Locator:
    """The lives of the heads, scrolled into sight."""
    found = screen.page.locator(".st-key-biography .attention-biography")
    found.scroll_into_view_if_needed()
    return found


@pytest.mark.parametrize(
    ("experiment", "between"),
    [
        ("tiny_transformer", 1),
        ("mini_gpt", 2),  # sixty snapshots of it are more than a run may keep
    ],
)
def test_every_head_has_a_line_that_ends_with_what_the_newest_look_measures(
    screen: Screen, experiment: str, between: int
) -> None:
    trained(screen, experiment)
    steps = list(range(0, STEPS + 1, between))
    screen.choose("layer", "1")
    screen.choose("head", "2")
    expect(biography(screen)).to_have_attribute("data-drawn", f"{screen.run} 1 2 {len(steps)}")
    heads = 4
    measured = screen.page.evaluate(
        """async ([run, text, given]) => {
          const { readFrame } = await import(new URL("./components/shared/frame.js", document.baseURI))
          const body = JSON.stringify({ text, given, layer: 1 })
          const headers = { "Content-Type": "application/json" }
          const answer = await fetch(`./api/look/${run}`, { method: "POST", headers, body })
          const { header } = readFrame(await answer.arrayBuffer())
          return header.statistics[header.maps.findIndex(one => one.layer === 1)]
        }""",
        [screen.run, screen.sentence.input_value(), len(screen.sentence.input_value())],
    )
    lines = (
        biography(screen)
        .locator(".js-plotly-plot")
        .evaluate(
            """plot => plot.data.map(({ x, y, line }) => ({ x: Array.from(x), y: Array.from(y), width: line.width }))"""
        )
    )
    assert len(lines) == 5 * heads + 1
    for place, measure in enumerate(("entropy", "distance", "previous", "first", "self")):
        for head in range(heads):
            drawn = lines[place * heads + head]
            assert drawn["x"] == steps
            assert drawn["y"][-1] == pytest.approx(measured[measure][head], abs=1e-6)
            assert (drawn["width"] > 2) == (head == 2)
    assert lines[-1]["y"] == pytest.approx([measured["uniform_entropy"]] * len(steps))
    entropy = lines[2]["y"]
    said = biography(screen).locator(".biography-plot").get_attribute("aria-label") or ""
    assert f"Layer 1, head 2, from step 0 to step {STEPS}" in said
    assert f"entropy {entropy[0]:.3f} to {entropy[-1]:.3f} nats (uniform: {measured['uniform_entropy']:.3f})" in said


def test_the_biography_shows_the_moment_and_a_click_on_it_sets_it(screen: Screen) -> None:
    trained(screen)
    expect(biography(screen)).to_have_attribute("data-drawn", f"{screen.run} 0 0 {STEPS + 1}")
    slider(screen).press("Home")
    expect(biography(screen)).to_have_attribute("data-moment", "0")
    now = biography(screen).locator(".biography-now")
    expect(now).to_contain_text("Layer 0, head 0 at step 0: entropy")
    expect(biography(screen).locator(".moment-line")).to_have_count(5)
    middle = biography(screen).locator(".draglayer .x3y3 .nsewdrag").bounding_box()
    assert middle is not None
    place = middle["x"] + middle["width"] * 24 / (1.01 * STEPS), middle["y"] + middle["height"] / 2
    screen.page.mouse.click(*place)
    expect_moment(screen, "24")
    expect(now).to_contain_text("at step 24")
    assert slider(screen).input_value() == "24"


def test_a_model_from_a_file_has_no_biography(screen: Screen) -> None:
    screen.open("tiny_transformer")
    expect(biography(screen).locator(".biography-empty")).to_contain_text("their past was not kept")
    expect(biography(screen).locator(".moment-line")).to_have_count(0)


def test_a_biography_grows_while_the_run_learns(screen: Screen) -> None:
    screen.open("mini_gpt", steps=LONG)
    screen.train()
    life = biography(screen)
    for _ in range(2):
        screen.page.wait_for_function(
            """before => {
              const last = document.querySelector(".attention-biography").dataset.last
              return last !== "" && Number(last) > before
            }""",
            arg=int(life.get_attribute("data-last") or -1),
        )
    screen.button("stop").click()
    screen.wait_for_status("stopped")
    expect(life).to_have_attribute("data-last", str(screen.steps))
