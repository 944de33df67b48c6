"""Whatever is thrown at a page or at the command line: no exception, a word where it was wrong, text shown as it is."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from core.__main__ import main
from core.experiments import catalogue
from core.experiments.common import OWN_TEXT_LONGEST
from core.settings import describe
from core.ui import links
from tests.pages.conftest import App, FakePool, go

EXPERIMENTS = list(catalogue())
NAMES = sorted({s.name for e in catalogue().values() for group in (e.settings, e.view) for s in describe(group)})
NASTY = [
    "",
    " ",
    "\x00",
    "<script>alert(1)</script>",
    "<b>bold</b> [MASK] _ `code` **strong** # title",
    "$\\frac{1}{0}$ $$x$$ \\(y\\)",
    ":smile: :material/home: :red[x]",
    "😀👩‍👩‍👧‍👦🇩🇪",
    "\u202eabc\u200b\ufeff",
    "e\u0301\n\r\n\t",
    "道" * 5000,
    "nan",
    "inf",
    "-1",
    "1e999",
    "9" * 5000,
    "٣",
    "{name} {0} %s %(x)s",
    "own",
    "../../etc/passwd",
]
TEXTS = some.one_of(some.sampled_from(NASTY), some.text(some.characters(exclude_categories=["Cs"]), max_size=40))
LINKS = some.dictionaries(some.one_of(some.sampled_from([*NAMES, "recipe", "language"]), TEXTS), TEXTS, max_size=6)
thrown = hypothesis_settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])


def healthy(test: AppTest) -> bool:
    """Whether a page has drawn itself to its end."""
    return not test.exception and bool(test.title) and test.segmented_control(key="language").value in ("en", "zh")


@pytest.mark.parametrize("page", [*EXPERIMENTS, "home"])
def test_any_link_opens_every_page(app: App, pool: FakePool, page: str) -> None:
    for name in EXPERIMENTS:
        pool.ship(name)
    test = app(page)

    @thrown
    @given(LINKS)
    def throw(parameters: dict[str, str]) -> None:
        test.query_params.clear()
        test.query_params.update(parameters)
        test.run()
        assert healthy(test)
        go(test, page)
        assert healthy(test)
        for run in pool.started:
            run.settings.check()

    throw()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_a_bad_link_is_answered_with_a_notice(app: App, name: str) -> None:
    group = catalogue()[name].settings
    test = app(name)

    @thrown
    @given(
        some.sampled_from([s for s in describe(group) if s.kind not in ("text", "switch")]), some.sampled_from(NASTY)
    )
    def throw(setting: Any, written: str) -> None:
        try:
            setting.parse(written)
        except ValueError:
            test.query_params.clear()
            test.query_params.update({setting.name: written, "colour": repr(written)})
            test.run()
            assert healthy(test)
            assert setting.name in test.warning[0].value.replace("\\", "")

    throw()


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_any_settings_leave_the_page_whole(app: App, pool: FakePool, name: str) -> None:
    test = app(name)
    numbers = [s for s in describe(catalogue()[name].settings) if s.kind == "integer"]
    buttons = some.lists(some.sampled_from(["train", "step", "pause", "stop", "reset", "new_seed"]), max_size=2)

    @thrown
    @given(some.data(), some.sampled_from(numbers), buttons)
    def throw(data: some.DataObject, setting: Any, pressed: list[str]) -> None:
        value = data.draw(some.integers(int(setting.minimum), int(setting.maximum)))
        test.number_input(key=setting.name).set_value(value).run()
        assert healthy(test)
        for button in pressed:
            if not test.button(key=button).disabled:
                test.button(key=button).click().run()
            assert healthy(test)
        for run in pool.started:
            run.settings.check()

    throw()


@pytest.mark.parametrize("name", ["mini_bert", "mini_gpt"])
def test_any_text_can_be_offered_as_a_corpus(app: App, pool: FakePool, name: str) -> None:
    test = app(name)

    @thrown
    @given(TEXTS, some.sampled_from([1, 7, 100]))
    def throw(text: str, times: int) -> None:
        text = (text * times)[: 2 * OWN_TEXT_LONGEST]
        test.session_state["own_text_panel"] = True
        test.run()
        test.text_area(key="own_text").set_value(text).run()
        test.button(key="use_text").click().run()
        assert healthy(test)
        settings = pool.run.settings
        settings.check()
        assert test.error or settings.corpus == links.OWN

    throw()


PLAIN = re.compile(r"(?<!\\)(?:\\\\)*[<$`*_\[]")


@pytest.mark.parametrize("text", NASTY)
def test_a_text_is_described_literally(app: App, text: str) -> None:
    test = app("mini_gpt")
    test.session_state["own_text_panel"] = True
    test.run()
    test.text_area(key="own_text").set_value(text or " ").run()
    described = next((m.value for m in test.caption if "First line: " in m.value), "First line: ")
    assert not PLAIN.search(described.split("First line: ")[1])


@pytest.mark.parametrize("text", [*NASTY, "<b>" * 7_000])
def test_any_sentence_of_a_link_reaches_the_box_unchanged(app: App, text: str) -> None:
    for name in EXPERIMENTS:
        test = app(name, prompt=text)
        assert healthy(test)
        assert test.session_state[f"_page_{name}"].view.prompt == text


def test_a_very_long_paste_is_kept_through_pages_and_languages(app: App) -> None:
    text = "道<b>$x$\n" * 12_500
    test = app("mini_gpt")
    test.session_state["_page_mini_gpt"].change_view({"prompt": text})
    test.run()
    assert "too long for a link" in "".join(caption.value for caption in test.caption)
    go(test, "home")
    go(test, "mini_gpt")
    test.segmented_control(key="language").set_value("zh").run()
    assert healthy(test)
    assert test.session_state["_page_mini_gpt"].view.prompt == text
    assert "prompt" not in test.query_params


def outcome(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, str, str]:
    """Run a command in this process: its exit status, what it printed, and what it complained about."""
    try:
        status = main(arguments)
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else 1
    printed = capsys.readouterr()
    return int(status or 0), printed.out, printed.err


@hypothesis_settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    some.sampled_from(["train", "attention", "generate", "experiments", "x", ""]),
    some.lists(
        some.one_of(
            TEXTS,
            some.sampled_from(
                ["--set", "--steps", "--seed", "--text", "--prompt", "--checkpoint", "--recipe", "--json"]
            ),
            some.builds("--set={}={}".format, some.sampled_from(NAMES), some.sampled_from(NASTY)),
        ),
        max_size=5,
    ),
)
def test_any_command_line_ends_with_one_clear_line(
    capsys: pytest.CaptureFixture[str], command: str, words: list[str]
) -> None:
    status, printed, complaint = outcome([command, "no_such_experiment", *words], capsys)
    if status == 0:  # it was asked for help
        assert "usage" in printed
    else:
        assert status == 2
        assert complaint.strip()
        assert "Traceback" not in complaint


@pytest.mark.parametrize("text", [*NASTY, "道" * 100_000])
@pytest.mark.parametrize("name", EXPERIMENTS)
def test_any_text_can_be_looked_at_on_the_command_line(
    capsys: pytest.CaptureFixture[str], name: str, text: str
) -> None:
    status, printed, complaint = outcome(["attention", name, "--steps=1", f"--text={text}", "--json"], capsys)
    assert status == 0, complaint
    assert json.loads(printed.strip().splitlines()[-1])
