"""What a link says: everything chosen, nothing lost, and a word about everything that cannot be."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import assume, given
from hypothesis import strategies as some

from core.data import corpora
from core.experiments import Experiment, catalogue, find
from core.i18n import LANGUAGES, translate
from core.settings import Setting, SettingError, Value, changed, describe
from core.ui import links
from core.ui.words import Sentence

EXPERIMENTS = some.sampled_from(list(catalogue().values()))
GPT = find("mini_gpt")
FAST = GPT.defaults("fast").steps


def valid(setting: Setting) -> some.SearchStrategy[Value]:
    """Values that a setting may have."""
    if setting.kind == "text":
        return some.text(max_size=links.LONGEST)
    if setting.kind == "switch":
        return some.booleans()
    if setting.kind == "choice":
        return some.sampled_from(list(setting.choices))
    assert setting.minimum is not None and setting.maximum is not None
    if setting.kind == "integer":
        return some.integers(int(setting.minimum), int(setting.maximum))
    return some.floats(setting.minimum, setting.maximum)


def fits(settings: Any) -> bool:
    """Whether settings that are each allowed are allowed together."""
    try:
        settings.check()
    except SettingError:
        return False
    return True


def heads_of(settings: Mapping[str, Value]) -> some.SearchStrategy[set[tuple[int, int]]]:
    """Some of the heads that a model has, as layer and head."""
    layers, heads = int(settings["layers"]), int(settings["heads"])
    return some.sets(some.tuples(some.integers(0, layers - 1), some.integers(0, heads - 1)))


@some.composite
def choices(draw: some.DrawFn) -> tuple[Experiment, links.Choice]:
    """An experiment and everything that may be chosen on its page."""
    experiment = draw(EXPERIMENTS)
    recipe = draw(some.sampled_from(list(experiment.recipes)))
    settings = {s.name: draw(valid(s)) for s in describe(experiment.settings)}
    if settings.get("corpus") == links.OWN:  # tested apart: a link does not carry the text
        settings["corpus"] = "garden"
    if "own_text" in settings:
        settings["own_text"] = ""
    settings["heads"] = draw(some.sampled_from([h for h in range(1, 17) if int(settings["width"]) % h == 0]))
    chosen = changed(experiment.settings(), settings)
    assume(fits(chosen))
    view = {s.name: draw(valid(s)) for s in describe(experiment.view)}
    view["layer"] = draw(some.integers(0, int(settings["layers"]) - 1))
    view["head"] = draw(some.integers(0, int(settings["heads"]) - 1))
    view["silenced"] = ",".join(f"{layer}.{head}" for layer, head in sorted(draw(heads_of(settings))))
    return experiment, links.Choice(recipe, chosen, changed(experiment.view(), view))


def say(notices: list[Sentence], language: str = "en") -> str:
    """The notices as they are read."""
    return "\n".join(notice.say(lambda message, **fields: translate(language, message, **fields)) for notice in notices)


@given(choices())
def test_a_link_brings_back_what_was_chosen(chosen: tuple[Experiment, links.Choice]) -> None:
    experiment, choice = chosen
    address = urlencode(links.write(experiment, choice))
    assert links.read(experiment, dict(parse_qsl(address, keep_blank_values=True))) == (choice, [])


TEXT_MODELS = some.sampled_from(["mini_bert", "mini_gpt"])


@given(TEXT_MODELS, some.text(min_size=60, max_size=200))
def test_a_link_leaves_ones_own_text_out_and_means_the_readers(name: str, text: str) -> None:
    experiment = find(name)
    own = changed(experiment.defaults(), {"corpus": links.OWN, "own_text": text})
    chosen = links.Choice("document", own, links.standard(experiment).view)
    written = links.write(experiment, chosen)
    assert written.keys() == {"corpus", "prompt"}
    assert links.read(experiment, written, text) == (chosen, [])
    without, notices = links.read(experiment, written)
    assert without.settings == experiment.defaults()
    assert "paste it again" in say(notices)


def test_a_text_in_a_link_is_a_parameter_that_nobody_knows() -> None:
    choice, notices = links.read(GPT, {"own_text": "x" * 100})
    assert choice.settings == GPT.defaults()
    assert "own_text" in say(notices).replace("\\", "")


@pytest.mark.parametrize("name", ["mini_bert", "mini_gpt"])
@pytest.mark.parametrize("corpus", ["daodejing", "lunyu", "garden"])
def test_the_sentence_that_is_offered_comes_from_the_corpus(name: str, corpus: str) -> None:
    choice, notices = links.read(find(name), {"corpus": corpus})
    letters = set(choice.view.prompt) - {"_"}
    assert letters <= set(corpora.read(corpus))
    assert len(letters) >= 4
    assert ("_" in choice.view.prompt) == (name == "mini_bert")
    assert notices == []
    assert "prompt" not in links.write(find(name), choice)


@given(EXPERIMENTS, some.sampled_from(["document", "fast"]))
def test_what_a_recipe_says_is_left_out_of_its_link(experiment: Experiment, recipe: str) -> None:
    written = links.write(experiment, links.standard(experiment, recipe))
    assert written == ({} if recipe == links.STANDARD else {"recipe": recipe})


NAMES = sorted({s.name for e in catalogue().values() for group in (e.settings, e.view) for s in describe(group)})
WORDS = some.one_of(some.text(), some.sampled_from(["nan", "inf", "-1", "1e999", "9" * 400, "true", "fast", "٣", ""]))


@given(EXPERIMENTS, some.dictionaries(some.one_of(some.sampled_from([*NAMES, "recipe"]), some.text()), WORDS))
def test_any_link_gives_a_page_that_can_be_trained(experiment: Experiment, parameters: dict[str, str]) -> None:
    choice, notices = links.read(experiment, parameters)
    choice.settings.check()
    assert choice.view.layer < choice.settings.layers
    assert choice.view.head < choice.settings.heads
    for group in (choice.settings, choice.view):
        for setting in describe(group):
            assert setting.validate(getattr(group, setting.name)) == getattr(group, setting.name)
    for language in LANGUAGES:
        assert (say(notices, language) == "") == (notices == [])


@pytest.mark.parametrize(
    ("parameters", "said", "name", "value"),
    [
        ({"layers": "99"}, "layers lies between 1 and 6, not 99; 2 is used instead.", "layers", 2),
        ({"layers": "two"}, "layers is a whole number, not “two”; 2 is used instead.", "layers", 2),
        ({"learning_rate": "nan"}, "learning_rate lies between", "learning_rate", 0.001),
        ({"causal_mask": "maybe"}, "causal_mask is on or off", "causal_mask", True),
        ({"corpus": "bible"}, "corpus is one of daodejing", "corpus", "daodejing"),
        ({"recipe": "slow"}, "there is no recipe “slow”", "steps", 400),
        ({"recipe": "fast", "steps": "x"}, f"steps is a whole number, not “x”; {FAST} is used instead.", "steps", FAST),
        ({"heads": "3"}, "3 heads do not divide a width of 64 evenly; heads=4 is used instead.", "heads", 4),
        ({"heads": "3", "width": "50"}, "50 evenly; heads=4, width=64 is used instead.", "width", 64),
        ({"layer": "5"}, "layer lies between 0 and 1, not 5; 0 is used instead.", "layer", 0),
        ({"head": "7"}, "head lies between 0 and 3, not 7; 0 is used instead.", "head", 0),
        ({"silenced": "1.3, 0.9,x,0.2"}, "The link silences 0.9, x: no head of this model", "silenced", "0.2,1.3"),
        ({"colour": "red", "x": "1"}, "The link names colour, x, which this page does not know", "steps", 400),
    ],
)
def test_what_is_wrong_in_a_link_is_named_and_replaced(
    parameters: dict[str, str], said: str, name: str, value: Any
) -> None:
    choice, notices = links.read(GPT, parameters)
    assert said in say(notices).replace("\\", "")
    assert getattr(choice.settings, name, None) == value or getattr(choice.view, name, None) == value


def test_one_bad_value_leaves_the_good_ones_alone() -> None:
    choice, notices = links.read(GPT, {"seed": "7", "layers": "0", "prompt": "无名", "temperature": "3"})
    assert (choice.settings.seed, choice.settings.layers, choice.view.prompt, choice.view.temperature) == (
        7,
        2,
        "无名",
        0.8,
    )
    assert len(notices) == 2


def test_markup_in_a_link_is_shown_as_it_was_written() -> None:
    _, notices = links.read(GPT, {"steps": "<b>$x$ :smile: [MASK]`*\n_"})
    said = say(notices)
    for plain in ("<b", "$x", ":s", "[M", "`", "*"):
        assert plain not in said.replace("\\" + plain[0], "").replace("\\:\u2060", "")
    assert "\n" not in said


@given(some.integers(links.LONGEST + 1, 3 * links.LONGEST))
def test_a_text_too_long_for_a_link_is_left_out_and_said_so(length: int) -> None:
    choice = links.Choice("document", GPT.defaults(), changed(GPT.view(), {"prompt": "道" * length}))
    assert "prompt" not in links.write(GPT, choice)
    assert links.too_long(choice)
    assert not links.too_long(links.standard(GPT))
