"""The project's own data: one conversation a line, as JSON.

    {"table": "path.csv", "turns": [
        {"question": "...", "answer": ["cell text"]}, {"question": "...", "cells": [[0, 1]]}]}

Tables are relative to the file, or stand in the line itself:
`{"table": {"columns": [...], "rows": [[...], ...]}, "turns": ...}`.

A turn gives its answer as values (`answer`: texts, numbers, true or false; an empty list says that
there is none), as `cells`, as both if they agree (the cells count), or not at all. A turn that
`denota ask --json` printed is read too; its typed `values` count before its texts.

A line may carry an `id` and an `annotator`. Further keys are free for notes beside `turns`; in a
turn they are refused, since a misspelt `answer` would be lost without a word.
"""

from denota.data.jsonl.read import read_jsonl, read_objects
from denota.data.jsonl.write import write_jsonl

__all__ = ["read_jsonl", "read_objects", "write_jsonl"]
