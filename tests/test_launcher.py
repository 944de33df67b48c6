"""What is ready before the first visitor comes."""

from __future__ import annotations

import subprocess
import sys

LOADED = "import sys, streamlit_app; print(*(name for name in ('pandas', 'torch') if name in sys.modules))"


def test_pandas_is_loaded_before_any_figure_is_drawn_and_torch_never() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["pandas"]
