"""The routes beside Streamlit's own: looks while one types, the stream of a run, and the files of the components.

The browser asks them directly, so that neither a keystroke nor a step of training costs a rerun of the page.
"""

from __future__ import annotations

import asyncio
import gzip
import importlib.util
import json
import os
from collections.abc import AsyncIterator
from concurrent.futures import Future
from contextlib import ExitStack
from pathlib import Path
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from core.runs.broadcast import Event, Place
from core.runs.files import check_format, file_of
from core.runs.pool import get_pool
from core.runs.process import Busy
from core.runs.requests import GenerateRequest, LabRequest, LookRequest, NoRun, PastRequest, WorkerGone
from core.runs.run import Run
from core.settings import SettingError

# Seconds. A person who types does not wait longer for an echo; a slow machine may be given more time.
LONGEST_LOOK = float(os.environ.get("ATTENTION_LIVE_PATIENCE", "3"))
LONGEST_START = 30.0  # but a worker that is only starting is waited for: it has torch to load
LONGEST_GENERATION = LONGEST_PAST = max(10.0, LONGEST_LOOK)
LARGEST_BODY = 1 << 16  # 4096 characters, each written as two \uXXXX at worst, and the other fields
MOST_STREAMS = 64  # runs that one connection tells of
HEARTBEAT = 15.0  # seconds; proxies close connections on which nothing is heard
ROOT = Path(__file__).resolve().parents[2]
SERVED = {".js", ".css", ".svg", ".png", ".woff2"}

Answer = TypeVar("Answer")


def routes() -> list[BaseRoute]:
    """Everything that the launcher adds to the Streamlit app."""
    plotly = importlib.util.find_spec("plotly")
    assert plotly is not None
    assert plotly.origin is not None
    return [
        Route("/api/look/{run}", look, methods=["POST"]),
        Route("/api/lab/{run}", lab, methods=["POST"]),
        Route("/api/maps/{run}", maps, methods=["POST"]),
        Route("/api/past/{run}", past, methods=["POST"]),
        Route("/api/generate/{run}", generate, methods=["POST"]),
        Route("/api/stream/{run}", stream),
        Route("/api/streams", streams),
        Mount("/vendor/plotly", Files(directory=Path(plotly.origin).parent / "package_data", check_dir=False)),
        Mount("/components", Files(directory=ROOT / "core" / "ui" / "components", check_dir=False)),
    ]


async def look(request: Request) -> Response:
    """POST a LookRequest, get its frame: the worker's bytes, untouched."""
    try:
        wanted = LookRequest.from_json(await _body(request))
        run = _run(request)
        frame = await _answer(run.look(wanted), LONGEST_LOOK if run.worker.speaks else LONGEST_START)
    except Exception as error:
        return _refusal(error)
    return _binary(request, frame)


async def lab(request: Request) -> Response:
    """POST a LabRequest, get the frame of attention's formula in one head."""
    try:
        wanted = LabRequest.from_json(await _body(request))
        run = _run(request)
        frame = await _answer(run.lab(wanted), LONGEST_LOOK if run.worker.speaks else LONGEST_START)
    except Exception as error:
        return _refusal(error)
    return _binary(request, frame)


async def maps(request: Request) -> Response:
    """POST a LookRequest, get every map of it as a file; ``format`` is npz, csv or json."""
    try:
        kind = request.query_params.get("format", "npz")
        check_format(kind)
        wanted = LookRequest.from_json(await _body(request))
        run = _run(request)
        frame = await _answer(run.maps(wanted), LONGEST_PAST if run.worker.speaks else LONGEST_START)
        file = file_of(frame, kind)
    except Exception as error:
        return _refusal(error)
    headers = {"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{file.name}"'}
    return StreamingResponse(file.content, media_type=file.media_type, headers=headers)


async def past(request: Request) -> Response:
    """POST a PastRequest, get its frame."""
    try:
        wanted = PastRequest.from_json(await _body(request))
        run = _run(request)
        frame = await _answer(run.past(wanted), LONGEST_PAST if run.worker.speaks else LONGEST_START)
    except Exception as error:
        return _refusal(error)
    return _binary(request, frame)


async def generate(request: Request) -> Response:
    """POST a GenerateRequest, get what the model wrote."""
    try:
        wanted = GenerateRequest.from_json(await _body(request))
        written = await _answer(_run(request).generate(wanted), LONGEST_GENERATION)
    except Exception as error:
        return _refusal(error)
    return JSONResponse(written, headers={"Cache-Control": "no-store"})


def _binary(request: Request, frame: bytes) -> Response:
    """A frame, quickly compressed: what stands around the routes would take four times as long for a twentieth less."""
    headers = {"Cache-Control": "no-store", "Vary": "Accept-Encoding"}
    if "gzip" in request.headers.get("accept-encoding", ""):
        headers["Content-Encoding"] = "gzip"
        frame = gzip.compress(frame, compresslevel=1, mtime=0)
    return Response(frame, media_type="application/octet-stream", headers=headers)


async def stream(request: Request) -> Response:
    """GET the run's course from step ``from`` on as server-sent events; a browser that reconnects says where it was."""
    try:
        written = request.headers.get("last-event-id") or request.query_params.get("from") or "0"
        steps = int(written) if written.isascii() and written.isdigit() and len(written) < 10 else None
        if steps is None:
            raise ValueError("from is a number of steps")
        run = _run(request)
    except Exception as error:
        return _refusal(error)
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingResponse(_events(run, steps), media_type="text/event-stream", headers=headers)


async def _events(run: Run, steps: int) -> AsyncIterator[bytes]:
    with run.broadcast.watching() as woken:
        event = run.broadcast.catch_up(steps)
        yield event.data
        place = event.place
        while True:
            while (following := run.broadcast.following(place)) is not None:
                yield following.data
                place = following.place
            if run.over:
                break
            try:
                await asyncio.wait_for(woken.wait(), HEARTBEAT)
                woken.clear()
            except TimeoutError:
                yield b": still here\n\n"
    yield f"event: end\ndata: {json.dumps({'status': run.status})}\n\n".encode()


async def streams(request: Request) -> Response:
    """GET the courses of several runs as server-sent events over one connection, each named by its run.

    ``run`` is a run's id and the step from which on it is told, as in ``…?run=3kS9.0&run=Zx4-.120``. The data are those
    of :func:`stream`; an event ``end`` says of a run {"run", "status"}: how it ended, or "gone" when there is none. A
    browser opens six connections to one server: several curves on a page share one.
    """
    try:
        wanted = [_place(one) for one in request.query_params.getlist("run")]
        if not 0 < len(wanted) <= MOST_STREAMS:
            raise ValueError(f"between 1 and {MOST_STREAMS} runs can be followed at once")
    except Exception as error:
        return _refusal(error)
    headers = {"Cache-Control": "no-cache", "X-Accel-Buffering": "no"}
    return StreamingResponse(_events_of(dict(wanted)), media_type="text/event-stream", headers=headers)


def _place(written: str) -> tuple[str, int]:
    """A run's id and a number of steps. Raises ValueError."""
    run, _, steps = written.rpartition(".")
    if not run or not (steps.isascii() and steps.isdigit() and len(steps) < 10):
        raise ValueError("run is the id of a run, a full stop and a number of steps")
    return run, int(steps)


async def _events_of(wanted: dict[str, int]) -> AsyncIterator[bytes]:
    found = {name: get_pool().recall(name) for name in wanted}
    woken = asyncio.Event()
    with ExitStack() as stack:
        places: dict[Run, Place] = {}
        for name, run in found.items():
            if run is None:
                yield _end(name, "gone")
                continue
            stack.enter_context(run.broadcast.watching(woken))
            event = run.broadcast.catch_up(wanted[name])
            yield _named(run, event)
            places[run] = event.place
        while places:
            woken.clear()  # before looking: what comes meanwhile wakes us again
            for run in list(places):
                while (following := run.broadcast.following(places[run])) is not None:
                    yield _named(run, following)
                    places[run] = following.place
                if run.over:
                    del places[run]
                    yield _end(run.id, run.status)
            if places:
                try:
                    await asyncio.wait_for(woken.wait(), HEARTBEAT)
                except TimeoutError:
                    yield b": still here\n\n"


def _named(run: Run, event: Event) -> bytes:
    return f"event: {run.id}\n".encode() + event.data


def _end(run: str, status: str) -> bytes:
    return f"event: end\ndata: {json.dumps({'run': run, 'status': status})}\n\n".encode()


async def _body(request: Request) -> Any:
    """The JSON of a request of bounded size. Raises ValueError."""
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_BODY:
            raise ValueError("the request is too large")
    try:
        return json.loads(body)
    except RecursionError:
        raise ValueError("the request is nested too deeply") from None


async def _answer(future: Future[Answer], longest: float) -> Answer:
    """Wait for a worker without holding up anybody else. A time-out cancels the question."""
    return await asyncio.wait_for(asyncio.wrap_future(future), longest)


def _run(request: Request) -> Run:
    run = get_pool().find(request.path_params["run"])
    if run is None:
        raise NoRun
    return run


def _refusal(error: Exception) -> Response:
    """What went wrong, as the browser knows it. A mistake of ours is raised again."""
    if isinstance(error, SettingError | ValueError):
        return JSONResponse({"error": "bad_request", "message": str(error)}, 400)
    if isinstance(error, NoRun):
        return JSONResponse({"error": "no_run"}, 404)
    if isinstance(error, WorkerGone):
        return JSONResponse({"error": "worker_gone"}, 410)
    if isinstance(error, TimeoutError | Busy):
        return JSONResponse({"error": "busy"}, 503, headers={"Retry-After": "1"})
    raise error


class Files(StaticFiles):
    """Files that a browser may keep but has to ask about each time (they carry an ETag), Python sources left out."""

    def lookup_path(self, path: str) -> tuple[str, Any]:
        """Find a file by its path."""
        return super().lookup_path(path) if Path(path).suffix in SERVED else ("", None)

    async def get_response(self, path: str, scope: Scope) -> Response:
        """Serve a file."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response
