# SPDX-License-Identifier: Apache-2.0
"""A schedule as a picture: ranks from left to right, rounds downwards, an arrow a message."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from espalier.errors import UnsupportedError
from espalier.report.numbers import amount_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from espalier._core import Placement, Sent

most_ranks = 64
_LANE = 76
_ROUND = 74
_LEFT = 108
_TOP = 116
_RIGHT = 190
_LONGEST_CARGO = 6
_STYLE = """
text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #24292f }
.title { font-size: 16px; font-weight: 600 }
.rank { text-anchor: middle; font-weight: 600 }
.round { fill: #6e7781 }
.lane { stroke: #8c959f; stroke-width: 1.5 }
.rule { stroke: #d8dee4; stroke-width: 1 }
.message { stroke: #0969da; stroke-width: 1.75; fill: none; marker-end: url(#head) }
.crossing { stroke: #cf222e; stroke-dasharray: 7 3; marker-end: url(#crossing-head) }
.head { fill: #0969da }
.crossing-head { fill: #cf222e }
.node { fill: #f6f8fa; stroke: #d0d7de; stroke-width: 1 }
.node-name { font-size: 11px; text-anchor: middle; fill: #57606a }
.crossed { font-size: 11px; fill: #cf222e }
.blocks { font-size: 11px; text-anchor: middle }
.blocks { paint-order: stroke; stroke: #ffffff; stroke-width: 4px }
"""


@dataclasses.dataclass(frozen=True)
class _Lanes:
    """Where ranks stand: from left to right by core if there is a machine, else by number."""

    column_of: list[int]
    node_of: list[int]  # empty without a machine

    def x(self, rank: int) -> int:
        return _x(self.column_of[rank])

    def crosses(self, message: Sent) -> bool:
        nodes = self.node_of
        return bool(nodes) and nodes[message["sender"]] != nodes[message["receiver"]]

    def bands(self) -> Iterator[tuple[int, int, int]]:
        """Yield each node that has ranks with its first and last column."""
        for node in sorted(set(self.node_of)):
            columns = [
                self.column_of[rank] for rank, where in enumerate(self.node_of) if where == node
            ]
            yield node, min(columns), max(columns)


def _lanes(num_ranks: int, placement: Placement | None) -> _Lanes:
    if placement is None:
        return _Lanes(list(range(num_ranks)), [])
    order = sorted(range(num_ranks), key=placement["core_of_rank"].__getitem__)
    column_of = [0] * num_ranks
    for column, rank in enumerate(order):
        column_of[rank] = column
    return _Lanes(column_of, placement["levels"][placement["node_level"]]["object_of_rank"])


def _add(parent: ElementTree.Element, tag: str, text: str = "", **attributes: object) -> None:
    names = {name.replace("_", "-"): f"{value}" for name, value in attributes.items()}
    element = ElementTree.SubElement(parent, tag, {key.strip("-"): names[key] for key in names})
    element.text = text or None


def _x(rank: int) -> int:
    return _LEFT + _LANE * rank


def _y(round_number: int) -> int:
    return _TOP + _ROUND * round_number


def _frame(title: str, notes: list[str], num_ranks: int, num_rounds: int) -> ElementTree.Element:
    width = max(_x(num_ranks - 1) + _LANE + _RIGHT, 16 + 8 * len(title), 16 + 7 * len(notes[-1]))
    height = _y(num_rounds) + 28
    svg = ElementTree.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "viewBox": f"0 0 {width} {height}",
            "width": f"{width}",
            "height": f"{height}",
            "role": "img",
            "aria-label": title,
        },
    )
    _add(svg, "style", _STYLE)
    definitions = ElementTree.SubElement(svg, "defs")
    for name in ("head", "crossing-head"):
        _marker(definitions, name)
    _add(svg, "rect", width="100%", height="100%", fill="#ffffff")
    _add(svg, "text", title, x=16, y=26, class_="title")
    for line, note in enumerate(notes):
        _add(svg, "text", note, x=16, y=44 + 16 * line, class_="round")
    return svg


def _marker(definitions: ElementTree.Element, name: str) -> None:
    marker = ElementTree.SubElement(
        definitions,
        "marker",
        {
            "id": name,
            "viewBox": "0 0 8 8",
            "refX": "7",
            "refY": "4",
            "markerWidth": "7",
            "markerHeight": "7",
            "orient": "auto-start-reverse",
        },
    )
    _add(marker, "path", d="M0 0 L8 4 L0 8 z", class_=name)


def _draw_bands(svg: ElementTree.Element, lanes: _Lanes, name: str, num_rounds: int) -> None:
    for node, first, last in lanes.bands():
        _add(
            svg,
            "rect",
            x=_x(first) - _LANE // 2 + 3,
            y=_TOP - 44,
            width=_LANE * (last - first + 1) - 6,
            height=_y(num_rounds) - _TOP + 56,
            rx=6,
            class_="node",
        )
        middle = (_x(first) + _x(last)) // 2
        _add(svg, "text", f"{name} {node}", x=middle, y=_TOP - 28, class_="node-name")


def _grid(svg: ElementTree.Element, lanes: _Lanes, num_rounds: int) -> None:
    num_ranks = len(lanes.column_of)
    bottom = _y(num_rounds)
    for round_number in range(num_rounds + 1):
        y = _y(round_number)
        _add(svg, "line", x1=16, x2=_x(num_ranks - 1) + _LANE // 2, y1=y, y2=y, class_="rule")
        if round_number < num_rounds:
            _add(svg, "text", f"round {round_number}", x=16, y=y + 18, class_="round")
    for rank in range(num_ranks):
        x = lanes.x(rank)
        _add(svg, "text", f"{rank}", x=x, y=_TOP - 10, class_="rank")
        _add(svg, "line", x1=x, x2=x, y1=_TOP, y2=bottom, class_="lane")


def _arrow(svg: ElementTree.Element, message: Sent, lanes: _Lanes) -> None:
    x1, x2 = lanes.x(message["sender"]), lanes.x(message["receiver"])
    y1, y2 = _y(message["round"]) + 12, _y(message["round"] + 1) - 10
    kind = "message crossing" if lanes.crosses(message) else "message"
    _add(svg, "line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def _label(svg: ElementTree.Element, message: Sent, lanes: _Lanes) -> None:
    # Beside the lane of the sender, where no other arrow has its label.
    x1, x2 = lanes.x(message["sender"]), lanes.x(message["receiver"])
    y1, y2 = _y(message["round"]) + 12, _y(message["round"] + 1) - 10
    along = 0.25 * _LANE / abs(x2 - x1)
    x, y = x1 + along * (x2 - x1), y1 + along * (y2 - y1)
    _add(svg, "text", _cargo(message), x=f"{x:g}", y=f"{y + 4:g}", class_="blocks")


def _cargo(message: Sent) -> str:
    blocks = message["cargo"].partition("(")[0]
    return blocks if len(blocks) <= _LONGEST_CARGO else f"{message['blocks']} blocks"


def _crossing_texts(svg: ElementTree.Element, crossing: Mapping[str, Any], x: int) -> None:
    for round_number, amounts in enumerate(crossing["rounds"]):
        for line, (level, amount) in enumerate(zip(crossing["levels"], amounts, strict=True)):
            y = _y(round_number) + 18 + 16 * line
            _add(svg, "text", f"{level}: {amount_text(amount)}", x=x, y=y, class_="crossed")


def _notes(shown: Mapping[str, Any]) -> list[str]:
    notes = ["an arrow carries the blocks written on it"]
    crossing = shown["crossing"]
    if crossing is not None:
        total = ", ".join(
            f"{level} {amount_text(amount)}"
            for level, amount in zip(crossing["levels"], crossing["total"], strict=True)
        )
        machine = f"{crossing['machine']}, {crossing['placement']}"
        notes.append(f"{machine}; red arrows leave their node; crossing in all: {total}")
    return notes


def draw(shown: Mapping[str, Any]) -> str:
    """Return the picture of a schedule: its messages, and where its ranks lie if that is known.

    Raises:
        UnsupportedError: for more ranks than fit on a page.
    """
    num_ranks = shown["num_ranks"]
    if num_ranks > most_ranks:
        raise UnsupportedError(
            f"a picture shows at most {most_ranks} ranks, got {num_ranks}",
            "take --form messages or --form json",
        )
    sent: list[Sent] = shown["sent"]
    lanes = _lanes(num_ranks, shown["place"])
    num_rounds = max((message["round"] + 1 for message in sent), default=0)
    title = f"{shown['algorithm']} on {num_ranks} ranks"
    svg = _frame(title, _notes(shown), num_ranks, num_rounds)
    if shown["place"] is not None:
        node_level = shown["place"]["levels"][shown["place"]["node_level"]]
        _draw_bands(svg, lanes, node_level["name"], num_rounds)
        _crossing_texts(svg, shown["crossing"], _x(num_ranks - 1) + _LANE // 2 + 10)
    _grid(svg, lanes, num_rounds)
    for message in sent:
        _arrow(svg, message, lanes)
    for message in sent:
        _label(svg, message, lanes)
    ElementTree.indent(svg)
    return ElementTree.tostring(svg, encoding="unicode") + "\n"
