"""Worker processes: what takes too long or is not wanted any more is stopped."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest

from denota.app.web import pool as pool_file
from denota.app.web.messages import Source
from denota.app.web.pool import GRACE, Pool
from denota.app.web.queue import Job
from denota.app.web.refusals import Busy, Late
from denota.app.web.sessions import SessionStore
from denota.app.web.worker import Setting
from denota.errors import DenotaError, TableError, TooLarge
from denota.teaching.log import TeachingLog

T = TypeVar("T")
SMALL = Source("sample", "castles")
LINES = (f"{row},{row * 7 % 1000},2026-01-{row % 28 + 1:02},name {row}" for row in range(90_000))
LARGE = Source("file", "large.csv", "\n".join(["n,m,day,who", *LINES]).encode())
"""Takes seconds to be read and asked about."""


def with_pool(folder: Path, use: Callable[[Pool], Awaitable[T]], memory: int = 3 << 30) -> T:
    """Start one worker, use it, and end it."""
    sessions, lessons = folder / "sessions.sqlite", folder / "lessons.sqlite"
    SessionStore(sessions).close()
    TeachingLog(lessons).close()

    async def run() -> T:
        pool = Pool(Setting("default", sessions, lessons, memory=memory), 1)
        await pool.start()
        try:
            return await use(pool)
        finally:
            pool.close()

    return asyncio.run(run())


def ask(source: Source, seconds: float = 60) -> Job:
    return Job("somebody", "once", (source, ("how many are there?",), 10), seconds=seconds)


def pid(pool: Pool) -> int:
    (one,) = pool._workers.values()
    assert one.process.pid is not None
    return int(one.process.pid)


@pytest.mark.slow
def test_what_takes_too_long_is_stopped_and_the_worker_goes_on(tmp_path: Path) -> None:
    async def use(pool: Pool) -> None:
        before = pid(pool)
        with pytest.raises(Late):
            await pool.run(ask(LARGE, seconds=0.2))
        assert (await pool.run(ask(SMALL))).body
        assert pid(pool) == before, "it heeded the signal"

    with_pool(tmp_path, use)


@pytest.mark.slow
def test_work_whose_client_leaves_is_stopped(tmp_path: Path) -> None:
    async def use(pool: Pool) -> None:
        loop = asyncio.get_running_loop()
        working = asyncio.ensure_future(pool.run(ask(LARGE)))
        waiting = asyncio.ensure_future(pool.run(ask(LARGE)))
        await asyncio.sleep(0.2)
        assert pool.waiting == 1
        working.cancel()
        waiting.cancel()
        began = loop.time()
        assert (await pool.run(ask(SMALL))).body
        assert loop.time() - began < GRACE + 5, "nobody waits for what nobody wants"

    with_pool(tmp_path, use)


@pytest.mark.slow
def test_a_worker_that_dies_is_replaced_and_its_job_begun_again(tmp_path: Path) -> None:
    async def use(pool: Pool) -> None:
        before = pid(pool)
        working = asyncio.ensure_future(pool.run(ask(LARGE)))
        await asyncio.sleep(0.2)
        os.kill(before, signal.SIGKILL)
        assert (await working).body
        assert pid(pool) != before

        working = asyncio.ensure_future(pool.run(ask(LARGE)))
        with pytest.raises(Busy, match="lost"):
            while not working.done():
                (one,) = pool._workers.values()
                if one.job is not None:
                    one.process.kill()  # whoever takes it up
                await asyncio.sleep(0.1)
            await working

    with_pool(tmp_path, use)


@pytest.mark.slow
def test_nobody_waits_for_workers_that_never_get_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool_file, "STILLBORN", 2)
    monkeypatch.setattr(pool_file, "PAUSE", 0.05)

    async def use(pool: Pool) -> None:
        with monkeypatch.context() as dying:
            dying.setattr(pool_file.worker, "begin", _die)
            os.kill(pid(pool), signal.SIGKILL)
            while pool.ready:
                await asyncio.sleep(0.02)
            with pytest.raises(Busy, match="lost"):
                await asyncio.wait_for(pool.run(ask(SMALL)), 30)
        assert (await asyncio.wait_for(pool.run(ask(SMALL)), 60)).body, "and they come back"

    with_pool(tmp_path, use)


def _die(*given: object) -> None:
    os._exit(1)


@pytest.mark.slow
def test_no_job_takes_the_machines_memory(tmp_path: Path) -> None:
    async def use(pool: Pool) -> None:
        lines = (f"{row},{row * 7},name {row},other {row * 11}" for row in range(600_000))
        data = "\n".join(["n,m,who,what", *lines]).encode()
        with pytest.raises(TooLarge, match="memory"):
            await pool.run(ask(Source("file", "huge.csv", data)))
        assert (await pool.run(ask(SMALL))).body

    with_pool(tmp_path, use, memory=300 << 20)


@pytest.mark.slow
def test_what_a_job_says_cannot_be_done_is_passed_on(tmp_path: Path) -> None:
    async def use(pool: Pool) -> None:
        with pytest.raises(TableError, match="no rows"):
            await pool.run(ask(Source("file", "x.csv", b"a,b\n")))
        pool.close()
        with pytest.raises(Busy, match="ending"):
            await pool.run(ask(SMALL))

    with_pool(tmp_path, use)


@pytest.mark.slow
def test_a_model_that_cannot_be_read_is_said(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"nothing of the kind")

    async def start() -> None:
        model = str(tmp_path / "model.safetensors")
        pool = Pool(Setting(model, tmp_path / "s.sqlite", tmp_path / "l.sqlite"), 1)
        await pool.start()

    with pytest.raises(DenotaError, match=r"model\.safetensors"):
        asyncio.run(start())
