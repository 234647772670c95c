# SPDX-License-Identifier: Apache-2.0
"""All that is known of a machine after probing, as one document `espalier-probe`."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from espalier.probing import advice, channels, doubts, fits, links, loggp, protocol
from espalier.probing.measurements import Measurements

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from espalier.conditions.cautions import Caution
    from espalier.probing.fits import Fit
    from espalier.probing.measurements import Kind
    from espalier.probing.samples import Result, Samples
    from espalier.probing.scan import Scan

SCHEMA = "espalier-probe"
VERSION = 1


def warnings(cautions: Iterable[Caution]) -> list[dict[str, str]]:
    """Return cautions as this document has them: their name is a `kind`."""
    return [{"kind": one.name, "text": one.text, "advice": one.advice} for one in cautions]


def analyse(scan: Scan, details: Samples | None = None) -> dict[str, Any]:
    """Return the document; without details, of the scan alone.

    Args:
        scan: who is where.
        details: results of a later launch of the same job.
    """
    scan = advice.with_cautions(scan)
    results = details.results if details else ()
    levels = [_level(scan, number, results) for number in range(len(scan.levels))]
    complete = scan.complete and (details is None or details.complete)
    cautions = advice.with_details(scan.cautions, (*scan.results, *results))
    cautions += doubts.of_levels(levels)
    if scan.complete and not complete:
        cautions.append(doubts.interrupted_details())
    return {
        "schema": SCHEMA,
        "version": VERSION,
        "mpi": {"vendor": scan.header.vendor, "version": scan.header.version},
        "num_ranks": scan.num_ranks,
        "ranks": _ranks(scan),
        "is_simulated": scan.header.is_simulated,
        "complete": complete,
        "matrix": {
            "bytes": scan.matrix.bytes,
            "rtt_us": [
                [None if math.isnan(time) else time for time in row]
                for row in scan.matrix.rtt_us.tolist()
            ],
        },
        "levels": levels,
        "groups": [split.to_json() for split in scan.splits],
        "evidence": list(scan.evidence),
        "warnings": warnings(cautions),
        "machine": links.machine(scan, levels),
    }


def _ranks(scan: Scan) -> list[dict[str, Any]]:
    nodes = scan.level("node").object_of_rank
    return [
        {
            "rank": rank.rank,
            "host": rank.host,
            "node": nodes[rank.rank],
            "cpus": rank.cpus,
            "bound": rank.bound,
            "online": rank.online,
        }
        for rank in scan.header.ranks
    ]


def _level(scan: Scan, number: int, results: Sequence[Result]) -> dict[str, Any]:
    found = Measurements(scan, number, results)
    round_trips = found.round_trips() or _from_matrix(scan, number)
    calm = fits.undisturbed(round_trips)
    switch = protocol.switch_point(
        [timing.bytes for timing in calm], [timing.median_us for timing in calm]
    )
    fit = fits.fit(calm, found.trains(), switch.eager_bytes if switch else None)
    return {
        "name": scan.levels[number].name,
        "between": scan.between(number),
        "object_of_rank": list(scan.levels[number].object_of_rank),
        "latency_table": [timing.to_json() for timing in round_trips],
        "disturbed_bytes": [t.bytes for t in round_trips if t not in calm],
        "fit": fit.to_json() if fit else None,
        "multi_latency": found.several("latency"),
        "multi_bandwidth": found.several("bandwidth"),
        "channels": _channels(found, "channels"),
        "shared_channels": _channels(found, "shared_channels"),
        "duplex_factor": found.duplex_factor(),
        "loggp": _loggp(found, fit),
        "eager_bytes": switch.eager_bytes if switch else None,
        "rendezvous_latency_us": switch.rendezvous_latency_us if switch else None,
    }


def _from_matrix(scan: Scan, number: int) -> list[fits.Timing]:
    """Return the one size that the scan measured, if pairs of this level were among it."""
    times = scan.matrix.fastest_us[advice.crossings(scan) == number]
    known = sorted(time for time in times.tolist() if not math.isnan(time))
    if not known or scan.matrix.bytes is None:
        return []
    middle, last = len(known) // 2, len(known) - 1
    low, high = known[max(0, middle - last // 4)], known[min(last, middle + last // 4)]
    return [fits.Timing(scan.matrix.bytes, known[middle], low, high)]


def _channels(found: Measurements, kind: Kind) -> dict[str, Any] | None:
    series = found.series(kind)
    counted = channels.count(series.totals) if series else None
    return counted.to_json(series.label, series.bytes) if series and counted else None


def _loggp(found: Measurements, fit: Fit | None) -> dict[str, Any] | None:
    if fit is None:
        return None
    send, receive = found.smallest("send_overhead"), found.smallest("receive_overhead")
    train = found.smallest("message_rate")
    alpha = fit.alpha_us.value if fit.alpha_us else None
    gap = None
    if train is not None and alpha is not None and (n := found.messages_of("message_rate")) > 1:
        gap = loggp.gap_us(train.median_us, n, alpha)
    return loggp.of_times(
        alpha,
        fit.bandwidth.value if fit.bandwidth else None,
        send.median_us if send else None,
        receive.median_us if receive else None,
        gap,
    ).to_json()
