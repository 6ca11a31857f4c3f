"""What the server counts, for Prometheus: requests, jobs, sessions and memory."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from denota.app.web.access_log import AccessLog


class Metrics:
    """Counts of one server.

    Args:
        log: where each request is written, too.
    """

    def __init__(self, log: AccessLog | None = None) -> None:
        self._log = log
        self._registry = CollectorRegistry()
        labels = ["method", "route", "status"]
        own = self._registry
        self._requests = Counter("denota_requests", "Requests answered", labels, registry=own)
        self._seconds = Histogram(
            "denota_request_seconds", "Seconds to answer a request", ["route"], registry=own
        )
        self._jobs = Histogram(
            "denota_job_seconds", "Seconds that a worker took", ["job"], registry=own
        )

    def gauge(self, name: str, what: str, read: Callable[[], float]) -> None:
        """Tell a figure as it is when it is asked for."""
        Gauge(f"denota_{name}", what, registry=self._registry).set_function(read)

    def request(self, id_: str, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        known = method if method in ("GET", "POST", "DELETE", "HEAD", "OPTIONS") else "other"
        self._requests.labels(known, route, status).inc()
        self._seconds.labels(route).observe(seconds)
        if self._log is not None:
            self._log.write(id_, known, route, status, seconds)

    def job(self, name: str, seconds: float) -> None:
        """Count what a worker did."""
        self._jobs.labels(name).observe(seconds)

    def text(self) -> bytes:
        """Return all figures as Prometheus reads them."""
        return generate_latest(self._registry)


def resident() -> int:
    """Return the bytes of memory that this process holds; 0 where that is not told."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0
