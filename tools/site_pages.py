# SPDX-License-Identifier: Apache-2.0
"""The Markdown pages of the repository in the form that the site is made from.

A forge shows pages as they are. The site differs in three things: a line that stands for a figure
becomes the figure, a link to a folder leads to its README, and a link to a file that is no page
becomes its text, unless the file is data of the documents.
"""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from check_links import ANCHOR, CODE, FENCE, LINK, resolved
from repository import pages_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

FIGURE = re.compile(
    r"^\*Figure `(?P<path>figures/[\w.-]+)`, drawn by `make docs`:\s(?P<title>[^*]+)\.\*$",
    re.MULTILINE,
)
_INDEX = "docs/README.md"
_NOT_SHOWN = re.compile(r"^\.|^changelog\.d/|^benchmarks/(?:.*/)?page\.md$|\.in\.md$")
_SHELF = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)


def shown(root: Path) -> list[str]:
    """Return the pages that the site has."""
    return [page for page in pages_of(root) if not _NOT_SHOWN.match(page)]


def figures_of(page: str, text: str) -> list[str]:
    """Return the paths from the root of the figures that a page shows."""
    return [resolved(page, match["path"]) for match in FIGURE.finditer(text)]


def staged(root: Path, page: str, text: str) -> str:
    """Return the text of a page as the site needs it."""
    anchors = set(ANCHOR.findall(text))

    def changed(match: re.Match[str]) -> str:
        return _link(root, page, match, anchors)

    parts = [part if is_code else LINK.sub(changed, part) for part, is_code in _split_at_code(text)]
    return FIGURE.sub(lambda match: f"![{match['title']}]({match['path']})", "".join(parts))


def _split_at_code(text: str) -> Iterator[tuple[str, bool]]:
    """Return the parts of a text, and which are code, in which nothing is a link."""
    end = 0
    for match in re.finditer(f"{FENCE.pattern}|{CODE.pattern}", text, FENCE.flags):
        yield text[end : match.start()], False
        yield match[0], True
        end = match.end()
    yield text[end:], False


def _link(root: Path, page: str, match: re.Match[str], anchors: set[str]) -> str:
    target, text = match[1], match[0][1 : match[0].index("](")]
    if "://" in target:
        return match[0]
    if target.startswith("#") and target[1:] in anchors:
        return f'<a href="{target}">{text}</a>'
    path = resolved(page, target)
    place = root / path
    if place.is_dir() and (place / "README.md").is_file():
        return f"[{text}]({target.rstrip('/')}/README.md)"
    return match[0] if place.suffix == ".md" or is_data(path) else text


def is_data(path: str) -> bool:
    """Tell whether a file is data that the site hands out."""
    return path.startswith("docs/") and PurePosixPath(path).suffix in {".csv", ".json"}


def shelves(text: str) -> list[tuple[str, list[str]]]:
    """Return the titles of the index of documents, and the pages below each."""
    marks = list(_SHELF.finditer(text))
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    return [
        (mark["title"], _pages_in(text[mark.end() : end]))
        for mark, end in zip(marks, ends, strict=True)
    ]


def _pages_in(text: str) -> list[str]:
    targets = (match[1].split("#")[0] for match in LINK.finditer(text))
    return [resolved(_INDEX, target) for target in targets if target.endswith(".md")]


def _first_screen(root: Path) -> str:
    """Return what stands in README before its first section."""
    text = staged(root, "README.md", (root / "README.md").read_text(encoding="utf-8"))
    return text.split("\n## ", maxsplit=1)[0] + "\n"


def contents(root: Path, generated: dict[str, list[str]]) -> str:
    """Return the first page of the site: the first screen of README, and every page, by shelf.

    Args:
        root: of the repository.
        generated: pages by shelf that are made when the site is built.
    """
    pages = shown(root)
    text = (root / _INDEX).read_text(encoding="utf-8")
    found = [("Start", ["README.md", _INDEX])]
    found += [(title, own + generated.get(title, [])) for title, own in shelves(text)]
    listed = {page for _, own in found for page in own}
    found.append(("The code, folder by folder", [page for page in pages if page not in listed]))
    return _first_screen(root) + "".join(
        "\n".join(["", "```{toctree}", ":maxdepth: 1", f":caption: {title}", "", *own, "```", ""])
        for title, own in found
    )
