# SPDX-License-Identifier: Apache-2.0
"""Known latencies, bandwidths, switch points and channels come out of noisy times."""

from __future__ import annotations

from collections import Counter

import numpy as np
import probe_data as data
import pytest

from espalier.probing import channels, estimates, fits, loggp, protocol

_ALPHA_US, _RATE = 1.5, 8000.0


def _times(
    seed: int, noise: float = 0.03, eager_bytes: int = 1 << 62, wait_us: float = 0.0
) -> list[fits.Timing]:
    random = np.random.default_rng(seed)
    found = []
    for power in range(25):
        size = 1 << power
        time = 2 * (_ALPHA_US + size / _RATE + (wait_us if size > eager_bytes else 0.0))
        time *= float(np.exp(random.normal(0.0, noise)))
        found.append(fits.Timing(size, time, time * (1 - 2 * noise), time * (1 + 2 * noise)))
    return found


def _switch(timings: list[fits.Timing]) -> protocol.Switch | None:
    return protocol.switch_point([t.bytes for t in timings], [t.median_us for t in timings])


def test_exact_times_give_exact_parameters() -> None:
    found = fits.fit(_times(0, noise=0.0), [], None)
    assert found is not None
    assert found.alpha_us is not None
    assert found.alpha_us.value == pytest.approx(_ALPHA_US)
    assert (found.alpha_us.low, found.alpha_us.high) == pytest.approx((_ALPHA_US, _ALPHA_US))
    assert found.bandwidth is not None
    assert found.bandwidth.value == pytest.approx(_RATE)
    assert found.residual == pytest.approx(0.0, abs=1e-9)
    assert found.to_json()["method"] == "A"


def test_noisy_times_give_parameters_within_their_intervals() -> None:
    inside = 0
    for seed in range(10):
        found = fits.fit(_times(seed), [], None)
        assert found is not None
        assert found.alpha_us is not None
        assert found.method_a is not None
        assert found.alpha_us.value == pytest.approx(_ALPHA_US, rel=0.1)
        assert found.method_a.value == pytest.approx(_RATE, rel=0.1)
        inside += found.alpha_us.low <= _ALPHA_US <= found.alpha_us.high
        inside += found.method_a.low <= _RATE <= found.method_a.high
    # 19 of 20 on average.
    assert inside >= 16


def test_one_disturbed_time_does_not_tilt_the_line() -> None:
    timings = _times(1, noise=0.01)
    timings[20] = fits.Timing(1 << 20, 5 * timings[20].median_us, 0.0, 0.0)
    found = fits.fit(timings, [], None)
    assert found is not None
    assert found.method_a is not None
    assert found.method_a.value == pytest.approx(_RATE, rel=0.05)


def test_messages_back_to_back_count_before_round_trips() -> None:
    size, messages = data.MIB, 16
    time = messages * (_ALPHA_US + size / 9000.0)
    train = fits.Train(fits.Timing(size, time, 0.99 * time, 1.01 * time), messages)
    found = fits.fit(_times(0, noise=0.0), [train], None)
    assert found is not None
    assert found.method_b is not None
    assert found.method_b.value == pytest.approx(9000.0)
    assert found.method_b.low == pytest.approx(9000.0, rel=0.02)
    assert found.method_b.low < 9000.0 < found.method_b.high
    assert found.bandwidth == found.method_b
    assert found.to_json()["method"] == "B"


def test_short_messages_back_to_back_do_not_tell_the_bandwidth() -> None:
    train = fits.Train(fits.Timing(64, 30.0, 29.0, 31.0), 16)
    found = fits.fit(_times(0, noise=0.0), [train], None)
    assert found is not None
    assert found.method_b is None


def test_alpha_is_that_of_eager_messages() -> None:
    timings = _times(0, noise=0.0, eager_bytes=4096, wait_us=20.0)
    found = fits.fit(timings, [], 4096)
    assert found is not None
    assert found.alpha_us is not None
    assert found.alpha_us.value == pytest.approx(_ALPHA_US)


def test_a_single_size_is_all_latency() -> None:
    found = fits.fit([fits.Timing(16384, 10.0, 9.0, 11.0)], [], None)
    assert found is not None
    assert found.alpha_us == estimates.Estimate(5.0, 4.5, 5.5)
    assert found.bandwidth is None
    assert fits.fit([], [], None) is None


def test_no_disturbed_line_makes_messages_free() -> None:
    """Times of small messages that lie on a line from below 0, and of large ones on one that falls.

    The figures are those of ranks that had to wait for a processor.
    """
    small = [(1024, 6.0), (2048, 20.0), (4096, 60.0), (8192, 130.0)]
    large = [(1 << 20, 4000.0), (2 << 20, 3900.0)]
    timings = [fits.Timing(size, time, 0.9 * time, 1.1 * time) for size, time in small + large]
    found = fits.fit(timings, [], None)
    assert found is not None
    assert found.alpha_us == estimates.Estimate(3.0, 0.9 * 6.0 / 2, 1.1 * 6.0 / 2)
    assert found.bandwidth is not None
    assert found.bandwidth.value == pytest.approx(2 * (2 << 20) / 3900.0)
    assert 0 < found.bandwidth.low < found.bandwidth.value < found.bandwidth.high


def test_a_switch_below_the_largest_size_leaves_a_bandwidth() -> None:
    found = fits.fit(_times(0, noise=0.0), [], 1 << 23)
    assert found is not None
    assert found.bandwidth is not None
    assert found.bandwidth.value == pytest.approx(_RATE, rel=0.01)


@pytest.mark.parametrize(("eager_bytes", "wait_us"), [(4096, 3.0), (65536, 20.0)])
def test_the_switch_to_rendezvous_is_found(eager_bytes: int, wait_us: float) -> None:
    found = [_switch(_times(seed, 0.03, eager_bytes, wait_us)) for seed in range(8)]
    right = [one for one in found if one is not None and one.eager_bytes == eager_bytes]
    assert len(right) >= 7
    waits = [one.rendezvous_latency_us for one in right]
    assert float(np.median(waits)) == pytest.approx(wait_us, rel=0.15)


def test_a_small_drop_is_a_switch_in_exact_times_only() -> None:
    exact = _times(0, 0.0, 65536, -0.2)
    assert _switch(exact) == protocol.Switch(65536, 0.0)
    assert _switch(_times(0, 0.01, 65536, -0.2)) is None
    assert _switch(_times(0, 0.0)) is None


def test_no_jump_is_no_switch() -> None:
    assert [_switch(_times(seed, 0.05)) for seed in range(8)].count(None) >= 7


def test_a_change_of_bandwidth_is_no_switch() -> None:
    sizes = [1 << power for power in range(22)]
    cached = [2 * (1.0 + size / 20000 + max(0, size - 65536) / 8000) for size in sizes]
    assert protocol.switch_point(sizes, cached) is None


def test_one_disturbed_size_is_no_switch() -> None:
    timings = _times(2, 0.02)
    timings[12] = fits.Timing(4096, 4 * timings[12].median_us, 0.0, 0.0)
    assert _switch(timings) is None


def test_few_sizes_have_no_switch() -> None:
    assert protocol.switch_point([1, 2, 4, 8], [1.0, 1.0, 9.0, 9.0]) is None


@pytest.mark.parametrize("capacity", [1, 2, 3, 4])
def test_channels_are_counted_in_noise(capacity: int) -> None:
    counts: Counter[int | None] = Counter()
    for seed in range(40):
        random = np.random.default_rng(seed)
        noise = np.exp(random.normal(0.0, 0.05, 8))
        totals = {k: 1000.0 * min(k, capacity) * noise[k - 1] for k in range(1, 9)}
        found = channels.count(totals)
        assert found is not None
        counts[found.count] += 1
    assert counts[capacity] >= 39


def test_growth_to_the_end_is_no_count() -> None:
    found = channels.count({k: 1000.0 * k for k in range(1, 5)})
    assert found is not None
    assert (found.count, found.has_knee, found.max_pairs) == (None, False, 4)
    assert found.capacity == pytest.approx(4.0)
    assert "still grows at 4 pairs" in found.evidence


def test_part_of_a_channel_is_a_capacity() -> None:
    found = channels.count({k: 1000.0 * min(k, 2.4) for k in range(1, 9)})
    assert found is not None
    assert found.capacity == pytest.approx(2.4, abs=0.02)
    assert found.count == 2


def test_one_number_of_pairs_shows_nothing() -> None:
    assert channels.count({1: 1000.0}) is None
    assert channels.count({2: 1000.0, 3: 1000.0}) is None
    assert channels.count({}) is None


def test_loggp_parameters_add_up_to_alpha() -> None:
    found = loggp.of_times(2.0, 1000.0, 0.4, 0.6, 0.7)
    assert found.to_json() == {
        "L_us": pytest.approx(1.0),
        "o_s_us": 0.4,
        "o_r_us": 0.6,
        "g_us": 0.7,
        "G_us_per_byte": pytest.approx(0.001),
        "late_receive_us": None,
    }
    assert loggp.of_times(0.5, None, 0.4, 0.4, None).latency_us == 0.0
    late = loggp.of_times(0.5, None, 0.1, 0.6, None)
    assert (late.latency_us, late.overhead_receive_us) == (pytest.approx(0.4), None)
    assert loggp.of_times(None, None, None, None, None).latency_us is None


def test_the_gap_is_between_the_starts_of_messages() -> None:
    assert loggp.gap_us(2 * 1.5 + 99 * 0.5, 100, 1.5) == pytest.approx(0.5)
    assert loggp.gap_us(1.0, 100, 1.5) == 0.0
