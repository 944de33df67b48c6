#!/usr/bin/env bash
# Sets up everything that the tests need, then checks format, lint, types and imports and runs every test.
# Arguments go to pytest; without any, two processes share the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
source scripts/environment.sh
prepare_environment requirements-dev.txt
prepare_browser

say "Format and lint"
"$python" -m ruff format --check .
"$python" -m ruff check .
say "Types"
"$python" -m mypy
say "Imports"
"$environment/bin/lint-imports"
say "Tests"
"$python" -m pytest "${@:---numprocesses=2}"
