"""A page of several parts, one on screen at a time: the choice among them, and what else can be chosen of each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

from core.settings import setting
from core.ui import chosen, frame
from core.ui.chosen import Chosen
from core.ui.language import _

# How wide a control stands, by its kind: pixels, or what is left over in the line. Others: as wide as their choices.
WIDTHS: dict[str, int | Literal["stretch"]] = {"integer": 130, "text": "stretch"}


@dataclass(frozen=True)
class Part:
    """What draws a part, and the settings of the page's view that stand beside the choice of parts."""

    draw: Callable[[Chosen], None]
    controls: tuple[str, ...] = ()


def parts_page(page: str, view: Any, parts: Mapping[str, Part], title: str, prose: str) -> None:
    """Draw the page; ``view`` has a setting ``part``, ``title`` and ``prose`` are marked strings."""
    here = chosen.enter(page, view)
    frame.bar(_(title))
    frame.notices(here.notices)
    with st.container(gap="small"):
        st.caption(_(prose))
        part = parts[here.view.part]
        with st.container(horizontal=True, gap="medium", key="parts"):
            here.control("part")
            for name in part.controls:
                with st.container(width=WIDTHS.get(setting(here.view, name).kind, "content")):
                    here.control(name)
        part.draw(here)
    here.leave()
