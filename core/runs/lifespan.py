"""The pool lives as long as the server: what the launcher hands to Streamlit beside the routes."""

from __future__ import annotations

import signal
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from types import FrameType
from typing import Any

from core.runs.pool import Pool, close_pool, get_pool


@asynccontextmanager
async def lifespan(app: Any) -> AsyncIterator[None]:
    """Workers warm up before the first page, and none is left behind."""
    _end_streams_on_signal(get_pool())
    try:
        yield
    finally:
        close_pool()


def _end_streams_on_signal(pool: Pool) -> None:
    """Make Ctrl+C end the streams: uvicorn waits for every open response before it lets the lifespan end."""
    if threading.current_thread() is not threading.main_thread():
        return
    for number in (signal.SIGINT, signal.SIGTERM):
        handler = signal.getsignal(number)
        if callable(handler):
            signal.signal(number, partial(_end_streams_first, pool, handler))


def _end_streams_first(
    pool: Pool, handler: Callable[[int, FrameType | None], Any], number: int, frame: FrameType | None
) -> None:
    pool.end_streams()
    handler(number, frame)
