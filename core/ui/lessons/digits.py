"""What to try with TinyTransformer: another question, where its heads look, and a question that needs order."""

from __future__ import annotations

from collections.abc import Sequence

from core.runs.requests import LookRequest
from core.settings import N_
from core.ui.lessons.exercise import Arm, Cell, Evidence, Exercise, Finding, Table, Todo, comparison, percent, points
from core.ui.lessons.record import Record
from core.ui.words import Sentence, sentence

CLOSE = 0.02  # accuracies that differ by less are called the same: five of 256 held-out sequences
ALL_RIGHT = 0.99
PREFERS = 1.5  # a head prefers the digits that matter from this multiple of the uniform share on

SHARES = LookRequest(text="49303973")  # the shares are measured over held-out sequences, whatever the text is

ACCURACIES = (N_("question"), N_("accuracy"), N_("majority line"))


def _two_threes(evidence: Evidence) -> Finding:
    arm = Arm(
        settings={"question": "two_3s"},
        task=sentence(N_("Train a run with the question “at least two 3s” to its end.")),
    )
    found, finding = comparison(evidence, [arm])
    if not found:
        return finding
    run = found[0]
    accuracy, majority = run.evaluation["accuracy"], run.baselines["majority_accuracy"]
    rows = [_row(N_("at least two 3s"), run)]
    rows += [_row(N_("contains a 3"), one) for one in _others(evidence, "contains_3")]
    answer = "right" if accuracy >= ALL_RIGHT else "line" if accuracy <= majority + CLOSE else "above"
    why = {
        "right": N_(
            "Seeing that there is a 3 no longer suffices, the 3s must be counted. That is possible because"
            " attention and the mean add up what single digits contribute. Try it with one layer, or with [CLS] instead"
            " of the mean."
        ),
        "above": N_(
            "It is {gap} points above always giving the most frequent answer, so it has learned something about the"
            " digits, but it does not yet count the 3s without mistakes. More steps may show whether it can."
        ),
        "line": N_(
            "Always giving the most frequent answer is right in {majority} of cases and needs no digits at all: so far"
            " this run shows no more than that. An accuracy means something only above that line."
        ),
    }[answer]
    return Finding(
        todo=finding.todo,
        table=Table(ACCURACIES, tuple(rows)),
        answer=answer,
        why=sentence(why, gap=points(accuracy - majority), majority=percent(majority)),
    )


def _others(evidence: Evidence, question: str) -> Sequence[Record]:
    """The newest complete run with another question, if there is one."""
    return [one for one in evidence.records if one.complete and one.settings.question == question][-1:]


def _row(label: str, run: Record) -> tuple[Sentence | str, ...]:
    return sentence(label), percent(run.evaluation["accuracy"]), percent(run.baselines["majority_accuracy"])


def _where_heads_look(evidence: Evidence) -> Finding:
    run = evidence.now
    trained = run is not None and run.trained
    todo = Todo(sentence(N_("Have a trained model on the page: train a run to its end.")), trained)
    if run is None or not trained:
        return Finding(todo=(todo,))
    seen = evidence.probes.look(run, SHARES)
    shares = None if seen is None else seen.header.get("shares")
    if not shares:
        return Finding(todo=(todo,))
    layers, uniform = shares["heads"], shares["uniform"]
    flat = [share for layer in layers for share in layer]
    many = sum(share >= PREFERS * uniform for share in flat)
    answer = "all" if many == len(flat) else "none" if many == 0 else "some"
    fields = {"many": many, "heads": len(flat), "step": run.step, "seed": run.settings.seed}
    fields |= {"uniform": percent(uniform), "line": percent(PREFERS * uniform)}
    why = {
        "all": N_(
            "All {heads} heads of seed {seed} give the digits that matter at least {line} of their attention, where"
            " looking everywhere alike would give {uniform}. Nothing in the loss asks for that: see whether another"
            " seed does the same."
        ),
        "some": N_(
            "{many} of {heads} heads of seed {seed} give the digits that matter at least {line} of their attention,"
            " where looking everywhere alike would give {uniform}. The loss asks for right answers and leaves the work"
            " of each head open: press New seed, train, and compare."
        ),
        "none": N_(
            "No head of seed {seed} gives the digits that matter {line} of its attention or more; looking everywhere"
            " alike would give {uniform}. Compare that with the accuracy on the curve: a map need not show what an"
            " answer rests on."
        ),
    }[answer]
    head: tuple[Cell, ...] = (
        N_("layer"),
        *(sentence(N_("head {number}"), number=number) for number in range(len(layers[0]))),
    )
    rows = tuple((str(number), *(percent(share) for share in layer)) for number, layer in enumerate(layers))
    return Finding(todo=(todo,), table=Table(head, rows), answer=answer, why=sentence(why, **fields))


def _order(evidence: Evidence) -> Finding:
    arms = [
        Arm(
            settings={"question": "3_before_7", "positions": "sinusoidal"},
            task=sentence(N_("Train “a 3 before the first 7” with sinusoidal positions to its end.")),
        ),
        Arm(
            settings={"question": "3_before_7", "positions": "none"},
            task=sentence(N_("Train the same without positions.")),
        ),
    ]
    found, finding = comparison(evidence, arms)
    if len(found) < len(arms):
        return finding
    accurate, orderless = (one.evaluation["accuracy"] for one in found)
    majority = found[0].baselines["majority_accuracy"]
    answer = "line" if orderless <= majority + CLOSE else "worse" if orderless < accurate - CLOSE else "same"
    why = {
        "same": N_(
            "There is no clear difference between these two runs. Without positions the model cannot tell two orders of"
            " the same digits apart, so it cannot get every sequence right; train both for longer and compare again."
        ),
        "worse": N_(
            "Without positions two orders of the same digits look exactly alike to this model, so a sequence that has"
            " both a 3 and a 7 can only be guessed. What it can be sure of needs no order: sequences without a 3 or"
            " without a 7. So it stays above the majority line of {majority}."
        ),
        "line": N_(
            "Without positions the run does no better than always giving the most frequent answer ({majority}). Order"
            " is out of its reach; whether a sequence has a 3 and no 7 is not, and more steps may show it."
        ),
    }[answer]
    labels = N_("sinusoidal"), N_("none")
    rows = tuple(_row(label, one) for label, one in zip(labels, found, strict=True))
    table = Table((N_("positions"), *ACCURACIES[1:]), rows)
    return Finding(todo=finding.todo, table=table, answer=answer, why=sentence(why, majority=percent(majority)))


EXERCISES = (
    Exercise(
        name="two_threes",
        title=N_("At least two 3s"),
        question=N_(
            "Let the question be “are there at least two 3s?” and train as long as for “is there a 3?”. How many of the"
            " held-out sequences will it get right?"
        ),
        choices={
            "right": N_("(Nearly) all of them"),
            "above": N_("More than the majority line, but not all"),
            "line": N_("No more than the majority line"),
        },
        find=_two_threes,
    ),
    Exercise(
        name="where_heads_look",
        title=N_("Where heads look"),
        question=N_(
            "When the trained model answers, which of its heads give clearly more attention to the digits that matter"
            " than an even look at all digits would?"
        ),
        choices={"all": N_("Every head"), "some": N_("Some heads"), "none": N_("No head")},
        find=_where_heads_look,
        asks=(SHARES,),
    ),
    Exercise(
        name="order",
        title=N_("With and without positions"),
        question=N_(
            "“Is there a 3 before the first 7?” asks for order. What becomes of the accuracy when the model is not told"
            " the positions of the digits?"
        ),
        choices={
            "same": N_("Nothing changes"),
            "worse": N_("It falls, but stays above the majority line"),
            "line": N_("It falls to the majority line"),
        },
        find=_order,
    ),
)
