"""A prediction before a measurement: a question, an answer that stays as it was given, and what was measured."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from core.ui.align import align
from core.ui.language import _

STATE = "_forecasts"


def forecast(
    key: str, about: object, question: str, answers: Mapping[str, str], *, hint: str = "", told: bool = True
) -> str | None:
    """Ask; returns the code of the answer, None before there is one.

    ``about`` says what is asked about: the same question about another length is asked anew. An answer cannot be
    changed, for after the measurement it would be none. ``question``, ``answers`` and ``hint``, which explains the
    question until it is answered, are translated. Unless it is ``told``, the caller draws what was answered.
    """
    given: dict[tuple[str, str], str] = st.session_state.setdefault(STATE, {})
    place = (key, repr(about))

    def take() -> None:
        if (chosen := st.session_state.get(key)) in answers:
            given.setdefault(place, str(chosen))

    answer = given.get(place)
    if answer is not None:
        if not told:
            return answer
        said = _("Your prediction: {said}", said=answers.get(answer, "–"))
        st.markdown(f"**{question}** {said}".replace(" %", "\u00a0%"))  # no line begins with a sign of per cent
        return answer
    align(key, None)
    with st.container(key=f"{key}_question", border=True, gap="xsmall"):
        st.markdown(f"**{question}**")
        st.segmented_control(
            _("Your prediction"),
            list(answers),
            format_func=answers.__getitem__,
            key=key,
            label_visibility="collapsed",
            on_change=take,
        )
        st.caption(" ".join(filter(None, [hint, _("Predict first; then it is measured.")])))
    return None


def verdict(answer: str, measured: str, answers: Mapping[str, str], cause: str) -> None:
    """Put what was said beside what was measured, and the sentence of cause that was chosen by the measurement."""
    right = answer == measured
    words = _("You said: {said}. Measured: {measured}.", said=answers[answer], measured=answers[measured])
    icon = ":material/check_circle:" if right else ":material/lightbulb:"
    (st.success if right else st.info)(f"{words} {cause}", icon=icon)
