"""Common mistakes: each pair begins alike, and ends as it is said to on a fixed seed. Harmless ones are declared so."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch

from core.experiments.mistakes import CAUSES, MEASURES, final, outcomes, quality, together
from core.experiments.mistakes_made import MISTAKES, find_variant
from core.settings import SettingError
from core.studies import twins
from core.training.build import Training, build

PAIRS = [(name, code) for name, one in MISTAKES.items() for code in one.variants]

ENDS = {  # the first measure with seed 0
    ("causal_mask", "classic"): "worse",
    ("scaled", "d64"): "worse",
    ("scaled", "d16"): "worse",
    ("positions", "mini_bert"): "worse",
    ("positions", "mini_gpt"): "same",
    ("positions", "before"): "worse",
    ("positions", "contains"): "same",
    ("mask_copied", "mini_bert"): "worse",
    ("loss_on", "short"): "same",
    ("residual", "two"): "worse",
    ("normalisation", "deep"): "worse",
    ("normalisation", "shallow"): "same",
    ("learning_rate", "adamw"): "worse",
    ("learning_rate", "sgd"): "fails",
    ("dropout", "strong"): "worse",
    ("too_long", "learned"): "fails",
    ("too_long", "sinusoidal"): "worse",
    ("too_long", "alibi"): "same",
    ("mixed_up", "silent"): "worse",
    ("mixed_up", "loud"): "fails",
}


SHORTER = {  # steps that are enough to tell, where all of them take long
    ("causal_mask", "classic"): 120,
    ("positions", "mini_bert"): 200,
    ("residual", "two"): 80,
    ("normalisation", "deep"): 50,
    ("learning_rate", "adamw"): 60,
    ("learning_rate", "sgd"): 60,
    ("scaled", "d64"): 100,
    ("scaled", "d16"): 120,
}


def found(mistake: str, variant: str, seeds: int = 1) -> dict[str, Any]:
    """What the study finds."""
    generator = twins.study({"mistake": mistake, "variant": variant, "seeds": seeds}, None)
    while True:
        try:
            next(generator)
        except StopIteration as end:
            result: dict[str, Any] = end.value
            return result


@pytest.mark.parametrize(("mistake", "variant"), ENDS)
def test_a_pair_ends_as_it_is_said_to(monkeypatch: pytest.MonkeyPatch, mistake: str, variant: str) -> None:
    pair = find_variant(mistake, variant)
    if steps := SHORTER.get((mistake, variant)):
        pair = dataclasses.replace(pair, both={**pair.both, "steps": steps})
        monkeypatch.setattr(twins, "find_variant", lambda *_: pair)
    result = found(mistake, variant)
    told = {name: together(one) for name, one in outcomes(pair, result["seeds"]).items()}
    first = pair.measures[0]
    assert quality(first, told[first]) == ENDS[mistake, variant], told
    if (mistake, variant) in (("mask_copied", "mini_bert"), ("loss_on", "short")):
        assert told["training_loss"] == "lower"  # the loss that lies
    broken = result["seeds"][0]["broken"]
    if (mistake, variant) == ("learning_rate", "sgd"):
        assert broken["ended"] is not None
    if (mistake, variant) == ("too_long", "learned"):
        assert broken["error"] == "48 tokens do not fit a position table of 24"
    if (mistake, variant) == ("mixed_up", "loud"):
        assert "must match" in broken["error"]


@pytest.mark.parametrize(("mistake", "variant"), PAIRS)
def test_twins_begin_alike_and_differ_in_what_is_said(mistake: str, variant: str) -> None:
    pair = find_variant(mistake, variant)
    correct, broken = (build(pair.experiment_of(wrong), pair.settings(wrong, 1)) for wrong in (False, True))
    twins.begin_alike(correct, broken)
    ours, theirs = correct.model.state_dict(), broken.model.state_dict()
    shared = ours.keys() & theirs.keys()
    assert shared and all(torch.equal(ours[name], theirs[name]) for name in shared)
    assert bool(pair.differing() or pair.models) == pair.trained_apart
    assert set(pair.measures) <= MEASURES.keys()


def test_twins_learn_from_the_same_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twins, "find_variant", lambda *_: find_variant("mask_copied", "mini_bert"))
    drawn: list[Any] = []
    real = Training.step

    def step(training: Any) -> Any:
        drawn.append(training.generator.get_state())
        return real(training)

    monkeypatch.setattr(Training, "step", step)
    generator = twins.study({"mistake": "", "variant": "", "seeds": 1}, None)
    for _step in range(5):
        next(generator)
    assert len(drawn) >= 8  # of each pair the first is the right twin's
    assert all(torch.equal(one, other) for one, other in zip(drawn[::2], drawn[1::2], strict=False))


def test_a_model_compared_with_itself_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    pair = find_variant("positions", "contains")
    monkeypatch.setattr(
        twins, "find_variant", lambda *_: type(pair)(label="", experiment=pair.experiment, measures=pair.measures)
    )
    both = found("", "")["seeds"][0]
    assert both["correct"]["losses"] == both["broken"]["losses"]
    assert both["correct"]["evaluations"] == both["broken"]["evaluations"]


def test_what_is_said_is_chosen_by_what_was_measured() -> None:
    for mistake in MISTAKES.values():
        for variant in mistake.variants.values():
            for outcome in ("lower", "same", "higher", "mixed", "fails"):
                assert mistake.cause(variant, dict.fromkeys(variant.measures, outcome))
        assert set(mistake.causes) <= CAUSES.keys() | {"throughout"}
    assert together(["higher", "higher"]) == "higher"
    assert together(["higher", "same"]) == "mixed"
    loss = MEASURES["training_loss"]
    assert [loss.compare(1.0, one) for one in (0.5, 1.2, 2.0, None)] == ["lower", "same", "higher", "fails"]
    assert quality("masked_accuracy", "lower") == quality("prefix_loss", "higher") == "worse"


def test_a_twin_that_broke_off_has_no_number() -> None:
    twin = {"losses": [1.0], "evaluations": [{"step": 1, "accuracy": 0.5}], "ended": 2, "error": None}
    assert final(twin, "accuracy") is None
    assert final(twin | {"ended": None}, "accuracy") == 0.5


@pytest.mark.parametrize(
    "options",
    [
        {"mistake": "none", "variant": "d64", "seeds": 1},
        {"mistake": "scaled", "variant": "d63", "seeds": 1},
        {"mistake": "scaled", "variant": "d64", "seeds": 0},
        {"mistake": "scaled", "variant": "d64", "seeds": 99},
    ],
)
def test_what_there_is_not_is_refused(options: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        next(twins.study(options, None))


def test_a_cause_that_holds_for_every_measure_is_told_of_those_alone() -> None:
    mask = MISTAKES["causal_mask"]
    classic = mask.variants["classic"]
    copied = mask.cause(classic, {"prefix_loss": "higher", "training_loss": "lower"})
    leaning = mask.cause(classic, {"prefix_loss": "higher", "training_loss": "higher"})
    assert (copied, leaning) == (mask.causes["worse"], mask.causes["throughout"])


def test_a_variant_has_causes_of_its_own() -> None:
    positions = MISTAKES["positions"]
    said = {code: positions.cause(one, {one.measures[0]: "same"}) for code, one in positions.variants.items()}
    assert "causal mask" in said["mini_gpt"]
    assert "does not depend on their order" in said["contains"]
    assert said["mini_bert"] == CAUSES["same"]
