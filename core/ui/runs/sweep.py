"""A sweep: one setting takes several values, everything else stays, and every value is a run of its own.

The temperature is no setting of training but of writing: it is swept over texts of one trained run. Nothing here draws.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any

from core.experiments import Experiment, catalogue, find
from core.runs.requests import GenerateRequest
from core.runs.run import Run
from core.runs.status import OVER
from core.settings import N_, Setting, SettingError, Value, changed, describe, setting
from core.ui import corpus, session
from core.ui.runs.results import UNCOMPARED, metric_of, newest, training_loss
from core.ui.runs.shelf import Shelf, delete, forget_deleted
from core.ui.session import KeptRun
from core.ui.words import Sentence, problem

TEMPERATURE = "temperature"
FEWEST, MOST = 2, 8  # values; as many runs as the overlay has colours for
TOKENS = 60  # characters of a text
PRESETS: dict[str, tuple[Value, ...]] = {
    "mask_rate": (0.05, 0.15, 0.3, 0.5, 0.8),
    "heads": (1, 2, 4, 8),
    TEMPERATURE: (0.0, 0.4, 0.8, 1.2, 2.0),
    "layers": (1, 2, 3, 4),
    "learning_rate": (0.0003, 0.001, 0.003, 0.01, 0.03),
    "dropout": (0.0, 0.1, 0.3, 0.5),
    "batch_size": (4, 16, 64),
    "seed": (0, 1, 2, 3, 4),
    "beta2": (0.9, 0.95, 0.99, 0.999),
    "warmup_steps": (0, 20, 100),
    "weight_decay": (0.0, 0.01, 0.1, 1.0),
    "label_smoothing": (0.0, 0.1, 0.3),
    "held_out": (0.0, 0.1, 0.3),
    "random_share": (0.0, 0.1, 0.3),
}
BASELINES = {
    "accuracy": ("majority_accuracy",),
    "masked_accuracy": ("majority_accuracy",),
    "training_loss": ("bigram_loss", "unigram_loss"),
    "held_out_loss": ("bigram_loss", "unigram_loss"),
    "prefix_loss": ("bigram_loss", "unigram_loss"),
}  # measure -> what a guess reaches in it, the best guess first
SEPARATORS = re.compile(r"[\s,;，；、]+")


@dataclass
class Sweep:
    """Runs that differ in one setting, in the order of its values."""

    experiment: str
    setting: str
    kept: list[KeptRun]

    @property
    def runs(self) -> list[Run]:
        """The runs."""
        return [one.run for one in self.kept]

    @property
    def running(self) -> bool:
        """Whether one of them still trains; one that is being resumed does."""
        return any(run.status not in (*OVER, "paused") for run in self.runs)

    @property
    def done(self) -> int:
        """How many have ended."""
        return sum(run.status in OVER for run in self.runs)

    @property
    def fraction(self) -> float:
        """How much of all steps is done, from 0 to 1; what has ended early has nothing left."""
        shares = [1.0 if run.status in OVER else run.step / max(1, run.settings.steps) for run in self.runs]
        return sum(shares) / max(1, len(shares))

    def points(self, measure: str) -> list[tuple[Value, float]]:
        """What has been measured: the value of the setting, and what its run has come to."""
        found = [(getattr(run.settings, self.setting), result(run, measure)) for run in self.runs]
        return [(value, measured) for value, measured in found if measured is not None]

    def baseline(self, measure: str) -> tuple[str, float] | None:
        """The best guess without a model in this measure: its name and what it reaches."""
        known: dict[str, float] = next((run.baselines for run in self.runs if run.baselines), {})
        return next(((name, known[name]) for name in BASELINES.get(measure, ()) if name in known), None)


@dataclass
class Texts:
    """What one run writes at several temperatures, from the same prompt and the same draws."""

    kept: KeptRun
    prompt: str
    temperatures: list[float]
    answers: list[Future[dict[str, Any]]]

    @property
    def waiting(self) -> bool:
        """Whether one is still being written."""
        return not all(one.done() for one in self.answers)


def result(run: Run, measure: str) -> float | None:
    """The newest value of a measure; None where there is none."""
    return training_loss(run) if measure == "training_loss" else newest(run, measure)


def swept(experiment: Experiment, settings: Any, *, trained: bool) -> dict[str, Setting]:
    """The settings that can be swept, those with values of their own to offer first.

    ``trained``: whether a trained run is given, whose temperature can then be swept.
    """
    found = {one.name: one for one in describe(settings) if one.linked and one.name not in UNCOMPARED}
    if trained and experiment.generates:
        found[TEMPERATURE] = setting(experiment.view, TEMPERATURE)
    ordered = [name for name in PRESETS if name in found] + [name for name in found if name not in PRESETS]
    return {name: found[name] for name in ordered}


def offered(one: Setting, settings: Any) -> list[Value]:
    """The values that a sweep of a setting begins with."""
    if one.kind == "switch":
        return [False, True]
    if one.kind == "choice":
        usable: list[Value] = [code for code in one.choices if code != "own" or getattr(settings, one.name) == "own"]
        return usable[:MOST]
    assert one.minimum is not None and one.maximum is not None
    own: Any = getattr(settings, one.name, one.default)
    low, high, kind = one.minimum, one.maximum, int if one.kind == "integer" else float
    around = (kind(own / 2), own, kind(own * 2)) if own else (kind(low), own, kind(high))
    values: tuple[Any, ...] = PRESETS.get(one.name, around)
    return sorted({kind(min(high, max(low, value))) for value in values})


def read(one: Setting, written: str) -> list[Value]:
    """The values in a person's own words, each once, in their order. Raises :class:`SettingError`."""
    return sized([one.parse(word) for word in SEPARATORS.split(written.strip()) if word])


def sized(values: Sequence[Value]) -> list[Value]:
    """The values, each once. Raises :class:`SettingError` when they are too few or too many to be compared."""
    once = list(dict.fromkeys(values))
    if not FEWEST <= len(once) <= MOST:
        raise SettingError(
            N_("a sweep takes {fewest} to {most} different values, not {given}"),
            fewest=FEWEST,
            most=MOST,
            given=len(once),
        )
    return once


def plan(settings: Any, one: Setting, values: Sequence[Value]) -> list[Any]:
    """The settings of every run. Raises :class:`SettingError` that names the value which does not fit."""
    planned = []
    for value in values:
        try:
            planned.append(changed(settings, {one.name: value}))
            planned[-1].check()
        except SettingError as error:
            raise SettingError(
                N_("{setting} {value} does not go: {problem}"),
                setting=Sentence(one.label),
                value=one.write(value),
                problem=problem(error),
            ) from None
    return planned


def start(here: Shelf, experiment: str, settings: Any, one: Setting, values: Sequence[Value]) -> None:
    """Train a run for every value; they take turns in the workers. All of them start, or none.

    Raises :class:`SettingError`.
    """
    planned, pool = plan(settings, one, values), session.pool()
    runs: list[Run] = []
    try:
        for wanted in planned:
            run = pool.start(experiment, wanted)
            run.control("train")
            runs.append(run)
    except SettingError:
        for run in runs:
            pool.drop(run.id)
        raise
    here.sweep = Sweep(experiment, one.name, [session.runs().keep(run) for run in runs])
    here.chosen, here.measure = [run.id for run in runs], metric_of(experiment) or "training_loss"
    forget_deleted(here)
    here.told, here.trouble = None, None


def write(here: Shelf, kept: KeptRun, temperatures: Sequence[float]) -> None:
    """Let one run write at every temperature."""
    experiment = find(kept.run.experiment)
    prompt = str(here.view(experiment, kept.run.settings).prompt) or corpus.opening(experiment, kept.run.settings)
    requests = [GenerateRequest(prompt=prompt, temperature=one, tokens=TOKENS) for one in temperatures]
    here.texts = Texts(kept, prompt, list(temperatures), [kept.run.generate(one) for one in requests])
    here.told, here.trouble = None, None


def cancel(here: Shelf) -> None:
    """Stop what still trains; what it has learned so far stays in the table."""
    if here.sweep is not None:
        for run in here.sweep.runs:
            if run.status not in OVER:
                run.control("stop")


def remove(here: Shelf) -> None:
    """Take all runs of the sweep from the table, as one thing that can be undone."""
    if here.sweep is not None:
        here.chosen = [run.id for run in here.sweep.runs]
        delete(here)


def settle(here: Shelf) -> None:
    """Forget a sweep whose runs are gone; free the workers of one that has ended."""
    if (sweep := here.sweep) is not None:
        listed = session.runs().kept
        sweep.kept = [one for one in sweep.kept if one in listed or any(one is gone.kept for gone in here.deleted)]
        if not sweep.kept:
            here.sweep = None
        elif not sweep.running:
            for run in sweep.runs:
                if run.status == "finished" and run.checkpoint is None:
                    session.pool().archive(run.id)
    if here.texts is not None and here.texts.kept not in session.runs().kept:
        here.texts = None


def sources(rows: Sequence[KeptRun]) -> dict[str, tuple[str, Any, KeptRun | None]]:
    """What a sweep can begin with: code -> experiment, settings, run: every run, then each experiment."""
    runs = {
        one.run.id: (one.run.experiment, one.run.settings, one) for one in rows if one.run.experiment in catalogue()
    }
    return {**runs, **{f"={name}": (name, one.defaults(), None) for name, one in catalogue().items()}}
