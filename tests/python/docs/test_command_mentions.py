# SPDX-License-Identifier: Apache-2.0
"""Every command, option, program and variable that a text of ours names exists."""

from __future__ import annotations

import pytest
from command_mentions import (
    OTHERS_OPTIONS,
    Text,
    all_options,
    commands,
    cpp_strings,
    problems,
    python_strings,
    shim_variables,
    texts,
)

from espalier.doctor import settings

# Variables of commands, of a prefix, inside an emulated cluster, and of the library that counts.
OF_COMMANDS = {
    "ESPALIER_BUILD_DIR",
    "ESPALIER_PYTHON",
    "ESPALIER_CLUSTER",
    "ESPALIER_CLUSTER_ERRAND",
    "ESPALIER_TRAFFIC",
}


def test_what_texts_name_exists():
    found = {f"{one.origin}: {problem}" for one in texts() for problem in problems(one)}
    assert not found, "\n".join(sorted(found))


def test_commands_are_found_where_they_are():
    found = {(one.origin, command.words) for one in texts() for command in commands(one)}
    words = {origin: set() for origin, _ in found}
    for origin, command in found:
        words[origin].add(command)
    assert ("tune", "-o", "profile.json") in words["README.md"]
    assert ("show", "<collective>/<name>", "-p", "4") in words["DESIGN.md"]
    assert ("halo",) in words["README.md"]
    assert ("machine", "TEXT") in words["python/espalier/sampling/simulation.py"]
    assert any(origin.startswith("include/") for origin in words)
    assert any(origin.startswith("espalier/") for origin in words)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("see `espalier frobnicate`", "there is no 'espalier frobnicate'"),
        ("then espalier frobnicate it", "there is no 'espalier frobnicate'"),
        ("a walk that `espalier map --list` prints", "'espalier map' has no option --list"),
        ("check it with 'espalier machine show'", "'espalier machine' has no verb show"),
        ("as 'espalier model guess' says", "there is no 'espalier model guess'"),
        ("'espalier cluster run --hots 4 -- x'", "'espalier cluster run' has no option --hots"),
        ("what espalier tune --ressume continues", "'espalier tune run' has no option --ressume"),
        ("'espalier tune --machine M' simulates", "'espalier tune run' has no option --machine"),
        ("'espalier peers --machine M' too", "'espalier peers' has no option --machine"),
        ("`espalier doctor --thoroughly`", "'espalier doctor' has no option --thoroughly"),
        ("try:\n\n    bin/espalier probe -x m.json\n", "'espalier probe' has no option -x"),
        ("```\nbin/espalier run --fast ./app\n```", "'espalier run' has no option --fast"),
        ("choose another with --outptu", "no verb has the option --outptu"),
        ("espalier-mesure-openmpi is missing", "there is no program, library or file format"),
        ("preload libespalier-openmp.so", "there is no program, library or file format"),
        ("set ESPALIER_PROFIL or so", "nothing reads or defines ESPALIER_PROFIL"),
        ("cmake -DESPALIER_WITH_MIP=OFF", "nothing reads or defines ESPALIER_WITH_MIP"),
    ],
)
def test_what_does_not_exist_is_found(text, problem):
    assert any(one.startswith(problem) for one in problems(Text("docs/page.md", text)))


@pytest.mark.parametrize(
    "text",
    [
        "`espalier tune simulate --machine M -o F` and `espalier model profile`",
        "after espalier probe -o machine.json the machine is known",
        "Espalier in LD_PRELOAD, with a newer espalier",
        "`espalier cluster run --hosts 4 -- mpirun -n 8 ./app -x`",
        '`espalier machine "4n x 2s"` # no --machine here',
        "from espalier import profiles",
        "espalier-measure-<vendor>, libespalier-api-mpich.a, -DESPALIER_MPICC_mpich=/x/mpicc",
    ],
)
def test_what_exists_is_let_pass(text):
    assert not list(problems(Text("docs/page.md", text)))


def test_strings_that_follow_each_other_are_one():
    assert list(cpp_strings('f("see espalier "\n  "map", x); // "no"')) == ["see espalier map"]
    assert list(python_strings("f(f'see espalier {x}'\n  ' map')")) == ["see espalier {} map"]


def test_no_option_is_excused_in_vain():
    assert OTHERS_OPTIONS.keys() & all_options() == set()
    named = "\n".join(one.text for one in texts())
    assert [option for option in OTHERS_OPTIONS if option not in named] == []


def test_the_doctor_knows_the_variables_of_the_shim():
    assert "ESPALIER_FORCE" in shim_variables()
    assert set(settings._KNOWN) == {*shim_variables(), *OF_COMMANDS}
