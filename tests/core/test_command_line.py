"""The command line as a script sees it."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from core.__main__ import main
from core.experiments import catalogue
from core.notices import SENTENCES


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    status = main(arguments)
    written = capsys.readouterr()
    return status, written.out, written.err


@pytest.mark.parametrize("name", catalogue())
def test_train_prints_one_json_object_last(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "train", name, "--steps", "7", "--seed", "2", "--json")
    told = json.loads(out.splitlines()[-1])
    assert status == 0
    expected = {"experiment", "parameters", "steps", "seed", "loss", "metrics", "seconds", "steps_per_second", "sample"}
    assert expected <= set(told)
    assert (told["experiment"], told["steps"], told["seed"]) == (name, 7, 2)


def test_the_same_seed_gives_the_same_loss(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("train", "mini_bert", "--steps", "9", "--json")
    first, second = (json.loads(run(capsys, *arguments)[1].splitlines()[-1])["loss"] for _ in range(2))
    assert first == second


def test_a_checkpoint_can_be_looked_at_and_continued(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    saved, maps = str(tmp_path / "gpt.safetensors"), tmp_path / "maps.npz"
    assert run(capsys, "train", "mini_gpt", "--steps", "5", "--save", saved)[0] == 0
    status, out, _ = run(
        capsys, "attention", "--checkpoint", saved, "--text", "道可道非常道", "--out", str(maps), "--json"
    )
    assert status == 0
    assert json.loads(out.splitlines()[-1])["tokens"] == list("道可道非常道")
    with np.load(maps) as stored:
        assert stored["blocks.1.attention"].shape == (4, 6, 6)
        np.testing.assert_allclose(stored["blocks.0.attention"].sum(axis=-1), 1, atol=1e-5)
    status, out, _ = run(
        capsys, "generate", "--checkpoint", saved, "--prompt", "道可", "--tokens", "11", "--temperature", "0", "--json"
    )
    written = json.loads(out.splitlines()[-1])
    assert [written["greedy"]] == written["samples"]
    assert len(written["greedy"]["text"]) == 11


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("train", "gpt5"), "no experiment “gpt5”"),
        (("train", "mini_gpt", "--set", "width"), "NAME=VALUE"),
        (("train", "mini_gpt", "--set", "speed=1"), "no setting “speed”"),
        (("train", "mini_gpt", "--set", "heads=5"), "5 heads do not divide"),
        (("train", "mini_gpt", "--steps", "0"), "steps lies between 1 and 20000"),
        (("train", "mini_gpt", "--recipe", "slow"), "no recipe “slow”"),
        (("train", "mini_gpt", "--steps", "2", "--save", "/nowhere/at/all.safetensors"), "there is no folder"),
        (("train", "mini_gpt", "--steps", "2", "--save", "/tmp"), "“/tmp” is a folder"),
        (("attention", "mini_gpt", "--steps", "2", "--text", "x", "--out", "/tmp"), "“/tmp” is a folder"),
        (("train", "mini_gpt", "--steps", "2", "--save", "/proc/x.safetensors"), "cannot be written: "),
        (("attention", "mini_gpt", "--steps", "2", "--text", "道", "--out", "/proc/x.npz"), "cannot be used: "),
        (("train", "mini_gpt", "--set", "corpus=lunyu", "--set", "block=128"), "at least 129"),
        (("attention", "--text", "x"), "name either"),
        (("attention", "--checkpoint", "/nowhere", "--text", "x"), "there is no file"),
        (("generate", "mini_bert", "--prompt", "x"), "not a model that writes"),
        (("generate", "mini_gpt", "--steps", "1", "--prompt", "x", "--temperature", "9"), "temperature lies between"),
    ],
)
def test_mistakes_get_one_clear_line(arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, err = run(capsys, *arguments)
    assert status == 2
    assert out == ""
    lines = [line for line in err.splitlines() if not line.startswith("step ")]
    assert len(lines) == 1 and told in lines[0]


def test_an_unknown_command_gets_one_line() -> None:
    ended = subprocess.run([sys.executable, "-m", "core", "fly"], capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert len(ended.stderr.splitlines()) == 1


def test_experiments_lists_every_setting_with_its_limits(capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "experiments", "--json")
    listed = json.loads(out.splitlines()[-1])["experiments"]
    assert status == 0 and list(listed) == list(catalogue())
    rate = next(one for one in listed["mini_bert"]["settings"] if one["name"] == "mask_rate")
    assert (rate["minimum"], rate["maximum"], rate["default"], rate["live"]) == (0.05, 1.0, 0.15, True)


SHIPPED = Path(__file__).parents[2] / "assets" / "checkpoints"


def test_a_sum_is_answered_as_a_person_reads_it(capsys: pytest.CaptureFixture[str]) -> None:
    checkpoint = str(SHIPPED / "seq2seq.safetensors")
    _, out, err = run(capsys, "generate", "--checkpoint", checkpoint, "--prompt", "12+39")
    assert (out, err) == ("12+39 → 51\n", "")
    told = json.loads(run(capsys, "generate", "--checkpoint", checkpoint, "--prompt", "47+58", "--json")[1])
    assert (told["answer"], told["right_answer"]) == ("105", "105")
    assert told["written"] == told["correct"] == ["5", "0", "1", "[END]"]


def test_a_wrong_answer_is_told_beside_the_right_one(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("generate", "seq2seq", "--steps", "1", "--prompt", "12+39")
    assert "(51 would be right; written as " in run(capsys, *arguments)[1]


@pytest.mark.parametrize(
    ("experiment", "text", "notes"),
    [
        ("seq2seq", "123+4x", ["Not in the vocabulary, so left out: x", "this is read as 23+04."]),
        ("mini_gpt", "a\nb", [r"left out: a\nb", "There is nothing to read, so the model starts from"]),
        ("mini_bert", "学而" * 40, ["The model reads 32 tokens at once: the first 32 of 80 are shown."]),
        ("tiny_transformer", "12 x", ["Not in the vocabulary, so left out: x"]),
    ],
)
def test_notes_are_sentences(experiment: str, text: str, notes: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    checkpoint = ("--checkpoint", str(SHIPPED / f"{experiment}.safetensors"))
    lines = run(capsys, "attention", *checkpoint, "--text", text)[2].splitlines()
    assert len(lines) == len(notes)
    assert all(line.startswith("note: ") for line in lines)
    assert all(note in line for line, note in zip(lines, notes, strict=True))


def test_what_is_generated_from_an_unknown_text_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    checkpoint = ("--checkpoint", str(SHIPPED / "mini_gpt.safetensors"))
    _, out, err = run(capsys, "generate", *checkpoint, "--prompt", "Z道", "--tokens", "3")
    assert err == "note: Not in the vocabulary, so left out: Z\n"
    assert out.startswith("greedy:  道")


def test_too_few_steps_are_told_before_training(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ("train", "seq2seq", "--steps", "1", "--set")
    assert (
        "note: With these settings the model takes about 1000 steps to learn; the run has 1.\n"
        in (run(capsys, *arguments, "digits=3")[2])
    )
    assert "note:" not in run(capsys, *arguments, "digits=2")[2]


def test_every_notice_has_a_sentence() -> None:
    """Codes are written where a text is read; a code without a sentence would be told to nobody."""
    code = re.compile(r'"code": "(\w+)"|_within\("(\w+)"')
    sources = [file.read_text(encoding="utf-8") for file in (Path(__file__).parents[2] / "core").rglob("*.py")]
    codes = {one or other for text in sources for one, other in code.findall(text)}
    assert "sum_read_as" in codes
    assert codes <= {name.removesuffix("_start").removesuffix("_end") for name in SENTENCES}
