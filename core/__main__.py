"""The command line: train, look and generate without a browser.

``python -m core train mini_gpt --recipe fast --json``. Progress goes to standard error; with ``--json`` the last thing
on standard output is one JSON object. Exit status 0, or 2 with one clear line.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from core.experiments import Experiment, catalogue, find
from core.experiments.common import TOO_FEW
from core.notices import told as told_of
from core.settings import SettingError, changed, describe, setting, values

if TYPE_CHECKING:
    from core.inference.checkpoint import Checkpoint


class Parser(argparse.ArgumentParser):
    """Reports a mistake in one line."""

    def error(self, message: str) -> NoReturn:
        """End with status 2."""
        self.exit(2, f"{self.prog}: {message}\n")


def parser() -> Parser:
    """The four commands and their options."""
    whole = Parser(prog="python -m core", description="Train small transformers and look inside them.")
    commands = whole.add_subparsers(dest="command", required=True)
    _add_train(commands.add_parser("train", help="train a model"))
    attention = commands.add_parser("attention", help="every head's attention to a text")
    attention.add_argument("--text", required=True)
    attention.add_argument("--out", type=Path, metavar="FILE.npz", help="write all maps there")
    _add_source(attention)
    generate = commands.add_parser("generate", help="let a language model write")
    generate.add_argument("--prompt", required=True)
    generate.add_argument("--temperature", default="0.8")
    generate.add_argument("--top-k", default="0")
    generate.add_argument("--top-p", default="1")
    generate.add_argument("--samples", default="1")
    generate.add_argument("--tokens", default="60")
    _add_source(generate)
    experiments = commands.add_parser("experiments", help="names, settings with limits and defaults")
    experiments.add_argument("--json", action="store_true")
    return whole


def _add_train(train: argparse.ArgumentParser) -> None:
    train.add_argument("experiment", metavar="EXPERIMENT")
    train.add_argument("--save", type=Path, metavar="FILE", help="write a checkpoint (safetensors)")
    _add_settings(train)


def _add_source(command: argparse.ArgumentParser) -> None:
    command.add_argument("experiment", metavar="EXPERIMENT", nargs="?")
    command.add_argument("--checkpoint", type=Path, metavar="FILE")
    _add_settings(command)


def _add_settings(command: argparse.ArgumentParser) -> None:
    command.add_argument("--steps")
    command.add_argument("--seed")
    command.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="any setting, repeatedly")
    command.add_argument("--recipe", default="document", metavar="document|fast")
    command.add_argument("--json", action="store_true")


def settings_of(experiment: Experiment, arguments: argparse.Namespace) -> Any:
    """The recipe's settings with what the command line changes in them. Raises :class:`SettingError`."""
    written: dict[str, str] = {}
    for pair in arguments.set:
        name, equals, value = pair.partition("=")
        if not equals:
            raise SettingError("--set takes NAME=VALUE, not “{pair}”", pair=pair)
        written[name] = value
    for name in ("steps", "seed"):
        if getattr(arguments, name) is not None:
            written[name] = getattr(arguments, name)
    parsed = {name: setting(experiment.settings, name).parse(value) for name, value in written.items()}
    chosen = changed(experiment.defaults(arguments.recipe), parsed)
    chosen.check()
    return chosen


def progress(step: int, steps: int, loss: float, begun: float) -> None:
    """A bar on a terminal, a line now and then elsewhere."""
    rate = step / max(1e-9, time.perf_counter() - begun)
    told = f"step {step}/{steps}  loss {loss:.4f}  {rate:.0f} steps/s"
    if sys.stderr.isatty():
        filled = 30 * step // steps
        end = "\n" if step == steps else ""
        print(f"\r[{'█' * filled}{'·' * (30 - filled)}] {told} ", end=end, file=sys.stderr, flush=True)
    elif step % max(1, steps // 10) == 0:
        print(told, file=sys.stderr, flush=True)


def note(notices: Iterable[Mapping[str, object]]) -> None:
    """Say what was read otherwise than it was written."""
    for notice in notices:
        print("note:", told_of(notice), file=sys.stderr)


def trained(experiment: Experiment, settings: Any) -> tuple[Checkpoint, dict[str, Any]]:
    """Train from the first step to the last; returns the model and what the training told."""
    import torch

    from core.inference.checkpoint import Checkpoint, Course
    from core.training.build import NonFiniteLoss, build
    from core.training.loop import train

    if (enough := settings.enough_steps()) > settings.steps:
        print("note:", TOO_FEW.format(enough=enough, steps=settings.steps), file=sys.stderr)
    torch.set_num_threads(1)
    training = build(experiment, settings)
    begun, step, course = time.perf_counter(), None, Course()
    try:
        for step in train(training):
            progress(step.number, settings.steps, step.loss, begun)
            course.add(step.loss, step.learning_rate, step.metrics)
    except NonFiniteLoss as error:
        raise SettingError("{error}; try a smaller learning rate", error=error) from None
    assert step is not None
    seconds = time.perf_counter() - begun
    told = {
        "experiment": experiment.name,
        "parameters": sum(parameter.numel() for parameter in training.model.parameters()),
        "steps": step.number,
        "seed": settings.seed,
        "loss": step.loss,
        "metrics": step.metrics | {"corpus_loss": training.corpus_loss()},
        "seconds": seconds,
        "steps_per_second": step.number / seconds,
    }
    model = training.model.eval()
    whole = Checkpoint(
        experiment=experiment,
        settings=settings,
        step=step.number,
        loss=step.loss,
        task=training.task,
        model=model,
        course=replace(course, tokens=training.tokens),
    )
    return whole, told


def source(arguments: argparse.Namespace) -> Checkpoint:
    """The model to look at: from a file, or trained now."""
    if (arguments.checkpoint is None) == (arguments.experiment is None):
        raise SettingError("name either an EXPERIMENT to train or a --checkpoint FILE")
    if arguments.checkpoint is not None:
        if arguments.set or arguments.steps or arguments.seed:
            raise SettingError("a checkpoint brings its own settings: leave out --set, --steps and --seed")
        from core.inference.checkpoint import load

        return load(arguments.checkpoint)
    experiment = find(arguments.experiment)
    return trained(experiment, settings_of(experiment, arguments))[0]


def command_train(arguments: argparse.Namespace) -> dict[str, Any]:
    """Train, show a sample of what was learned, and keep the weights where asked."""
    from core.inference import checkpoint
    from core.inference.sample import sample

    experiment = find(arguments.experiment)
    _check_file(arguments.save)
    whole, told = trained(experiment, settings_of(experiment, arguments))
    told["sample"] = sample(whole)
    if arguments.save is not None:
        weights = whole.model.state_dict()
        checkpoint.save(arguments.save, experiment, whole.settings, weights, whole.step, whole.loss, whole.course)
    print(
        f"{told['parameters']:,} parameters, {told['steps']} steps in {told['seconds']:.1f} s, loss {told['loss']:.4f}"
    )
    print("  ".join(f"{name} {value:.4f}" for name, value in told["metrics"].items()))
    print(told["sample"])
    return told


def command_attention(arguments: argparse.Namespace) -> dict[str, Any]:
    """Look at a text; all maps go to a file, their shapes and the checks to standard output."""
    import numpy as np

    from core.inference.look import look
    from core.runs.requests import LookRequest

    _check_file(arguments.out)
    whole = source(arguments)
    seen = look(whole.model, whole.task, whole.settings, LookRequest(text=arguments.text))
    maps = {shown.name: shown.weights[0].numpy() for shown in seen.maps}  # (heads, queries, keys)
    streams = {shown.name: (shown.queries, shown.keys) for shown in seen.maps}
    tokens = list(seen.reading.tokens)
    written = {name: list(names) for name, names in seen.streams.items() if name == "target"}
    if arguments.out is not None:
        with arguments.out.open("wb") as file:
            others = {name: np.array(names) for name, names in written.items()}
            np.savez_compressed(file, allow_pickle=False, tokens=np.array(tokens), **others, **maps)
    note(seen.notices)
    for name, weights in maps.items():
        for head, rows in enumerate(weights):
            query, key = np.unravel_index(rows.argmax(), rows.shape)
            rows_of, keys_of = (seen.streams[stream] for stream in streams[name])
            where = f"{rows_of[query]} ({query}) → {keys_of[key]} ({key})"
            print(f"{name} head {head}: largest weight {rows.max():.3f}, {where}")
    return {
        "experiment": whole.experiment.name,
        "step": whole.step,
        "tokens": tokens,
        **written,
        "notices": list(seen.notices),
        "maps": {name: weights.round(6).tolist() for name, weights in maps.items()},
    }


def command_generate(arguments: argparse.Namespace) -> dict[str, Any]:
    """Write on after a prompt, greedily and by drawing."""
    from core.inference.generation import generate
    from core.runs.requests import GenerateRequest

    if arguments.experiment is not None:
        _check_writes(find(arguments.experiment))  # before training it
    whole = source(arguments)
    _check_writes(whole.experiment)
    if whole.experiment.answers:
        return _answered(whole, arguments.prompt)
    view = whole.experiment.view
    names = ("temperature", "top_k", "top_p", "samples", "tokens")
    options: dict[str, Any] = {name: setting(view, name).parse(getattr(arguments, name)) for name in names}
    request = GenerateRequest(prompt=arguments.prompt, seed=whole.settings.seed, **options)
    written = generate(whole.model, whole.task, whole.settings, request)
    note(written["notices"])
    print(f"greedy:  {written['prompt']}{written['greedy']['text']}")
    for drawn in written["samples"]:
        print(f"sampled: {written['prompt']}{drawn['text']}")
    return {"experiment": whole.experiment.name, "step": whole.step, **options, **written}


def _answered(whole: Checkpoint, prompt: str) -> dict[str, Any]:
    """What an encoder–decoder writes, always the likeliest token, and what would be right."""
    from core.data.sums import Sums
    from core.inference.look import look
    from core.runs.requests import LookRequest

    assert isinstance(whole.task, Sums)  # the only task whose experiment says that it answers
    seen = look(whole.model, whole.task, whole.settings, LookRequest(text=prompt))
    asked = "".join(seen.reading.tokens)
    written = [one.likeliest for one in seen.predictions]
    right = [str(one.correct) for one in seen.predictions]
    answer, right_answer = whole.task.answer(written), whole.task.answer(right)
    note(seen.notices)
    wrong = "" if written == right else f"  ({right_answer} would be right; written as {' '.join(written)})"
    print(f"{asked} → {answer}{wrong}")
    return {
        "experiment": whole.experiment.name,
        "step": whole.step,
        "prompt": asked,
        "answer": answer,
        "right_answer": right_answer,
        "written": written,  # the tokens in the order of writing
        "correct": right,
        "notices": list(seen.notices),
    }


def command_experiments(arguments: argparse.Namespace) -> dict[str, Any]:
    """List what can be trained."""
    listed: dict[str, Any] = {}
    for name, experiment in catalogue().items():
        print(f"{name}: {experiment.summary}")
        groups = {"settings": experiment.settings, "view": experiment.view}
        listed[name] = {
            "title": experiment.title,
            "recipes": {r: values(experiment.defaults(r)) for r in experiment.recipes},
        }
        for group, described in groups.items():
            listed[name][group] = [_described(one) for one in describe(described)]
            for one in describe(described):
                limits = ", ".join(one.choices) if one.choices else f"{one.minimum} to {one.maximum}"
                print(f"  {one.name} = {one.default}" + (f"  ({limits})" if one.kind not in ("text", "switch") else ""))
    return {"experiments": listed}


def _described(one: Any) -> dict[str, Any]:
    kept = ("name", "kind", "default", "minimum", "maximum", "choices", "live", "help")
    return {key: getattr(one, key) if key != "choices" else list(one.choices) for key in kept}


def _check_writes(experiment: Experiment) -> None:
    if not (experiment.generates or experiment.answers):
        raise SettingError("{name} is not a model that writes", name=experiment.name)


def _check_file(path: Path | None) -> None:
    """Before anything is trained for it."""
    if path is not None and not path.absolute().parent.is_dir():
        raise SettingError("there is no folder “{folder}” to write to", folder=path.parent)
    if path is not None and path.is_dir():
        raise SettingError("“{folder}” is a folder; name a file to write to", folder=path)


COMMANDS: dict[str, Callable[[argparse.Namespace], dict[str, Any]]] = {
    "train": command_train,
    "attention": command_attention,
    "generate": command_generate,
    "experiments": command_experiments,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit status."""
    given = parser().parse_args(arguments)
    if given.json:  # the readable lines go aside, so that standard output holds the JSON alone at its end
        import contextlib

        with contextlib.redirect_stdout(sys.stderr):
            status, told = _attempt(given)
        if status == 0:
            print(json.dumps(told, ensure_ascii=False))
        return status
    return _attempt(given)[0]


def _attempt(given: argparse.Namespace) -> tuple[int, dict[str, Any]]:
    try:
        return 0, COMMANDS[given.command](given)
    except SettingError as error:
        print(f"python -m core: {error}", file=sys.stderr)
        return 2, {}
    except OSError as error:
        print(f"python -m core: “{error.filename}” cannot be used: {error.strerror}", file=sys.stderr)
        return 2, {}
    except KeyboardInterrupt:
        print("python -m core: interrupted", file=sys.stderr)
        return 2, {}


if __name__ == "__main__":
    sys.exit(main())
