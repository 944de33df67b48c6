"""Reading text, writing text, and files."""

import math
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core.data.digits import Digits
from core.data.sums import Sums
from core.data.texts import MASK, MaskedCharacters, NextCharacter
from core.experiments import catalogue, find
from core.inference import checkpoint
from core.inference.checkpoint import Course
from core.inference.generation import copied, generate, probabilities, recited
from core.inference.look import look
from core.runs.requests import GenerateRequest, LookRequest
from core.settings import SettingError, changed
from core.training.build import build


@given(st.lists(st.floats(-50, 50), min_size=3, max_size=7), st.floats(0, 2), st.integers(0, 9))
def test_probabilities_sum_to_one_and_keep_the_order(logits: list[float], temperature: float, top_k: int) -> None:
    values = torch.tensor(logits)
    chances = probabilities(values, temperature, top_k)
    assert chances.sum().item() == pytest.approx(1.0, abs=1e-5)
    # Logits that differ by less than a float's last digit have the same chance.
    assert chances[values == values.max()].max() == chances.max()
    if 0 < top_k < len(logits):
        assert (chances > 0).sum() <= top_k


def test_temperature_zero_is_greedy_and_two_is_flatter() -> None:
    logits = torch.tensor([1.0, 3.0, 2.0])
    assert probabilities(logits, 0.0).tolist() == [0.0, 1.0, 0.0]
    sharpness = [probabilities(logits, t).max().item() for t in (0.2, 0.8, 1.5, 2.0)]
    assert sharpness == sorted(sharpness, reverse=True)


def test_recited_counts_from_the_best_place_of_the_prompt() -> None:
    assert recited("abcabd", "ab", "cab") == 3
    assert recited("abcabd", "ab", "dzz") == 1
    assert recited("abcabd", "ab", "zzz") == 0
    assert recited("abcabd", "abd", "anything") == 0
    assert recited("abcabd", "xyz", "abc") == 0


@pytest.mark.parametrize("name", catalogue())
@given(text=st.text(max_size=300))
def test_any_text_can_be_read(name: str, text: str) -> None:
    experiment = find(name)
    kinds = {"tiny_transformer": Digits, "mini_bert": MaskedCharacters, "mini_gpt": NextCharacter, "seq2seq": Sums}
    task = kinds[name](experiment.defaults())
    reading = task.read(text)
    assert 0 < len(reading.tokens) == len(reading.numbers) <= getattr(task, "block", getattr(task, "length", 0))
    assert 0 <= reading.start <= reading.given


def test_what_cannot_be_read_is_named() -> None:
    task = NextCharacter(find("mini_gpt").defaults())
    reading = task.read("道x可😀x")
    assert reading.tokens == ("道", "可")
    assert reading.notices == ({"code": "unknown_characters", "characters": "x😀"},)


def test_a_text_past_the_block_keeps_its_end_and_says_so() -> None:
    task = NextCharacter(find("mini_gpt").defaults())
    reading = task.read(task.corpus[:60])
    assert "".join(reading.tokens) == task.corpus[12:60]
    assert (reading.start, reading.given) == (12, 60)
    assert reading.notices == ({"code": "cropped", "kept": 48, "given": 60, "side": "end"},)


def test_an_empty_text_gets_a_documented_start() -> None:
    assert NextCharacter(find("mini_gpt").defaults()).read("").tokens == ("道",)
    assert MaskedCharacters(find("mini_bert").defaults()).read("").tokens == (MASK,)
    assert Digits(find("tiny_transformer").defaults()).read("").tokens == ("0",)


def test_blanks_are_written_in_two_ways() -> None:
    task = MaskedCharacters(find("mini_bert").defaults())
    assert task.read("温故而_新").tokens == task.read("温故而[MASK]新").tokens == ("温", "故", "而", MASK, "新")


def test_digits_may_be_full_width_and_spaced() -> None:
    task = Digits(find("tiny_transformer").defaults())
    assert task.read("１ 3, 5").tokens == ("1", "3", "5")


def test_a_missing_layer_is_replaced_and_named() -> None:
    experiment = find("mini_gpt")
    training = build(experiment, experiment.defaults())
    seen = look(training.model.eval(), training.task, training.settings, LookRequest(text="道", layer=9))
    assert seen.layer == 1
    assert {"code": "no_such_layer", "asked": 9, "shown": 1} in seen.notices


def test_generation_depends_on_its_seed_alone() -> None:
    experiment = find("mini_gpt")
    training = build(experiment, experiment.defaults())
    training.model.eval()
    assert isinstance(training.task, NextCharacter)

    def write(seed: int, temperature: float = 1.5, samples: int = 1) -> dict[str, Any]:
        request = GenerateRequest(prompt="道可道", seed=seed, temperature=temperature, samples=samples, tokens=60)
        assert isinstance(training.task, NextCharacter)
        return generate(training.model, training.task, training.settings, request)

    assert write(1) == write(1)
    assert write(1)["samples"] != write(2)["samples"]
    assert write(1)["greedy"] == write(2)["greedy"] == write(3, 0.0)["samples"][0]
    assert len(write(1)["greedy"]["text"]) == 60  # longer than the block
    assert write(1, samples=3)["samples"][0] == write(1)["samples"][0]
    assert len({one["text"] for one in write(1, samples=3)["samples"]}) == 3


@pytest.mark.parametrize("name", catalogue())
def test_a_checkpoint_comes_back_whole(name: str, tmp_path: Path) -> None:
    experiment = find(name)
    training = build(experiment, changed(experiment.defaults(), {"seed": 3, "layers": 1}))
    step = training.step()
    course = Course(tokens=training.tokens)
    course.add(step.loss, step.learning_rate, {"held_out_loss": 0.5, "not_measured": math.nan})
    files = [tmp_path / "one.safetensors", tmp_path / "two.safetensors"]
    for file in files:
        weights = training.model.state_dict()
        checkpoint.save(file, experiment, training.settings, weights, step.number, step.loss, course)
    assert files[0].read_bytes() == files[1].read_bytes()
    loaded = checkpoint.load(files[0])
    assert (loaded.experiment, loaded.settings, loaded.step) == (experiment, training.settings, 1)
    assert loaded.course == course
    assert course.loss == [pytest.approx(step.loss, rel=1e-5)]
    assert course.evaluations == [{"step": 1, "held_out_loss": 0.5}]
    weights = loaded.model.state_dict()
    assert all(torch.equal(weights[key], tensor) for key, tensor in training.model.state_dict().items())


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    junk = tmp_path / "junk.safetensors"
    with pytest.raises(SettingError, match="there is no file “junk.safetensors”"):
        checkpoint.load(junk)
    for content in (b"", b"junk", b"\x02\0\0\0\0\0\0\0{}"):
        junk.write_bytes(content)
        with pytest.raises(SettingError, match="not a checkpoint"):
            checkpoint.load(junk)
    experiment = find("mini_gpt")
    training = build(experiment, experiment.defaults())
    other = changed(training.settings, {"width": 32})
    checkpoint.save(junk, experiment, other, training.model.state_dict(), 0, None)
    with pytest.raises(SettingError, match="do not fit together"):
        checkpoint.load(junk)


@pytest.mark.parametrize(
    "course",
    [
        Course(loss=[1.0], learning_rate=[]),
        Course(loss=[1.0, 2.0], learning_rate=[0.1, 0.1]),
        Course(loss=[math.nan], learning_rate=[0.1]),
        Course(evaluations=[{"step": 2.0, "held_out_loss": 0.1}]),
        Course(evaluations=[{"held_out_loss": 0.1}]),
    ],
)
def test_a_curve_that_cannot_be_that_of_the_weights_is_refused(course: Course, tmp_path: Path) -> None:
    experiment = find("tiny_transformer")
    training = build(experiment, experiment.defaults())
    file = tmp_path / "strange.safetensors"
    checkpoint.save(file, experiment, training.settings, training.model.state_dict(), 1, 0.5, course)
    with pytest.raises(SettingError, match="do not fit together"):
        checkpoint.load(file)


@given(st.lists(st.floats(-9, 9), min_size=2, max_size=7), st.floats(0.0, 1.0), st.floats(0.1, 2))
def test_top_p_keeps_the_smallest_set_that_is_enough(logits: list[float], top_p: float, temperature: float) -> None:
    whole = probabilities(torch.tensor(logits), temperature)
    kept = probabilities(torch.tensor(logits), temperature, top_p=top_p) > 0
    assert kept.any()
    assert whole[kept].sum() >= top_p - 1e-5
    without_least = whole[kept].sum() - whole[kept].min()
    assert kept.sum() == 1 or without_least < top_p + 1e-5


def test_copied_passages_stand_in_the_corpus() -> None:
    assert copied("abcdefgh", "xbcdefx") == [(1, 6)]
    assert copied("abcdefgh", "abcx") == []
    assert copied("abcdefgh", "abcdefghabcdefgh") == [(0, 8), (8, 16)]


def test_a_visible_character_can_be_asked_and_is_named_as_untrained() -> None:
    experiment = find("mini_bert")
    for change, trained in (({}, False), ({"mask_share": 0.8}, True)):
        training = build(experiment, changed(experiment.defaults(), change))
        request = LookRequest(text="温故而_新", position=1)
        seen = look(training.model.eval(), training.task, training.settings, request).predictions
        assert [(one.kind, one.position, one.trained) for one in seen] == [("blank", 3, True), ("visible", 1, trained)]


def test_shares_of_attention_are_measured_against_the_uniform_share() -> None:
    experiment = find("tiny_transformer")
    training = build(experiment, changed(experiment.defaults(), {"layers": 3, "heads": 2, "readout": "cls"}))
    training.model.eval()
    with torch.no_grad():
        for parameter in (p for name, p in training.model.named_parameters() if ".query." in name):
            parameter.zero_()  # every head then looks everywhere alike
    shares = look(training.model, training.task, training.settings, LookRequest(text="3")).shares
    assert shares is not None
    assert [len(layer) for layer in shares.heads] == [2, 2, 2]
    assert all(share == pytest.approx(shares.uniform, abs=1e-6) for layer in shares.heads for share in layer)


def test_an_own_text_is_learned_and_its_limits_are_said() -> None:
    experiment = find("mini_gpt")
    text = "the cat sat on the mat. " * 4
    training = build(experiment, changed(experiment.defaults(), {"corpus": "own", "own_text": text, "block": 16}))
    assert training.task.read("a cat!").tokens == tuple("a cat")
    own = changed(experiment.defaults(), {"corpus": "own", "own_text": "x" * 48})
    with pytest.raises(SettingError, match="48 characters.*at least 49"):
        build(experiment, own)
    with pytest.raises(SettingError, match="at most 20000"):
        build(experiment, changed(own, {"own_text": "x" * 20_001}))
    with pytest.raises(SettingError, match="different characters"):
        build(experiment, changed(own, {"own_text": "".join(map(chr, range(0x4E00, 0x4E00 + 3001)))}))


@given(st.integers(4, 128), st.floats(0.0, 0.5))
def test_the_shortest_own_text_is_enough(block: int, held_out: float) -> None:
    experiment = find("mini_gpt")
    settings = changed(experiment.defaults(), {"corpus": "own", "block": block, "held_out": held_out})
    text = ("abcd" * 200)[: settings.shortest_text()]
    task = NextCharacter(changed(settings, {"own_text": text}))
    assert len(task.windows.training) >= 1
