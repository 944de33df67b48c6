"""Every page draws itself in every language, keeps what was chosen on it, and answers its link."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from core.experiments import catalogue
from core.i18n import LANGUAGES, translate
from core.settings import changed, describe
from core.ui.navigation import SECTIONS
from tests.pages.conftest import App, FakePool, go

EXPERIMENTS = list(catalogue())
PAGES = [*EXPERIMENTS, "home"]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_draws_itself_in_its_language(app: App, page: str, language: str) -> None:
    test = app(page, language=language)
    assert not test.exception
    assert not test.warning
    assert test.segmented_control(key="language").value == language
    if page != "home":
        assert test.button(key="train").label == translate(language, "Train")


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_setting_has_a_control_of_its_name(app: App, name: str) -> None:
    experiment = catalogue()[name]
    test = app(name)
    drawn = {s.name for group in (experiment.settings, experiment.view) for s in describe(group) if s.linked}
    drawn -= {"prompt"}
    for key in drawn | {"recipe", "train", "pause", "step", "stop", "reset", "new_seed", "look", "loss_chart"}:
        assert test.get_by_key(key) is not None


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_an_untrained_run_stands_ready_when_a_page_opens(app: App, pool: FakePool, name: str) -> None:
    app(name)
    assert [(run.experiment, run.settings, run.status) for run in pool.started] == [
        (name, catalogue()[name].defaults(), "ready")
    ]


def test_a_link_sets_controls_and_run(app: App, pool: FakePool) -> None:
    test = app("mini_gpt", recipe="fast", seed="7", causal_mask="false", temperature="1.5", head="3", prompt="无名")
    assert not test.warning
    assert test.segmented_control(key="recipe").value == "fast"
    assert test.toggle(key="causal_mask").value is False
    assert test.slider(key="temperature").value == 1.5
    assert test.segmented_control(key="head").value == 3
    assert pool.run.settings == changed(catalogue()["mini_gpt"].defaults("fast"), {"seed": 7, "causal_mask": False})


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_bad_link_is_mended_and_said_so_in_the_readers_language(app: App, pool: FakePool, language: str) -> None:
    test = app("mini_bert", language=language, layers="99", colour="red", mask_rate="0.3")
    assert not test.exception
    assert len(test.warning) == 1
    assert "99" in test.warning[0].value
    assert "colour" in test.warning[0].value
    assert (test.warning[0].value.startswith("layers lies")) == (language == "en")
    assert (pool.run.settings.layers, pool.run.settings.mask_rate) == (2, 0.3)
    assert test.query_params.get("layers") is None
    assert test.query_params["mask_rate"] == "0.3"


def test_a_language_there_is_not_is_said_so(app: App) -> None:
    for page in ("mini_gpt", "home"):
        test = app(page, language="fr")
        assert "fr" in test.warning[0].value


def test_home_names_parameters_it_does_not_know(app: App) -> None:
    assert "layers" in app(layers="3").warning[0].value


def test_lang_is_understood_too(app: App) -> None:
    test = app("mini_gpt", lang="zh")
    assert test.segmented_control(key="language").value == "zh"
    assert test.query_params["language"] == "zh"
    assert "lang" not in test.query_params


def test_switching_the_language_keeps_the_run_and_what_was_chosen(app: App, pool: FakePool) -> None:
    test = app("mini_bert", seed="11")
    test.button(key="train").click().run()
    test.slider(key="mask_rate").set_value(0.6).run()
    test.segmented_control(key="language").set_value("zh").run()
    assert not test.exception
    assert test.button(key="train").label == "训练"
    assert (len(pool.started), pool.run.status, pool.dropped) == (1, "running", [])
    assert test.slider(key="mask_rate").value == 0.6
    assert test.query_params == {"seed": "11", "mask_rate": "0.6", "language": "zh"}


def test_going_to_another_page_and_back_keeps_the_run_and_what_was_chosen(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    test.slider(key="temperature").set_value(1.25).run()
    test.segmented_control(key="layer").set_value(1).run()
    test.number_input(key="width").set_value(32).run()
    go(test, "mini_bert")
    assert test.number_input(key="width").value == 48
    assert test.segmented_control(key="layer").value == 0
    assert not test.warning  # the address of the page before is not this page's
    go(test, "home")
    go(test, "mini_gpt")
    assert test.slider(key="temperature").value == 1.25
    assert test.segmented_control(key="layer").value == 1
    assert test.number_input(key="width").value == 32
    assert dict(test.query_params) == {"temperature": "1.25", "layer": "1", "width": "32"}
    assert [run.experiment for run in pool.started] == ["mini_gpt", "mini_bert"]


def test_every_run_of_the_tab_is_kept_alive_whichever_page_is_open(app: App, pool: FakePool) -> None:
    test = app("mini_gpt")
    go(test, "mini_bert")
    pool.touched.clear()
    go(test, "home")
    assert {run.id for run in pool.started} == set(pool.touched)


def replace_address(test: AppTest, parameters: dict[str, str]) -> None:
    """Let the next run be asked for under another address."""
    test.query_params.clear()
    test.query_params.update(parameters)


def test_an_address_still_under_way_does_not_undo_a_newer_change(app: App) -> None:
    test = app("mini_gpt")
    test.slider(key="temperature").set_value(1.0).run()
    before = dict(test.query_params)
    test.slider(key="temperature").set_value(1.5).run()
    replace_address(test, before)  # asked for before the browser had heard of 1.5
    test.toggle(key="causal_mask").set_value(False).run()
    assert test.slider(key="temperature").value == 1.5
    assert dict(test.query_params) == {"causal_mask": "false", "temperature": "1.5"}


def test_an_address_the_page_never_had_is_a_link(app: App) -> None:
    test = app("mini_gpt")
    test.slider(key="temperature").set_value(1.0).run()
    replace_address(test, {"temperature": "0.25", "top_k": "5"})
    test.run()
    assert (test.slider(key="temperature").value, test.number_input(key="top_k").value) == (0.25, 5)


def test_the_pages_have_the_paths_that_links_rely_on(app: App) -> None:
    urls = {entry.url for entries in SECTIONS.values() for entry in entries}
    trained = {"tiny-transformer", "mini-bert", "mini-gpt", "seq2seq"}
    assert urls == {"home", *trained, "attention-lab", "architectures", "positions", "mistakes", "runs"}


@pytest.mark.parametrize(
    "parameters",
    [
        {"prompt": "<b> $x$ [MASK] `*_\n:smile: 😀\u202e\x00"},
        {"prompt": ""},
        {"seed": "9" * 5000, "steps": "", "heads": "-0", "width": "1e2"},
        {"learning_rate": "nan", "dropout": "inf", "held_out": "0.5", "temperature": "-1"},
        {"<script>": "x", "recipe": "<b>", "language": "`", "": "?"},
        {"head": "15", "heads": "16", "width": "256", "layers": "6", "layer": "5", "block": "128"},
    ],
)
@pytest.mark.parametrize("page", PAGES)
def test_no_link_breaks_a_page(app: App, page: str, parameters: dict[str, str]) -> None:
    test = app(page, **parameters)
    assert not test.exception
    assert test.title
