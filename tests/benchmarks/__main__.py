"""Runs the named benchmarks, or all of them, and prints what they measured."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import sys
from typing import Any

os.environ["OMP_NUM_THREADS"] = "1"  # one torch thread, here and in every process that a benchmark starts

NAMES = ("training", "addition", "order", "watching", "editing", "attention", "start")


def main() -> None:
    """Measure, with progress on standard error and the result on standard output."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"which to run: {', '.join(NAMES)} (default: all)")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of lines")
    arguments = parser.parse_args()
    if unknown := set(arguments.names) - set(NAMES):
        parser.error(f"there is no benchmark {', '.join(sorted(unknown))}; there are {', '.join(NAMES)}")
    results: dict[str, Any] = {}
    for name in arguments.names or NAMES:
        print(f"measuring {name} …", file=sys.stderr)
        results[name] = importlib.import_module(f"tests.benchmarks.{name}").measure()
        if not arguments.json:
            show(name, results[name])
    if arguments.json:
        print(json.dumps(results, indent=2, ensure_ascii=False))


def show(path: str, value: Any) -> None:
    """Print a nested result as lines of path and value."""
    if isinstance(value, dict):
        for key, inner in value.items():
            show(f"{path}.{key}", inner)
    else:
        print(f"{path} = {value}")


if __name__ == "__main__":
    main()
