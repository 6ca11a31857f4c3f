"""Programs: the language, its trees and their forms, and the space of a question's programs."""

from denota.programs.denotation import Denotation, jaccard
from denota.programs.english import say
from denota.programs.execute import execute
from denota.programs.operators import LANGUAGES, language_of
from denota.programs.space import ProgramSpace, program_space
from denota.programs.text import parse_program, print_program
from denota.programs.tree import And, Date, Number, Or, Program, Test, Value, Word

__all__ = [
    "And",
    "Date",
    "Denotation",
    "LANGUAGES",
    "Number",
    "Or",
    "Program",
    "ProgramSpace",
    "Test",
    "Value",
    "Word",
    "execute",
    "jaccard",
    "language_of",
    "parse_program",
    "print_program",
    "program_space",
    "say",
]
