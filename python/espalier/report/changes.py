# SPDX-License-Identifier: Apache-2.0
"""What writing a profile changed in it, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.profiles.profiles import Shape

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def changes_text(changes: Sequence[Mapping[str, Any]]) -> str:
    """Return what was done to a profile: `added 8 ranks on 2 nodes; kept 4 ranks on 1 node`."""
    touched = [_touched_text(change) for change in changes if _actions(change) != ["kept"]]
    untouched = [_shape(change).text() for change in changes if _actions(change) == ["kept"]]
    return "; ".join(touched + ([f"kept {', '.join(untouched)}"] if untouched else []))


def skipped_text(changes: Sequence[Mapping[str, Any]]) -> str:
    """Return what an interrupted run did not replace, empty if there is nothing."""
    names = [name for change in changes for name in change["skipped"]]
    if not names:
        return ""
    return f"an interrupted run does not replace what a complete one decided: {', '.join(names)}"


def _shape(change: Mapping[str, Any]) -> Shape:
    return Shape.of(change)


def _actions(change: Mapping[str, Any]) -> list[str]:
    return [action for action in ("added", "replaced", "kept") if change[action]]


def _touched_text(change: Mapping[str, Any]) -> str:
    shape, actions = _shape(change).text(), _actions(change)
    if len(actions) == 1:
        return f"{actions[0]} {shape}"
    parts = [f"{action} {', '.join(change[action])}" for action in actions]
    return f"for {shape}: {', '.join(parts)}"
