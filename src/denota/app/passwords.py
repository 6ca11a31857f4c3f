"""Passwords of databases: from the environment, or from the keyring where that is installed.

Drivers look further by themselves: libpq in PGPASSWORD, ~/.pgpass and service files.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from denota.tables.address import Address

SERVICE: Final = "denota"
"""Under which the keyring has passwords; the user there is the address without `#table`."""


def look_for_passwords(credentials: Any) -> None:
    """Let the module that needs passwords find them here."""
    credentials.find_passwords_with(find_password)


def find_password(address: Address) -> str | None:
    """Return the password for a server, None if the driver is to find it by itself."""
    own = "PGPASSWORD" if address.scheme == "postgresql" else "MYSQL_PWD"
    found = os.environ.get("DENOTA_PASSWORD") or os.environ.get(own)
    return found or _from_keyring(address)


def _from_keyring(address: Address) -> str | None:
    try:
        import keyring
    except ImportError:
        return None
    try:
        found: str | None = keyring.get_password(SERVICE, address.place)
    except Exception:  # a keyring that is locked, or that has no place to keep anything
        return None
    return found
