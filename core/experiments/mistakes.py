"""Common mistakes: each as a pair of settings, one right and one wrong, and what tells them apart. Free of torch.

:mod:`core.studies.twins` trains the pairs. Nothing here says how a pair ends: a sentence of cause is chosen by what was
measured.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from core.experiments import Experiment, find
from core.settings import N_, Value, changed, difference

MOST_SEEDS = 3
LAST = 10  # steps over which the training loss at the end is averaged

OUTCOMES = {  # of a measure: what the mistake does to it
    "lower": N_("lower"),
    "same": N_("about the same"),
    "higher": N_("higher"),
    "mixed": N_("it depends on the seed"),
    "fails": N_("no number: it breaks off"),
}


@dataclass(frozen=True, kw_only=True)
class Measure:
    """Something that is measured on both twins.

    Two values are about the same when the larger one is at most ``factor`` times the smaller one, or at most ``margin``
    above it. ``better`` is the direction of a better model, empty where there is none. ``about`` says what is measured,
    to somebody who meets it for the first time.
    """

    label: str
    about: str
    better: str = "lower"
    factor: float = 1.0
    margin: float = 0.0
    share: bool = False  # between 0 and 1

    def compare(self, correct: float | None, broken: float | None) -> str:
        """One of :data:`OUTCOMES` for one pair. None is a twin that broke off before its end."""
        if broken is None:
            return "fails"
        if correct is None:
            return "lower"  # only the correction broke off: no number to compare with is no better
        low, high = sorted((correct, broken))
        if high - low <= self.margin or high <= low * self.factor:
            return "same"
        return "higher" if broken > correct else "lower"


def _loss(label: str, about: str) -> Measure:
    return Measure(label=label, about=about, factor=1.5, margin=0.005)


MEASURES = {
    "training_loss": _loss(N_("training loss"), N_("what training itself makes smaller, over its last ten steps")),
    "held_out_loss": _loss(N_("held-out loss"), N_("the same loss on text that was kept away from training")),
    "prefix_loss": _loss(
        N_("prefix-only loss"), N_("the loss of the next character when only those before it are there to be read")
    ),
    "past_block_loss": Measure(
        label=N_("loss past the block"),
        about=N_("the loss of the characters that follow the first block"),
        factor=1.5,
        margin=0.02,
    ),
    "masked_accuracy": Measure(
        label=N_("masked accuracy"),
        about=N_("the share of hidden characters, each behind [MASK], that are guessed right"),
        better="higher",
        margin=0.05,
        share=True,
    ),
    "accuracy": Measure(
        label=N_("accuracy on held-out sequences"),
        about=N_("the share of right answers about sequences that it was not trained on"),
        better="higher",
        margin=0.05,
        share=True,
    ),
    "row_entropy": Measure(
        label=N_("relative row entropy"),
        about=N_("how evenly a query spreads its weights: 1 over all keys alike, 0 on a single one"),
        better="",
        margin=0.1,
        share=True,
    ),
    "answers_changed": Measure(
        label=N_("answers that change when asked twice"),
        about=N_("the share of next characters that come out otherwise when the same text is read again"),
        margin=0.005,
        share=True,
    ),
    "largest_row_sum": Measure(
        label=N_("largest sum of a row"),
        about=N_("what the weights of one query add up to, at most; a softmax gives 1"),
        margin=0.01,
    ),
}


def together(outcomes: Sequence[str]) -> str:
    """The outcome of several seeds."""
    return outcomes[0] if len(set(outcomes)) == 1 else "mixed"


@dataclass(frozen=True, kw_only=True)
class Variant:
    """One pair of runs.

    ``both``, ``correct`` and ``broken`` change the settings of the recipe. ``measures`` are asked about in this order;
    the first exposes the mistake where anything does. ``models`` are import paths where the two differ in more than
    settings. A mistake made after training is one run read in two ways: its ``reading`` is not ``evaluation``.
    ``causes`` are its own where it has other ones than its mistake.
    """

    label: str
    experiment: str
    measures: tuple[str, ...]
    recipe: str = "fast"
    both: Mapping[str, Value] = field(default_factory=dict)
    correct: Mapping[str, Value] = field(default_factory=dict)
    broken: Mapping[str, Value] = field(default_factory=dict)
    models: tuple[str, str] | None = None
    reading: str = "evaluation"
    causes: Mapping[str, str] = field(default_factory=dict)

    @property
    def trained_apart(self) -> bool:
        """Whether there are two runs."""
        return self.reading == "evaluation"

    def experiment_of(self, broken: bool) -> Experiment:
        """The entry of the catalogue, with the model of this twin."""
        found = find(self.experiment)
        return found if self.models is None else dataclasses.replace(found, model=self.models[broken])

    def settings(self, broken: bool, seed: int) -> Any:
        """The settings of a twin."""
        own = self.broken if broken else self.correct
        return changed(find(self.experiment).defaults(self.recipe), {**self.both, **own, "seed": seed})

    def differing(self) -> dict[str, tuple[Value, Value]]:
        """The settings in which the twins differ: name → (correct, broken)."""
        return difference(self.settings(False, 0), self.settings(True, 0))


@dataclass(frozen=True, kw_only=True)
class Mistake:
    """A mistake, what it means, the settings it can be tried in, and its causes by what was measured.

    The keys of ``causes`` are ``worse``, ``same``, ``better``, ``mixed`` and ``fails``, said of the first measure, and
    ``throughout``: worse by every measure.
    """

    title: str
    about: str
    variants: Mapping[str, Variant]
    causes: Mapping[str, str]

    def cause(self, variant: Variant, outcomes: Mapping[str, str]) -> str:
        """The sentence for what the mistake did to each measure, first of all to the first; or a general one."""
        found = [quality(measure, outcome) for measure, outcome in outcomes.items()]
        known = {**CAUSES, **self.causes, **variant.causes}
        return known["throughout"] if set(found) == {"worse"} and "throughout" in known else known[found[0]]


def quality(measure: str, outcome: str) -> str:
    """What an outcome of a measure means for the model: ``worse``, ``same``, ``better``, ``mixed`` or ``fails``."""
    if outcome in ("same", "mixed", "fails"):
        return outcome
    better = MEASURES[measure].better
    if not better:  # of row entropy, the sharper one is called worse: it is what saturation means
        better = "higher"
    return "better" if outcome == better else "worse"


def final(twin: Mapping[str, Any], measure: str) -> float | None:
    """What a twin has come to in a measure: the mean of its last steps' loss, or its newest evaluation.

    None where it has broken off, or has not been measured yet.
    """
    if twin["ended"] is not None or twin["error"] is not None:
        return None
    if measure == "training_loss":
        last = twin["losses"][-LAST:]
        return sum(last) / len(last) if last else None
    values = [one[measure] for one in twin["evaluations"] if one.get(measure) is not None]
    return values[-1] if values else None


def outcomes(variant: Variant, pairs: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """For every measure of a variant what the mistake did to it, seed by seed."""
    return {
        name: [MEASURES[name].compare(final(pair["correct"], name), final(pair["broken"], name)) for pair in pairs]
        for name in variant.measures
    }


CAUSES = {
    "worse": N_("Here the mistake does harm."),
    "same": N_("In this setting the mistake does no harm that shows in this measure. That is no reason to make it."),
    "better": N_("In this setting the wrong twin measures better. One setting, few steps: no rule."),
    "mixed": N_("Seeds disagree: with one seed either conclusion could have been drawn."),
    "fails": N_("The wrong twin could not go on. A mistake that stops at once is the kindest of all."),
}
