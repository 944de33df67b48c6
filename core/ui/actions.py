"""What the buttons of a page do. Each tells in a sentence what has happened; nothing here draws."""

from __future__ import annotations

import secrets

from core.runs.run import Run
from core.runs.status import Action, after
from core.settings import N_, SettingError, describe, difference
from core.ui import session
from core.ui.page import Page
from core.ui.words import problem, sentence

SEEDS = 10_000  # new seeds are drawn below this: short enough to be read out in class


def current(page: Page) -> Run | None:
    """The run of this page in this tab."""
    return session.runs().by_page.get(page.experiment.name)


def opened(page: Page) -> Run | None:
    """The run of this page; an untrained one is made when there is none. None when it cannot be, and told why."""
    run = current(page)
    if run is None or session.pool().find(run.id) is None:
        try:
            fresh = begin(page)
        except SettingError as error:
            page.told = problem(error)
            return None
        if run is not None:
            page.told = sentence(N_("The run had been cleared away after nobody looked at it; this is a new one."))
        return fresh
    apply(page, run)
    return run


def begin(page: Page) -> Run:
    """A new run from the settings on the controls, in place of the old one. Raises :class:`SettingError`."""
    page.settings.check()
    old, run = current(page), session.pool().start(page.experiment.name, page.settings)
    session.runs().by_page[page.experiment.name] = run
    if old is not None:
        session.pool().drop(old.id)
    return run


def waiting(page: Page, run: Run) -> list[str]:
    """The settings on the controls that this run was not built with and that wait for Reset."""
    return list(difference(run.settings, page.settings, [s.name for s in describe(page.settings) if not s.live]))


def apply(page: Page, run: Run) -> None:
    """Hand the run what takes effect at once. A run that is over keeps what it was trained with."""
    live = difference(run.settings, page.settings, [s.name for s in describe(page.settings) if s.live])
    if live and goes_on(page, run):
        run.change(**{name: wanted for name, (_, wanted) in live.items()})


def goes_on(page: Page, run: Run) -> bool:
    """Whether this run can be trained further, as the controls stand."""
    return run.status == "running" or after(run.status, "train", steps_left=_steps_left(page, run)) == "running"


def train(page: Page) -> None:
    """Begin, go on after a pause or with more steps, or begin again."""
    page.told = None
    try:
        run = current(page) or begin(page)
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
    _control(page, "step")


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
