"""The component ``plot``: what the browser is handed, for both themes."""

from __future__ import annotations

import json
from typing import Any

from streamlit.testing.v1 import AppTest

from core.figures.theme import PALETTES


def script(made_anew: bool) -> None:
    """A page with one figure."""
    import plotly.graph_objects as go

    from core.figures.theme import Palette
    from core.ui.components.plot import plot

    def figure(palette: Palette) -> go.Figure:
        return go.Figure(go.Scatter(x=[1, 2], y=[3, 4], line={"color": palette.focus}), {"uirevision": "mine"})

    finished = go.Figure(go.Scatter(x=[1, 2], y=[3, 4]))
    plot(figure if made_anew else finished, "trial", height=123, alt="It rises from 3 to 4.")


def handed(made_anew: bool) -> dict[str, Any]:
    """What the component gets."""
    test = AppTest.from_function(script, kwargs={"made_anew": made_anew}, default_timeout=20).run()
    assert not test.exception
    (one,) = test.get("bidi_component")
    data: dict[str, Any] = json.loads(one.proto.json)
    assert (data["height"], data["alt"], data["name"]) == (123, "It rises from 3 to 4.", "trial")
    return data


def test_a_figure_is_made_for_every_theme() -> None:
    figures = handed(made_anew=True)["figures"]
    colours = {theme: one["plot"]["data"][0]["line"]["color"] for theme, one in figures.items()}
    assert colours == {name: palette.focus for name, palette in PALETTES.items()}
    assert figures["dark"]["plot"]["layout"]["uirevision"] == "mine"


def test_a_finished_figure_stands_on_the_page_and_keeps_its_zoom() -> None:
    figures = handed(made_anew=False)["figures"]
    assert figures.keys() == PALETTES.keys()
    for theme in figures.values():
        layout = theme["plot"]["layout"]
        assert layout["paper_bgcolor"] == layout["plot_bgcolor"] == "rgba(0,0,0,0)"
        assert (layout["uirevision"], layout["template"]) == ("keep", {"layout": {}})
