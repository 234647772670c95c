# SPDX-License-Identifier: Apache-2.0
"""`espalier tune` with a model that cannot be used: that is said before ranks are started."""

from __future__ import annotations

from pathlib import Path

import pytest

_LAUNCH = ("--", "mpirun", "-n", "4")
_ESTIMATE = ("--effort", "estimate")


@pytest.mark.usefixtures("fake")
@pytest.mark.parametrize("effort", [(), _ESTIMATE])
@pytest.mark.parametrize(
    ("model", "text"),
    [
        ("none.json", "none.json: expected a readable file"),
        ("broken.json", "broken.json: expected JSON"),
        ("4c", "expected a machine that says what messages cost, got '4c'"),
        ("4q", "after the number, got '4q'"),
    ],
)
def test_a_model_is_read_before_ranks_are_started(cli, told, effort, model, text):
    Path("broken.json").write_text("{")
    # What the launcher says would be told instead.
    told(FAKE_LAUNCHER_FAILS="1")
    refused = cli("tune", *effort, "--model", model, *_LAUNCH)
    assert refused.code in {1, 2}
    assert text in refused.err
    assert "no slots available" not in refused.err


@pytest.mark.usefixtures("fake")
def test_an_estimate_without_a_model_starts_no_ranks(cli, told):
    told(FAKE_LAUNCHER_FAILS="1")
    refused = cli("tune", *_ESTIMATE, *_LAUNCH)
    assert refused.code == 2
    assert "expected --model with --effort estimate, got none" in refused.err
