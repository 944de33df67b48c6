"""What to try with MiniBERT: how much is masked, by what, and what stands in a blank."""

from __future__ import annotations

import numpy as np

from core.runs.requests import LookRequest
from core.runs.wire import Floats, Looked
from core.settings import N_
from core.ui.lessons.exercise import (
    Arm,
    Cell,
    Evidence,
    Exercise,
    Finding,
    Table,
    Todo,
    comparison,
    nats,
    percent,
    points,
)
from core.ui.lessons.record import LAST, Record
from core.ui.words import sentence

CLOSE = 0.02  # accuracies that differ by less are called the same
CLOSE_LOSS = 0.1  # and so are losses that differ by less than this part
CANDIDATES = 3

BOTH_SIDES = LookRequest(text="温故而_新可以为师")
ONE_SIDE = LookRequest(text="温故而_")

LOSS = sentence(N_("training loss (mean of the last {steps} steps)"), steps=LAST)
MEASURES: tuple[Cell, ...] = (N_("masked accuracy"), N_("majority line"))


def _rate(evidence: Evidence) -> Finding:
    arms = [
        Arm(settings={"mask_rate": 0.15}, task=sentence(N_("Train a run with masking rate 0.15 to its end."))),
        Arm(settings={"mask_rate": 0.3}, task=sentence(N_("Train a run with masking rate 0.3 to its end."))),
    ]
    found, finding = comparison(evidence, arms)
    if len(found) < len(arms):
        return finding
    low, high = (one.loss or 0.0 for one in found)
    answer = "same" if abs(high - low) <= CLOSE_LOSS * low else "higher" if high > low else "lower"
    gain = found[1].evaluation["masked_accuracy"] - found[0].evaluation["masked_accuracy"]
    weighed = "same" if abs(gain) < CLOSE else "more" if gain > 0 else "less"
    why = {
        "more": N_(
            "At 0.3 every step learns from twice as many characters, but sees fewer around them. On the same test, 15%"
            " hidden for both runs, more to learn from weighed more here: the masked accuracy is {gain} points"
            " higher."
        ),
        "less": N_(
            "At 0.3 every step learns from twice as many characters, but sees fewer around them. On the same test, 15%"
            " hidden for both runs, the missing context weighed more here: the masked accuracy is {gain} points"
            " lower."
        ),
        "same": N_(
            "At 0.3 every step learns from twice as many characters, but sees fewer around them. On the same test, 15%"
            " hidden for both runs, the two weighed about the same here. The training losses themselves are of"
            " different tasks."
        ),
    }[weighed]
    rows = tuple(_row(f"{one.settings.mask_rate:g}", one) for one in found)
    return Finding(
        todo=finding.todo,
        table=Table((N_("masking rate"), LOSS, *MEASURES), rows),
        answer=answer,
        why=sentence(why, gain=points(abs(gain))),
    )


def _shares(evidence: Evidence) -> Finding:
    arms = [
        Arm(
            settings={"mask_share": 1.0, "random_share": 0.0},
            task=sentence(N_("Train a run in which every chosen character becomes [MASK] (1 / 0) to its end.")),
        ),
        Arm(
            settings={"mask_share": 0.8, "random_share": 0.1},
            task=sentence(N_("Train the same with BERT's shares: 0.8 [MASK], 0.1 random, the rest kept.")),
        ),
    ]
    found, finding = comparison(evidence, arms)
    if len(found) < len(arms):
        return finding
    plain, mixed = (one.evaluation["masked_accuracy"] for one in found)
    answer = "same" if abs(mixed - plain) < CLOSE else "higher" if mixed > plain else "lower"
    why = {
        "lower": N_(
            "The test hides behind [MASK] only, and the mixed run has practised that less: {gap} points lower. BERT's"
            " authors mix because later tasks show the model no [MASK] at all; this accuracy does not measure that."
        ),
        "same": N_(
            "The test hides behind [MASK] only, and there the two runs are about even. BERT's authors mix because later"
            " tasks show the model no [MASK] at all; this accuracy does not measure that."
        ),
        "higher": N_(
            "The test hides behind [MASK] only, and still the mixed run is {gap} points better here. One pair of runs"
            " is no law: try another seed. BERT's authors mix because later tasks show the model no [MASK] at all."
        ),
    }[answer]
    rows = tuple(_row(label, one) for label, one in zip(("100 / 0 / 0", "80 / 10 / 10"), found, strict=True))
    return Finding(
        todo=finding.todo,
        table=Table((N_("[MASK] / random / kept"), LOSS, *MEASURES), rows),
        answer=answer,
        why=sentence(why, gap=points(abs(mixed - plain))),
    )


def _row(label: Cell, run: Record) -> tuple[Cell, ...]:
    right, majority = run.evaluation["masked_accuracy"], run.baselines["majority_accuracy"]
    return label, nats(run.loss), percent(right), percent(majority)


def _blank(evidence: Evidence) -> Finding:
    run = evidence.now
    fits = run is not None and run.trained and run.settings.corpus == "lunyu"
    todo = Todo(sentence(N_("Have a model on the page that was trained on the Analects.")), fits)
    waiting = Finding(todo=(todo,), setup={} if fits else {"corpus": "lunyu"})
    if run is None or not fits:
        return waiting
    both, one = evidence.probes.look(run, BOTH_SIDES), evidence.probes.look(run, ONE_SIDE)
    if both is None or one is None:
        return waiting
    best = _candidates(both)
    first, chance = best[0]
    alone = _candidates(one, 1000)
    left_only = dict(alone)[first]
    answer = {"知": "know", "学": "learn", "温": "warm"}.get(first, "other")
    fields = {"first": first, "chance": percent(chance), "alone": percent(left_only), "step": run.step}
    why = {
        True: N_(
            "温故而知新 stands in the Analects that this model was trained on. With 新 in sight after the blank it"
            " gives 知 {chance}, without it {alone}: this model reads both sides of a blank."
        ),
        False: N_(
            "In the text it is 知, but after {step} steps this model puts {first} first, with {chance}. Without what"
            " follows the blank it gives {first} {alone}. Train it for longer and look again."
        ),
    }[answer == "know"]
    rows = (
        (BOTH_SIDES.text, *(f"{label} {percent(share)}" for label, share in best)),
        (ONE_SIDE.text, *(f"{label} {percent(share)}" for label, share in alone[:CANDIDATES])),
    )
    head = (N_("sentence"), N_("first"), N_("second"), N_("third"))
    return Finding(todo=(todo,), table=Table(head, rows), answer=answer, why=sentence(why, **fields))


def _candidates(seen: Looked, count: int = CANDIDATES) -> list[tuple[str, float]]:
    """The likeliest characters of the first blank with their probabilities."""
    place = next(n for n, one in enumerate(seen.header["predictions"]) if one["kind"] == "blank")
    chances, labels = _softmax(seen.logits[place]), seen.header["predictions"][place]["labels"]
    return [(labels[number], float(chances[number])) for number in np.argsort(-chances, kind="stable")[:count]]


def _softmax(logits: Floats) -> Floats:
    above = np.exp(logits.astype(np.float64) - logits.max())
    return (above / above.sum()).astype(np.float32)


EXERCISES = (
    Exercise(
        name="rate",
        title=N_("Masking rate 0.15 → 0.3"),
        question=N_(
            "Hide twice as many characters, 30% instead of 15%, and train as many steps. Where does the training loss"
            " end?"
        ),
        choices={"lower": N_("Clearly lower"), "same": N_("About the same"), "higher": N_("Clearly higher")},
        find=_rate,
    ),
    Exercise(
        name="shares",
        title=N_("100/0/0 or 80/10/10"),
        question=N_(
            "BERT does not turn every character it has chosen into [MASK]: it keeps 10% and replaces 10% by random"
            " ones. What does that do to the accuracy on characters hidden by [MASK], after as many steps?"
        ),
        choices={"lower": N_("It falls"), "same": N_("About the same"), "higher": N_("It rises")},
        find=_shares,
    ),
    Exercise(
        name="blank",
        title=N_("Fill the blank"),
        question=N_("Which character will the trained model put first in 温故而\\_新可以为师?"),
        choices={"know": "知", "learn": "学", "warm": "温", "other": N_("another one")},
        find=_blank,
        asks=(BOTH_SIDES, ONE_SIDE),
    ),
)
