# SPDX-License-Identifier: Apache-2.0
"""Writing the profile of a model: what `model profile` and `tune --effort estimate` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from espalier.io.console import emit_json, progress, say
from espalier.profiles import merging
from espalier.report.changes import changes_text
from espalier.report.content import print_report
from espalier.report.model import profile_report
from espalier.tuning.modelled import model_profile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from espalier.tuning.modelled import Question

PREDICTED = "predicted by a model, not measured"


def write_profile(
    question: Question, about: Mapping[str, Any], output: Path, *, json: bool
) -> None:
    """Add what the model finds fastest to a profile, and tell it.

    Args:
        question: For what.
        about: As model_profile() takes it.
        output: The profile, whether it is there or not.
        json: Whether to print the document in place of a report.

    Raises:
        InputError: the profile that is there is for another MPI, or none.
    """
    merging.check(output, about["mpi"]["vendor"])
    with progress("predicting", len(question.collectives) * len(question.sizes)) as bar:
        made = model_profile(question, about, bar.advance)
    changes = merging.add(output, made, "free space there, then repeat the command")
    done = changes_text([change.to_json() for change in changes])
    if json:
        say(f"{output}: {done}")
        emit_json(made)
    else:
        print_report(profile_report(made, f"{output}, {done}"))
