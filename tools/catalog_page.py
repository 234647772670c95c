# SPDX-License-Identifier: Apache-2.0
"""Write docs/reference/catalog.md from the heads of the algorithm files and the built module.

Usage: catalog_page.py [--check [--text]]. With --check nothing is written; exit code 1 if the page
is out of date. With --text, or where the module is not built, numbers are not compared.
"""

from __future__ import annotations

import argparse
import dataclasses
import fractions
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

ROOT = Path(__file__).resolve().parents[1]
PAGE = Path("docs/reference/catalog.md")
CATALOG = Path("espalier/algorithms/CMakeLists.txt")
REFERENCES = Path("docs/references.bib")
COMMAND = ".venv/bin/python tools/catalog_page.py"

FIELDS = ("Rounds", "Bytes", "Scratch", "Order", "Valid", "Source")
_FIELD_WIDTH = 9
REQUIRED = ("Rounds", "Valid", "Source")
COLLECTIVES = (
    "barrier",
    "bcast",
    "scatter",
    "gather",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "scan",
    "exscan",
    "allgather",
    "alltoall",
)
NUM_RANKS = 48
# Tried in this order where an algorithm does not accept that many.
OTHER_RANKS = (64, 49, 36, 47, 16)
BEGIN_NUMBERS = "<!-- numbers -->"
END_NUMBERS = "<!-- end of numbers -->"

INTRODUCTION = f"""\
# The catalog

Made by `{COMMAND}` from the heads of `espalier/algorithms/<collective>/<name>.cpp`; do not edit.

p is the number of ranks, m as each entry says; log2 is the binary logarithm. Every entry is proved
by `espalier check --all`, drawn by `espalier show <collective>/<name>`, and its rounds, messages,
blocks and scratch are counted by the prover. Order is what happens to the operands of a reduction;
entries without that field combine nothing.

The second table of each collective has numbers for the first variant on {NUM_RANKS} ranks, or on as
many as it says: the most messages, bytes and scratch of one rank, and the time without contention:
alpha a round, beta a byte sent, gamma a byte combined. There m is the size of the result of one
rank; in reduce_scatter and scatter that of the whole vector.
"""


class OutOfStepError(Exception):
    """A file is not as this tool needs it."""


@dataclasses.dataclass(frozen=True)
class Head:
    """What the head of an algorithm file says."""

    collective: str
    name: str
    fields: dict[str, str]

    @property
    def link(self) -> str:
        """Return the name as a link to the file."""
        return f"[{self.name}](../../espalier/algorithms/{self.collective}/{self.name}.cpp)"


def parse_head(text: str) -> dict[str, str]:
    """Return the fields of the first comment of a file; continuation lines are joined."""
    head = re.search(r"^/// @file\n((?:///.*\n)+)", text, re.MULTILINE)
    if head is None:
        raise OutOfStepError("expected a comment that begins with /// @file, got none")
    fields: dict[str, str] = {}
    current = None
    for line in head[1].splitlines():
        content = line.removeprefix("///")
        # Names of fields are padded to one width.
        name = content[1:_FIELD_WIDTH].rstrip()
        if name in FIELDS and content[_FIELD_WIDTH : _FIELD_WIDTH + 1].strip():
            current = name
            fields[current] = content[_FIELD_WIDTH:].strip()
        elif not content.strip():
            current = None
        elif current is not None:
            fields[current] += " " + content.strip()
    missing = [name for name in REQUIRED if name not in fields]
    if missing:
        raise OutOfStepError(f"expected a head with {', '.join(REQUIRED)}, got no {missing[0]}")
    return fields


def catalog_names(text: str) -> list[str]:
    """Return `collective/name` of all algorithms in the order of the catalog."""
    match = re.search(r"set\(\s*catalog\s+([^)]*)\)", text)
    if match is None:
        raise OutOfStepError(f"{CATALOG}: expected set(catalog ...), got none")
    names = match[1].split()
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise OutOfStepError(f"{CATALOG}: expected each algorithm once, got {repeated[0]} again")
    return names


def read_heads(root: Path) -> list[Head]:
    """Return the heads of all algorithms of the catalog."""
    heads = []
    for full_name in catalog_names((root / CATALOG).read_text(encoding="utf-8")):
        collective, _, name = full_name.partition("/")
        path = root / CATALOG.parent / f"{full_name}.cpp"
        try:
            heads.append(Head(collective, name, parse_head(path.read_text(encoding="utf-8"))))
        except OutOfStepError as error:
            raise OutOfStepError(f"{path.relative_to(root)}: {error}") from error
    return heads


def check_folders(root: Path, names: Iterable[str]) -> None:
    """Raise unless the folders of collectives hold only algorithms of the catalog."""
    known = set(names)
    for collective in COLLECTIVES:
        for path in sorted((root / CATALOG.parent / collective).glob("*.[ch]pp")):
            if f"{collective}/{path.stem}" not in known or path.suffix != ".cpp":
                raise OutOfStepError(
                    f"{path.relative_to(root)}: expected a line in {CATALOG}, or a file that"
                    f" several algorithms share in {collective}/parts/, got neither"
                )


_ACCENT = re.compile(r"\{?\\([\"'`^~vc=.]) ?\{?(\\?[A-Za-z])\}?\}?")


def plain(text: str) -> str:
    """Return a BibTeX value as ASCII: an umlaut gets an e, other accents go."""
    text = _ACCENT.sub(lambda match: match[2].lstrip("\\") + ("e" if match[1] == '"' else ""), text)
    text = re.sub(r"\{?\\([oOlL])(?![A-Za-z])\}?", r"\1", text)
    return " ".join(re.sub(r"[{}]", "", text).replace("\\&", "&").replace("--", "-").split())


def _value(text: str) -> str:
    """Return the braced value that a text begins with."""
    depth = 0
    for position, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if depth == 0:
            return text[1:position]
    raise OutOfStepError(f"{REFERENCES}: expected balanced braces, got {text[:40]!r}")


def parse_references(text: str) -> dict[str, dict[str, str]]:
    """Return the fields of each entry of a BibTeX file, without markup."""
    references = {}
    for entry in re.split(r"^@", text, flags=re.MULTILINE)[1:]:
        head = re.match(r"\w+\{([^,]+),", entry)
        if head:
            fields = re.finditer(r"^\s*(\w+)\s*=\s*(?=\{)", entry, re.MULTILINE)
            references[head[1]] = {
                field[1]: plain(_value(entry[field.end() :])) for field in fields
            }
    return references


def _names_text(authors: str) -> str:
    names = [author.partition(",")[0].strip() for author in authors.split(" and ")]
    if len(names) > 3:
        return f"{names[0]} and others"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def reference_text(fields: dict[str, str]) -> str:
    """Return an entry as one line."""
    where = fields.get("journal") or fields.get("booktitle") or fields.get("school") or ""
    if not where and "eprint" in fields:
        where = f"{fields.get('archiveprefix', '')} {fields['eprint']}".strip()
    parts = [_names_text(fields.get("author", "")), fields.get("title", ""), where]
    return ", ".join([part for part in parts if part] + [fields.get("year", "")])


def keys_of(source: str) -> list[str]:
    """Return the references that a Source line names, in brackets."""
    return re.findall(r"\[([a-z]+\d{4}[a-z]?)\]", source)


def check_sources(heads: Iterable[Head], references: Iterable[str]) -> None:
    """Raise unless all sources are known."""
    known = set(references)
    for head in heads:
        missing = [key for key in keys_of(head.fields["Source"]) if key not in known]
        if missing:
            name = f"{head.collective}/{head.name}"
            raise OutOfStepError(f"{name}: expected a source of {REFERENCES}, got {missing[0]}")


def cell(text: str) -> str:
    """Return a text that stays itself in a table."""
    return text.replace("|", "\\|").replace("*", "\\*")


def _linked(source: str) -> str:
    text = cell(_without_stop(source))
    for key in dict.fromkeys(keys_of(source)):
        text = text.replace(f"[{key}]", f"[{key}](#{key})")
    return text


def _without_stop(text: str) -> str:
    return text if text.endswith("..") else text.removesuffix(".")


def _table(columns: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    yield "| " + " | ".join(columns) + " |"
    yield "|" + "---|" * len(columns)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


def _head_table(heads: list[Head]) -> Iterator[str]:
    used = [field for field in FIELDS if any(field in head.fields for head in heads)]
    rows = (
        [head.link]
        + [
            _linked(head.fields["Source"])
            if field == "Source"
            else cell(_without_stop(head.fields.get(field, "")))
            for field in used
        ]
        for head in heads
    )
    yield from _table(["entry", *(field.lower() for field in used)], rows)


def _part(blocks: int, output_blocks: int, unit: str = "m") -> str:
    if not blocks:
        return "0"
    part = fractions.Fraction(blocks, output_blocks)
    return unit if part == 1 else f"{part} {unit}"


def _first_choice(core: Any, head: Head) -> tuple[str, int] | None:
    for num_ranks in (NUM_RANKS, *OTHER_RANKS):
        for choice in core.variants(head.collective, num_ranks):
            if choice.partition("[")[0] == f"{head.collective}/{head.name}":
                return choice, num_ranks
    return None


def number_row(core: Any, head: Head) -> list[str]:
    """Return the numbers of the first variant of an algorithm as cells."""
    found = _first_choice(core, head)
    if found is None:
        return [head.name, "", "", "", "", "", ""]
    choice, num_ranks = found
    facts = core.facts(choice, num_ranks)
    work = core.count(choice, num_ranks)
    blocks = facts["output_blocks"]
    time = f"{work['rounds']} alpha"
    for amount, rate in ((work["volume"], "beta"), (work["reductions"], "gamma")):
        if amount:
            time += f" + {_part(amount, blocks)} {rate}"
    ranks = "" if num_ranks == NUM_RANKS else f" on {num_ranks} ranks"
    return [
        cell(choice.partition("/")[2]) + ranks,
        f"{facts['rounds']}",
        f"{facts['messages']}",
        _part(facts["blocks"], blocks),
        _part(facts["scratch"], blocks),
        time,
    ]


def _number_table(core: Any, heads: list[Head]) -> Iterator[str]:
    columns = [f"on {NUM_RANKS} ranks", "rounds", "messages", "bytes sent", "scratch", "time"]
    yield from _table(columns, (number_row(core, head) for head in heads))


def _numbers(core: Any, old: dict[str, str], heads: list[Head]) -> str:
    """Return the table of numbers; without the module the one that the page has."""
    if core is None:
        return old.get(heads[0].collective, "")
    return "\n".join(_number_table(core, heads))


def old_numbers(page: str) -> dict[str, str]:
    """Return the tables of numbers of a page, by collective."""
    found = {}
    for section in re.split(r"^## ", page, flags=re.MULTILINE)[1:]:
        match = re.search(rf"{BEGIN_NUMBERS}\n(.*?)\n{END_NUMBERS}", section, re.DOTALL)
        if match:
            found[section.split(maxsplit=1)[0]] = match[1]
    return found


def make_page(root: Path, core: Any) -> str:
    """Return the page; core is the built module, or None to keep the numbers of the page."""
    heads = read_heads(root)
    check_folders(root, [f"{head.collective}/{head.name}" for head in heads])
    references = parse_references((root / REFERENCES).read_text(encoding="utf-8"))
    check_sources(heads, references)
    old = {}
    if core is None and (root / PAGE).exists():
        old = old_numbers((root / PAGE).read_text(encoding="utf-8"))
    lines = [INTRODUCTION]
    for collective in COLLECTIVES:
        own = [head for head in heads if head.collective == collective]
        if own:
            lines += [f"## {collective}", "", *_head_table(own), "", BEGIN_NUMBERS]
            lines += [_numbers(core, old, own), END_NUMBERS, ""]
    lines += ["## Sources", ""]
    used = {key for head in heads for key in keys_of(head.fields["Source"])}
    for key in sorted(used):
        lines.append(f'- <a id="{key}"></a>{key}: {reference_text(references[key])}')
    return "\n".join(lines) + "\n"


def load_core() -> Any:
    """Return the built module; None if there is none."""
    sys.path.insert(0, str(ROOT / "python"))
    try:
        from espalier import _core  # noqa: PLC0415 - may be missing
    except ImportError:
        return None
    return _core


def check(root: Path, core: Any) -> str:
    """Return what is wrong with the page of a tree; empty if nothing is."""
    path = root / PAGE
    if not path.exists():
        return f"{PAGE}: missing; run {COMMAND}"
    found = path.read_text(encoding="utf-8").splitlines()
    try:
        expected = make_page(root, core).splitlines()
    except OutOfStepError as error:
        return f"{error}"
    for number, (is_line, should_line) in enumerate(zip(found, expected, strict=False), 1):
        if is_line != should_line:
            return f"{PAGE}:{number}: out of date; run {COMMAND}"
    if len(found) != len(expected):
        return f"{PAGE}:{min(len(found), len(expected)) + 1}: out of date; run {COMMAND}"
    return ""


def main(arguments: list[str]) -> int:
    """Write or check the page."""
    parser = argparse.ArgumentParser(description="Write docs/reference/catalog.md.")
    parser.add_argument("--check", action="store_true", help="only say whether it is up to date")
    parser.add_argument("--text", action="store_true", help="do not compare numbers")
    wanted = parser.parse_args(arguments)
    core = None if wanted.text else load_core()
    try:
        if wanted.check:
            problem = check(ROOT, core)
        elif core is None:
            problem = "numbers need the built module; run make build"
        else:
            (ROOT / PAGE).parent.mkdir(parents=True, exist_ok=True)
            (ROOT / PAGE).write_text(make_page(ROOT, core), encoding="utf-8")
            return 0
    except OutOfStepError as error:
        problem = f"{error}"
    print(problem or f"catalog page: ok{'' if core else ' (numbers not compared)'}")
    return 1 if problem else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
