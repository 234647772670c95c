# SPDX-License-Identifier: Apache-2.0
"""Understanding the user's command, and putting variables into its ranks."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace

import pytest
from fake_mpi import FakeMpi

from espalier.errors import ArgumentError, EnvironmentFault, MpiError
from espalier.launch import diagnosis, programs, root
from espalier.launch.command import parse_command
from espalier.launch.environment import with_environment
from espalier.launch.options import HYDRA, OPENMPI, SMPI, SRUN
from espalier.launch.preload import Settings, all_native, find_target, parse_force
from espalier.launch.processes import Ended


def parse(text):
    return parse_command(text.split())


def line(words):
    return " ".join(words)


pytestmark = pytest.mark.usefixtures("fake")


@pytest.fixture
def fake(tmp_path, monkeypatch):
    mpi = FakeMpi(tmp_path)
    mpi.script("srun", 'echo "slurm 22.05.8"')
    mpi.script("smpirun", 'echo "SimGrid version 3.32"')
    for name, value in mpi.environment().items():
        monkeypatch.setenv(name, value)
    return mpi


@pytest.mark.parametrize(
    ("words", "num_options", "ranks"),
    [
        ("mpirun -n 4 --oversubscribe ./app -n 7", 3, 4),
        ("mpirun -np 8 --mca btl vader,self --bind-to none ./app", 7, 8),
        ("mpirun --mca mpi_yield_when_idle 1 -x A=1 -n 2 app", 7, 2),
        ("mpirun -H a,b --map-by ppr:1:node app", 4, None),
        ("mpirun ./app", 0, None),
        ("mpirun -n 3 --display-map --report-bindings ./app --help", 4, 3),
        ("mpirun -c 5 --some=thing ./app", 3, 5),
        ("mpiexec -genv A 1 -n 4 -ppn 2 -bind-to core ./app x", 9, 4),
        ("mpiexec -f hosts -np 6 -prepend-rank ./app", 5, 6),
        ("srun -n 4 --mpi=pmix ./app -n 9", 3, 4),
        ("srun --ntasks=16 -N2 --exclusive ./app", 3, 16),
        ("srun -n12 -p debug ./app", 3, 12),
        ("smpirun -np 8 -platform p.xml -hostfile h -map --cfg=smpi/os:0 ./app -n 9", 8, 8),
    ],
)
def test_the_program_is_found_behind_the_options(words, num_options, ranks):
    command = parse(words)
    assert len(command.options) == num_options
    assert command.program[0].endswith("app")
    assert command.num_ranks == ranks
    assert line(command.words()) == words


def test_launchers_of_other_members_of_the_families_are_known(fake):
    banner = "Intel(R) MPI Library for Linux* OS, Version 2021.18.1 Build 20260626 (id: b44796a)"
    fake.script("mpiexec.hydra", f'echo "{banner}"')
    command = parse("mpiexec.hydra -ppn 2 -n 2 ./app")
    assert (command.family, command.vendor, command.version) == (HYDRA, "mpich", "2021.18.1")
    fake.script("prterun", 'echo "prterun (PRRTE) 3.0.7"')
    command = parse("prterun --map-by slot:oversubscribe -n 2 ./app")
    assert (command.family, command.vendor, command.version) == (OPENMPI, "openmpi", "3.0.7")


@pytest.mark.parametrize(
    ("launcher", "family", "vendor", "version"),
    [
        ("mpirun", OPENMPI, "openmpi", "9.8.7"),
        ("mpiexec", HYDRA, "mpich", "4.5.6"),
        ("srun", SRUN, None, "22.05.8"),
        ("smpirun", SMPI, "smpi", "3.32"),
    ],
)
def test_the_launcher_says_what_it_is(launcher, family, vendor, version):
    command = parse_command([launcher, "-n", "2", "./app"])
    assert (command.family, command.vendor, command.version) == (family, vendor, version)


def test_a_simulation_has_its_variables_from_the_launcher():
    start = with_environment(parse("smpirun -np 2 ./app"), {"A": "1"})
    assert line(start.words) == "smpirun -np 2 ./app"
    assert start.environment == {"A": "1"}


def test_a_full_path_and_words_in_front_are_kept(fake):
    command = parse_command(["env", "A=1", "timeout", "60", str(fake.mpirun), "-n", "2", "./app"])
    assert command.wrapper == ("env", "A=1", "timeout", "60")
    assert command.program == ("./app",)


def test_two_dashes_end_the_options():
    command = parse("mpirun -n 4 --mystery 3 -- ./app -- x")
    assert command.program == ("./app", "--", "x")
    assert line(command.words()) == "mpirun -n 4 --mystery 3 ./app -- x"
    assert command.doubt == ""


def test_a_value_of_an_unknown_option_may_be_the_program():
    command = parse("mpirun -n 4 --mystery 3 ./app")
    assert command.program == ()
    assert "'--mystery 3'" in command.doubt
    assert "put -- between" in command.doubt


def test_an_unknown_option_before_another_option_is_no_problem():
    assert parse("mpirun --mystery -n 4 ./app").program == ("./app",)


def test_options_without_a_program():
    command = parse("mpirun -n 4 --oversubscribe")
    assert command.program == ()
    assert line(command.with_program(["x", "y"]).words()) == "mpirun -n 4 --oversubscribe x y"


@pytest.mark.parametrize("words", [[], ["./app"], ["python", "app.py"]])
def test_a_command_without_a_launcher_is_refused(words):
    with pytest.raises(ArgumentError, match="expected a command with an MPI launcher"):
        parse_command(words)


def test_a_missing_launcher_is_named():
    with pytest.raises(MpiError, match=r"'mpirun\.nowhere' on the PATH, found none") as error:
        parse_command(["mpirun.nowhere", "-n", "2", "./app"])
    assert error.value.exit_code == 127


def test_a_launcher_that_nobody_knows_is_quoted(fake):
    fake.script("mpiexec.strange", 'echo "Strange MPI 1.0"')
    with pytest.raises(MpiError, match=r"got 'Strange MPI 1\.0'"):
        parse_command(["mpiexec.strange", "./app"])


def test_variables_go_in_front_of_the_users_options():
    command = parse("mpirun -n 2 ./app")
    start = with_environment(command, {"A": "1", "B": "x;y=[k]"})
    assert line(start.words) == "mpirun -x A=1 -x B=x;y=[k] -n 2 ./app"
    command = parse("mpiexec -n 2 ./app")
    assert line(with_environment(command, {"A": "1"}).words) == "mpiexec -genv A 1 -n 2 ./app"


def test_nothing_to_set_changes_nothing():
    command = parse("mpirun -n 2 ./app")
    assert with_environment(command, {}).words == command.words()


def test_slurm_gets_variables_through_its_environment():
    command = parse("srun -n 2 ./app")
    start = with_environment(command, {"LD_PRELOAD": "/l.so", "F": "a[k=1,segments=2]"})
    assert line(start.words) == "srun --export=ALL,LD_PRELOAD=/l.so -n 2 ./app"
    assert start.environment == {"F": "a[k=1,segments=2]"}


@pytest.mark.parametrize("export", ["--export=PATH", "--export PATH"])
def test_slurm_keeps_the_users_export(export):
    command = parse(f"srun {export} -n 2 ./app")
    start = with_environment(command, {"LD_PRELOAD": "/l.so", "F": "1"})
    assert line(start.words) == "srun --export=PATH,F,LD_PRELOAD=/l.so -n 2 ./app"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("mpirun -x LD_PRELOAD=/b.so ./app", "mpirun -x LD_PRELOAD=/a.so:/b.so ./app"),
        ("mpirun -x LD_PRELOAD ./app", "mpirun -x LD_PRELOAD=/a.so:/env.so ./app"),
        ("mpirun -n 1 ./app", "mpirun -x LD_PRELOAD=/a.so:/env.so -n 1 ./app"),
        ("mpiexec -genv LD_PRELOAD /b.so ./app", "mpiexec -genv LD_PRELOAD /a.so:/b.so ./app"),
        ("mpiexec -n 1 ./app", "mpiexec -genv LD_PRELOAD /a.so:/env.so -n 1 ./app"),
        (
            "mpirun ./app -x LD_PRELOAD=/b",
            "mpirun -x LD_PRELOAD=/a.so:/env.so ./app -x LD_PRELOAD=/b",
        ),
    ],
)
def test_what_the_user_preloads_is_kept_behind_ours(monkeypatch, words, expected):
    monkeypatch.setenv("LD_PRELOAD", "/env.so")
    # The dynamic linker complains in processes started from here on.
    monkeypatch.setattr(
        "espalier.launch.command._ask_version",
        lambda name: f"{name} (Open MPI) 1.0" if "mpirun" in name else "HYDRA 1.0",
    )
    command = parse(words)
    assert with_environment(command, {"LD_PRELOAD": "/a.so"}).words == expected.split()


def test_every_program_of_a_command_gets_variables():
    command = parse("mpirun -n 1 ./a : -n 2 ./b")
    assert command.is_multi_program
    start = with_environment(command, {"A": "1"})
    assert line(start.words) == "mpirun -x A=1 -n 1 ./a : -x A=1 -n 2 ./b"
    command = parse("mpiexec -n 1 ./a : -n 2 ./b")
    start = with_environment(command, {"A": "1"})
    assert line(start.words) == "mpiexec -genv A 1 -n 1 ./a : -n 2 ./b"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (
            "mpirun -x LD_PRELOAD=/b.so ./a : -n 2 ./b",
            "mpirun -x LD_PRELOAD=/a.so:/b.so ./a : -x LD_PRELOAD=/a.so -n 2 ./b",
        ),
        (
            "mpirun -n 1 ./a : -n 2 -x LD_PRELOAD=/b.so ./b",
            "mpirun -x LD_PRELOAD=/a.so -n 1 ./a : -n 2 -x LD_PRELOAD=/a.so:/b.so ./b",
        ),
        (
            "mpirun -x LD_PRELOAD=/b ./a : -x LD_PRELOAD=/c ./b -x LD_PRELOAD=/d",
            "mpirun -x LD_PRELOAD=/a.so:/b ./a : -x LD_PRELOAD=/a.so:/c ./b -x LD_PRELOAD=/d",
        ),
        (
            "mpiexec -env LD_PRELOAD /b.so ./a : -n 2 ./b",
            "mpiexec -genv LD_PRELOAD /a.so -env LD_PRELOAD /a.so:/b.so ./a : -n 2 ./b",
        ),
        (
            "mpiexec -n 1 ./a : -env LD_PRELOAD /b.so ./b",
            "mpiexec -genv LD_PRELOAD /a.so -n 1 ./a : -env LD_PRELOAD /a.so:/b.so ./b",
        ),
        (
            "mpiexec -env LD_PRELOAD b a : -env LD_PRELOAD c b",
            "mpiexec -genv LD_PRELOAD /a.so -env LD_PRELOAD /a.so:b a : -env LD_PRELOAD /a.so:c b",
        ),
        (
            "mpiexec -n 1 ./a : -genv LD_PRELOAD /b.so ./b",
            "mpiexec -n 1 ./a : -genv LD_PRELOAD /a.so:/b.so ./b",
        ),
    ],
)
def test_every_program_of_a_command_is_preloaded(monkeypatch, words, expected):
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    start = with_environment(parse(words), {"LD_PRELOAD": "/a.so"})
    assert line(start.words) == expected


def test_programs_behind_colons_are_told_with_their_options():
    command = parse("mpirun -n 1 ./a -n 7 : --mystery -n 2 -- ./b : --mystery 3 ./c")
    parts = [(line(part.options), line(part.program)) for part in command.parts]
    assert parts == [("-n 1", "./a -n 7"), ("--mystery -n 2", "./b"), ("--mystery 3 ./c", "")]
    (part,) = parse("srun -n 2 ./a : x").parts
    assert line(part.program) == "./a : x"


def test_root_has_to_be_permitted(monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.delenv("OMPI_ALLOW_RUN_AS_ROOT")
    command = parse("mpirun -n 2 ./app")
    assert root.permission(command) == {
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
    }
    with pytest.raises(MpiError, match="set OMPI_ALLOW_RUN_AS_ROOT=1"):
        root.check_permission(command)
    assert not root.permission(parse("mpirun --allow-run-as-root -n 2 ./app"))
    assert not root.permission(parse("mpiexec -n 2 ./app"))
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert not root.permission(command)


def test_forced_algorithms_are_checked():
    assert parse_force(["allgather=bruck", "bcast=native;allgatherv=ring"]) == (
        "allgather=bruck;bcast=native;allgatherv=ring"
    )
    assert parse_force(["bcast=k_nomial[k=4,segments=8]"]) == "bcast=k_nomial[k=4,segments=8]"
    for entry, text in (
        ("jalltoall=ring", "expected call=algorithm"),
        ("allgather", "expected call=algorithm"),
        ("allgather=nope", "nope"),
        ("bcast=k_nomial[q=4]", "q"),
    ):
        with pytest.raises(ArgumentError, match=text):
            parse_force([entry])
    assert "bcast=native" in all_native()


def test_a_target_has_a_program_and_a_library(fake):
    target = find_target(["mpirun", "-n", "2", str(fake.program)], None)
    assert target.library == fake.library
    assert target.vendor == "openmpi"
    with pytest.raises(ArgumentError, match="expected a program behind"):
        find_target(["mpirun", "-n", "2"], None)
    with pytest.raises(ArgumentError, match="expected --mpi openmpi or mpich, got 'lam'"):
        find_target(["mpirun", "-n", "2", "x"], "lam")


@pytest.mark.parametrize("name", ["in there", "in:there"])
def test_a_library_that_the_linker_would_look_for_elsewhere_is_refused(fake, name):
    target = find_target(["mpirun", "-n", "2", str(fake.program)], None)
    library = fake.library.parent / name / fake.library.name
    with pytest.raises(EnvironmentFault, match=f"which LD_PRELOAD cannot hold, found .*/{name}/"):
        replace(target, library=library).preloaded(Settings())
    without = replace(target, library=library, obstacle="a script")
    assert without.preloaded(Settings()) == without.plain()


def test_slurm_needs_a_program_that_says_its_mpi(fake):
    with pytest.raises(MpiError, match="add --mpi openmpi or --mpi mpich"):
        find_target(["srun", "-n", "2", str(fake.program)], None)
    assert find_target(["srun", "-n", "2", str(fake.program)], "openmpi").vendor == "openmpi"


def test_a_script_is_not_asked_for_its_mpi(fake):
    program = programs.inspect(str(fake.program))
    assert program.path == fake.program
    assert not program.is_binary
    assert program.vendor is None


@pytest.mark.skipif(shutil.which("hpcc") is None, reason="hpcc is not installed")
def test_launcher_and_program_of_different_mpis_are_refused():
    command = parse("mpiexec -n 2 hpcc")
    with pytest.raises(MpiError, match="every rank would run alone; use the launcher of Open MPI"):
        programs.vendor_of(command)


def test_only_the_crash_of_a_launcher_is_left_out():
    head, end = "*** Process received signal ***", "*** End of error message ***"
    program = f"[n1:7] {head}\n[n1:7] [ 0] solver(solve+0x10)[0x7f]\n[n1:7] {end}\n"
    launcher = f"[n1:3] {head}\n[n1:3] [ 1] libpmix.so.2(PMIx_server_finalize+0x1c1)[0x7f]\n"
    said = f"solver: no input\n{program}{launcher}[n1:3] {end}\nlast words\n"
    assert diagnosis.without_crash(said) == f"solver: no input\n{program}last words\n"
    assert diagnosis.without_crash(program + launcher) == program


def test_failures_are_described(fake):
    command = parse_command(["mpirun", "-n", "2", str(fake.program)])
    assert "got 3" in diagnosis.describe_end(command, Ended(3, 1.0))
    assert "got 134 (128 + SIGABRT)" in diagnosis.describe_end(command, Ended(134, 1.0))
    late = diagnosis.describe_end(command, Ended(143, 60.0, timed_out=True))
    assert "to end within the time limit, it ran 60 s" in late
    crashed = diagnosis.describe_end(command, Ended(139, 1.0, signal_number=11))
    assert "its launcher was itself ended by SIGSEGV" in crashed
    missing = parse_command(["mpirun", "-n", "2", "./nothing"])
    assert "nothing executable at './nothing'" in diagnosis.describe_end(missing, Ended(132, 1.0))


def test_a_program_without_mpi_is_recognised(fake):
    command = parse_command(["mpirun", "-n", "2", "/bin/true"])
    assert "is not linked with a shared library" in diagnosis.why_unseen(command)
    command = parse_command(["mpirun", "-n", "2", str(fake.program)])
    assert "its ranks left no statistics" in diagnosis.why_unseen(command)


@pytest.mark.parametrize(("learns", "value"), [(True, "on"), (False, "off"), (None, None)])
def test_learning_is_left_to_the_library_unless_it_is_said(learns, value):
    assert Settings(learns=learns).variables().get("ESPALIER_LEARN") == value
