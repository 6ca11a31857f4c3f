"""Questions of several conversations rated together.

One thread has the parser; whoever asks while it is at work is in its next batch. So a lone question waits for nobody, and many at once share the encoder's work.
"""

from __future__ import annotations

import threading
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Final

from denota.app.chat import RATED
from denota.errors import DenotaError
from denota.model.parser import Parser
from denota.search.prepare import Prepared

MOST: Final = 8
"""Questions of a batch."""
PATIENCE: Final = 30.0
"""Seconds after which a question is given up."""

Rated = tuple[list[int], list[float]]


class Busy(DenotaError):
    """A server with too much to do."""


class Batcher:
    """Rates programs for many conversations; to call it is to wait for one's own."""

    def __init__(self, parser: Parser) -> None:
        self.parser = parser
        self._waiting: SimpleQueue[tuple[Prepared, Future[Rated]] | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="denota-parser", daemon=True)
        self._thread.start()

    def __call__(self, ready: Prepared) -> Rated:
        """Return a question's best programs and their probabilities.

        Raises:
            Busy: it took too long.
        """
        future: Future[Rated] = Future()
        self._waiting.put((ready, future))
        try:
            return future.result(PATIENCE)
        except TimeoutError:
            future.cancel()
            raise Busy("the server has too much to do; ask again in a moment") from None

    def close(self) -> None:
        """Let the thread end."""
        self._waiting.put(None)
        self._thread.join()

    def _work(self) -> None:
        while True:
            batch = [self._waiting.get()]
            while len(batch) < MOST and not self._waiting.empty():
                batch.append(self._waiting.get())
            asked = [one for one in batch if one is not None and one[1].set_running_or_notify_cancel()]  # fmt: skip
            self._rate(asked)
            if None in batch:
                return

    def _rate(self, asked: list[tuple[Prepared, Future[Rated]]]) -> None:
        if not asked:
            return
        try:
            found = self.parser.rated([ready for ready, _ in asked], RATED)
        except Exception as error:
            if len(asked) > 1:  # one that fails is not to fail the others
                for one in asked:
                    self._rate([one])
            else:
                asked[0][1].set_exception(error)
            return
        for (_, future), rated in zip(asked, found, strict=True):
            future.set_result(rated)
