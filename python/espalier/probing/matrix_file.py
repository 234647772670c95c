# SPDX-License-Identifier: Apache-2.0
"""Files with a matrix of round-trip times: `*.json`, else comma-separated values.

Row i holds the times that rank i measured when it sent first. In a CSV file the first row and the
first column may be labels (under a word in the corner), lines that begin with # are comments, and
an empty cell was not measured; the diagonal is 0 or empty. In a JSON file what was not measured is
null.
"""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from espalier.errors import FileError, FormatError
from espalier.io import documents
from espalier.io.console import document

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy.typing as npt

SCHEMA = "espalier-rtt-matrix"
VERSION = 1
_CORNER = "from"
_HEAD = re.compile(r"#\s*espalier-rtt-matrix\s+(\d+)\b(?:.*?\b(\d+) bytes)?")


@dataclass(frozen=True)
class RttMatrix:
    """Round-trip times in us between ranks. The diagonal is 0; nan was not measured.

    `num_bytes` is the size of the messages, None where the file does not say. There is one label a
    rank, none like another.
    """

    rtt_us: npt.NDArray[np.float64]
    labels: tuple[str, ...]
    num_bytes: int | None = None

    @property
    def num_ranks(self) -> int:
        """Return the number of ranks."""
        return len(self.labels)

    def holes(self) -> list[tuple[int, int]]:
        """Return the ordered pairs that were not measured."""
        rows, columns = np.nonzero(np.isnan(self.rtt_us))
        return list(zip(rows.tolist(), columns.tolist(), strict=True))


def make(
    rtt_us: npt.ArrayLike,
    labels: Sequence[str] = (),
    num_bytes: int | None = None,
    *,
    origin: str = "RTT matrix",
    allow_holes: bool = True,
) -> RttMatrix:
    """Return a matrix that was checked; without labels they are the ranks.

    Raises:
        FormatError: it is not square, a time is not above 0, a label is missing or used twice, or
            a pair was not measured and `allow_holes` is false.
    """
    values = np.array(rtt_us, dtype=np.float64)
    if values.ndim != 2 or values.shape[0] != values.shape[1] or values.shape[0] == 0:
        shape = " x ".join(map(str, values.shape))
        raise FormatError(
            f"{origin}: expected as many rows as columns, got {shape}",
            "give one row and one column for each rank",
        )
    np.fill_diagonal(values, _diagonal(values, origin))
    names = tuple(labels) or tuple(str(rank) for rank in range(len(values)))
    _check_labels(names, len(values), origin)
    _check_times(values, names, origin)
    matrix = RttMatrix(values, names, num_bytes)
    holes = matrix.holes()
    if holes and not allow_holes:
        i, j = holes[0]
        raise FormatError(
            f"{origin}: expected a time for all pairs, {len(holes)} of"
            f" {len(values) * (len(values) - 1)} are missing, the first from {names[i]} to"
            f" {names[j]}",
            "measure all of them with 'espalier probe --all-pairs'",
        )
    return matrix


def read(path: Path, *, allow_holes: bool = True) -> RttMatrix:
    """Return the matrix in a file.

    Raises:
        FileError: it cannot be read.
        FormatError: it is not a matrix, or one that make() refuses.
    """
    text = documents.read_text(path)
    if text.lstrip().startswith("{"):
        value = documents.parse(text, str(path), SCHEMA, VERSION)
        return make(
            _from_json(value["rtt_us"], str(path)),
            value.get("labels", ()),
            value["bytes"],
            origin=str(path),
            allow_holes=allow_holes,
        )
    return _from_csv(text, str(path), allow_holes=allow_holes)


def write(matrix: RttMatrix, path: Path) -> None:
    """Write a matrix so that read() gives it back.

    Raises:
        FileError: it cannot be written.
    """
    text = to_json(matrix) if path.suffix == ".json" else to_csv(matrix)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise FileError(
            f"{path}: expected to write the matrix, got '{error.strerror}'",
            "choose another file with --matrix",
        ) from error


def to_json(matrix: RttMatrix) -> str:
    """Return a matrix as JSON, one row a line."""
    head = document(SCHEMA, VERSION, bytes=matrix.num_bytes, labels=list(matrix.labels))
    rows = [[None if np.isnan(time) else float(time) for time in row] for row in matrix.rtt_us]
    lines = ",\n".join("  " + json.dumps(row) for row in rows)
    return json.dumps(head)[:-1] + ', "rtt_us": [\n' + lines + "\n]}\n"


def to_csv(matrix: RttMatrix) -> str:
    """Return a matrix as comma-separated values with labels."""
    size = "" if matrix.num_bytes is None else f" of {matrix.num_bytes} bytes"
    stream = io.StringIO()
    stream.write(f"# {SCHEMA} {VERSION}: round-trip times in us{size}, from row to column\n")
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([_CORNER, *matrix.labels])
    for label, row in zip(matrix.labels, matrix.rtt_us, strict=True):
        writer.writerow([label, *("" if np.isnan(time) else repr(float(time)) for time in row)])
    return stream.getvalue()


def _diagonal(values: npt.NDArray[np.float64], origin: str) -> float:
    found = np.diagonal(values)
    wrong = np.flatnonzero((found != 0) & np.isfinite(found))
    if wrong.size:
        raise FormatError(
            f"{origin}: expected 0 or nothing from a rank to itself, rank {wrong[0]} has"
            f" {found[wrong[0]]:g}",
            "check that rows and columns have the same order",
        )
    return 0.0


def _check_labels(labels: tuple[str, ...], num_ranks: int, origin: str) -> None:
    if len(labels) != num_ranks:
        raise FormatError(f"{origin}: expected {num_ranks} labels, got {len(labels)}")
    twice = next((label for label in labels if labels.count(label) > 1), None)
    if twice is not None:
        raise FormatError(f"{origin}: expected a label for one rank, got '{twice}' for several")


def _check_times(values: npt.NDArray[np.float64], labels: tuple[str, ...], origin: str) -> None:
    is_wrong = ~np.isnan(values) & ~((values > 0) & np.isfinite(values))
    np.fill_diagonal(is_wrong, False)
    wrong = np.argwhere(is_wrong)
    if wrong.size:
        i, j = wrong[0]
        raise FormatError(
            f"{origin}: expected round-trip times above 0, got {values[i, j]:g} from {labels[i]} to"
            f" {labels[j]} ({len(wrong)} such)",
            "leave out what was not measured: an empty cell, or null in JSON",
        )


def _from_json(rows: Any, origin: str) -> npt.NDArray[np.float64]:
    return _rectangle([[np.nan if one is None else one for one in row] for row in rows], origin)


def _from_csv(text: str, origin: str, *, allow_holes: bool) -> RttMatrix:
    lines = text.splitlines()
    num_bytes = _bytes_of_head(lines[0] if lines else "", origin)
    kept = [line for line in lines if line.strip() and not line.lstrip().startswith("#")]
    rows = [[cell.strip() for cell in row] for row in csv.reader(kept)]
    labels: list[str] = []
    if rows and _has_labels(rows):
        labels = rows[0][1:]
        names = [row[0] for row in rows[1:]]
        if names != labels:
            raise FormatError(
                f"{origin}: expected the same labels in the first row and the first column, got"
                f" {_short(labels)} and {_short(names)}"
            )
        rows = [row[1:] for row in rows[1:]]
    values = [[_number(cell, origin, i) for cell in row] for i, row in enumerate(rows)]
    return make(
        _rectangle(values, origin), labels, num_bytes, origin=origin, allow_holes=allow_holes
    )


def _has_labels(rows: list[list[str]]) -> bool:
    """Return whether the first row and column are labels.

    They are if the corner or one of them is a word. Numbers are labels under an empty corner if
    they count from 0; else they are times of a matrix without its diagonal.
    """
    corner, first, column = rows[0][0], rows[0][1:], [row[0] for row in rows[1:]]
    if not all(_is_number(cell) for cell in [corner, *first, *column]):
        return True
    return corner == "" and first == column == [str(rank) for rank in range(len(first))]


def _is_number(cell: str) -> bool:
    try:
        float(cell or "0")
    except ValueError:
        return False
    return True


def _number(cell: str, origin: str, row: int) -> float:
    if not cell:
        return float("nan")
    if not _is_number(cell):
        raise FormatError(f"{origin}: expected a time in us in row {row}, got '{_short(cell)}'")
    value = float(cell)
    if value != value:  # noqa: PLR0124 - nan
        raise FormatError(
            f"{origin}: expected a time in us in row {row}, got '{cell}'",
            "leave the cell empty if the pair was not measured",
        )
    return value


def _rectangle(rows: list[list[float]], origin: str) -> npt.NDArray[np.float64]:
    lengths = {len(row) for row in rows}
    if len(lengths) != 1:
        raise FormatError(
            f"{origin}: expected rows of one length, got"
            f" {', '.join(map(str, sorted(lengths))) or 'none'}",
            "give one row and one column for each rank",
        )
    return np.array(rows, dtype=np.float64)


def _bytes_of_head(line: str, origin: str) -> int | None:
    match = _HEAD.match(line)
    if match is None:
        return None
    if int(match[1]) > VERSION:
        raise FormatError(
            f"{origin}: expected version {VERSION} at most, got {match[1]}", "use a newer espalier"
        )
    return int(match[2]) if match[2] else None


def _short(value: object) -> str:
    text = str(value)
    return text if len(text) <= 60 else text[:57] + "..."
