# SPDX-License-Identifier: Apache-2.0
"""Options that belong together, as data: a group is a dataclass, and any verb may take it.

A verb declares what it takes; a parameter is an option, an argument or a group of them:

    def tune(launch: Launch, what: Wanted = _WANTED, *, repeat: Repeat, json: Json = False) -> None:

The fields of a group are annotated as typer wants parameters. The instance that a verb gives as a
default says what is usual there. `expand` makes the function that typer understands, with a
parameter for each option. The words that repeat a command follow from the same definitions.
"""

from __future__ import annotations

import dataclasses
import enum
import inspect
import shlex
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

from typer.models import ArgumentInfo, OptionInfo

from espalier.io.names import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

# Marks an option that does not belong to a command that is to be repeated.
UNREPEATED = object()


@dataclass(frozen=True)
class _Field:
    """An option or argument. `usual` is its default; there is none if it has to be given."""

    name: str
    annotation: Any
    usual: Any = inspect.Parameter.empty

    @property
    def is_repeated(self) -> bool:
        """Return whether it belongs to the command that repeats this one."""
        return UNREPEATED not in get_args(self.annotation)

    @property
    def is_argument(self) -> bool:
        """Return whether it is known by its position, not by a name."""
        return isinstance(self._info(), ArgumentInfo)

    def parameter(self) -> inspect.Parameter:
        """Return what typer makes an option of."""
        return inspect.Parameter(
            self.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=self.usual,
            annotation=self.annotation,
        )

    def words(self, value: Any) -> list[str]:
        """Return how the value is given on a command line; nothing if it is the usual one."""
        if value in (None, [], self.usual):
            return []
        if self.is_argument:
            return ["--", *value] if isinstance(value, list) else [str(value)]
        info = self._info()
        # In an annotation the first name stands where defaults are elsewhere.
        names = (info.default, *info.param_decls)
        first, _, opposite = names[0].partition("/")
        if isinstance(value, bool):
            return [first if value else opposite]
        values = value if isinstance(value, list) else [value]
        return [word for one in values for word in (first, _text(one))]

    def _info(self) -> Any:
        kinds = (ArgumentInfo, OptionInfo)
        return next(one for one in get_args(self.annotation) if isinstance(one, kinds))


def _text(value: Any) -> str:
    if isinstance(value, enum.Enum):
        return str(value.value)
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Repeat:
    """The command that was given; a verb that has a parameter of this type gets it."""

    path: tuple[str, ...]
    fields: tuple[_Field, ...]
    values: Mapping[str, Any]

    def having(self, **values: object) -> Repeat:
        """Return the command with other values of options."""
        return dataclasses.replace(self, values={**self.values, **values})

    def text(self, *more: str) -> str:
        """Return a line for a shell, with `more` behind the verb; usual values are left out."""
        options: list[str] = []
        arguments: list[str] = []
        for field in self.fields:
            if field.is_repeated:
                target = arguments if field.is_argument else options
                target += field.words(self.values[field.name])
        words = ["espalier", *self.path, *more, *_in_order(options, arguments)]
        return printable(shlex.join(words))


def _in_order(options: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """Return the words with single arguments before the options and a command behind them."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return [*arguments[:end], *options, *arguments[end:]]


def expand(verb: Callable[..., Any], path: Sequence[str]) -> Callable[..., Any]:
    """Return the verb as a function with a parameter for each option and argument.

    Args:
        verb: Takes options, arguments, groups of them, and maybe its Repeat.
        path: How the verb is called on the command line.

    Raises:
        TypeError: two options have the same name.
    """
    hints = get_type_hints(verb, include_extras=True)
    declared = {
        parameter.name: _fields(parameter, hints[parameter.name])
        for parameter in inspect.signature(verb).parameters.values()
        if hints[parameter.name] is not Repeat
    }
    fields = tuple(field for group in declared.values() for field in group)
    names = [field.name for field in fields]
    if len(set(names)) < len(names):
        twice = sorted({name for name in names if names.count(name) > 1})
        raise TypeError(f"expected each option of '{' '.join(path)}' once, got two of {twice}")

    def run(**values: Any) -> Any:
        given: dict[str, Any] = {}
        for name, kind in hints.items():
            if kind is Repeat:
                given[name] = Repeat(tuple(path), fields, values)
            elif dataclasses.is_dataclass(kind) and isinstance(kind, type):
                given[name] = kind(**{field.name: values[field.name] for field in declared[name]})
            elif name in declared:
                given[name] = values[name]
        return verb(**given)

    run.__name__, run.__doc__ = verb.__name__, verb.__doc__
    run.__annotations__ = {field.name: field.annotation for field in fields}
    signature = inspect.Signature([field.parameter() for field in fields])
    setattr(run, "__signature__", signature)  # noqa: B010 - types do not know it
    return run


def _fields(parameter: inspect.Parameter, kind: Any) -> list[_Field]:
    """Return what a parameter of a verb stands for: the fields of a group, or itself."""
    if not dataclasses.is_dataclass(kind):
        return [_Field(parameter.name, kind, parameter.default)]
    annotations = get_type_hints(kind, include_extras=True)
    found = []
    for field in dataclasses.fields(kind):
        usual = field.default
        if parameter.default is not inspect.Parameter.empty:
            usual = getattr(parameter.default, field.name)
        elif usual is dataclasses.MISSING:
            usual = inspect.Parameter.empty
        found.append(_Field(field.name, annotations[field.name], usual))
    return found
