"""What to try with MiniGPT: the causal mask taken away, temperatures, and how far it recites."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from core.runs.requests import GenerateRequest
from core.settings import N_
from core.ui.lessons.exercise import Arm, Cell, Evidence, Exercise, Finding, Table, Todo, comparison, nats
from core.ui.lessons.record import LAST, Record
from core.ui.words import Sentence, sentence

OPENING = "道可道"
CHEATS = 2.0  # the prefix-only loss is then this many times the training loss, at least
LONG, SHORT = 60, 30  # characters written
TEMPERATURES = (0.2, 0.8, 1.5)
DRAWS, AT_ONCE = 8, 4  # texts drawn at each temperature; how many a question may ask for

RECITAL = GenerateRequest(prompt=OPENING, temperature=0.8, tokens=LONG)
DRAWN = {
    temperature: tuple(
        GenerateRequest(prompt=OPENING, temperature=temperature, tokens=SHORT, samples=AT_ONCE, seed=seed)
        for seed in range(DRAWS // AT_ONCE)
    )
    for temperature in TEMPERATURES
}

LOSS = sentence(N_("training loss (mean of the last {steps} steps)"), steps=LAST)
RECITED = sentence(N_("correct of {characters} characters from 道可道"), characters=LONG)


def _mask(evidence: Evidence) -> Finding:
    arms = [
        Arm(settings={"causal_mask": True}, task=sentence(N_("Train a run with the causal mask to its end."))),
        Arm(
            settings={"causal_mask": False},
            task=sentence(N_("Train the same from step 0 without the causal mask.")),
        ),
    ]
    found, finding = comparison(evidence, arms)
    if len(found) < len(arms):
        return finding
    texts = [evidence.probes.written(one, RECITAL) for one in found]
    masked, free = found
    loss, prefix = free.loss or 0.0, free.evaluation["prefix_loss"]
    low = loss <= 1.5 * (masked.loss or 0.0) + 0.1
    worse = prefix > masked.evaluation["prefix_loss"] and prefix > CHEATS * loss
    answer = "high" if not low else "cheats" if worse else "fine"
    why = {
        "cheats": N_(
            "Without the mask each character sees the next one, which is the very answer: a training loss of {loss} can"
            " be had by copying. Given the characters before and nothing else, as when it writes, its loss is {prefix}"
            " against {masked} with the mask."
        ),
        "fine": N_(
            "In these runs the prefix-only loss does not expose it: {prefix} without the mask, {masked} with it."
            " Without the mask the answer is in sight while training; train both for longer and compare again."
        ),
        "high": N_(
            "The training loss is still {loss} without the mask, so the run has not found the way to copy the answer"
            " that stands in its sight. Its prefix-only loss is {prefix} against {masked} with the mask. Train both for"
            " longer and compare again."
        ),
    }[answer]
    labels = N_("with the causal mask"), N_("without it")
    held_out = any("held_out_loss" in one.evaluation for one in found)
    head: tuple[Cell, ...] = (N_("run"), LOSS, *([N_("held-out loss")] if held_out else []))
    head += (N_("prefix-only loss"), RECITED, N_("it writes"))
    rows = tuple(_compared(*row, held_out) for row in zip(labels, found, texts, strict=True))
    fields = {"loss": nats(loss), "prefix": nats(prefix), "masked": nats(masked.evaluation["prefix_loss"])}
    return Finding(
        todo=finding.todo, table=Table(head, rows), answer=answer, why=sentence(why, **fields), hint=_hint(held_out)
    )


def _hint(held_out: bool) -> Sentence | None:
    if held_out:
        return None
    return sentence(
        N_(
            "Does held-out text expose it? Take the English corpus with a held-out share of 0.2, train both runs again"
            " and read the held-out losses here."
        )
    )


def _compared(label: str, run: Record, text: dict[str, Any] | None, held_out: bool) -> tuple[Cell, ...]:
    losses = [nats(run.loss), *([nats(run.evaluation.get("held_out_loss"))] if held_out else [])]
    losses.append(nats(run.evaluation["prefix_loss"]))
    if text is None:
        return sentence(label), *losses, "…", "…"
    return sentence(label), *losses, str(text["greedy"]["recited"]), _whole(text, text["greedy"])


def _whole(answer: dict[str, Any], one: dict[str, Any]) -> Sentence:
    """The prompt and what was written after it, every character of it."""
    return Sentence("{prompt}{text}", {"prompt": answer["prompt"], "text": one["text"]})


def _on_the_dao(evidence: Evidence) -> tuple[Record | None, Todo, Finding]:
    """The run on screen when it has learned the Dao De Jing, and what is to do otherwise."""
    run = evidence.now
    fits = run is not None and run.trained and run.settings.corpus == "daodejing"
    todo = Todo(sentence(N_("Have a model on the page that was trained on the Dao De Jing.")), fits)
    return run if fits else None, todo, Finding(todo=(todo,), setup={} if fits else {"corpus": "daodejing"})


def _temperature(evidence: Evidence) -> Finding:
    run, todo, waiting = _on_the_dao(evidence)
    if run is None:
        return waiting
    drawn = {t: [evidence.probes.written(run, request) for request in DRAWN[t]] for t in TEMPERATURES}
    if any(answer is None for answers in drawn.values() for answer in answers):
        return waiting
    samples = {t: [one for answer in drawn[t] if answer for one in answer["samples"]] for t in TEMPERATURES}
    different = {t: len({one["text"] for one in samples[t]}) for t in TEMPERATURES}
    cold, hot = different[TEMPERATURES[0]], different[TEMPERATURES[-1]]
    answer = "same" if cold == hot else "fewer" if cold < hot else "more"
    why = {
        "fewer": N_(
            "The logits are divided by the temperature before the softmax: 0.2 makes every gap between them five times"
            " as wide, 1.5 a third narrower. {cold} different texts came of the one, {hot} of the other; the model is"
            " the same."
        ),
        "same": N_(
            "Both temperatures gave {cold} different texts of {draws}. The temperature changes how wide the gaps"
            " between the logits are, not which is largest; compare how many characters are recited, and try 2."
        ),
        "more": N_(
            "Against expectation 0.2 gave {cold} different texts and 1.5 only {hot}. Eight draws are few: a lower"
            " temperature widens the gaps between the logits, so draw again at another step and compare."
        ),
    }[answer]
    rows = tuple((f"{t:g}", str(different[t]), _mean_recited(samples[t]), samples[t][0]["text"]) for t in TEMPERATURES)
    head = (
        N_("temperature"),
        sentence(N_("different texts of {draws}"), draws=DRAWS),
        sentence(N_("correct of {characters} characters, on average"), characters=SHORT),
        N_("one of them"),
    )
    fields = {"cold": cold, "hot": hot, "draws": DRAWS}
    return Finding(todo=(todo,), table=Table(head, rows), answer=answer, why=sentence(why, **fields))


def _mean_recited(samples: Sequence[dict[str, Any]]) -> str:
    return f"{sum(one['recited'] for one in samples) / len(samples):.1f}"


def _recital(evidence: Evidence) -> Finding:
    run, todo, waiting = _on_the_dao(evidence)
    text = None if run is None else evidence.probes.written(run, RECITAL)
    if run is None or text is None:
        return waiting
    greedy, drawn = text["greedy"], text["samples"][0]
    recited = greedy["recited"]
    answer = "all" if recited == LONG else "some" if recited >= LONG // 6 else "few"
    why = {
        "all": N_(
            "It always took the likeliest character and that was right {recited} times in a row; drawn at temperature"
            " 0.8 it got {drawn} right before its first slip. It recites: nothing here was tested on a text it had not"
            " seen."
        ),
        "some": N_(
            "{recited} were right, then {slip}. From there on it reads its own mistake as if it were the text, and goes"
            " on from that. Steps, seed and temperature decide where the first slip comes."
        ),
        "few": N_(
            "After {step} steps it gets only {recited} right from 道可道. One wrong character is enough: it reads its"
            " own mistake as if it were the text. Train for longer and count again."
        ),
    }[answer]
    rows = (
        (N_("greedy"), greedy),
        (N_("drawn at temperature 0.8"), drawn),
    )
    table = Table(
        (N_("how"), RECITED, N_("it writes")),
        tuple((sentence(how), str(one["recited"]), _whole(text, one)) for how, one in rows),
    )
    fields = {"recited": recited, "drawn": drawn["recited"], "step": run.step, "slip": greedy["text"][recited:][:1]}
    return Finding(todo=(todo,), table=table, answer=answer, why=sentence(why, **fields))


EXERCISES = (
    Exercise(
        name="mask",
        title=N_("Without the causal mask"),
        question=N_(
            "Train MiniGPT without its causal mask. What becomes of the training loss, and of what it can write?"
        ),
        choices={
            "cheats": N_("The training loss gets low, but it predicts worse from what stands before"),
            "fine": N_("The training loss gets low, and it predicts as well as ever"),
            "high": N_("The training loss stays high"),
        },
        find=_mask,
        keeps=(RECITAL,),
    ),
    Exercise(
        name="temperature",
        title=N_("Temperature 0.2 / 0.8 / 1.5"),
        question=N_(
            "Eight texts of 30 characters are drawn from 道可道 at each temperature. How many of the eight differ at"
            " 0.2, compared with 1.5?"
        ),
        choices={"fewer": N_("Fewer at 0.2"), "same": N_("As many"), "more": N_("More at 0.2")},
        find=_temperature,
        asks=tuple(request for requests in DRAWN.values() for request in requests),
        by_hand={"temperature": TEMPERATURES},
    ),
    Exercise(
        name="recital",
        title=N_("How far it recites"),
        question=N_(
            "The trained model always takes the likeliest next character, beginning from 道可道. How many of the next"
            " 60 will be right before its first slip?"
        ),
        choices={"few": N_("Fewer than 10"), "some": N_("10 to 59"), "all": N_("All 60")},
        find=_recital,
        asks=(RECITAL,),
    ),
)
