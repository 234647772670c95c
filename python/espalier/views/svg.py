# SPDX-License-Identifier: Apache-2.0
"""A schedule as a picture: ranks from left to right, rounds downwards, an arrow a message."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from espalier.errors import UnsupportedError
from espalier.views.numbers import runs_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

most_ranks = 64
_LANE = 76
_ROUND = 74
_LEFT = 92
_TOP = 88
_STYLE = """
text { font: 13px ui-sans-serif, system-ui, sans-serif; fill: #24292f }
.title { font-size: 16px; font-weight: 600 }
.rank { text-anchor: middle; font-weight: 600 }
.round { fill: #6e7781 }
.lane { stroke: #8c959f; stroke-width: 1.5 }
.rule { stroke: #d8dee4; stroke-width: 1 }
.message { stroke: #0969da; stroke-width: 1.75; fill: none; marker-end: url(#head) }
.head { fill: #0969da }
.blocks { font-size: 11px; text-anchor: middle }
.blocks { paint-order: stroke; stroke: #ffffff; stroke-width: 4px }
"""


@dataclasses.dataclass(frozen=True)
class Message:
    """A send as it is drawn."""

    round: int
    source: int
    destination: int
    blocks: str


def _blocks(program: Mapping[str, Any], operation: Mapping[str, Any]) -> str:
    numbers = [
        (slot["first"] + i * slot["stride"]) % program["num_output_blocks"]
        for slot in operation["slots"]
        for i in range(slot["num_blocks"])
    ]
    return runs_text(numbers)


def messages(programs: Mapping[str, Any]) -> Iterator[Message]:
    """Return all sends of a document of programs."""
    for program in programs["programs"]:
        for operation in program["operations"]:
            if operation["kind"] == "send":
                yield Message(
                    operation["round"],
                    program["rank"],
                    operation["peer"],
                    _blocks(program, operation),
                )


def _add(parent: ElementTree.Element, tag: str, text: str = "", **attributes: object) -> None:
    names = {name.replace("_", "-"): f"{value}" for name, value in attributes.items()}
    element = ElementTree.SubElement(parent, tag, {key.strip("-"): names[key] for key in names})
    element.text = text or None


def _x(rank: int) -> int:
    return _LEFT + _LANE * rank


def _y(round_number: int) -> int:
    return _TOP + _ROUND * round_number


def _frame(title: str, num_ranks: int, num_rounds: int) -> ElementTree.Element:
    width = max(_x(num_ranks - 1) + _LANE, 16 + 8 * len(title))
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
    marker = ElementTree.SubElement(
        ElementTree.SubElement(svg, "defs"),
        "marker",
        {
            "id": "head",
            "viewBox": "0 0 8 8",
            "refX": "7",
            "refY": "4",
            "markerWidth": "7",
            "markerHeight": "7",
            "orient": "auto-start-reverse",
        },
    )
    _add(marker, "path", d="M0 0 L8 4 L0 8 z", class_="head")
    _add(svg, "rect", width="100%", height="100%", fill="#ffffff")
    _add(svg, "text", title, x=16, y=26, class_="title")
    _add(svg, "text", "an arrow carries the blocks written on it", x=16, y=44, class_="round")
    return svg


def _grid(svg: ElementTree.Element, num_ranks: int, num_rounds: int) -> None:
    bottom = _y(num_rounds)
    for round_number in range(num_rounds + 1):
        y = _y(round_number)
        _add(svg, "line", x1=16, x2=_x(num_ranks - 1) + _LANE // 2, y1=y, y2=y, class_="rule")
        if round_number < num_rounds:
            _add(svg, "text", f"round {round_number}", x=16, y=y + 18, class_="round")
    for rank in range(num_ranks):
        _add(svg, "text", f"{rank}", x=_x(rank), y=_TOP - 10, class_="rank")
        _add(svg, "line", x1=_x(rank), x2=_x(rank), y1=_TOP, y2=bottom, class_="lane")


def _arrow(svg: ElementTree.Element, message: Message) -> None:
    x1, x2 = _x(message.source), _x(message.destination)
    y1, y2 = _y(message.round) + 12, _y(message.round + 1) - 10
    _add(svg, "line", x1=x1, y1=y1, x2=x2, y2=y2, class_="message")


def _label(svg: ElementTree.Element, message: Message) -> None:
    # Near its tail, where arrows of different ranks are furthest apart.
    x1, x2 = _x(message.source), _x(message.destination)
    y1, y2 = _y(message.round) + 12, _y(message.round + 1) - 10
    along = min(0.5, 0.4 * _LANE / abs(x2 - x1))
    x, y = x1 + along * (x2 - x1), y1 + along * (y2 - y1)
    _add(svg, "text", message.blocks, x=f"{x:g}", y=f"{y + 4:g}", class_="blocks")


def draw(programs: Mapping[str, Any]) -> str:
    """Return the picture of a document with the programs of all ranks.

    Raises:
        UnsupportedError: for more ranks than fit on a page.
    """
    num_ranks = programs["num_ranks"]
    if num_ranks > most_ranks:
        raise UnsupportedError(
            f"a picture shows at most {most_ranks} ranks, got {num_ranks}",
            "take --form messages or --form json",
        )
    sent = sorted(messages(programs), key=lambda message: (message.round, message.source))
    num_rounds = max((message.round + 1 for message in sent), default=0)
    title = f"{programs['algorithm']} on {num_ranks} ranks"
    svg = _frame(title, num_ranks, num_rounds)
    _grid(svg, num_ranks, num_rounds)
    for message in sent:
        _arrow(svg, message)
    for message in sent:
        _label(svg, message)
    ElementTree.indent(svg)
    return ElementTree.tostring(svg, encoding="unicode") + "\n"
