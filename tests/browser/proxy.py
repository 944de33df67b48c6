"""A TCP proxy between browser and server whose connections a test can cut, and later let through again."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any


class Proxy:
    """Passes bytes on in both directions until it is told to :meth:`cut`."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._open = True
        self._writers: set[asyncio.StreamWriter] = set()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="proxy")
        self._thread.start()
        self._server: asyncio.Server = self._run(asyncio.start_server(self._accept, "127.0.0.1", 0))
        self.port: int = self._server.sockets[0].getsockname()[1]

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def cut(self) -> None:
        """Break every connection and refuse new ones."""
        self._run(self._cut())

    def restore(self) -> None:
        """Let new connections through again."""
        self._open = True

    def close(self) -> None:
        """End the proxy and its thread."""
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _run(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _cut(self) -> None:
        self._open = False
        for writer in self._writers:
            writer.transport.abort()

    async def _close(self) -> None:
        await self._cut()
        self._server.close()
        if passing := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.wait(passing, timeout=5)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self._open:
            writer.transport.abort()
            return
        there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._target)
        ours = {writer, there_writer}
        self._writers |= ours
        try:
            await asyncio.gather(_pass(reader, there_writer), _pass(there_reader, writer))
        finally:
            self._writers -= ours


async def _pass(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass  # cut, by a test or by the other side: the same end
    finally:
        writer.close()


@contextmanager
def proxy_to(port: int) -> Iterator[Proxy]:
    """A proxy in front of a local port."""
    proxy = Proxy(port)
    try:
        yield proxy
    finally:
        proxy.close()
