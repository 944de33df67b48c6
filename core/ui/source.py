"""The running source of what a page shows: read from the very files that the workers run, and never imported.

The face knows no torch, so the files are read as text; :mod:`ast` finds where a name begins and ends.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import streamlit as st

from core.experiments import Experiment
from core.i18n import ROOT
from core.settings import N_
from core.ui.align import align
from core.ui.language import _

STATE = "_source"
KEY = "source_part"
HEIGHT = 520  # pixels: a model fits, and the rest of the page stays within reach


@dataclass(frozen=True)
class Part:
    """Some definitions of a file; the whole file when none is named."""

    label: str
    file: str
    names: tuple[str, ...] = ()


def parts(experiment: Experiment) -> dict[str, Part]:
    """What belongs to an experiment, in the order in which it is read."""
    found = {
        "attention": Part(N_("Attention"), "core/layers.py", ("attention", "MultiHeadAttention")),
        "model": Part(N_("Model"), _file(experiment.model)),
        "objective": Part(N_("Objective"), _file(experiment.objective), objective_functions(experiment.objective)),
    }
    if experiment.generates:
        found["sampler"] = Part(N_("Sampler"), "core/inference/generation.py", ("probabilities", "continuations"))
    return found


def source_panel(experiment: Experiment) -> None:
    """Choose a part and read it."""
    known = parts(experiment)
    labels = {name: _(part.label) for name, part in known.items()}
    chosen = st.session_state.get(STATE, "attention")
    chosen = chosen if chosen in known else "attention"
    align(KEY, chosen)
    st.segmented_control(
        _("Source"),
        list(labels),
        default=chosen,
        key=KEY,
        format_func=labels.__getitem__,
        required=True,
        on_change=_chosen,
        label_visibility="collapsed",
    )
    part = known[chosen]
    st.caption(_("`{file}`: the code that runs here, read from the file now.", file=part.file))
    st.code(source(part), language="python", height=HEIGHT)


def _chosen() -> None:
    st.session_state[STATE] = st.session_state[KEY]


def source(part: Part) -> str:
    """The text of a part as it stands in its file. Raises :class:`LookupError` when a name is not there."""
    path = ROOT / part.file
    return _read(path, path.stat().st_mtime_ns, part.names)


@cache
def _read(path: Path, _changed: int, names: tuple[str, ...]) -> str:
    text = path.read_text(encoding="utf-8")
    if not names:
        return text
    lines, found = text.splitlines(keepends=True), _definitions(ast.parse(text))
    if missing := [name for name in names if name not in found]:
        raise LookupError(f"{', '.join(missing)} not in {path}")
    return "\n\n".join("".join(lines[slice(*_extent(found[name]))]) for name in names)


Definition = ast.FunctionDef | ast.ClassDef


def _definitions(tree: ast.Module) -> dict[str, Definition]:
    return {node.name: node for node in tree.body if isinstance(node, Definition)}


def _extent(node: Definition) -> tuple[int, int | None]:
    """Where a definition stands among the lines, its decorators included."""
    first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
    return first - 1, node.end_lineno


def _file(place: str) -> str:
    """The file of an import path ``module:name``."""
    return place.partition(":")[0].replace(".", "/") + ".py"


def objective_functions(place: str) -> tuple[str, ...]:
    """The functions that an ``Objective`` is made of, and those of the same file that they call."""
    tree = ast.parse((ROOT / _file(place)).read_text(encoding="utf-8"))
    name = place.partition(":")[2]
    made = next(
        node.value
        for node in tree.body
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets)
    )
    known, wanted = _definitions(tree), _names(made)
    for _round in known:  # a function may call one that calls another
        wanted |= {called for one in wanted & known.keys() for called in _names(known[one])}
    functions = [one for one, node in known.items() if one in wanted and isinstance(node, ast.FunctionDef)]
    return tuple(functions)


def _names(node: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
