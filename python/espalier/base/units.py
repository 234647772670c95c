# SPDX-License-Identifier: Apache-2.0
"""Numbers with units, as people write and read them: SI for time, binary for sizes."""

from __future__ import annotations

import math
import re

from espalier.errors import ArgumentError

_BINARY = ("B", "KiB", "MiB", "GiB", "TiB")
_FACTORS = {"": 1, "b": 1} | {
    suffix: factor
    for i, letter in enumerate("kmgt", start=1)
    for suffix, factor in ((letter, 1024**i), (f"{letter}ib", 1024**i), (f"{letter}b", 1000**i))
}
# Sizes are kept in 63 bits, and numbers of ranks in 31.
_TOO_MANY_BYTES = 1 << 63
MOST_RANKS = (1 << 31) - 1
_LONGEST_SHOWN = 40
_SIZE = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-z]*)")


def three_digits(value: float) -> str:
    """Return a number with three significant digits and no exponent: `0.0412 4.10 312 12300`."""
    if value == 0 or not math.isfinite(value):
        return f"{value:g}"
    digits = 2 - math.floor(math.log10(abs(value)))
    rounded = round(value, digits)
    # Rounding may have added a digit in front: 9.999 is 10.0.
    return f"{rounded:.{max(0, 2 - math.floor(math.log10(abs(rounded))))}f}"


def _time_unit(seconds: float) -> tuple[float, str]:
    for factor, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if abs(seconds) >= 0.9995 * factor:
            return factor, unit
    return 1e-9, "ns"


def time_text(seconds: float) -> str:
    """Return a time with three significant digits: `312 ns`, `4.10 us`, `2 min 5 s`."""
    if seconds >= 120:
        return f"{int(seconds) // 60} min {int(seconds) % 60} s"
    if seconds == 0:
        return "0 s"
    factor, unit = _time_unit(seconds)
    return f"{three_digits(seconds / factor)} {unit}"


def interval_text(low: float, high: float) -> str:
    """Return an interval of times with one unit: `4.00 .. 4.20 us`."""
    factor, unit = _time_unit(high)
    return f"{three_digits(low / factor)} .. {three_digits(high / factor)} {unit}"


def ratio_text(ratio: float) -> str:
    """Return a ratio: `1.31x`."""
    return f"{three_digits(ratio)}x"


def bytes_text(num_bytes: int) -> str:
    """Return a size with three significant digits: `8 B`, `64 KiB`, `1.21 MiB`."""
    if num_bytes < 1024:
        return f"{num_bytes} B"
    exponent = min((num_bytes.bit_length() - 1) // 10, len(_BINARY) - 1)
    if round(num_bytes / 1024**exponent) == 1024 and exponent + 1 < len(_BINARY):
        exponent += 1
    value = num_bytes / 1024**exponent
    text = f"{value:.0f}" if value == int(value) or value >= 1000 else three_digits(value)
    return f"{text} {_BINARY[exponent]}"


def bytes_range_text(low: int, high: int | None) -> str:
    """Return an inclusive range of sizes, None for no limit: `8 B .. 64 KiB`, `0 B .. <8 KiB`."""
    if high is None:
        return f"{bytes_text(low)} ..."
    # Ranges often end one below a round number: a power of two, or whole KiB, MiB, ...
    unit = 1024 ** ((high.bit_length() - 1) // 10) if high > 0 else 1
    is_round = (high + 1) & high == 0 or (unit > 1 and (high + 1) % unit == 0)
    last = f"<{bytes_text(high + 1)}" if is_round else bytes_text(high)
    return bytes_text(low) if low == high else f"{bytes_text(low)} .. {last}"


def parse_bytes(text: str) -> int:
    """Return the bytes of `8`, `64KiB`, `64K`, `1.5MiB` (binary) or `64kB` (decimal)."""
    match = _SIZE.fullmatch(text.strip())
    factor = _FACTORS.get(match[2].lower()) if match else None
    if match is None or factor is None:
        raise ArgumentError(f"expected a size such as 8, 64KiB or 1MiB, got '{text}'")
    value = float(match[1]) * factor
    if value >= _TOO_MANY_BYTES:
        raise ArgumentError(f"expected a size below 8 EiB, got '{_cut(text)}'")
    if value != int(value):
        raise ArgumentError(f"expected a whole number of bytes, got '{text}'")
    return int(value)


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def parse_bytes_list(text: str) -> list[int]:
    """Return sizes of `8,64KiB`; `8..1MiB` doubles from the first to the last."""
    sizes: list[int] = []
    for item in text.split(","):
        first, dots, last = item.partition("..")
        size = parse_bytes(first)
        end = parse_bytes(last) if dots else size
        if end < size or (dots and size == 0):
            raise ArgumentError(f"expected a rising range of sizes above 0, got '{item}'")
        while size < end:
            sizes.append(size)
            size *= 2
        sizes.append(end)
    return list(dict.fromkeys(sizes))


def parse_integers(text: str, what: str, minimum: int = 1) -> list[int]:
    """Return integers of `1-33,64`, in the order given and without repetitions."""
    numbers: list[int] = []
    for item in text.split(","):
        match = re.fullmatch(r"\s*(\d+)(?:\s*-\s*(\d+))?\s*", item)
        if match is None:
            raise ArgumentError(f"expected {what} as in 4 or 1-33,64, got '{text}'")
        ends = [match[1], match[2] or match[1]]
        if max(map(float, ends)) > MOST_RANKS:
            raise ArgumentError(f"expected {what} up to {MOST_RANKS}, got '{_cut(item.strip())}'")
        first, last = map(int, ends)
        if first < minimum or last < first:
            raise ArgumentError(f"expected {what} from {minimum} up, rising, got '{item.strip()}'")
        numbers.extend(range(first, last + 1))
    return list(dict.fromkeys(numbers))
