"""Experiments with the encoder–decoder: in which order a sum is written."""

from __future__ import annotations

from core.settings import N_
from core.ui.lessons.exercise import Arm, Evidence, Exercise, Finding, Table, comparison, nats, percent
from core.ui.words import sentence

CLOSE = 0.02  # of exact matches: less is no clear difference between two runs
FEW = 250  # steps: before both orders are learned


def _order(evidence: Evidence) -> Finding:
    arms = [
        Arm(
            settings={"exercise": "add", "answer": "reversed", "steps": FEW},
            task=sentence(N_("Train {steps} steps with the sum written from the right, to the end."), steps=FEW),
        ),
        Arm(
            settings={"exercise": "add", "answer": "forwards", "steps": FEW},
            task=sentence(N_("Train the same with the sum written from the left.")),
        ),
    ]
    found, finding = comparison(evidence, arms)
    if len(found) < len(arms):
        return finding
    right, left = (one.evaluation["exact_match"] for one in found)
    answer = "right" if right > left + CLOSE else "left" if left > right + CLOSE else "same"
    why = {
        "right": N_(
            "Written from the right, each digit needs two digits and a carry that is already decided; from the left,"
            " the first digit depends on carries that come later. In these two runs the first order was ahead."
        ),
        "left": N_(
            "From the left the first digits need carries that are not written yet, but this model sees both numbers"
            " whole and may work carries out by itself; in these two runs that order was ahead. Three digits have"
            " longer carries: try them, and another seed."
        ),
        "same": N_(
            "Between these two runs there is no clear difference: the decoder sees both numbers whole in either order."
            " More digits make longer carries: try three, and another number of steps."
        ),
    }[answer]
    rows = tuple(
        (sentence(label), percent(one.evaluation["exact_match"]), nats(one.evaluation["held_out_loss"]))
        for label, one in zip((N_("from the right"), N_("from the left")), found, strict=True)
    )
    table = Table((N_("Sum written"), N_("exact match"), N_("held-out loss")), rows)
    return Finding(todo=finding.todo, table=table, answer=answer, why=sentence(why))


EXERCISES = (
    Exercise(
        name="order_of_digits",
        title=N_("From the right or from the left"),
        question=N_(
            "A sum can be written ones first, as on paper, or in reading order. After equally many steps, which model"
            " gets more held-out sums right to the last digit?"
        ),
        choices={
            "right": N_("The one that writes from the right"),
            "left": N_("The one that writes from the left"),
            "same": N_("Both about the same"),
        },
        find=_order,
    ),
)
