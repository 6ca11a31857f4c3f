"""What the site has beside docs/, and links that stay within it.

README.md, CONTRIBUTING.md and CHANGELOG.md are pages of it.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).parent.parent
PAGES = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changelog.md",
}
"""Files of the project's folder, and what they are called on the site."""
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s#]+)(#[^)\s]*)?\)")


def on_files(files: Files, config: Any) -> Files:
    """Add the pages that lie elsewhere."""
    for name, page in PAGES.items():
        content = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=within(content, ".")))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Mend the links of a page; generated ones are mended already."""
    return markdown if page.file.src_uri in PAGES.values() else within(markdown, "docs")


def within(markdown: str, folder: str) -> str:
    """Return a document of a folder with its links as the site has them.

    A link to a file that the site lacks becomes its text and the path of the file.

    >>> within("[how](docs/ask.md#json), [what](CHANGELOG.md), [why](tests/x.md)", ".")
    '[how](ask.md#json), [what](changelog.md), why (`tests/x.md`)'
    >>> within("[back](../README.md), [here](ask.md)", "docs")
    '[back](index.md), [here](ask.md)'
    """

    def mend(found: re.Match[str]) -> str:
        mark, text, target, anchor = found.groups()
        if "://" in target:
            return found[0]
        place = posixpath.normpath(posixpath.join(folder, target))
        if place in PAGES:
            there = PAGES[place]
        elif place.startswith("docs/"):
            there = place.removeprefix("docs/")
        else:
            return f"`{place}`" if text == place else f"{text} (`{place}`)"
        return f"{mark}[{text}]({there}{anchor or ''})"

    return LINK.sub(mend, markdown)
