# SPDX-License-Identifier: Apache-2.0
"""Groups of options: what typer makes of them, and the words that repeat a command."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer

from espalier.cli.commands import Family, command_of, options_before
from espalier.cli.expansion import UNREPEATED, Repeat, expand


class Colour(str, enum.Enum):
    red = "red"
    blue = "blue"


@dataclass(frozen=True)
class Paint:
    colour: Annotated[Colour, typer.Option("--colour")] = Colour.red
    layers: Annotated[int, typer.Option("--layers", "-l", min=1)] = 2
    gloss: Annotated[float | None, typer.Option("--gloss")] = None
    rooms: Annotated[list[str] | None, typer.Option("--room")] = None
    dries: Annotated[bool, typer.Option("--dry/--wet")] = True
    output: Annotated[Path | None, typer.Option("-o", "--output")] = None
    loud: Annotated[bool, typer.Option("--loud"), UNREPEATED] = False


@dataclass(frozen=True)
class Needed:
    wall: Annotated[str, typer.Option("--wall")]
    words: Annotated[list[str] | None, typer.Argument()] = None


USUAL = Paint(layers=3)


@pytest.fixture
def seen() -> list[Any]:
    return []


def call(verb: Any, *words: str) -> None:
    command = command_of(verb, ("paint",), "Paint")
    command.main(list(words), prog_name="paint", standalone_mode=False)


def test_a_verb_gets_its_groups_with_what_was_given(seen: list[Any]) -> None:
    def paint(needed: Needed, how: Paint, fast: Annotated[bool, typer.Option("--fast")] = False):
        seen.extend([needed, how, fast])

    call(paint, "--wall", "north", "--colour", "blue", "-l", "5", "--", "a", "--b")
    assert seen == [Needed("north", ["a", "--b"]), Paint(Colour.blue, 5), False]


def test_an_option_without_a_default_is_required() -> None:
    def paint(needed: Needed) -> None:
        raise AssertionError(needed)

    with pytest.raises(Exception, match="Missing parameter: wall"):
        call(paint)


def test_a_verb_may_have_other_usual_values(seen: list[Any]) -> None:
    def paint(how: Paint = USUAL) -> None:
        seen.append(how)

    call(paint)
    call(paint, "--layers", "2")
    assert [how.layers for how in seen] == [3, 2]


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ((), "--wall w"),
        (("--layers", "2", "--colour", "red", "--dry"), "--wall w"),
        (("-l", "4", "--colour", "blue"), "--wall w --colour blue --layers 4"),
        (("--gloss", "0.50"), "--wall w --gloss 0.5"),
        (("--room", "a b", "--room", "c"), "--wall w --room 'a b' --room c"),
        (("--wet", "--loud"), "--wall w --wet"),
        (("--output", "f"), "--wall w -o f"),
        (("--wet", "--", "mpirun", "-n", "4"), "--wall w --wet -- mpirun -n 4"),
    ],
)
def test_what_is_not_usual_is_repeated(words: tuple[str, ...], text: str) -> None:
    texts = []

    def paint(needed: Needed, how: Paint, repeat: Repeat) -> None:  # noqa: ARG001
        texts.append(repeat.text())

    call(paint, "--wall", "w", *words)
    assert texts == [f"espalier paint {text}"]


def test_a_command_is_repeated_with_other_values_and_more_words() -> None:
    texts = []

    def paint(needed: Needed, how: Paint, repeat: Repeat) -> None:  # noqa: ARG001
        texts.append(repeat.having(layers=9, wall="x").text("--again"))

    call(paint, "--wall", "w")
    assert texts == ["espalier paint --again --wall x --layers 9"]


def test_a_single_argument_stands_before_the_options() -> None:
    texts = []

    def paint(
        repeat: Repeat,
        file: Annotated[Path, typer.Argument()],
        how: Paint,
        words: Annotated[list[str] | None, typer.Argument()] = None,
    ) -> None:
        texts.append((repeat.text(), file, words, how.dries))

    call(paint, "--wet", "f.toml", "--", "srun", "-n4")
    assert texts == [
        ("espalier paint f.toml --wet -- srun -n4", Path("f.toml"), ["srun", "-n4"], False)
    ]


def test_an_option_of_two_groups_is_a_mistake() -> None:
    def paint(one: Paint, other: Paint) -> None:
        raise AssertionError((one, other))

    with pytest.raises(TypeError, match="expected each option of 'paint' once, got two of"):
        expand(paint, ("paint",))


class TestFamily:
    @pytest.fixture
    def family(self, seen: list[Any]) -> Any:
        def formerly(words: Any) -> str:
            return "wall" if options_before(words, "--colour") else "floor"

        def floor(repeat: Repeat, wax: Annotated[bool, typer.Option("--wax")] = False) -> None:
            seen.append((repeat.text(), wax))

        def wall(repeat: Repeat, colour: Annotated[str, typer.Option("--colour")] = "red") -> None:
            seen.append((repeat.text(), colour))

        found = Family(usual="floor", formerly=formerly)
        found.add(floor, "floor", "Of rooms")
        found.add(wall, "wall", "Of houses")
        return found.group("paint", "Paint")

    @pytest.mark.parametrize(
        ("words", "text"),
        [
            ((), "espalier paint"),
            (("--wax",), "espalier paint --wax"),
            (("floor", "--wax"), "espalier paint --wax"),
            (("wall",), "espalier paint wall"),
            (("wall", "--colour", "blue"), "espalier paint wall --colour blue"),
        ],
    )
    def test_no_hint_where_a_verb_is_named_or_usual(
        self,
        family: Any,
        seen: list[Any],
        capsys: pytest.CaptureFixture[str],
        words: tuple[str, ...],
        text: str,
    ) -> None:
        family.main(list(words), prog_name="paint", standalone_mode=False)
        assert [one for one, _ in seen] == [text]
        assert capsys.readouterr().err == ""

    @pytest.mark.parametrize("words", [("--colour", "blue"), ("--colour=blue",)])
    def test_the_old_spelling_works_with_one_line_of_hint(
        self,
        family: Any,
        seen: list[Any],
        capsys: pytest.CaptureFixture[str],
        words: tuple[str, ...],
    ) -> None:
        family.main(list(words), prog_name="paint", standalone_mode=False)
        assert seen == [("espalier paint wall --colour blue", "blue")]
        assert capsys.readouterr().err == (
            "note: this is 'espalier paint wall' now; without the word 'wall' it is understood in"
            " this release only\n"
        )

    def test_a_verb_has_to_be_named_where_none_is_usual(self) -> None:
        family = Family()
        family.add(lambda: None, "floor", "Of rooms")
        family.add(lambda: None, "wall", "Of houses")
        group = family.group("paint", "Paint")
        with pytest.raises(Exception, match=r"^Missing command\.$"):
            group.main([], prog_name="paint", standalone_mode=False)

    def test_help_is_that_of_the_family(
        self, family: Any, capsys: pytest.CaptureFixture[str]
    ) -> None:
        family.main(["--help"], prog_name="paint", standalone_mode=False)
        out, err = capsys.readouterr()
        assert "The word 'floor' may be left out" in out
        assert "Of houses" in out
        assert "--colour" not in out
        assert err == ""


def test_options_of_the_users_command_are_not_ours() -> None:
    assert options_before(["--machine=x"], "--machine")
    assert not options_before(["--", "./app", "--machine", "x"], "--machine")
