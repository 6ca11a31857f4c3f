"""Data sets (SQA, WikiTableQuestions, WikiSQL, the project's JSONL) as questions and examples."""

from denota.data.answer import Answer, Cells, Item, Values
from denota.data.example import Example, Question, conversations
from denota.data.jsonl import read_jsonl, write_jsonl
from denota.data.loaded import Loaded, Problem
from denota.data.predictions import read_predictions, write_predictions
from denota.data.release.fetch import Fetched, fetch
from denota.data.splits import load_examples, load_questions, resolve_data, split_names
from denota.data.sqa import read_examples, read_questions

__all__ = [
    "Answer",
    "Cells",
    "Example",
    "Fetched",
    "Item",
    "Loaded",
    "Problem",
    "Question",
    "Values",
    "conversations",
    "fetch",
    "load_examples",
    "load_questions",
    "read_examples",
    "read_jsonl",
    "read_predictions",
    "read_questions",
    "resolve_data",
    "split_names",
    "write_jsonl",
    "write_predictions",
]
