"""What the buttons of a page do. Each tells in a sentence what has happened; nothing here draws.

A page looks at a run of its tab, or at the shipped checkpoint, which is everybody's: before a tab has a run, and
whenever somebody wants it back. The first button that needs a run makes one, from step 0 and the settings on the page.
"""

from __future__ import annotations

import secrets

import streamlit as st

from core.runs.run import Run
from core.runs.status import Action, after
from core.settings import N_, SettingError, describe, difference
from core.ui import corpus, links, session
from core.ui.page import Page
from core.ui.words import problem, sentence

HELD_OUT = 0.1  # the share of an own text that is held out, unless another has been chosen
SEEDS = 10_000  # new seeds are drawn below this: short enough to be read out in class


def current(page: Page) -> Run | None:
    """The run of this page in this tab."""
    return session.runs().by_page.get(page.experiment.name)


def shipped(page: Page) -> Run | None:
    """The checkpoint that ships for this page's experiment."""
    return session.pool().shipped(page.experiment.name)


def shown(page: Page) -> Run | None:
    """What the page looks at, if there is anything yet."""
    return (shipped(page) if page.shows_shipped else None) or current(page)


def opened(page: Page) -> Run | None:
    """What the page looks at: the shipped checkpoint, or a run of this tab; an untrained one is made when it has none.

    None when there can be no such run, and told why.
    """
    gone = _cleared_away(page)
    run, checkpoint = current(page), shipped(page)
    unlike = [] if checkpoint is None or run is not None else _unlike(page, checkpoint)
    if page.shows_shipped is None:
        page.shows_shipped = run is None and not unlike
    if page.shows_shipped and checkpoint is not None:
        if gone:
            page.told = sentence(N_("Your run had been cleared away after nobody looked at it."))
        return checkpoint
    if run is not None:
        apply(page, run)
        return run
    try:
        fresh = begin(page)
    except SettingError as error:
        page.told = problem(error)
        return None
    if gone:
        page.told = sentence(N_("The run had been cleared away after nobody looked at it; this is a new one."))
    elif unlike:
        page.told = sentence(
            N_("The shipped checkpoint has other settings ({names}), so this is an untrained model with yours."),
            names=", ".join(unlike),
        )
    return fresh


def _cleared_away(page: Page) -> bool:
    run = current(page)
    if run is None or session.pool().find(run.id) is not None:
        return False
    del session.runs().by_page[page.experiment.name]
    page.shows_shipped = None
    return True


def _unlike(page: Page, checkpoint: Run) -> list[str]:
    """The settings that make this page's model another one: what waits for a reset and is not a recipe's."""
    recipes = {name for values in page.experiment.recipes.values() for name in values}
    names = [s.name for s in describe(page.settings) if not s.live and s.name not in recipes]
    return list(difference(checkpoint.settings, page.settings, names))


def begin(page: Page) -> Run:
    """A new run from the settings on the controls, in place of the old one. Raises :class:`SettingError`."""
    page.settings.check()
    before, old, run = shown(page), current(page), session.pool().start(page.experiment.name, page.settings)
    session.runs().by_page[page.experiment.name] = run
    page.shows_shipped = False
    if old is not None:
        session.runs().replaced(old)
    _follow_corpus(page, before, run)
    return run


def _follow_corpus(page: Page, before: Run | None, after: Run | None) -> None:
    """Let the sentence that was offered, and not typed, give way to the one of another corpus."""
    if before is not None and after is not None:
        offered = [corpus.opening(page.experiment, run.settings) for run in (before, after)]
        if page.view.prompt == offered[0]:
            page.change_view({"prompt": offered[1]})


def look_elsewhere(page: Page) -> None:
    """From one's own run to the shipped checkpoint, or back. Neither is lost, and a run that trains goes on."""
    before = shown(page)
    page.shows_shipped, page.told = not page.shows_shipped, None
    _follow_corpus(page, before, shown(page))


def waiting(page: Page, run: Run) -> list[str]:
    """The settings on the controls that this run was not built with and that wait for Reset."""
    if run is not current(page):  # nobody resets the shipped checkpoint: every button makes a run of one's own
        return []
    return list(difference(run.settings, page.settings, [s.name for s in describe(page.settings) if not s.live]))


def apply(page: Page, run: Run) -> None:
    """Hand the run what takes effect at once. A run that is over keeps what it was trained with."""
    live = difference(run.settings, page.settings, [s.name for s in describe(page.settings) if s.live])
    if live and goes_on(page, run):
        run.change(**{name: wanted for name, (_, wanted) in live.items()})


def goes_on(page: Page, run: Run) -> bool:
    """Whether this run can be trained further, as the controls stand. From the checkpoint, a run of one's own does."""
    if run is not current(page):
        return True
    return run.status == "running" or after(run.status, "train", steps_left=_steps_left(page, run)) == "running"


def train(page: Page) -> None:
    """Begin, go on after a pause or with more steps, or begin again."""
    page.told = None
    try:
        run = _own(page)
        if run.status == "ready" and waiting(page, run):
            run = begin(page)  # nothing has been learned yet, so nothing is lost
            page.told = sentence(N_("This run has the settings as they stand now."))
        elif run.status == "finished" and goes_on(page, run):
            page.told = sentence(N_("Training goes on to step {steps}."), steps=page.settings.steps)
        elif not goes_on(page, run):
            run = begin(page)
            page.told = sentence(
                N_("Begun again from the first weights of seed {seed}. To go on instead, raise the steps first."),
                seed=page.settings.seed,
            )
        apply(page, run)
        run.control("train")
    except SettingError as error:
        page.told = problem(error)


def pause(page: Page) -> None:
    """Hold the run where it is."""
    _control(page, "pause")


def step(page: Page) -> None:
    """One step of the optimizer, then pause."""
    page.told = None
    try:
        _own(page).control("step")
    except SettingError as error:
        page.told = problem(error)


def stop(page: Page) -> None:
    """End the run; its last weights stay to be looked at."""
    _control(page, "stop")
    page.told = sentence(
        N_("Stopped. Train begins again from the first weights of seed {seed}."), seed=page.settings.seed
    )


def reset(page: Page) -> None:
    """Back to step 0 with the settings on the controls: the same seed gives the same first weights."""
    _begin_again(page, N_("Back at step 0 with the first weights of seed {seed}."))


def new_seed(page: Page) -> None:
    """Back to step 0 with other first weights, batches, masks and dropout."""
    before = page.choice
    page.change_settings({"seed": (before.settings.seed + 1 + secrets.randbelow(SEEDS - 1)) % SEEDS})
    if not _begin_again(page, N_("New first weights, from seed {seed}.")):
        page.choice = before


def use_text(page: Page) -> None:
    """Make the text that was prepared the corpus: an untrained run on it, or a word about why that cannot be."""
    before = page.choice, page.own_text
    page.own_text = page.draft = corpus.tidy(page.draft)
    page.change_settings({"corpus": links.OWN, "held_out": page.settings.held_out or HELD_OUT})
    if not _begin_again(page, N_("Your text is the corpus now, and the model knows nothing of it yet: press Train.")):
        (page.choice, page.own_text), page.trouble, page.told = before, page.told, None


def ask_for_text(page: Page) -> None:
    """The own text was chosen as the corpus, but there is none yet: open its panel, and change nothing."""
    page.told = sentence(N_("Paste or upload your text first, then use it: until then the corpus stays as it is."))
    st.session_state["settings"], st.session_state["own_text_panel"] = False, True


def leave_text(page: Page) -> None:
    """Back to the corpus that ships with the page. The text stays in its box."""
    before, standard = page.choice, page.experiment.defaults(page.choice.recipe)
    page.change_settings({"corpus": standard.corpus, "held_out": standard.held_out})
    if not _begin_again(page, N_("Back at step 0 with the first weights of seed {seed}.")):
        page.choice = before


def _own(page: Page) -> Run:
    """The run of this tab, a new one in place of the shipped checkpoint. Raises :class:`SettingError`."""
    run = current(page)
    if run is not None and not page.shows_shipped:
        return run
    fresh = begin(page)
    page.told = sentence(
        N_("This is a run of your own, from the first weights of seed {seed}."), seed=fresh.settings.seed
    )
    return fresh


def _begin_again(page: Page, message: str) -> bool:
    try:
        begin(page)
    except SettingError as error:
        page.told = problem(error)
        return False
    page.told = sentence(message, seed=page.settings.seed)
    return True


def _control(page: Page, action: Action) -> None:
    page.told = None
    if (run := current(page)) is not None:
        run.control(action)


def _steps_left(page: Page, run: Run) -> bool:
    return bool(page.settings.steps > run.step)
