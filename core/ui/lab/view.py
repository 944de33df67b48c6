"""What is chosen in the lab, and how a link says it. A value that is the model's own is left out of the link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.settings import N_, changed, describe, difference, integer, switch, text
from core.ui import links
from core.ui.lab.models import Model, first
from core.ui.words import Sentence, sentence

NONE = -1  # a query or a key that is not chosen
MOST = 127


@dataclass(frozen=True, kw_only=True)
class LabView:
    """Everything chosen on the page."""

    model: str = text("", N_("Model"), N_("Which model reads the sentence."))
    prompt: str = text("", N_("Sentence"), N_("What the model reads. Every map follows it as you type."))
    layer: int = integer(0, 0, MOST, N_("Layer"), N_("Which layer's heads are shown, counted from 0."))
    head: int = integer(0, 0, MOST, N_("Head"), N_("Which head's formula is worked out, counted from 0."))
    causal_mask: bool = switch(
        False, N_("Causal mask"), N_("A token sees itself and what stands before it. Off: it sees everything.")
    )
    scaled: bool = switch(
        True, N_("Scale by 1/√d_k"), N_("Off: the scores go into the softmax as they are, which sharpens it.")
    )
    positions: bool = switch(
        True, N_("Positions"), N_("Off: no positions are added to the tokens, so the model cannot tell their order.")
    )
    query: int = integer(NONE, NONE, MOST, N_("Query"), N_("The token that looks, counted from 0."))
    key: int = integer(NONE, NONE, MOST, N_("Key"), N_("The token that is looked at, counted from 0."))

    @property
    def cell(self) -> tuple[int, int] | None:
        """The chosen query and key."""
        return None if NONE in (self.query, self.key) else (self.query, self.key)


def offered(model: Model | None) -> LabView:
    """The lab on which nothing has been chosen yet but the model."""
    if model is None:
        return LabView()
    own = {
        "model": model.code,
        "prompt": model.examples[0].text,
        "causal_mask": model.causal_mask,
        "positions": model.has_positions,
    }
    return changed(LabView(), own)


def read(models: dict[str, Model], parameters: Mapping[str, str]) -> tuple[LabView, list[Sentence]]:
    """What a link chooses, and a notice for everything in it that cannot be."""
    notices: list[Sentence] = []
    code, standard = parameters.get("model", first(models)), first(models)
    if code not in models:
        if code or standard:
            wrong = sentence(N_("There is no model “{name}” here"), name=code)
            notices.append(links.replaced(wrong, standard or "–"))
        code = standard
    start = offered(models.get(code))
    given = {name: value for name, value in parameters.items() if name != "model"}
    view = links.taken(start, given, notices)
    if code in models:
        view = links.shown(view, start, models[code], notices)
    known = {one.name for one in describe(LabView)} | links.ELSEWHERE
    if strange := [name for name in parameters if name not in known]:
        notices.append(links.unknown(strange))
    return view, notices


def write(models: dict[str, Model], view: LabView) -> dict[str, str]:
    """The parameters of the link; :func:`read` reads them back. A very long sentence is left out."""
    start = changed(offered(models.get(view.model)), {"model": first(models)})
    found = {
        one.name: one.write(getattr(view, one.name)) for one in describe(view) if one.name in difference(start, view)
    }
    return {name: value for name, value in found.items() if len(value) <= links.LONGEST}
