"""The page of the lab: which model, layer and head, the three switches, and the component that shows the formula."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.experiments.pretrained import PRETRAINED, VARIABLE
from core.settings import changed, setting
from core.ui import address, forms, frame, language, links
from core.ui.align import align
from core.ui.attention_panel import layer_names
from core.ui.components.lab import lab
from core.ui.keyboard import LAB, keyboard
from core.ui.lab.models import OWN, Model, available, first, opened
from core.ui.lab.view import MOST, NONE, LabView, offered, read, write
from core.ui.language import _
from core.ui.words import Sentence

PAGE, STATE, COMPONENT = "attention_lab", "_page_attention_lab", "lab"
MEGABYTES = 4 / 1e6  # a parameter, as float32
SWITCHES = ("causal_mask", "scaled", "positions")


@dataclass
class Lab:
    """What the page knows between two runs of its script."""

    view: LabView
    bare: LabView  # what the address without parameters stood for when the page was last entered by it
    notices: list[Sentence] = field(default_factory=list)
    told: dict[str, object] = field(default_factory=dict)  # what the component has told before

    def change(self, changes: Mapping[str, Any]) -> None:
        """Look in another way. Raises :class:`core.settings.SettingError`."""
        self.view = changed(self.view, changes)


def attention_lab(title: str, prose: str) -> None:
    """Draw the page; ``title`` and ``prose`` are marked strings."""
    models = available()
    here = enter(models)
    with frame.bar(_(title)):
        keyboard(LAB)
    frame.notices(here.notices)
    model = models.get(here.view.model)
    with st.container(gap="xsmall"):
        st.caption(" ".join([_(prose), *([] if model is None else [_about(model)])]))
        if model is None:
            st.info(_("No trained model ships with this copy of the app. Open a page and press Train."))
        else:
            _draw(here, models, model)
    address.write(PAGE, write(models, here.view) | language.parameters())


def enter(models: dict[str, Model]) -> Lab:
    """The page's state, its address read when it has to be."""
    if STATE not in st.session_state:
        start = offered(models.get(first(models)))
        st.session_state[STATE] = Lab(start, start)
    here: Lab = st.session_state[STATE]
    parameters = address.read(PAGE)
    if parameters is not None:
        if links.own(parameters):
            here.view, here.notices = read(models, parameters)
        elif address.history().entered:
            here.bare, here.notices = here.view, []
        else:
            here.view, here.notices = here.bare, []
        here.notices += language.notices()
    if here.view.model not in models:  # a run that was cleared away, a folder that is gone
        here.view = offered(models.get(first(models)))
    return here


def _draw(here: Lab, models: dict[str, Model], model: Model) -> None:
    run, trouble = opened(model)
    here.change({"layer": min(here.view.layer, model.layers - 1), "head": min(here.view.head, model.heads - 1)})
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key="lab_controls"):
        _controls(here, models, model)
    _forget_what_has_passed(here)
    view = here.view
    known = next((one for one in model.examples if one.text == view.prompt), None)
    lab(
        run,
        own=model.code.startswith(OWN),
        trouble=trouble,
        experiment=model.experiment,
        settings=model.settings,
        examples=model.examples,
        prompt=view.prompt,
        words=None if known is None else known.words,
        layer=view.layer,
        head=view.head,
        switches={name: getattr(view, name) for name in SWITCHES},
        trained={name: getattr(offered(model), name) for name in SWITCHES},
        cell=view.cell,
        language=language.language(),
        key=COMPONENT,
        on_change=lambda: came_back(here, model),
    )
    if len(view.prompt) > links.LONGEST:
        st.caption(_("This sentence is too long for a link; the address leaves it out."))


def _controls(here: Lab, models: dict[str, Model], model: Model) -> None:
    view = here.view
    titles = {code: _plain(one.title) for code, one in models.items()}

    def choose() -> None:
        code = st.session_state["model"]
        if code in models and code != here.view.model:
            here.view = offered(models[code])

    def change(name: str, value: Any) -> None:
        changes = {name: value}
        if name == "layer" and not model.alike(here.view.layer, int(value)):
            changes |= {"query": NONE, "key": NONE}  # a cell of other tokens
        here.change(changes)

    one = setting(view, "model")
    with st.container(width=270):
        align("model", view.model)
        codes, help_text = list(titles), _(one.help)
        st.selectbox(
            _(one.label),
            codes,
            codes.index(view.model),
            titles.__getitem__,
            key="model",
            help=help_text,
            on_change=choose,
        )
    for name, names in (("layer", layer_names(model)), ("head", [str(head) for head in range(model.heads)])):
        one = setting(view, name)
        labels = dict(enumerate(names))
        with st.container(width=110 if len(names) > forms.MOST_NUMBERS else "content"):
            forms.pick(name, _(one.label), _(one.help), getattr(view, name), labels, change)
    for name in SWITCHES:
        if name == "positions" and not model.has_positions:
            st.caption(_("This model has no positions."), width="content")
            continue
        forms.control(setting(view, name), getattr(view, name), change)


def _plain(title: Sentence) -> str:
    """A title as text: a list of options shows no Markdown."""
    names = {name: _(one.message) if isinstance(one, Sentence) else one for name, one in title.fields.items()}
    return _(title.message, **names)


def _about(model: Model) -> str:
    """The model's shape; of a pre-trained one also what it costs."""
    if model.settings is None:
        return ""
    shape = {"layers": model.layers, "heads": model.heads, "width": model.settings.width // model.heads}
    if model.experiment.answers:
        return _(
            "Encoder and decoder of {layers} layers each × {heads} heads, d_k = {width}; every layer of the decoder"
            " attends twice: to what is written (decoder), and to the source (cross).",
            **(shape | {"layers": model.settings.layers}),
        )
    if model.experiment is not PRETRAINED:
        return _("{layers} layers × {heads} heads, d_k = {width}.", **shape)
    parameters, variable = f"{model.settings.parameters:,}", f"`{VARIABLE}`"
    return _(
        "{layers} layers × {heads} heads, d_k = {width}; {parameters} parameters, about {megabytes} MB of one worker's"
        " memory. Read from the folder that this server's owner has named ({variable}).",
        **shape,
        parameters=parameters,
        megabytes=round(model.settings.parameters * MEGABYTES),
        variable=variable,
    )


def came_back(here: Lab, model: Model) -> None:
    """The sentence that was typed, the head and the cell that were chosen.

    The component tells all of them whichever has changed; what it has told before is old news, for something else may
    have been chosen since, on a control.
    """
    state = st.session_state.get(COMPONENT) or {}
    news = {name: state.get(name) for name in ("text", "head", "cell") if state.get(name) != here.told.get(name)}
    here.told = {name: state.get(name) for name in ("text", "head", "cell")}
    if isinstance(text := news.get("text"), str) and text != here.view.prompt:
        here.change({"prompt": text, "query": NONE, "key": NONE})
    layer, head = _numbers(news.get("head"), "layer", "head")
    if 0 <= layer < model.layers and 0 <= head < model.heads:
        elsewhere = {} if model.alike(here.view.layer, layer) else {"query": NONE, "key": NONE}
        here.change({"layer": layer, "head": head} | elsewhere | _cell(news.get("head")))
    here.change(_cell(news.get("cell")))


def _forget_what_has_passed(here: Lab) -> None:
    """A click is told in one run of the script; the same one told again later is another."""
    state = st.session_state.get(COMPONENT) or {}
    here.told = {name: value for name, value in here.told.items() if state.get(name) is not None}


def _cell(told: object) -> dict[str, int]:
    """The query and the key that a browser told, if they are any."""
    query, key = _numbers(told, "query", "key")
    return {"query": query, "key": key} if 0 <= query <= MOST and 0 <= key <= MOST else {}


def _numbers(told: object, *names: str) -> tuple[int, int]:
    """Two whole numbers of what a browser told; −1 for anything else."""
    values = [told.get(name) if isinstance(told, Mapping) else None for name in names]
    first_one, second = (value if type(value) is int else -1 for value in values)
    return first_one, second
