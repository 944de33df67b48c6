"""The lab's page: its models, what its link says, and what the component tells it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from streamlit.testing.v1 import AppTest

from core.experiments import catalogue, find
from core.experiments.pretrained import EXAMPLE, OTHER_EXAMPLE, PRETRAINED, VARIABLE, PretrainedSettings
from core.i18n import LANGUAGES, translate
from core.settings import SettingError, changed
from core.ui.components.lab import lab as component
from core.ui.components.lab import words
from core.ui.lab import page
from core.ui.lab.models import Model
from core.ui.lab.page import COMPONENT, STATE, Lab, came_back
from core.ui.lab.view import LabView, offered, read, write
from core.ui.words import Sentence
from tests.pages.conftest import App, FakePool, FakeRun

Open = Callable[..., AppTest]
PAGE = "../pages/look/attention_lab.py"
BERT = PretrainedSettings(vocabulary=31, layers=6, heads=12, width=60, feed_forward=13, block=64)
CONFIG = {
    "model_type": "bert",
    "vocab_size": 31,
    "num_hidden_layers": 6,
    "num_attention_heads": 12,
    "hidden_size": 60,
    "intermediate_size": 13,
    "max_position_embeddings": 64,
}


class Pool(FakePool):
    """A pool that opens pre-trained models, too."""

    def __init__(self) -> None:
        super().__init__()
        self.opened: dict[str, FakeRun] = {}

    def pretrained(self, name: str) -> FakeRun | None:
        """A model of the owner's folder."""
        return self.opened.get(name)


@pytest.fixture
def pool(monkeypatch: pytest.MonkeyPatch) -> Pool:
    """The pool that the pages see: every experiment ships."""
    from core.ui import session

    fake = Pool()
    for name in catalogue():
        fake.ship(name)
    monkeypatch.setattr(session, "pool", lambda: fake)
    monkeypatch.delenv(VARIABLE, raising=False)
    return fake


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, pool: Pool) -> Path:
    """A folder of models, as its owner names it: one that is a BERT and one that is none."""
    for name, kind in (("small", "bert"), ("strange", "gpt2")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(CONFIG | {"model_type": kind}))
        (tmp_path / name / "model.safetensors").write_bytes(b"")
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    pool.opened["small"] = FakeRun("small", "pretrained", BERT, "stopped")
    return tmp_path


@pytest.fixture
def lab(app: App) -> Open:
    """Open the lab as a link would."""

    def opened(**parameters: str) -> AppTest:
        test = app("home", **parameters)
        test.query_params.clear()
        test.query_params.update(parameters)
        return test.switch_page(PAGE).run()

    return opened


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_lab_draws_itself_in_its_language(lab: Open, language: str) -> None:
    test = lab(language=language)
    assert not test.exception
    assert not test.warning
    assert test.title[0].value == translate(language, "Attention lab")
    assert test.selectbox(key="model").value == "shipped.mini_gpt"
    assert view(test).prompt == find("mini_gpt").view().prompt
    assert view(test).causal_mask
    assert test.query_params == {"language": language}


def view(test: AppTest) -> LabView:
    """What is chosen on the page."""
    found = test.session_state[STATE].view
    assert isinstance(found, LabView)
    return found


def test_every_model_can_be_chosen_and_brings_its_own_sentence_and_switches(
    lab: Open, pool: Pool, folder: Path
) -> None:
    test = lab()
    assert view(test).model == "pretrained.small"
    assert view(test).prompt == EXAMPLE
    assert not test.toggle(key="causal_mask").value
    for name in catalogue():
        test.selectbox(key="model").set_value(f"shipped.{name}").run()
        assert not test.exception
        assert view(test).prompt == find(name).view().prompt
        assert test.toggle(key="causal_mask").value == (name in ("mini_gpt", "seq2seq"))
        assert test.query_params["model"] == f"shipped.{name}"
    assert pool.started == []  # nobody trains for a look


def test_a_run_of_ones_own_is_offered_and_shown(lab: Open, app: App, pool: Pool) -> None:
    test = lab()
    assert "own.mini_bert" not in test.selectbox(key="model").options
    run = pool.start("mini_bert", changed(find("mini_bert").settings(), {"layers": 3, "heads": 6, "positions": "none"}))
    from core.ui import session

    test.session_state[session.STATE].by_page["mini_bert"] = run
    test.run()
    test.selectbox(key="model").set_value("own.mini_bert").run()
    assert not test.exception
    assert test.segmented_control(key="layer").options == ["0", "1", "2"]
    assert "positions" not in {toggle.key for toggle in test.toggle}  # it has none to leave out
    pool.dropped.append(run.id)
    test.run()
    assert not test.exception
    assert view(test).model == "shipped.mini_gpt"


def test_a_link_says_everything_that_is_chosen(lab: Open) -> None:
    wanted = {
        "model": "shipped.mini_bert",
        "prompt": "学而_习",
        "layer": "1",
        "head": "3",
        "causal_mask": "true",
        "scaled": "false",
        "positions": "false",
        "query": "2",
        "key": "0",
    }
    test = lab(**wanted)
    assert not test.warning
    assert dict(test.query_params) == wanted
    assert view(test).cell == (2, 0)
    assert test.segmented_control(key="head").value == 3


@pytest.mark.parametrize(
    "parameters",
    [
        {"model": "shipped.<b>"},
        {"model": "pretrained.../../etc"},
        {"layer": "99", "head": "-1", "query": "x", "key": "1e9"},
        {"scaled": "perhaps", "causal_mask": "", "positions": "2"},
        {"prompt": "<b> $x$ [MASK] `*_\n:smile: 😀\u202e\x00"},
        {"colour": "red"},
    ],
)
def test_no_link_breaks_the_lab(lab: Open, parameters: dict[str, str]) -> None:
    test = lab(**parameters)
    assert not test.exception
    assert bool(test.warning) == ("prompt" not in parameters)
    assert view(test).model == "shipped.mini_gpt"


def test_a_link_to_a_model_that_is_not_here_says_so(lab: Open) -> None:
    test = lab(model="pretrained.another")
    assert "another" in test.warning[0].value


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, object]]:
    """What the component is given, each time it is drawn."""
    given_to: list[dict[str, object]] = []

    def remember(run: object, **more: object) -> object:
        given_to.append({"run": run, **more})
        return component(run, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(page, "lab", remember)
    return given_to


def test_a_folder_that_holds_no_bert_says_why(lab: Open, folder: Path, drawn: list[dict[str, object]]) -> None:
    test = lab(model="pretrained.strange")
    assert not test.exception
    assert view(test).model == "pretrained.strange"
    assert drawn[-1]["run"] is None
    assert "gpt2" in str(drawn[-1]["trouble"])


@pytest.mark.parametrize(
    ("problem", "words"),
    [(SettingError("a sentence about it"), "a sentence about it"), (RuntimeError("boom"), "could not be loaded")],
)
def test_a_model_that_could_not_be_loaded_says_why(
    lab: Open, folder: Path, pool: Pool, drawn: list[dict[str, object]], problem: Exception, words: str
) -> None:
    pool.opened["small"].problem = problem
    assert not lab().exception
    assert words in str(drawn[-1]["trouble"])


def test_the_component_is_told_what_is_chosen_and_what_was_trained(
    lab: Open, pool: Pool, drawn: list[dict[str, object]]
) -> None:
    lab(model="shipped.mini_gpt", causal_mask="false", query="2", key="0", layer="1")
    told = drawn[-1]
    assert told["run"] is pool.checkpoints["mini_gpt"]
    assert told["switches"] == {"causal_mask": False, "scaled": True, "positions": True}
    assert told["trained"] == {"causal_mask": True, "scaled": True, "positions": True}
    assert (told["layer"], told["head"], told["cell"], told["own"]) == (1, 0, (2, 0), False)


def test_what_is_changed_is_in_the_link_and_survives_another_page(lab: Open) -> None:
    test = lab()
    test.toggle(key="scaled").set_value(False).run()
    test.segmented_control(key="layer").set_value(1).run()
    assert dict(test.query_params) == {"layer": "1", "scaled": "false"}
    test.query_params.clear()
    test.switch_page("../pages/home.py").run()
    test.query_params.clear()
    test.switch_page(PAGE).run()
    assert (view(test).layer, view(test).scaled) == (1, False)


def test_the_encoder_decoders_layers_are_named_and_a_cell_stays_among_layers_of_its_kind(
    lab: Open, drawn: list[dict[str, object]]
) -> None:
    test = lab(model="shipped.seq2seq", layer="3", head="2", query="1", key="4")
    assert not test.exception
    assert not test.warning
    names = ["encoder 0", "encoder 1", "decoder 0", "cross 0", "decoder 1", "cross 1"]
    assert test.segmented_control(key="layer").options == names
    assert view(test).prompt == find("seq2seq").view().prompt
    test.segmented_control(key="layer").set_value(5).run()
    assert (view(test).layer, view(test).cell) == (5, (1, 4))
    test.segmented_control(key="layer").set_value(4).run()
    assert (view(test).layer, view(test).cell) == (4, None)
    assert dict(test.query_params) == {"model": "shipped.seq2seq", "layer": "4", "head": "2"}
    assert test.caption[0].value.count("2 layers each × 4 heads, d_k = 16") == 1
    assert drawn[-1]["settings"] == find("seq2seq").defaults()


def test_what_cross_attention_is_told_of_depends_on_the_model(lab: Open) -> None:
    sums = find("seq2seq").defaults()
    plain, turned = (
        words.labels(find("seq2seq"), changed(sums, {"positions": kind})) for kind in ("sinusoidal", "rope")
    )
    assert "no causal mask here" in plain["kinds"]["target-source"]
    assert "act inside self-attention" not in plain["kinds"]["target-source"]
    assert "act inside self-attention" in turned["kinds"]["target-source"]
    assert "from the right" in plain["answered"]["hit"]
    forwards = words.labels(find("seq2seq"), changed(sums, {"answer": "forwards"}))
    assert "from the right" not in forwards["answered"]["hit"]


def models() -> dict[str, Model]:
    """A pre-trained model and two that ship, without their runs."""
    gpt, sums = find("mini_gpt"), find("seq2seq")
    made = (
        Model("pretrained.small", Sentence("small"), PRETRAINED, BERT, None),
        Model("shipped.mini_gpt", Sentence("gpt"), gpt, gpt.defaults(), None),
        Model("shipped.seq2seq", Sentence("sums"), sums, sums.defaults(), None),
    )
    return {model.code: model for model in made}


@given(
    code=st.sampled_from(list(models())),
    prompt=st.text(max_size=100),
    layer=st.integers(0, 1),
    head=st.integers(0, 3),
    switches=st.tuples(st.booleans(), st.booleans(), st.booleans()),
    cell=st.tuples(st.integers(-1, 127), st.integers(-1, 127)),
)
def test_a_link_brings_back_what_was_chosen(
    code: str, prompt: str, layer: int, head: int, switches: tuple[bool, bool, bool], cell: tuple[int, int]
) -> None:
    chosen = LabView(
        model=code,
        prompt=prompt,
        layer=layer,
        head=head,
        causal_mask=switches[0],
        scaled=switches[1],
        positions=switches[2],
        query=cell[0],
        key=cell[1],
    )
    assert read(models(), write(models(), chosen)) == (chosen, [])
    assert write(models(), offered(models()[code])) == ({} if code == "pretrained.small" else {"model": code})


def test_the_second_example_is_offered_too() -> None:
    assert [one.text for one in models()["pretrained.small"].examples] == [EXAMPLE, OTHER_EXAMPLE]
    assert {one.words for one in models()["pretrained.small"].examples} == {("it", "animal")}


@pytest.mark.parametrize(
    ("told", "changes"),
    [
        ({"head": {"layer": 5, "head": 11}}, {"layer": 5, "head": 11}),
        ({"head": {"layer": 6, "head": 0}}, {}),
        ({"head": {"layer": True, "head": "1"}}, {}),
        ({"head": "nonsense"}, {}),
        ({"cell": {"query": 10, "key": 2}}, {"query": 10, "key": 2}),
        ({"cell": {"query": 128, "key": 2}}, {}),
        ({"cell": [1, 2]}, {}),
        ({"text": "another"}, {"prompt": "another", "query": -1, "key": -1}),
        ({"text": 7}, {}),
    ],
)
def test_what_the_component_tells_is_taken_or_left(
    monkeypatch: pytest.MonkeyPatch, told: dict[str, object], changes: dict[str, object]
) -> None:
    import streamlit

    model = models()["pretrained.small"]
    before = changed(offered(model), {"query": 3, "key": 4})
    here = Lab(before, before)
    monkeypatch.setattr(streamlit, "session_state", {COMPONENT: told})
    came_back(here, model)
    assert here.view == changed(before, changes)


@pytest.mark.parametrize(
    ("told", "changes"),
    [
        ({"head": {"layer": 5, "head": 3}}, {"layer": 5, "head": 3}),
        ({"head": {"layer": 4, "head": 3}}, {"layer": 4, "head": 3, "query": -1, "key": -1}),
        ({"head": {"layer": 0, "head": 0}, "cell": {"query": 4, "key": 4}}, {"layer": 0, "query": 4, "key": 4}),
        ({"head": {"layer": 2, "head": 1, "query": 2, "key": 0}}, {"layer": 2, "head": 1, "query": 2, "key": 0}),
        ({"head": {"layer": 6, "head": 0, "query": 2, "key": 0}}, {}),
    ],
)
def test_a_head_of_another_kind_lets_go_of_the_cell(
    monkeypatch: pytest.MonkeyPatch, told: dict[str, object], changes: dict[str, object]
) -> None:
    import streamlit

    model = models()["shipped.seq2seq"]
    before = changed(offered(model), {"layer": 3, "query": 3, "key": 2})
    here = Lab(before, before)
    monkeypatch.setattr(streamlit, "session_state", {COMPONENT: told})
    came_back(here, model)
    assert here.view == changed(before, changes)
