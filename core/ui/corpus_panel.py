"""A text of one's own as the corpus: pasted or uploaded, described before it is used, and never lost by a mistake."""

from __future__ import annotations

from typing import Any

import streamlit as st

from core.experiments.common import OWN_TEXT_LONGEST, OWN_TEXT_VOCABULARY
from core.settings import N_, SettingError, changed, setting
from core.ui import actions, corpus, links
from core.ui.align import align
from core.ui.language import _
from core.ui.page import Page
from core.ui.words import Sentence, literal, problem, sentence

TEXT, FILE = "own_text", "own_file"


def corpus_panel(page: Page) -> None:
    """The button that opens the panel, named after what is the corpus now, and the panel."""
    own = page.settings.corpus == links.OWN
    label = _("Corpus: your own text") if own else _("Own text")
    popover = st.popover(label, icon=":material/upload_file:", key="own_text_panel", type="tertiary", on_change="rerun")
    if popover.open:
        with popover:
            _panel(page, own)


def _panel(page: Page, own: bool) -> None:
    title = _("A text of your own as the corpus")
    st.markdown(f"**{title}**")
    st.caption(_limits(page.settings).say(_))
    align(TEXT, page.draft)
    st.text_area(_("Text"), page.draft, key=TEXT, height=100, on_change=_typed, args=(page,))
    st.file_uploader(_("or a text file in UTF-8"), type=["txt"], key=FILE, on_change=_uploaded, args=(page,))
    text = corpus.tidy(page.draft)
    # Above what is said of the text: leaving the box tells the page, and a button that then moves misses its click.
    with st.container(horizontal=True, gap="small"):
        st.button(_("Use this text"), key="use_text", type="primary", on_click=actions.use_text, args=(page,))
        if len(text) > OWN_TEXT_LONGEST:
            shorter = _("Keep the first {count} characters", count=OWN_TEXT_LONGEST)
            st.button(shorter, key="shorten_text", on_click=_shorten, args=(page,))
        if own:
            standard = setting(page.experiment.settings, "corpus")
            name = _(standard.choices[str(standard.default)])
            st.button(_("Back to {corpus}", corpus=name), key="leave_text", on_click=actions.leave_text, args=(page,))
    if page.trouble is not None:
        st.error(sentence(N_("{problem}. Nothing else has changed."), problem=page.trouble).say(_))
    if text:
        _found(text)


def _limits(settings: Any) -> Sentence:
    """What is asked of a text, with the held-out share that it would get."""
    settings = changed(settings, {"held_out": settings.held_out or actions.HELD_OUT})
    return sentence(
        N_(
            "At least {shortest} characters (with a block of {block}; a smaller block needs fewer), at most {longest},"
            " with at most {varied} different ones; in any language. The vocabulary is what stands in the text. Its"
            " last {share} % are held out: the model is measured on them and never trained on them."
        ),
        shortest=settings.shortest_text(),
        block=settings.block,
        longest=OWN_TEXT_LONGEST,
        varied=OWN_TEXT_VOCABULARY,
        share=round(100 * settings.held_out),
    )


def _found(text: str) -> None:
    """What the text is made of, shown literally."""
    first = next((line for line in text.split("\n") if line.strip()), "")
    st.caption(
        _(
            "{count} characters, {distinct} of them distinct. First line: {line}",
            count=len(text),
            distinct=len(set(text)),
            line=literal(first),
        )
    )
    with st.expander(_("Vocabulary")):
        st.text(corpus.vocabulary(text))


def _typed(page: Page) -> None:
    page.draft, page.trouble = str(st.session_state[TEXT]), None


def _uploaded(page: Page) -> None:
    """Take a file's text into the box. A file that cannot be read leaves the box as it is."""
    file = st.session_state[FILE]
    if file is None:
        return
    try:
        page.draft, page.trouble = corpus.decode(file.getvalue(), file.name), None
    except SettingError as error:
        page.trouble = problem(error)


def _shorten(page: Page) -> None:
    page.draft, page.trouble = corpus.tidy(page.draft)[:OWN_TEXT_LONGEST], None
