"""What a question is about: the whole table, or the answer before it."""

from __future__ import annotations

from typing import Literal

Scope = Literal["table", "previous"]
"""What a question was taken to be about."""
AskedScope = Literal["auto", "table"]
"""What a question is asked to be about: what it seems to be, or the whole table."""
