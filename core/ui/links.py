"""What a link says of a page, and how a page is written as a link. Pure: no session, no browser.

A parameter is a setting's name. ``recipe`` comes first, the other settings count from it; a value that equals the
recipe's or the view's own default is left out. Whatever is wrong in a link is mended, and said in a notice.

A link does not carry somebody's own text: where it stands for one, the page that opens it says so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from core.experiments import Experiment
from core.settings import N_, Setting, SettingError, Value, changed, describe, difference
from core.ui import silenced
from core.ui.corpus import opening
from core.ui.words import Sentence, problem, sentence

RECIPE = "recipe"
STANDARD = "document"  # the recipe of a link that names none
ELSEWHERE = frozenset({"language", "lang"})  # parameters that are not the page's
OWN = "own"  # the corpus that is a person's own text
LONGEST = 1000  # characters of a text that a link carries; servers refuse addresses that are much longer


@dataclass(frozen=True)
class Choice:
    """Everything chosen on a page: a recipe, and what differs from it."""

    recipe: str
    settings: Any
    view: Any


def standard(experiment: Experiment, recipe: str = STANDARD) -> Choice:
    """A page on which nothing has been chosen yet."""
    return Choice(recipe, experiment.defaults(recipe), experiment.view())


def read(experiment: Experiment, parameters: Mapping[str, str], own_text: str = "") -> tuple[Choice, list[Sentence]]:
    """What a link chooses, and a notice for everything in it that cannot be. ``own_text`` is what the reader has."""
    notices: list[Sentence] = []
    recipe = parameters.get(RECIPE, STANDARD)
    if recipe not in experiment.recipes:
        known = ", ".join(experiment.recipes)
        wrong = sentence(N_("there is no recipe “{name}”; there are {known}"), name=recipe, known=known)
        notices.append(replaced(wrong, STANDARD))
        recipe = STANDARD
    start = standard(experiment, recipe)
    wanted = _with_text(taken(start.settings, parameters, notices), start.settings, own_text, notices)
    settings = without_text(_together(wanted, start.settings, notices))
    offered = _offered(experiment, settings)
    view = shown(taken(offered, parameters, notices), offered, settings, notices)
    known_names = {RECIPE, *ELSEWHERE, *(s.name for group in (settings, view) for s in _linked(group))}
    if strange := [name for name in parameters if name not in known_names]:
        notices.append(unknown(strange))
    return Choice(recipe, settings, view), notices


def own(parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters that are the page's."""
    return {name: value for name, value in parameters.items() if name not in ELSEWHERE}


def write(experiment: Experiment, choice: Choice) -> dict[str, str]:
    """The parameters of the link to a page; :func:`read` reads them back. A very long text is left out."""
    start = standard(experiment, choice.recipe)
    found = {} if choice.recipe == STANDARD else {RECIPE: choice.recipe}
    for base, group in ((start.settings, choice.settings), (_offered(experiment, choice.settings), choice.view)):
        different = difference(base, group)
        found |= {s.name: s.write(different[s.name][1]) for s in _linked(group) if s.name in different}
    return {name: value for name, value in found.items() if len(value) <= LONGEST}


def too_long(choice: Choice) -> bool:
    """Whether a text on the page is longer than a link carries."""
    texts = (getattr(choice.view, s.name) for s in describe(choice.view) if s.kind == "text")
    return any(len(text) > LONGEST for text in texts)


def without_text(settings: Any) -> Any:
    """Settings that hold a text of one's own only while it is the corpus."""
    idle = getattr(settings, "own_text", "") and settings.corpus != OWN
    return changed(settings, {"own_text": ""}) if idle else settings


def _with_text(settings: Any, start: Any, own_text: str, notices: list[Sentence]) -> Any:
    """A link that stands for an own text means the reader's, if there is one."""
    if getattr(settings, "corpus", "") != OWN:
        return settings
    if own_text:
        return changed(settings, {"own_text": own_text})
    wrong = sentence(N_("The link is about a text of somebody's own, which a link does not carry: paste it again"))
    notices.append(replaced(wrong, f"corpus={start.corpus}"))
    return changed(settings, {"corpus": start.corpus})


def _offered(experiment: Experiment, settings: Any) -> Any:
    """The view of a page on which nothing has been chosen, for a corpus."""
    return changed(experiment.view(), {"prompt": opening(experiment, settings)})


def _linked(group: Any) -> list[Setting]:
    return [one for one in describe(group) if one.linked]


def taken(group: Any, parameters: Mapping[str, str], notices: list[Sentence]) -> Any:
    """The group with what a link says of it, and a notice for every value that cannot be."""
    values: dict[str, Value] = {}
    for setting in _linked(group):
        if setting.name in parameters:
            try:
                values[setting.name] = setting.parse(parameters[setting.name])
            except SettingError as error:
                notices.append(replaced(problem(error), setting.write(getattr(group, setting.name))))
    return changed(group, values)


def _together(settings: Any, start: Any, notices: list[Sentence]) -> Any:
    """Settings that fit together: as few of the link's as have to go back to the recipe's."""
    try:
        settings.check()
    except SettingError as error:
        for given_up in _sacrifices(list(difference(settings, start))):
            back = {name: getattr(start, name) for name in given_up}
            mended = changed(settings, back)
            if _fits(mended):
                words = (f"{s.name}={s.write(back[s.name])}" for s in describe(start) if s.name in back)
                notices.append(replaced(problem(error), ", ".join(words)))
                return mended
    return settings


def _sacrifices(names: list[str]) -> Iterator[Sequence[str]]:
    """What might be given up, from one setting to all."""
    yield from combinations(names, 1)
    yield from combinations(names, 2)
    yield names


def _fits(settings: Any) -> bool:
    try:
        settings.check()
    except SettingError:
        return False
    return True


def shown(view: Any, start: Any, settings: Any, notices: list[Sentence]) -> Any:
    """A layer and heads that the model has."""
    for name, count in (("layer", len(settings.attention_layers())), ("head", settings.heads)):
        if (value := getattr(view, name)) >= count:
            wrong = sentence(
                N_("{name} lies between {minimum} and {maximum}, not {value}"),
                name=name,
                minimum=0,
                maximum=count - 1,
                value=value,
            )
            notices.append(replaced(wrong, str(getattr(start, name))))
            view = changed(view, {name: getattr(start, name)})
    return _silenced(view, settings, notices)


def _silenced(view: Any, settings: Any, notices: list[Sentence]) -> Any:
    """Silence only heads that the model has."""
    written = getattr(view, "silenced", "")
    known, others = silenced.existing(written, len(settings.attention_layers()), settings.heads)
    if others:
        wrong = N_(
            "The link silences {names}: no head of this model (layer.head, counted from 0). That part is left out."
        )
        notices.append(sentence(wrong, names=", ".join(others[:8])))
    return changed(view, {"silenced": known}) if known != written else view


def replaced(wrong: Sentence, value: str) -> Sentence:
    """What is said of a value that cannot be, and of the one that takes its place."""
    return sentence(N_("{problem}; {value} is used instead."), problem=wrong, value=value)


def unknown(names: Iterable[str]) -> Sentence:
    """What is said of parameters that a page does not know."""
    listed = ", ".join(names)
    return sentence(N_("The link names {names}, which this page does not know; that part is left out."), names=listed)
