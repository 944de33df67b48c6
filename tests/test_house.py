"""The house keeps its own rules: who may import what, what is pinned, and what the README promises."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
import tomllib
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest

from tests.benchmarks.__main__ import NAMES
from tests.browser.app import has_torch, running_app

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMAND_BLOCKS = re.findall(r"```(?:sh|powershell)\n(.*?)```", README, flags=re.DOTALL)

ENGINE, FACE, SHARED = "engine-without-face", "face-without-torch", "shared"
VIOLATIONS = [
    ("core/layers.py", "import core.training", "engine-layers"),
    ("core/data/task.py", "import core.models", "engine-layers"),
    ("core/training/loop.py", "import core.inference", "engine-layers"),
    ("core/runs/learner.py", "import core.runs.trainer", "engine-layers"),
    ("core/models/mini_gpt.py", "import streamlit", ENGINE),
    ("core/runs/worker.py", "import core.figures", ENGINE),
    ("core/runs/pool.py", "import torch", FACE),
    ("core/ui/page.py", "import core.data.corpora, core.layers", FACE),
    ("pages/extra.py", "from core.runs import trainer", FACE),
    ("core/settings.py", "import core.capture", SHARED),
    ("core/experiments/mini_gpt.py", "import torch", SHARED),
    ("core/figures/extra.py", "import pandas", "figures"),
    ("core/figures/extra.py", "import core.runs.run", "figures"),
    ("core/i18n.py", "import streamlit", "streamlit"),
]


def contracts() -> dict[str, dict[str, list[str]]]:
    """The import contracts by their names."""
    house = tomllib.loads((ROOT / "pyproject.toml").read_text())
    return {contract["id"]: contract for contract in house["tool"]["importlinter"]["contracts"]}


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """Check the contracts of a source tree."""
    command = [sys.executable, "-c", "from importlinter.cli import lint_imports_command as check; check()"]
    return subprocess.run(
        [*command, "--no-cache", "--no-logo"], cwd=folder, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(("module", "line", "contract"), VIOLATIONS)
def test_a_wrong_import_breaks_its_contract(tmp_path: Path, module: str, line: str, contract: str) -> None:
    for part in ("core", "pages"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    with (tmp_path / module).open("a") as source:
        source.write(f"\n{line}\n")
    checked = lint_imports(tmp_path)
    assert checked.returncode == 1, checked.stdout + checked.stderr
    assert f"{contracts()[contract]['name']} BROKEN" in checked.stdout


def test_every_module_stands_on_one_side() -> None:
    sides = [set(contracts()[side]["source_modules"]) for side in (ENGINE, FACE, SHARED)]
    named = [module for side in sides for module in side if module.startswith("core.")]
    rooms = [room for room in (ROOT / "core").iterdir() if room.name not in ("__init__.py", "__pycache__", "runs")]
    modules = {f"core.{room.stem}" for room in rooms}
    modules |= {f"core.runs.{one.stem}" for one in (ROOT / "core/runs").glob("*.py") if one.stem != "__init__"}
    assert sorted(named) == sorted(modules)


def test_server_starts_without_torch() -> None:
    with running_app() as app:
        app.wait_until(lambda: has_torch(app.workers()[0]))  # where torch is, it shows
        assert not has_torch(app.process)


def pinned(file: str) -> dict[str, str]:
    """The packages of a requirements file with their exact versions."""
    lines = (ROOT / file).read_text().splitlines()
    wanted = [line for line in lines if line and not line.startswith(("#", "-r"))]
    return dict(line.split("==") for line in wanted)


@pytest.mark.parametrize("file", ["requirements.txt", "requirements-dev.txt"])
def test_requirements_are_what_is_tested(file: str) -> None:
    assert {name: version(name).split("+")[0] for name in pinned(file)} == pinned(file)


def test_every_import_is_required() -> None:
    files = [ROOT / "streamlit_app.py", *(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")]
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    imported = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    imported |= {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
    packages = {name.split(".")[0] for name in imported} - sys.stdlib_module_names - {"core", "pages"}
    distributions = packages_distributions()
    needed = {distributions[package][0].lower() for package in packages}
    assert needed <= {name.lower() for name in pinned("requirements.txt")}


def test_readme_names_what_is_there() -> None:
    paths = re.findall(r"`((?:[\w.-]+/)+[\w.-]*|[\w-]+\.(?:py|toml|txt))`", README)
    linked = re.findall(r"\]\(([^)#:]+)\)", README)
    assert paths
    assert linked
    assert not [path for path in {*paths, *linked} if not (ROOT / path).exists() and not path.startswith(".venv")]


def test_readme_commands_exist() -> None:
    lines = [line.split("#")[0].split() for block in COMMAND_BLOCKS for line in block.splitlines() if line.strip()]
    scripts = {words[1] for words in lines if words[0] == "bash"}
    assert scripts == {"scripts/start.sh", "scripts/test.sh"}
    assert "bash scripts/test.sh" in (ROOT / ".ci/run").read_text()
    modules = {words[words.index("-m") + 1] for words in lines if "-m" in words and words[0].startswith("python")}
    local = {module for module in modules if module.split(".")[0] in ("core", "tests")}
    assert local
    for module in local:
        base = ROOT.joinpath(*module.split("."))
        assert base.with_suffix(".py").exists() or (base / "__main__.py").exists()


@pytest.mark.parametrize(
    "words", [line.split()[3:] for line in re.findall(r"^python -m core .*", README, re.MULTILINE)]
)
def test_readme_command_lines_parse(words: list[str]) -> None:
    from core.__main__ import parser

    words = words[: words.index("#")] if "#" in words else words
    assert parser().parse_args(words).command == words[0]


def test_readme_names_every_benchmark() -> None:
    assert all(f"`{name}`" in README for name in NAMES)
