"""A text of one's own as the corpus: described before it is used, refused in words, lost by nothing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some
from streamlit.testing.v1 import AppTest

from core.experiments.common import OWN_TEXT_LONGEST
from core.settings import SettingError
from core.ui import corpus
from tests.pages.conftest import App, FakePool, go
from tests.pages.test_controls import said

TEXT = "the fern looked over the wall and saw the other fern. " * 7
CHINESE = "学而时习之不亦说乎有朋自远方来不亦乐乎人不知而不愠不亦君子乎" * 4
MODELS = ["mini_bert", "mini_gpt"]


def panel(test: AppTest) -> AppTest:
    """Open the panel of the own text."""
    test.session_state["own_text_panel"] = True
    return test.run()


def use(test: AppTest, text: str) -> AppTest:
    """Paste a text and use it, and open the panel again: it has closed when the text was taken."""
    panel(test).text_area(key="own_text").set_value(text).run()
    return panel(test.button(key="use_text").click().run())


def shown(test: AppTest) -> str:
    """All that is said in Markdown and in captions."""
    return said(test) + "\n".join(one.value for one in test.markdown) + "\n".join(one.value for one in test.text)


@pytest.mark.parametrize("text", [TEXT, CHINESE, "<b>$x$ [MASK] *`😀\n" * 20])
@pytest.mark.parametrize("name", MODELS)
def test_a_pasted_text_becomes_the_corpus(app: App, pool: FakePool, name: str, text: str) -> None:
    pool.ship(name)
    test = use(app(name), text)
    assert not test.exception
    settings = pool.run.settings
    assert (settings.corpus, settings.own_text, settings.held_out) == ("own", corpus.tidy(text), 0.1)
    assert (pool.run.step, pool.run.asked) == (0, [])
    assert f"{len(settings.own_text)} characters, {len(set(settings.own_text))} of them distinct" in shown(test)
    view = test.session_state[f"_page_{name}"].view
    assert set(view.prompt) <= set(text) | {"_"}
    assert ("_" in view.prompt) == (name == "mini_bert")
    assert dict(test.query_params) == {"corpus": "own", "held_out": "0.1"}


def test_the_text_survives_pages_reruns_and_its_own_address(app: App, pool: FakePool) -> None:
    test = use(app("mini_gpt"), TEXT)
    run = pool.run
    for page in ("home", "mini_bert", "mini_gpt"):
        go(test, page)
    test.segmented_control(key="language").set_value("zh").run()
    test.query_params["seed"] = "3"  # an address that the page has not had is read as a link
    test.run()
    assert not test.warning
    assert pool.find(run.id) is run
    assert test.session_state["_page_mini_gpt"].settings.own_text == corpus.tidy(TEXT)
    assert panel(test).text_area(key="own_text").value == corpus.tidy(TEXT)


def test_leaving_the_text_keeps_it_in_its_box(app: App, pool: FakePool) -> None:
    test = use(app("mini_gpt"), TEXT)
    panel(test.button(key="leave_text").click().run())
    assert (pool.run.settings.corpus, pool.run.settings.own_text, pool.run.settings.held_out) == ("daodejing", "", 0.0)
    assert test.session_state["_page_mini_gpt"].view.prompt == "道可道非常道"
    assert test.text_area(key="own_text").value == corpus.tidy(TEXT)
    assert dict(test.query_params) == {}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "at least"),
        ("too short", "at least"),
        ("字" * (OWN_TEXT_LONGEST + 1), "at most"),
        ("".join(map(chr, range(0x4E00, 0x4E00 + 3001))), "different characters"),
    ],
)
def test_a_text_that_cannot_be_used_is_refused_in_words(
    app: App, pool: FakePool, name: str, text: str, why: str
) -> None:
    test = app(name)
    test.button(key="train").click().run()
    use(test, text)
    assert why in test.error[0].value
    assert (len(pool.started), pool.run.status, pool.run.settings.corpus) == (1, "running", pool.run.settings.corpus)
    assert test.text_area(key="own_text").value == text
    assert dict(test.query_params) == {}


def test_a_text_that_is_too_long_can_be_shortened(app: App, pool: FakePool) -> None:
    test = use(app("mini_gpt"), CHINESE * 700)
    test.button(key="shorten_text").click().run()
    test.button(key="use_text").click().run()
    assert not test.error
    assert len(pool.run.settings.own_text) == OWN_TEXT_LONGEST


def upload(test: AppTest, data: bytes) -> AppTest:
    """Choose a file."""
    test.file_uploader(key="own_file").set_value(("poem.txt", data, "text/plain"))
    return test.run()


@pytest.mark.parametrize(
    "data", [CHINESE.encode("gbk"), CHINESE.encode("utf-16"), b"\xff", TEXT.encode() + b"\xe5", b""]
)
def test_a_bad_upload_is_named_and_loses_nothing(app: App, pool: FakePool, data: bytes) -> None:
    test = use(app("mini_gpt"), TEXT)
    upload(test, data)
    assert "poem.txt" in test.error[0].value.replace("\\", "")
    assert test.text_area(key="own_text").value == corpus.tidy(TEXT)
    assert (len(pool.started), pool.run.settings.own_text) == (2, corpus.tidy(TEXT))


def test_a_good_upload_is_described_and_used(app: App, pool: FakePool) -> None:
    test = panel(app("mini_gpt"))
    upload(test, b"\xef\xbb\xbf" + TEXT.replace(". ", ".\r\n").encode())
    expected = TEXT.replace(". ", ".\n").strip("\n")
    assert test.text_area(key="own_text").value == expected
    assert f"{len(expected)} characters" in shown(test)
    assert "↵" in shown(test)
    test.button(key="use_text").click().run()
    assert pool.run.settings.own_text == expected


def test_a_link_to_somebodys_text_explains_itself(app: App, pool: FakePool) -> None:
    test = app("mini_gpt", corpus="own", held_out="0.2")
    assert "paste it again" in test.warning[0].value
    assert (pool.run.settings.corpus, pool.run.settings.held_out) == ("daodejing", 0.2)


@given(some.text(), some.sampled_from(["", "\ufeff"]), some.sampled_from(["\n", "\r\n", "\r"]))
def test_a_file_is_read_as_it_was_written(text: str, mark: str, ending: str) -> None:
    lines = corpus.tidy("x" + text + "x")
    assert corpus.decode((mark + lines.replace("\n", ending)).encode(), "a.txt") == lines


@given(some.binary(min_size=1))
def test_any_file_is_read_or_refused_at_its_first_bad_byte(data: bytes) -> None:
    try:
        corpus.decode(data, "a.txt")
    except SettingError as error:
        position = error.fields.get("position")
        if position is None:
            assert not corpus.tidy(data.decode())
        else:
            assert isinstance(position, int)
            data[:position].decode()
            assert f"0x{data[position]:02X}" in str(error)


def test_an_own_text_that_is_not_there_yet_is_asked_for_and_nothing_changes(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    before = len(pool.started)
    test.selectbox(key="corpus").set_value("own").run()
    assert "Paste or upload your text first" in shown(test)
    assert test.session_state["_page_mini_gpt"].settings.corpus == "daodejing"
    assert test.session_state["own_text_panel"]
    assert not test.session_state["settings"]
    assert not test.error
    assert len(pool.started) == before
    use(test, TEXT)
    assert pool.run.settings.corpus == "own"
