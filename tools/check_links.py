# SPDX-License-Identifier: Apache-2.0
"""Check that links between the Markdown files lead somewhere, and that README leads to every page.

Links to other sites are not followed. Fragments of the changelog and templates of pages are read
as what they become: CHANGELOG.md, and a page in docs/benchmarks.

Usage: check_links.py [root]. Prints one line per problem; exit code 1 if there is any.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path, PurePosixPath

from repository import pages_of

FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]*`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
ANCHOR = re.compile(r'<a id="([^"]+)"')
HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
START = "README.md"
PAGES = "docs/"


def links_in(text: str) -> list[tuple[int, str]]:
    """Return the line and target of each link to a place in the repository."""

    def blank(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match[0])

    plain = CODE.sub(blank, FENCE.sub(blank, text))
    found = ((plain.count("\n", 0, match.start()) + 1, match[1]) for match in LINK.finditer(plain))
    return [(line, target) for line, target in found if "://" not in target]


def anchors_in(text: str) -> set[str]:
    """Return what headings are called in links."""
    headings = (heading.lower() for heading in HEADING.findall(FENCE.sub("", text)))
    names = {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in headings}
    return names | set(ANCHOR.findall(text))


def place_of(page: str) -> str:
    """Return where a page is when people read it."""
    if page.startswith("changelog.d/"):
        return "CHANGELOG.md"
    is_template = page.startswith("benchmarks/") and page.endswith("/page.md")
    return "docs/benchmarks/page.md" if is_template else page


def resolved(page: str, target: str) -> str:
    """Return the path from the root that a link on a page leads to, without the anchor."""
    path = target.split("#", maxsplit=1)[0]
    parts: list[str] = []
    for part in (PurePosixPath(page).parent / path).parts if path else PurePosixPath(page).parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def is_dead(root: Path, page: str, target: str) -> bool:
    """Tell whether a link leads nowhere."""
    path = root / resolved(page, target)
    anchor = target.partition("#")[2]
    if not path.exists():
        return True
    return bool(anchor) and anchor not in anchors_in(path.read_text(encoding="utf-8"))


def reachable(texts: dict[str, str], start: str) -> set[str]:
    """Return the pages that links lead to from one page, itself included."""
    seen: set[str] = set()
    ahead = [start]
    while ahead:
        page = ahead.pop()
        if page in seen or page not in texts:
            continue
        seen.add(page)
        for _, target in links_in(texts[page]):
            place = resolved(page, target)
            ahead += [place, f"{place}/README.md"]
    return seen


def check(root: Path) -> list[str]:
    """Return a line for each problem below a root."""
    pages = pages_of(root)
    texts = {page: (root / page).read_text(encoding="utf-8") for page in pages}
    dead = [
        f"{page}:{line}: expected a file or heading of the repository, got '{target}'"
        for page in pages
        for line, target in links_in(texts[page])
        if is_dead(root, place_of(page), target)
    ]
    found = reachable(texts, START)
    orphans = [page for page in pages if page.startswith(PAGES) and page not in found]
    return dead + [f"{page}: expected a link that leads here from {START}" for page in orphans]


def main() -> int:
    """Check the tree given as argument, by default the one this script is in."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    problems = check(root)
    print("\n".join(problems) or "links: ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
