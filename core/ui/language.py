"""The language of what is on screen: chosen by control, by link, or by the browser.

The language is kept under a name that is not a widget's, so it outlives the control, which every page draws anew.
"""

from __future__ import annotations

import streamlit as st

from core.i18n import LANGUAGES, translate
from core.settings import N_, SettingError
from core.ui import address
from core.ui.align import align
from core.ui.words import Sentence

STATE = "_language"
CHOSEN = "_language_chosen"  # once chosen, links carry it; before, a link opens in its reader's own language
KEY = "language"
PARAMETERS = (KEY, "lang")


def language() -> str:
    """The code of the language on screen."""
    return str(st.session_state.get(STATE, "en"))


def _(message: str, **fields: object) -> str:
    """The message in the language on screen."""
    return translate(language(), message, **fields)


def sentence(error: SettingError) -> str:
    """What a :class:`SettingError` says, in the language on screen."""
    return _(error.message, **error.fields)


def settle() -> None:
    """Take the language from the address when a person has just come by it. Call it first in every run."""
    if STATE not in st.session_state:
        own = (st.context.locale or "en").split("-")[0].lower()
        st.session_state[STATE] = own if own in LANGUAGES else "en"
    elif not address.travelled():
        return
    if (wanted := _asked()) in LANGUAGES:
        _choose(str(wanted))


def notices() -> list[Sentence]:
    """What is wrong with the language that the address asks for."""
    wanted = _asked()
    if wanted is None or wanted in LANGUAGES:
        return []
    return [
        Sentence(
            N_("There is no language “{name}”; there are {known}."), {"name": wanted, "known": ", ".join(LANGUAGES)}
        )
    ]


def parameters() -> dict[str, str]:
    """What a link says of the language."""
    return {KEY: language()} if st.session_state.get(CHOSEN) else {}


def language_control() -> None:
    """The control that switches the language; nothing else changes, a run least of all."""
    align(KEY, language())
    st.segmented_control(
        "Language / 语言",
        list(LANGUAGES),
        default=language(),
        key=KEY,
        format_func=lambda code: LANGUAGES[code],
        required=True,
        on_change=_chosen,
        label_visibility="collapsed",
    )


def _asked() -> str | None:
    return next((st.query_params[name] for name in PARAMETERS if name in st.query_params), None)


def _chosen() -> None:
    if st.session_state[KEY] in LANGUAGES:
        _choose(st.session_state[KEY])


def _choose(code: str) -> None:
    st.session_state[STATE] = code
    st.session_state[CHOSEN] = True
