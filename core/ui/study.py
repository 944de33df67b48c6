"""A study on a page: a button that starts it, how far it is, and what it has found so far.

What was found is kept for the session: a page that runs again, or is entered again, draws it and asks nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st

from core.runs.run import Run
from core.runs.study import Study
from core.settings import SettingError
from core.ui import session
from core.ui.language import _
from core.ui.words import problem

LOOK_AGAIN = 0.5  # seconds between two looks at a study that is at work
AT_ONCE = 1.5  # seconds that a page waits for a study that starts by itself


@dataclass(frozen=True, kw_only=True)
class _Offer:
    """A study as the page offers it now."""

    name: str
    options: Mapping[str, Any]
    key: str
    run: Run | None

    def known(self) -> Study | None:
        """The one that was last started under this key in this tab."""
        return session.runs().studies.get(self.key)

    def fits(self, found: Study) -> bool:
        """Whether it was asked what would be asked now."""
        run = None if self.run is None else self.run.id
        return (found.name, found.options, found.run) == (self.name, dict(self.options), run)

    def start(self) -> None:
        """Begin it; the one before is given up. What refuses it is kept, to be said."""
        own = session.runs()
        if (before := own.studies.pop(self.key, None)) is not None:
            session.pool().drop(before.id)
        own.refused.pop(self.key, None)
        try:
            own.studies[self.key] = session.pool().study(self.name, self.options, self.run)
        except SettingError as error:
            own.refused[self.key] = problem(error)


def study(
    name: str,
    options: Mapping[str, Any],
    key: str,
    draw: Callable[[Any, bool], None],
    *,
    label: str = "",
    help: str | None = None,
    run: Run | None = None,
    automatic: bool = False,
) -> Study | None:
    """Offer a study of :mod:`core.studies` by its name, and draw what it finds.

    ``draw(found, complete)`` draws the partial findings while it is at work (and after it was cancelled), the result in
    the end. It is called in a fragment, every half second while the study works, so it had better change no state and
    draw with components that stay in place (:func:`core.ui.components.plot.plot`). ``label`` and ``help`` are of the
    button, translated; its keys are ``{key}_start`` and ``{key}_cancel``. ``run`` is one whose model it is about.

    An ``automatic`` study has no button: it starts when it is first drawn and whenever its options have changed, so it
    should take a second at most. Returns the study; None before its first start. It belongs to the tab as a run does.
    """
    offer = _Offer(name=name, options=options, key=key, run=run)
    found = offer.known()
    if automatic and (found is None or not offer.fits(found)):
        offer.start()
        if (found := offer.known()) is not None:
            found.wait(AT_ONCE)
    timer = LOOK_AGAIN if found is not None and found.running else None

    @st.fragment(run_every=timer)
    def body() -> None:
        now = offer.known()
        if (now is not None and now.running) != (timer is not None):
            st.rerun()  # the timer starts and ends with the study
        _controls(offer, now, label, help, automatic)
        _tell(offer, now)
        if now is not None and (shown := now.partial if now.result is None else now.result) is not None:
            draw(shown, now.result is not None)

    with st.container(key=key, gap="small"):
        body()
    return offer.known()


def _controls(offer: _Offer, now: Study | None, label: str, help: str | None, automatic: bool) -> None:
    if now is not None and now.running:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.progress(now.fraction, _("{percent} % done", percent=round(100 * now.fraction)))
            st.button(_("Cancel"), key=f"{offer.key}_cancel", icon=":material/close:", on_click=now.cancel)
        return
    again = now is not None
    if automatic and (now is None or now.status == "finished"):
        return
    st.button(
        _("Measure again") if again else label,
        key=f"{offer.key}_start",
        icon=":material/replay:" if again else ":material/play_arrow:",
        type="secondary" if again else "primary",
        help=help,
        on_click=offer.start,
    )


def _tell(offer: _Offer, now: Study | None) -> None:
    """What is wrong, or what has to be known of what is drawn beneath."""
    if (refused := session.runs().refused.get(offer.key)) is not None:
        st.error(refused.say(_))
    if now is None:
        return
    if now.status == "failed" and now.problem is not None:
        st.error(problem(now.problem).say(_))
    if now.status == "cancelled":
        st.caption(_("Cancelled at {percent} %: what follows is incomplete.", percent=round(100 * now.fraction)))
    if not now.running and not offer.fits(now):
        st.caption(_("The settings have changed since this was measured."))
