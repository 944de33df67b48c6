"""The routes over real sockets: a uvicorn server in a thread, the pool with a real worker, httpx as the browser."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import httpx
import numpy as np
import pytest
import uvicorn
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.applications import Starlette

from core.runs import routes
from core.runs.files import file_of
from core.runs.history import History
from core.runs.pool import Pool
from core.runs.process import ROOT
from core.runs.requests import LookRequest, PastRequest
from core.runs.run import Run
from core.runs.wire import unpack_look, unpack_maps, unpack_past
from core.settings import Value
from tests.runs.tools import LONGEST, curve, small, wait_until

LONG = 20_000


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    """A pool of one worker, so that one signal reaches every run."""
    own = Pool(workers=1)
    yield own
    own.shutdown()


@pytest.fixture(scope="module")
def server(pool: Pool) -> Iterator[str]:
    """The address of a server that has our routes."""
    listening = socket.create_server(("127.0.0.1", 0))
    serving = uvicorn.Server(uvicorn.Config(Starlette(routes=routes.routes()), log_level="error"))
    thread = threading.Thread(target=serving.run, args=([listening],))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(routes, "get_pool", lambda: pool)
        thread.start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        pool.end_streams()
        serving.should_exit = True
        thread.join()
    listening.close()


@pytest.fixture
def client(server: str, pool: Pool) -> Iterator[httpx.Client]:
    """A browser; what a test leaves in the pool is dropped."""
    with httpx.Client(base_url=server, timeout=LONGEST) as browser:
        yield browser
    for run in list(pool.runs):
        pool.drop(run)


def ready(pool: Pool, name: str, **changes: Value) -> Run:
    """A run that has been made."""
    run = pool.start(name, small(name, **changes))
    run.look(LookRequest()).result(LONGEST)
    return run


def events(lines: Iterator[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Read server-sent events: (type, data)."""
    kind = "message"
    for line in lines:
        if line.startswith("event: "):
            kind = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield kind, json.loads(line.removeprefix("data: "))
            kind = "message"


def follow(client: httpx.Client, run: Run, start: int = 0) -> tuple[History, list[dict[str, Any]]]:
    """Follow a run to the end of its stream as the chart does: cut back to ``from``, then append."""
    seen, told = History(), []
    seen.loss = [0.0] * start
    seen.learning_rate = [0.0] * start
    with client.stream("GET", f"/api/stream/{run.id}", params={"from": start}) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        assert response.headers["cache-control"] == "no-cache"
        assert response.headers["x-accel-buffering"] == "no"
        ended = False
        for kind, data in events(response.iter_lines()):
            assert not ended
            if kind == "end":
                ended = True
                continue
            told.append(data)
            at = data["from"]
            assert at <= len(seen.loss)
            seen.loss = seen.loss[:at] + data["loss"]
            seen.learning_rate = seen.learning_rate[:at] + data["learning_rate"]
            seen.evaluations = [one for one in seen.evaluations if one["step"] <= at] + data["evaluations"]
            seen.marks = [one for one in seen.marks if one["step"] <= at] + data["marks"]
    assert ended
    return seen, told


def test_the_stream_of_a_checkpoint_waits_for_the_curve_that_it_was_trained_by(
    client: httpx.Client, pool: Pool
) -> None:
    run = pool.load(ROOT / "assets" / "checkpoints" / "tiny_transformer.safetensors")
    seen, told = follow(client, run)  # at once: the worker has not read the file yet
    assert len(seen.loss) == run.step == 300
    assert seen.evaluations[-1]["step"] == 300
    assert told[-1]["parameters"] == 17_474


def test_a_look_is_the_workers_frame(client: httpx.Client, pool: Pool) -> None:
    run = ready(pool, "mini_gpt")
    body = {"text": "道可道", "layer": 1, "causal_mask": False, "sequence": 7}
    response = client.post(f"/api/look/{run.id}", json=body)
    assert response.headers["content-type"] == "application/octet-stream"
    assert response.headers["cache-control"] == "no-store"
    assert response.content == run.look(LookRequest(text="道可道", layer=1, causal_mask=False)).result(LONGEST)
    assert np.isfinite(unpack_look(response.content).weights).all()
    assert response.headers["content-encoding"] == "gzip"
    plain = client.post(f"/api/look/{run.id}", json=body, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert plain.content == response.content


def test_the_past_is_the_workers_frame(client: httpx.Client, pool: Pool) -> None:
    run = ready(pool, "mini_gpt")
    response = client.post(f"/api/past/{run.id}", json={"text": "道可道", "steps": [0, 3]})
    assert response.headers["content-type"] == "application/octet-stream"
    assert response.headers["cache-control"] == "no-store"
    assert response.content == run.past(PastRequest(text="道可道", steps=(0, 3))).result(LONGEST)
    assert [one["step"] for one in unpack_past(response.content).header["frames"]] == [0]
    refused = client.post(f"/api/past/{run.id}", json={"steps": list(range(17))})
    assert (refused.status_code, refused.json()["error"]) == (400, "bad_request")


@pytest.mark.parametrize(
    ("kind", "media_type"),
    [("npz", "application/zip"), ("csv", "text/csv; charset=utf-8"), ("json", "application/json")],
)
def test_maps_are_handed_out_as_files(client: httpx.Client, pool: Pool, kind: str, media_type: str) -> None:
    run = ready(pool, "mini_gpt")
    body = {"text": "道可道", "ablate": [[0, 1]]}
    response = client.post(f"/api/maps/{run.id}", params={"format": kind}, json=body)
    assert response.headers["content-type"] == media_type
    assert response.headers["content-disposition"] == f'attachment; filename="attention_mini_gpt_step_0.{kind}"'
    frame = run.maps(LookRequest(text="道可道", ablate=((0, 1),))).result(LONGEST)
    if kind == "npz":
        with np.load(io.BytesIO(response.content)) as file:
            for layer, weights in enumerate(unpack_maps(frame).weights):
                assert np.array_equal(file[f"layer_{layer}"], weights, equal_nan=True)
    else:
        assert response.content == b"".join(file_of(frame, kind).content)


def test_files_of_other_kinds_are_refused(client: httpx.Client, pool: Pool) -> None:
    run = ready(pool, "mini_gpt")
    response = client.post(f"/api/maps/{run.id}?format=pickle", json={"text": "道"})
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
    assert response.json()["message"] == "format is one of npz, csv, json, not “pickle”"


def test_a_model_that_writes_answers_in_json(client: httpx.Client, pool: Pool) -> None:
    run = ready(pool, "mini_gpt")
    written = client.post(f"/api/generate/{run.id}", json={"prompt": "道可", "tokens": 5, "samples": 2}).json()
    assert (written["step"], written["prompt"]) == (0, "道可")
    assert [len(text["text"]) for text in (written["greedy"], *written["samples"])] == [5, 5, 5]
    refused = client.post(f"/api/generate/{ready(pool, 'tiny_transformer').id}", json={"prompt": "37"})
    assert (refused.status_code, refused.json()["error"]) == (400, "bad_request")
    assert "does not write" in refused.json()["message"]


FIELDS = ["text", "layer", "step", "prompt", "ablate", "without_keys", "steps"]
bodies = st.binary() | st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(FIELDS), inner),
    max_leaves=5,
).map(lambda value: json.dumps(value).encode())


@settings(max_examples=53)
@given(body=bodies, route=st.sampled_from(["look", "past", "maps", "generate"]))
def test_junk_is_answered_and_never_an_error_of_the_server(server: str, pool: Pool, body: bytes, route: str) -> None:
    run = next(iter(pool.runs.values()), None) or ready(pool, "mini_gpt")
    response = httpx.post(f"{server}/api/{route}/{run.id}", content=body, timeout=LONGEST)
    assert response.status_code in (200, 400)
    if response.status_code == 400:
        assert response.json()["error"] == "bad_request"
        assert response.json()["message"]


@pytest.mark.parametrize(
    "body", [b"[" * 60_000, b" " * 100_000, b'{"layer": 1' + b"0" * 5000 + b"}", b'{"text": 3}', b"{", b"\xff"]
)
def test_bad_bodies_are_refused(client: httpx.Client, pool: Pool, body: bytes) -> None:
    response = client.post(f"/api/look/{ready(pool, 'mini_gpt').id}", content=body)
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")


def test_there_is_no_such_run(client: httpx.Client, pool: Pool) -> None:
    run = ready(pool, "mini_gpt")
    pool.drop(run.id)
    for name in (run.id, "%00", "道", "x" * 1000):
        asked = [client.post(f"/api/{route}/{name}", json={}) for route in ("look", "past", "maps", "generate")]
        for response in [*asked, client.get(f"/api/stream/{name}")]:
            assert (response.status_code, response.json()) == (404, {"error": "no_run"})
    assert client.get(f"/api/look/{run.id}").status_code == 405


def test_a_frozen_worker_is_busy_and_a_dead_one_is_gone(
    client: httpx.Client, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ready(pool, "mini_gpt")
    pid = run.worker.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    monkeypatch.setattr(routes, "LONGEST_LOOK", 0.1)
    response = client.post(f"/api/look/{run.id}", json={})
    assert (response.status_code, response.json()) == (503, {"error": "busy"})
    monkeypatch.setattr(routes, "LONGEST_LOOK", LONGEST)
    answers: list[httpx.Response] = []
    asking = threading.Thread(target=lambda: answers.append(client.post(f"/api/look/{run.id}", json={})))
    asking.start()
    wait_until(lambda: bool(run.worker._pending))
    os.kill(pid, signal.SIGKILL)
    asking.join()
    assert (answers[0].status_code, answers[0].json()) == (410, {"error": "worker_gone"})
    assert client.post(f"/api/look/{run.id}", json={}).status_code == 200


@pytest.mark.parametrize("start", [0, 4, 10_000])
def test_the_stream_tells_the_whole_course(client: httpx.Client, pool: Pool, start: int) -> None:
    run = ready(pool, "mini_gpt")
    run.control("train")
    seen, told = follow(client, run, start)
    whole = curve("mini_gpt")
    kept = min(start, told[0]["from"])
    assert seen.loss[kept:] == pytest.approx(whole.loss[kept:], rel=1e-5)
    assert seen.learning_rate[kept:] == whole.learning_rate[kept:]
    assert seen.evaluations == [one for one in whole.evaluations if one["step"] > kept]
    last = told[-1]
    assert (last["step"], last["steps"], last["status"], last["reason"]) == (run.step, run.step, "finished", None)
    assert last["seconds_left"] == 0.0


def test_a_browser_that_reconnects_goes_on_where_it_was(client: httpx.Client, pool: Pool) -> None:
    run = ready(pool, "mini_gpt")
    run.control("train")
    follow(client, run)
    response = client.get(f"/api/stream/{run.id}?from=0", headers={"Last-Event-ID": "7"})
    first = next(events(iter(response.text.splitlines())))[1]
    assert (first["from"], len(first["loss"])) == (7, run.step - 7)


@pytest.mark.parametrize("start", ["-1", "x", "1.5", "9" * 5000, "²"])
def test_a_stream_starts_at_a_step(client: httpx.Client, pool: Pool, start: str) -> None:
    response = client.get(f"/api/stream/{ready(pool, 'mini_gpt').id}", params={"from": start})
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")


def test_watchers_are_told_of_the_death_of_a_worker_and_end_with_the_same_course(
    client: httpx.Client, pool: Pool
) -> None:
    run = ready(pool, "mini_bert", steps=401)
    followed: list[tuple[History, list[dict[str, Any]]]] = []
    watchers = [threading.Thread(target=lambda: followed.append(follow(client, run))) for _ in range(3)]
    for watcher in watchers:
        watcher.start()
    run.control("train")
    run.change(mask_rate=0.5)
    wait_until(lambda: run.step >= 31 and run.broadcast.watchers == 3)
    pid = run.worker.pid
    assert pid is not None
    os.kill(pid, signal.SIGKILL)
    for watcher in watchers:
        watcher.join()
    course = run.history.since(0)
    for seen, told in followed:
        assert ("lost", "worker_lost") in {(event["status"], event["reason"]) for event in told}
        assert seen.loss == pytest.approx(course["loss"], rel=1e-5)
        assert (seen.evaluations, seen.marks) == (course["evaluations"], course["marks"])
    assert len(followed) == 3
    assert run.broadcast.watchers == 0


def test_a_quiet_stream_is_kept_alive_and_ends_with_its_run(
    client: httpx.Client, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "HEARTBEAT", 0.05)
    run = ready(pool, "mini_gpt")
    with client.stream("GET", f"/api/stream/{run.id}") as response:
        lines = response.iter_lines()
        wanted = (line for line in lines if line.startswith(":"))
        assert [next(wanted) for _ in range(3)] == [": still here"] * 3
        pool.drop(run.id)
        assert "event: end" in list(lines)


def test_a_watcher_who_leaves_is_forgotten(client: httpx.Client, pool: Pool) -> None:
    run = ready(pool, "mini_gpt", steps=LONG)
    with client.stream("GET", f"/api/stream/{run.id}") as response:
        lines = response.iter_lines()
        next(lines)
        assert run.broadcast.watchers == 1
    wait_until(lambda: run.broadcast.watchers == 0)


def test_an_unseen_run_tells_its_watchers_that_it_paused(
    client: httpx.Client, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = ready(pool, "mini_gpt", steps=LONG)
    run.control("train")
    with client.stream("GET", f"/api/stream/{run.id}") as response:
        told = (data for _, data in events(response.iter_lines()))
        next(told)
        run.away()
        assert next(data for data in told if data["status"] == "paused")["reason"] == "away"
        run.touch()
        assert next(data for data in told if data["status"] == "running")["reason"] is None


def test_files_are_asked_about_but_not_sent_twice(client: httpx.Client) -> None:
    first = client.get("/vendor/plotly/plotly.min.js")
    assert first.status_code == 200
    assert first.headers["cache-control"] == "no-cache"
    again = client.get("/vendor/plotly/plotly.min.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["cache-control"] == "no-cache"


def test_only_what_a_browser_needs_is_served(client: httpx.Client) -> None:
    for path in ("/components/__init__.py", "/components/../forms.py", "/vendor/plotly/validators/_validators.json"):
        assert client.get(path).status_code == 404


def test_a_server_that_is_asked_to_stop_does_not_wait_for_its_streams() -> None:
    script = """
import socket, uvicorn
from starlette.applications import Starlette
from core.experiments import find
from core.runs.lifespan import lifespan
from core.runs.pool import get_pool
from core.runs.routes import routes
listening = socket.create_server(("127.0.0.1", 0))
class Server(uvicorn.Server):
    async def startup(self, sockets=None):
        await super().startup(sockets)
        print(listening.getsockname()[1], get_pool().start("mini_gpt", find("mini_gpt").defaults()).id, flush=True)
config = uvicorn.Config(Starlette(routes=routes(), lifespan=lifespan), log_level="error")
Server(config).run(sockets=[listening])
"""
    environment = {**os.environ, "ATTENTION_LIVE_WORKERS": "1"}
    with subprocess.Popen(
        [sys.executable, "-c", script], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        port, run = process.stdout.readline().split()
        with httpx.stream("GET", f"http://127.0.0.1:{port}/api/stream/{run}", timeout=LONGEST) as response:
            lines = response.iter_lines()
            next(lines)
            process.send_signal(signal.SIGTERM)
            assert "event: end" in list(lines)
        process.wait(LONGEST)


def test_several_courses_come_over_one_connection(client: httpx.Client, pool: Pool) -> None:
    runs = [ready(pool, name, steps=29) for name in ("mini_gpt", "mini_bert")]
    dropped = ready(pool, "mini_gpt", steps=5)
    dropped.control("train")
    wait_until(lambda: dropped.status == "finished")
    pool.drop(dropped.id)
    for run in runs:
        run.control("train")
    asked: list[tuple[str, Any]] = [("run", f"{run.id}.0") for run in [*runs, dropped]] + [("run", "nobody.7")]
    seen: dict[str, History] = {run.id: History() for run in [*runs, dropped]}
    ended = {}
    with client.stream("GET", "/api/streams", params=asked) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        for kind, data in events(response.iter_lines()):
            if kind == "end":
                ended[data["run"]] = data["status"]
            else:
                history = seen[kind]
                del history.loss[data["from"] :]
                history.loss += data["loss"]
    assert ended == {runs[0].id: "finished", runs[1].id: "finished", dropped.id: "finished", "nobody": "gone"}
    for run in [*runs, dropped]:
        assert seen[run.id].loss == pytest.approx(run.history.loss, rel=1e-5)
        assert run.broadcast.watchers == 0


def test_one_connection_keeps_alive_and_follows_a_run_that_is_taken_up_again(
    client: httpx.Client, pool: Pool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "HEARTBEAT", 0.05)
    run = ready(pool, "mini_gpt", steps=7)
    with client.stream("GET", "/api/streams", params={"run": f"{run.id}.0"}) as response:
        lines = response.iter_lines()
        assert next(line for line in lines if line.startswith(":")) == ": still here"
        run.control("train")
        told = [data for kind, data in events(lines) if kind == run.id]
    assert told[-1]["step"] == 7


@pytest.mark.parametrize("asked", [{}, {"run": "abc"}, {"run": ".0"}, {"run": "abc.-1"}, {"run": ["a.0"] * 65}])
def test_what_one_connection_cannot_follow_is_refused(client: httpx.Client, asked: dict[str, Any]) -> None:
    response = client.get("/api/streams", params=asked)
    assert (response.status_code, response.json()["error"]) == (400, "bad_request")
