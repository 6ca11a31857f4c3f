"""What the name of a column says of its cells: that they are years, or codes and no numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final


def words_of(name: str) -> str:
    """Return a name with its words apart, in lower case.

    >>> words_of("birthYear"), words_of("zip_code"), words_of("HTTPStatus (no.)")
    ('birth year', 'zip code', 'http status (no.)')
    """
    return " ".join(_CAMEL.sub(" ", name[:_LONGEST].replace("_", " ")).lower().split())


def says_years(name: str) -> bool:
    """Say whether a name promises years.

    >>> says_years("deathYear"), says_years("Yearly income")
    (True, False)
    """
    return _YEAR_NAME.search(words_of(name)) is not None


def says_codes(name: str) -> bool:
    """Say whether a name promises codes, which are told apart and never counted with.

    >>> [says_codes(name) for name in ("customerId", "ZIP code", "Phone no.", "Code length")]
    [True, True, True, False]
    """
    words = _WORD.findall(_BRACKETS.sub("", words_of(name)))
    if len(words) > 1 and words[-1] in _NUMBER_WORDS:
        return words[-2] in _CODES or words[-2] in _NUMBERED
    return bool(words) and words[-1] in _CODES


def are_codes(name: str, texts: Sequence[str]) -> bool:
    """Say whether a column's texts, all with digits, are codes: post codes, part numbers, phones.

    >>> are_codes("n", ["007", "012"]), are_codes("n", ["7", "12"]), are_codes("id", ["7", "12"])
    (True, False, True)
    """
    if "".join(texts).isdecimal() and any(text[0] == "0" and len(text) > 1 for text in texts):
        if any(len(text) > 3 and text[0] == "0" for text in texts):
            return True
        if len(texts) > 1 and len(set(map(len, texts))) == 1 and len(texts[0]) > 2:
            return not _says_number(name)
    return says_codes(name) and all(_CODE.fullmatch(text) for text in texts)


def _says_number(name: str) -> bool:
    words = _WORD.findall(words_of(name))
    return len(words) == 1 and words[0] in _NUMBER_WORDS


_LONGEST: Final = 200
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_BRACKETS: Final = re.compile(r"\([^()]*\)")
_WORD: Final = re.compile(r"[^\W_]+|#")
_NUMBER_WORDS: Final = frozenset(["number", "numbers", "no", "nr", "num", "#"])
_CODES: Final = frozenset(
    "id ids code codes zip zipcode postcode postcodes plz phone phones telephone tel fax isbn issn"
    " ean upc sku gtin barcode iban fips uuid ssn vat".split()
)
_NUMBERED: Final = frozenset(
    "account invoice customer tracking employee student member passport article".split()
)
"""`account number` is a code, `number` alone need not be."""
_CODE: Final = re.compile(r"[+(]{0,2}[0-9][0-9 ()/-]{0,30}")
_YEAR_NAME: Final = re.compile(
    r"\b(?:years?|yrs?|seasons?|dates?|founded|established|opened|closed|built|completed|since|born|died|"
    r"inaugurated|inauguration|launched|released?|introduced|retired|discontinued|term|tenure|office|reign|period)\b"
)
