# SPDX-License-Identifier: Apache-2.0
"""What the texts of this repository tell users to type, and whether it exists.

Texts are the public headers, documentation, examples and scripts as they are, and of Python and
C++ files the strings: help, reports and errors. In each, these are looked for:

- `espalier VERB [VERB] [OPTIONS]`: in quotes, in backticks and in lines of code as far as the
  command goes; in prose the verb, and options that follow it at once;
- options alone, as in "choose another with -o" (long ones only: `--machine`);
- programs `espalier-...` and libraries `libespalier-...`;
- variables, macros and build options `ESPALIER_...`.
"""

from __future__ import annotations

import ast
import functools
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import typer

from espalier.cli.app import app

if TYPE_CHECKING:
    from collections.abc import Iterator

repository = Path(__file__).resolve().parents[3]

# Options of programs that are not ours, which our texts name.
OTHERS_OPTIONS = {
    "--all-sizes": "benchmarks/unprepared/study.py",
    "--bind-to": "mpirun",
    "--build": "cmake",
    "--cflags": "pkg-config",
    "--cfg": "SimGrid",
    "--cpu-bind": "srun",
    "--distribution": "srun",
    "--export": "srun",
    "--hostfile": "mpirun",
    "--install": "cmake",
    "--learned": "benchmarks/overlap/study.py",
    "--libs": "pkg-config",
    "--log": "SimGrid",
    "--map-by": "mpirun",
    "--mca": "mpirun",
    "--of": "lstopo",
    "--oversubscribe": "mpirun",
    "--place": "benchmarks/programs/study.py",
    "--preset": "cmake, ctest",
    "--prefix": "cmake",
    "--rankfile": "mpirun",
    "--shm-size": "docker",
    "--simulated": "benchmarks/overlap/study.py",
    "--strip": "cmake",
    "--target": "cmake",
    "--use-hwthread-cpus": "mpirun",
    "--native-algorithms": "measuring programs of Espalier",
    "--plan": "measuring programs of Espalier",
}

_SCRIPTS = ("*/*.sh", "python/**/*.sh", "benchmarks/**/*.sh", "bin/espalier", "Makefile", ".ci/run")
_PROSE = (
    # Not the changelog: it may name what is gone.
    *(f"{name}.md" for name in ("README", "DESIGN", "CONTRIBUTING", "SECURITY")),
    *(f"{folder}/**/*.md" for folder in ("docs", "espalier", "shim", "packaging")),
    *(f"{folder}/**/*.md" for folder in ("python", "examples")),
    *(f"{folder}/**/*.md" for folder in ("benchmarks", "tests")),
    "include/*.h",
    *(f"examples/**/*.{suffix}" for suffix in ("c", "f90", "py", "txt")),
)
_CPP = tuple(
    f"{folder}/**/*.{suffix}" for folder in ("espalier", "shim") for suffix in ("cpp", "hpp")
)
_PYTHON = tuple(f"{folder}/**/*.py" for folder in ("python", "benchmarks", "shim", "tools"))
_CMAKE = (
    "CMakeLists.txt",
    "cmake/*.cmake",
    *(f"{folder}/**/CMakeLists.txt" for folder in ("espalier", "shim", "examples", "tests")),
    *(f"{folder}/**/CMakeLists.txt" for folder in ("python", "benchmarks")),
)
# Their scripts have options of their own.
_OF_DEVELOPERS = (
    "tools/",
    "tests/",
    "benchmarks/",
    "python/espalier/clusters/scripts/",
    "Makefile",
)

_COMMAND = re.compile(
    r"(?<![\w./=-])(?<!from )(?P<quote>[`'\"]?)(?:[\w./${}-]*bin/)?espalier[ \n]+(?=[a-z-])"
)
_OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*[a-z]\b(?!\()")
_PROGRAM = re.compile(r"(?<![\w./@-])(?:lib)?espalier-[a-z0-9]+(?:-[a-z0-9]+)*-?")
_VARIABLE = re.compile(r"(?:\b|(?<=-D))ESPALIER_[A-Z0-9_]+")
_VENDORS = ("openmpi", "mpich")
_WORD = re.compile(r"[a-z][a-z_]*")
# Where a shell ends a command.
_ENDS = re.compile(r"\s(?:#|\||;|&&|>|--(?=\s|$))|[;|)]\s|$", re.MULTILINE)


@dataclass(frozen=True)
class Text:
    """A text and the file it is from."""

    origin: str
    text: str
    # Whether each line is code, as in a script.
    is_code: bool = False


def texts() -> Iterator[Text]:
    """Yield all texts of the repository."""
    for path in _listed(*_PROSE):
        yield Text(path, _without_margins(_read(path)))
    for path in _listed(*_SCRIPTS):
        yield Text(path, _read(path).replace("\\\n", " "), is_code=True)
    for path in _listed(*_CPP):
        yield from (Text(path, text) for text in cpp_strings(_read(path)))
    for path in _listed(*_PYTHON):
        yield from (Text(path, text) for text in python_strings(_read(path)))


def _listed(*patterns: str) -> list[str]:
    """Return the files below the repository that match; `**` stands for any folders."""
    found = {path for pattern in patterns for path in repository.glob(pattern)}
    return sorted(str(path.relative_to(repository)) for path in found)


def _read(path: str) -> str:
    return (repository / path).read_text(encoding="utf-8")


def _without_margins(text: str) -> str:
    """Return a text without what begins the lines of a C comment, and with broken lines joined."""
    return re.sub(r"^[ \t]*\*(?=[ \t/])", " ", text, flags=re.MULTILINE).replace("\\\n", " ")


def cpp_strings(text: str) -> Iterator[str]:
    """Yield the strings of a C or C++ file; those that follow each other are one."""
    one = r'"(?:[^"\\\n]|\\.)*"'
    code = re.sub(r"//[^\n]*", "", text)
    for found in re.finditer(rf"{one}(?:\s*{one})*", code):
        yield re.sub(r'"\s*"', "", found[0])[1:-1].replace('\\"', '"')


def python_strings(text: str) -> Iterator[str]:
    """Yield the strings of a Python file, docstrings too; values in them are `{}`."""
    tree = ast.parse(text)
    inside = {
        id(part)
        for node in ast.walk(tree)
        if isinstance(node, ast.JoinedStr)
        for part in node.values
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield "".join(
                str(part.value) if isinstance(part, ast.Constant) else "{}" for part in node.values
            )
        elif isinstance(getattr(node, "value", None), str) and id(node) not in inside:
            yield node.value


def problems(one: Text) -> Iterator[str]:
    """Yield what a text names and does not exist."""
    for command in commands(one):
        yield from _command_problems(command)
    if " " in one.text.strip():
        yield from _name_problems(one)
    for name in _VARIABLE.findall(one.text):
        if not is_variable(name):
            yield f"nothing reads or defines {name}"


def _name_problems(one: Text) -> Iterator[str]:
    if not one.origin.startswith(_OF_DEVELOPERS):
        for option in _OPTION.findall(one.text):
            if option not in all_options() | OTHERS_OPTIONS.keys():
                yield f"no verb has the option {option}"
    for name in _PROGRAM.findall(one.text):
        if not is_program(name):
            yield f"there is no program, library or file format {name}"


@dataclass(frozen=True)
class Command:
    """The words behind `espalier`; of prose only those that surely belong to it."""

    words: tuple[str, ...]
    is_whole: bool


def commands(one: Text) -> Iterator[Command]:
    """Yield the commands in a text."""
    for found in _COMMAND.finditer(one.text):
        quote, rest = found["quote"], one.text[found.end() :]
        end = rest.find(quote) if quote else -1
        if end >= 0:
            yield Command(_words(rest[:end].split("\n\n")[0]), is_whole=True)
        elif one.is_code or _is_line_of_code(one.text, found.start()):
            yield Command(_words(rest.partition("\n")[0]), is_whole=True)
        else:
            yield Command(tuple(_prose_words(rest)), is_whole=False)


def _words(text: str) -> tuple[str, ...]:
    joined = text.replace("\n", " ")
    # What is in quotes is one word, and never an option.
    joined = re.sub(r"'[^']*'|\"[^\"]*\"", "QUOTED", joined)
    ended = _ENDS.search(joined)
    return tuple(joined[: ended.start() if ended else None].split())


def _is_line_of_code(text: str, position: int) -> bool:
    start = text.rfind("\n", 0, position) + 1
    line = text[start:position]
    if line.startswith("    ") and not line.strip(" $"):
        return True
    return text.count("\n```", 0, start) % 2 == 1


def _prose_words(rest: str) -> Iterator[str]:
    for position, word in enumerate(rest.split()):
        bare = word.rstrip(".,:;)`'\"")
        if position > 1 and not word.startswith("-"):
            return
        yield bare
        if bare != word:
            return


@functools.cache
def _root() -> Any:
    return typer.main.get_command(app)


def _verbs(command: Any) -> list[str]:
    found: list[str] = command.list_commands(click.Context(command))
    return found


def _is_group(command: Any) -> bool:
    return hasattr(command, "list_commands")


def _child(command: Any, name: str) -> Any:
    return command.get_command(click.Context(command), name)


@functools.cache
def all_verbs() -> frozenset[str]:
    """Return the names of all verbs, and of verbs of verbs."""
    return frozenset(name for path in _paths() for name in path)


@functools.cache
def all_options() -> frozenset[str]:
    """Return the options of all verbs."""
    return frozenset(name for command in _paths().values() for name in _options(command))


@functools.cache
def _paths() -> dict[tuple[str, ...], Any]:
    found: dict[tuple[str, ...], Any] = {(): _root()}
    for name in _verbs(_root()):
        verb = _child(_root(), name)
        found[name,] = verb
        if _is_group(verb):
            found |= {(name, below): _child(verb, below) for below in _verbs(verb)}
    return found


def _options(command: Any) -> dict[str, Any]:
    """Return the options of a command with what follows each."""
    found = {"-h": None, "--help": None}
    for parameter in command.params:
        if parameter.param_type_name == "option":
            for name in (*parameter.opts, *parameter.secondary_opts):
                found[name] = None if parameter.is_flag else parameter
    return found


def _command_problems(command: Command) -> Iterator[str]:
    path: tuple[str, ...] = ()
    words = list(command.words)
    while words and _is_group(_paths()[path]) and not words[0].startswith("-"):
        word = words.pop(0)
        if not _WORD.fullmatch(word):
            return
        if (*path, word) not in _paths():
            if command.is_whole or not path:
                yield f"there is no 'espalier {' '.join((*path, word))}'"
            return
        path = (*path, word)
    usual = getattr(_paths()[path], "usual", None)
    if usual is not None and words:
        # It is meant where no verb of the family is named.
        path = (*path, usual)
    yield from _word_problems(path, words, command)


def _word_problems(path: tuple[str, ...], words: list[str], command: Command) -> Iterator[str]:
    verb, title = _paths()[path], " ".join(("espalier", *path))
    takes_arguments = any(one.param_type_name == "argument" for one in verb.params)
    options = _options(verb)
    while words:
        word = words.pop(0)
        if word == "--":
            return
        name = word.partition("=")[0].rstrip("])\"'")
        if name.startswith("-") and name != "-":
            if name not in options:
                yield f"'{title}' has no option {name}"
            elif options[name] is not None and "=" not in word and words:
                words.pop(0)
        elif command.is_whole and word in all_verbs():
            yield f"'{title}' has no verb {word}"
        elif command.is_whole and _WORD.fullmatch(word) and not takes_arguments:
            yield f"'{title}' takes no argument, here {word}"


@functools.cache
def _programs() -> frozenset[str]:
    """Return programs, libraries and their packages of CMake files, and the formats of files."""
    schemas = (repository / "python/espalier/schemas").glob("*.schema.json")
    found = {f"espalier-{re.sub(r'-[0-9]+.schema$', '', one.stem)}" for one in schemas}
    for path in _listed(*_CMAKE):
        text = _read(path)
        for kind, name in re.findall(r"\b(s?mpi)_program\(\s*(espalier-\w+)", text):
            found |= {f"{name}-smpi"} if kind == "smpi" else {f"{name}-{one}" for one in _VENDORS}
        for name in re.findall(r"\bOUTPUT_NAME (espalier-[\w${}-]+)", text):
            # The preload library exists for the standard ABI, too.
            found |= {f"lib{name.replace('${vendor}', one)}" for one in (*_VENDORS, "abi")}
    for path in _listed("packaging/**/CMakeLists.txt"):
        for name in re.findall(r"\b(espalier-[\w-]*)\$\{vendor\}\.pc\b", _read(path)):
            found |= {f"{name}{one}" for one in _VENDORS}
    return frozenset(found)


def is_program(name: str) -> bool:
    """Return whether something has this name; of several with an MPI at the end also without it."""
    return name in _programs() or any(one.startswith(f"{name.rstrip('-')}-") for one in _programs())


@functools.cache
def shim_variables() -> frozenset[str]:
    """Return the variables that a preloaded program reads."""
    text = _read("shim/environment.cpp")
    return frozenset(re.findall(r'\b(?:environment_variable|is_set)\("(ESPALIER_\w+)"\)', text))


@functools.cache
def _other_names() -> frozenset[str]:
    """Return the variables that other parts read, macros, constants, and what CMake sets."""
    places = [
        (("include/*.h", "tests/**/*.cpp"), r"#\s*(?:define|ifdef|ifndef)\s+(ESPALIER_\w+)"),
        (("include/*.h",), r"^  (ESPALIER_\w+) = \d+"),
        (("espalier/**/*.cpp",), r'\b(?:environment_)?variable\("(ESPALIER_\w+)"'),
        (("shim/**/*.cpp",), r'\bgetenv\("(ESPALIER_\w+)"'),
        (("espalier/**/exports.map",), r"^(ESPALIER_\w+) \{"),
        (("packaging/**/*.in",), r"\$\{(ESPALIER_\w+):-"),
        (("python/**/*.py", "tests/python/*.py"), r'\benviron(?:\.get\(|\[)"(ESPALIER_\w+)"'),
        (("python/**/*.py",), r'^\w+ = "(ESPALIER_\w+)"'),
        (_CMAKE, r"(?:\b(?:option|set)|find_\w+)\(\s*(ESPALIER_\w+)"),
        (_CMAKE, r"compile_definitions\(([^)]*)\)"),
    ]
    return frozenset(
        name
        for patterns, definition in places
        for path in _listed(*patterns)
        for part in re.findall(definition, _read(path), re.MULTILINE)
        for name in re.findall(r"(?<!\{)\bESPALIER_\w+", part)
    )


def is_variable(name: str) -> bool:
    """Return whether something reads or defines the name; one that ends in `_` begins several."""
    if name.endswith("_"):
        return any(one.startswith(name) for one in shim_variables() | _other_names())
    return name in shim_variables() | _other_names()
