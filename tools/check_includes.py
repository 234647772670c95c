# SPDX-License-Identifier: Apache-2.0
"""Check that standard headers which are compiled ahead are included where they are used.

Builds read these headers before each source (cmake/StandardHeaders.cmake), so that no compiler
misses one of them. A file has to include a header that declares each name it uses of them, by
itself or over headers of ours. Other standard headers are not looked at: the compiler misses those.

Usage: check_includes.py [root]. Prints one line per missing header; exit code 1 if there is any.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import check_headers
import check_layering

# Names in `std` or `std::ranges`, by a header that declares them.
NAMES = {
    "algorithm": """
        adjacent_find all_of any_of binary_search clamp copy copy_if copy_n count count_if equal
        equal_range fill fill_n find find_if for_each generate includes inplace_merge is_sorted
        lexicographical_compare lower_bound make_heap max max_element merge min min_element minmax
        mismatch next_permutation none_of nth_element partial_sort partition pop_heap push_heap
        remove remove_if replace reverse rotate search set_difference set_union shuffle sort
        stable_partition stable_sort transform unique upper_bound
        """,
    "array": "array to_array",
    "atomic": "atomic atomic_ref atomic_thread_fence memory_order memory_order_relaxed",
    "charconv": "from_chars to_chars",
    "chrono": "chrono",
    "cmath": """
        abs cbrt ceil erf exp fabs floor fmod hypot isfinite isinf isnan ldexp llround log log10
        log2 lround pow round sqrt trunc
        """,
    "cstdio": "remove",
    "cstdlib": "abs",
    "cstring": "memcmp memcpy memmove memset strchr strcmp strerror strlen strncmp",
    "filesystem": "filesystem",
    "functional": """
        bind cref equal_to function greater hash invoke less minus multiplies not_fn plus ref
        reference_wrapper
        """,
    "map": "map multimap",
    "memory": """
        addressof construct_at destroy_at enable_shared_from_this make_shared make_unique shared_ptr
        unique_ptr weak_ptr
        """,
    "mutex": "call_once lock_guard mutex once_flag recursive_mutex scoped_lock unique_lock",
    "numeric": """
        accumulate exclusive_scan gcd inclusive_scan inner_product iota lcm midpoint partial_sum
        reduce
        """,
    "optional": "make_optional nullopt optional",
    "set": "multiset set",
    "span": "as_bytes span",
    "string": "char_traits getline stod stoi string to_string",
    "unordered_map": "unordered_map",
    "vector": "vector",
}

FOLDERS = (*check_layering.FOLDERS, "include")
USE = re.compile(r"\bstd::(?:ranges::)?(\w+)")
TEXT = re.compile(r'"(?:\\.|[^"\\\n])*"')


def headers_by_name() -> dict[str, set[str]]:
    """Return the headers that declare a name."""
    headers: dict[str, set[str]] = {}
    for header, names in NAMES.items():
        for name in names.split():
            headers.setdefault(name, set()).add(header)
    return headers


def included_by(file: Path, root: Path) -> tuple[set[str], set[Path]]:
    """Return the standard headers and the headers of ours that a file includes."""
    standard, ours = set(), set()
    for name in check_headers.INCLUDE.findall(file.read_text(encoding="utf-8")):
        places = [file.parent / name, root / name, root / "include" / name]
        found = next((place.resolve() for place in places if place.is_file()), None)
        if found:
            ours.add(found)
        else:
            standard.add(name)
    return standard, ours


def uses_of(file: Path) -> dict[str, int]:
    """Return the names of `std` in a file, each with the first line that has it."""
    text = file.read_text(encoding="utf-8")
    code = check_headers.COMMENTS.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    code = TEXT.sub('""', check_headers.INCLUDE.sub("", code))
    uses: dict[str, int] = {}
    for number, line in enumerate(code.splitlines(), 1):
        for name in USE.findall(line):
            uses.setdefault(name, number)
    return uses


def check(root: Path) -> list[str]:
    """Return a line `file:line: what is missing` for each name without a header."""
    root = root.resolve()
    files = [
        file
        for folder in FOLDERS
        for file in sorted((root / folder).rglob("*.[ch]pp"))
        if file.is_file()
    ]
    includes = {file: included_by(file, root) for file in files}
    headers_of = headers_by_name()

    def reached_from(file: Path) -> set[str]:
        reached, seen, ahead = set(), {file}, [file]
        while ahead:
            standard, ours = includes.get(ahead.pop(), (set(), set()))
            reached |= standard
            ahead += ours - seen
            seen |= ours
        return reached

    problems = []
    for file in files:
        reached = reached_from(file)
        for name, number in uses_of(file).items():
            headers = headers_of.get(name, set())
            if headers and not headers & reached:
                wanted = " or ".join(f"<{header}>" for header in sorted(headers))
                place = file.relative_to(root).as_posix()
                problems.append(f"{place}:{number}: expected {wanted} for std::{name}, found none")
    return problems


def main() -> int:
    """Check the tree given as argument, by default the one this script is in."""
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    problems = check(root)
    print("\n".join(problems) or "includes: ok")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
