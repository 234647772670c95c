# SPDX-License-Identifier: Apache-2.0
"""Tuning files of MPICH: the trees of the library, with branches for the rules of a profile.

A tree asks one question after another. Below each call we ask for the number of ranks, then for
the size, and in all other cases do as the library does by itself.
"""

from __future__ import annotations

import json
import shlex
from itertools import groupby
from typing import TYPE_CHECKING, Any

from espalier.exports.made import Made

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from espalier.exports.equivalents import Equivalents, Native
    from espalier.exports.mpich_library import Trees
    from espalier.exports.translation import Interval, Ruled

    Tree = dict[str, Any]
    # What stands where a rule holds, given its algorithm, what the library does by itself, and
    # what the table says of the call.
    Leaf = Callable[[Native, Tree, Mapping[str, Any]], Tree]

_INSIDE, _ANY = "comm_type=intra", "comm_type=any"
# Questions are C integers.
_MOST_BYTES = 2**31 - 1
_PAGE = 4096
_OPPOSITE = {"yes": "no", "no": "yes"}


def make(ruled: Sequence[Ruled], equivalents: Equivalents, trees: Trees, output: Path) -> Made:
    """Return the files for `output`, and the variables that make programs use them.

    The second file, beside the first one, is needed for calls which MPICH otherwise divides into
    one inside nodes and one between them.
    """
    wanted = [one for one in ruled if one.has_rules]
    files = {output: _text(tree_of(wanted, equivalents, trees.mpir, _algorithm))}
    use = [_setting("MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE", output)]
    divided = [one for one in wanted if "composition" in equivalents.call(one.call)]
    if divided and trees.ch4 is not None:
        beside = output.with_suffix(f".ch4{output.suffix}")
        files[beside] = _text(tree_of(divided, equivalents, trees.ch4, _composition))
        use.append(_setting("MPIR_CVAR_CH4_COLL_SELECTION_TUNING_JSON_FILE", beside))
    return Made(files, tuple(use), tuple(_cautions(wanted, equivalents)))


def _setting(variable: str, path: Path) -> str:
    """Return what makes a shell set a variable to a file."""
    return f"export {variable}={shlex.quote(str(path.resolve()))}"


def tree_of(
    wanted: Sequence[Ruled], equivalents: Equivalents, tree: Mapping[str, Any], leaf: Leaf
) -> Tree:
    """Return a tree with branches for the rules of some calls."""
    changed = dict(tree)
    for call, row in groupby(wanted, key=lambda one: one.call):
        key = f"collective={call}"
        own: Tree = tree[key]
        inside = own.get(_INSIDE, own)
        branch = _of_ranks(list(row), equivalents.call(call), inside, leaf)
        changed[key] = {**own, _INSIDE: branch} if _INSIDE in own else {_INSIDE: branch, _ANY: own}
    return changed


def _of_ranks(row: Sequence[Ruled], facts: Mapping[str, Any], own: Tree, leaf: Leaf) -> Tree:
    branches: Tree = {}
    for one in sorted(row, key=lambda one: one.shape.num_ranks):
        num_ranks = one.shape.num_ranks
        branches.setdefault(f"comm_size<={num_ranks - 1}", own)
        branches[f"comm_size<={num_ranks}"] = _of_sizes(one, facts, settled(own, num_ranks), leaf)
    return {**branches, "comm_size=any": own}


def _of_sizes(one: Ruled, facts: Mapping[str, Any], own: Tree, leaf: Leaf) -> Tree:
    branches = [
        own if interval.native is None else leaf(interval.native, own, facts)
        for interval in one.intervals
    ]
    if facts["sizes"] == "none":
        return branches[0]
    key = facts["size_key"]
    limited: Tree = {}
    for interval, branch in zip(one.intervals, branches, strict=True):
        last = _last(interval, one.shape.num_ranks, facts)
        if last is None:
            return {**limited, f"{key}=any": branch}
        # Where MPICH looks at parts, a narrow interval may be empty; the one before it stays.
        limited.setdefault(f"{key}<={last}", branch)
    return limited


def _last(interval: Interval, num_ranks: int, facts: Mapping[str, Any]) -> int | None:
    """Return the last size of an interval as MPICH counts it: of the result, or of a part.

    None stands for no limit, or for one that MPICH cannot ask for.
    """
    if interval.last is None:
        return None
    last = interval.last // num_ranks if facts["sizes"] == "part" else interval.last
    return last if last <= _MOST_BYTES else None


def _cautions(wanted: Sequence[Ruled], equivalents: Equivalents) -> list[str]:
    """Return a caution if there are rules for sizes that MPICH cannot ask for."""
    calls = sorted({one.call for one in wanted if _is_cut(one, equivalents.call(one.call))})
    if not calls:
        return []
    text = (
        f"files of MPICH have limits up to {_MOST_BYTES} bytes: for {', '.join(calls)} the rule"
        " that holds there holds for all larger sizes too, in place of those of the profile"
    )
    return [text]


def _is_cut(one: Ruled, facts: Mapping[str, Any]) -> bool:
    """Return whether intervals are left behind the first one without a limit."""
    lasts = [_last(interval, one.shape.num_ranks, facts) for interval in one.intervals]
    return facts["sizes"] != "none" and None in lasts[:-1]


def _composition(_: Native, __: Tree, facts: Mapping[str, Any]) -> Tree:
    """Return the branch that does not tell the nodes of a communicator apart."""
    return {f"composition={facts['composition']}": {}}


def _algorithm(native: Native, own: Tree, _: Mapping[str, Any]) -> Tree:
    """Return the branch of an algorithm, with the conditions under which it is correct."""
    branch: Tree = {f"algorithm={native.name}": {}}
    if "not_if" in native.row:
        question = native.row["not_if"]
        branch = {question: own, f"{question.partition('<')[0]}=any": branch}
    for question in native.row.get("only_if", ()):
        what, _, answer = question.partition("=")
        branch = {question: branch, f"{what}={_OPPOSITE[answer]}": own}
    return branch


def settled(tree: Tree, num_ranks: int) -> Tree:
    """Return a tree without the questions that the number of ranks answers.

    MPICH 4.0 answers `comm_size<n` with n ranks too where it comes behind a question for the size.
    """
    found: Tree = {}
    for key, branch in tree.items():
        answer = _answer(key, num_ranks)
        if answer is None:
            found[key] = settled(branch, num_ranks)
        elif answer:
            rest = settled(branch, num_ranks)
            return {**found, "comm_size=any": rest} if found else rest
    return found


def _answer(question: str, num_ranks: int) -> bool | None:
    """Return the answer to a question for the number of ranks, None to others."""
    if question == "comm_size=any":
        return True
    if question == "comm_size=pow2":
        return num_ranks & (num_ranks - 1) == 0
    if question.startswith("comm_size<="):
        return num_ranks <= int(question.removeprefix("comm_size<="))
    if question.startswith("comm_size<"):
        return num_ranks < int(question.removeprefix("comm_size<"))
    return None


def _text(tree: Tree) -> str:
    """Return a file; MPICH reads on to the end of the page that the file ends in."""
    text = json.dumps(tree, indent=1) + "\n"
    return text + "\n" if len(text) % _PAGE == 0 else text
