"""BertViz's model view (Vig 2019, arXiv:1906.05714) of given maps: made, served from here and painted in a Chromium.

Whatever could be counted for it, is: its page is open, its scripts are loaded and its HTML is ready before the clock of
the first paint starts, and what lies below the edge of the window need not be painted. Its HTML (version 1.4.1) holds
each weight twice, once in a comment of its script; it is counted as it is.
"""

from __future__ import annotations

import gzip
import importlib.util
import shutil
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from playwright.sync_api import Browser
from torch import Tensor

ROUNDS = 5
LEVEL = 5  # of gzip: what Streamlit compresses our answers with
FAR = "https://cdnjs.cloudflare.com/ajax/libs/"  # where its HTML looks for its scripts
NEAR = "/scripts/"
SCRIPTS = {  # by the path that it asks for: the package that carries the script, and where
    "require.js/2.3.6/require.min.js": ("nbclassic", "static/components/requirejs/require.js"),
    "jquery/2.0.0/jquery.min.js": ("nbclassic", "static/components/jquery/jquery.min.js"),
    "d3/5.7.0/d3.min.js": ("mpld3", "js/d3.v5.min.js"),
}
PAGE = f"""<!doctype html><meta charset="utf-8"><title>BertViz</title>
<script src="{NEAR}require.js/2.3.6/require.min.js"></script>
<div id="place"></div>
<script>
require.config({{ paths: {{ jquery: "{NEAR}jquery/2.0.0/jquery.min", d3: "{NEAR}d3/5.7.0/d3.min" }} }})
require(["jquery", "d3"], () => {{ document.body.dataset.ready = "true" }})
</script>"""

# From the request of the HTML to the frame after the one that shows the last of its maps.
PAINT = """async maps => {
  const frame = () => new Promise(requestAnimationFrame)
  const began = performance.now()
  const html = await (await fetch("/view.html", { cache: "no-store" })).text()
  document.querySelector("#place").append(document.createRange().createContextualFragment(html))
  do await frame()
  while (document.querySelectorAll("#vis > svg > g").length < maps)
  await frame()
  return performance.now() - began
}"""


def installed() -> bool:
    """Whether everything is there that requirements-bertviz.txt names."""
    return all(importlib.util.find_spec(name) for name in ("bertviz", "IPython", "mpld3", "nbclassic"))


def measure(browser: Browser, maps: Sequence[Tensor], tokens: list[str]) -> dict[str, Any]:
    """Bytes, seconds of making and milliseconds until painted, of maps (1, heads, queries, keys), one a layer."""
    from bertviz import model_view

    seconds, processor = [], []
    html = ""
    for _ in range(ROUNDS + 1):
        began, began_working = perf_counter(), process_time()
        html = model_view(list(maps), tokens, html_action="return").data
        seconds.append(perf_counter() - began)
        processor.append(process_time() - began_working)
    return {
        "html_bytes": len(html.encode()),
        "html_bytes_compressed": len(gzip.compress(html.encode(), LEVEL)),
        "model_view_seconds": round(median(seconds[1:]), 4),  # the first one warms up
        "model_view_cpu_seconds": round(median(processor[1:]), 4),
        "first_paint_milliseconds": round(median(paints(browser, html, sum(one.shape[1] for one in maps))), 1),
    }


def paints(browser: Browser, html: str, maps: int) -> list[float]:
    """Milliseconds until that many maps are painted on an open page, several times."""
    times = []
    with serving(html) as url:
        for _ in range(ROUNDS):
            page = browser.new_context(viewport={"width": 1280, "height": 720}).new_page()
            page.goto(url)
            page.wait_for_selector("body[data-ready=true]", state="attached")
            times.append(float(page.evaluate(PAINT, maps)))
            page.context.close()
    return times


@contextmanager
def serving(html: str) -> Iterator[str]:
    """Serve the page, the view and its scripts; gives the page's address."""
    with TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "index.html").write_text(PAGE, "utf-8")
        (root / "view.html").write_text(html.replace(FAR, NEAR), "utf-8")
        for path, (package, file) in SCRIPTS.items():
            target = root / NEAR.strip("/") / path
            target.parent.mkdir(parents=True)
            shutil.copy(folder_of(package) / file, target)
        with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=folder)) as server:
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            yield f"http://127.0.0.1:{server.server_port}/"
            server.shutdown()
            thread.join()


def folder_of(package: str) -> Path:
    """Where a package is installed, without importing it."""
    found = importlib.util.find_spec(package)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing about it."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""
