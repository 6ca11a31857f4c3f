"""Firefox, driven through Marionette, the protocol that it speaks itself: JSON over TCP."""

from __future__ import annotations

import json
import shutil
import socket
import subprocess
import time
from pathlib import Path
from typing import Any, Final, Self

FIREFOX: Final = shutil.which("firefox-esr") or shutil.which("firefox")
ELEMENT: Final = "element-6066-11e4-a52e-4f735466cecf"
"""What WebDriver calls the id of an element."""
PREFERENCES: Final = {
    "marionette.port": 0,
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.shell.checkDefaultBrowser": False,
    "browser.startup.page": 0,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}
KEYS: Final = {"Enter": "\ue007", "Backspace": "\ue003", "Escape": "\ue00c"}


class Firefox:
    """A window of Firefox, with a new profile.

    Args:
        folder: where the profile is.
        port: of this machine, where it listens.
    """

    def __init__(self, folder: Path, port: int) -> None:
        assert FIREFOX is not None
        preferences = {**PREFERENCES, "marionette.port": port}
        lines = [f'user_pref("{name}", {json.dumps(one)});' for name, one in preferences.items()]
        (folder / "user.js").write_text("\n".join(lines), encoding="utf-8")
        command = [FIREFOX, "--headless", "--no-remote", "--marionette", "--profile", str(folder)]
        quiet = subprocess.DEVNULL
        self._process = subprocess.Popen(command, stdout=quiet, stderr=quiet)
        self._socket = self._connected(port)
        self._left = b""
        self._count = 0
        self._read()  # it says what it is
        self.do("WebDriver:NewSession", capabilities={})

    def __enter__(self) -> Self:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close it."""
        try:
            self.do("Marionette:Quit", flags=["eForceQuit"])
        except (OSError, AssertionError):
            self._process.kill()
        self._socket.close()
        self._process.wait(20)

    def do(self, command: str, **given: Any) -> Any:
        """Have it do something, and return what it answers."""
        self._count += 1
        text = json.dumps([0, self._count, command, given]).encode()
        self._socket.sendall(b"%d:%s" % (len(text), text))
        _, number, error, result = self._read()
        assert number == self._count
        assert error is None, f"{command}: {error and error['message']}"
        return result

    def open(self, address: str) -> None:
        """Go to an address."""
        self.do("WebDriver:Navigate", url=address)

    def script(self, text: str, *given: Any) -> Any:
        """Return what a script on the page returns."""
        return self.do("WebDriver:ExecuteScript", script=text, args=list(given))["value"]

    def wait(self, text: str, seconds: float = 20) -> None:
        """Wait until an expression is true on the page."""
        until = time.monotonic() + seconds
        while not self.script(f"return Boolean({text})"):
            assert time.monotonic() < until, f"it did not become true: {text}"
            time.sleep(0.05)

    def click(self, selector: str) -> None:
        """Click an element as a person does: it must be seen, and nothing may cover it."""
        self.do("WebDriver:ElementClick", id=self._found(selector))

    def type(self, selector: str, text: str) -> None:
        """Type into an element."""
        self.do("WebDriver:ElementSendKeys", id=self._found(selector), text=text)

    def text(self, selector: str) -> str:
        """Return the text of an element that is seen."""
        return str(self.do("WebDriver:GetElementText", id=self._found(selector))["value"])

    def _found(self, selector: str) -> str:
        found = self.do("WebDriver:FindElement", using="css selector", value=selector)
        return str(found["value"][ELEMENT])

    def _connected(self, port: int) -> socket.socket:
        until = time.monotonic() + 60
        while True:
            try:
                return socket.create_connection(("127.0.0.1", port), timeout=60)
            except OSError:
                if self._process.poll() is not None or time.monotonic() > until:
                    self._process.kill()
                    raise AssertionError("firefox did not start") from None
                time.sleep(0.1)

    def _read(self) -> Any:
        """A message: its length, a colon, and JSON."""
        while b":" not in self._left:
            self._more()
        size, _, self._left = self._left.partition(b":")
        while len(self._left) < int(size):
            self._more()
        message, self._left = self._left[: int(size)], self._left[int(size) :]
        return json.loads(message)

    def _more(self) -> None:
        more = self._socket.recv(1 << 16)
        if not more:
            raise OSError("firefox is gone")
        self._left += more
