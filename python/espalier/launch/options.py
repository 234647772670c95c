# SPDX-License-Identifier: Apache-2.0
"""Options of MPI launchers: how many words each takes, so that the program can be found.

Sources: `mpirun --help all` (Open MPI 4.1), `mpiexec -help` (MPICH 4.0), `srun --help` (Slurm 22),
`smpirun -help` (SimGrid 3.32).
"""

from __future__ import annotations

from dataclasses import dataclass


def _table(none: str, one: str, two: str = "") -> dict[str, int]:
    return {word: count for count, words in enumerate((none, one, two)) for word in words.split()}


@dataclass(frozen=True)
class Family:
    """Launchers that share a command line."""

    name: str
    title: str
    arity: dict[str, int]
    num_ranks: frozenset[str]

    def words_after(self, option: str) -> int | None:
        """Return how many words belong to an option, None if the option is not known."""
        name = option.lstrip("-")
        if name in self.arity:
            return self.arity[name]
        if "=" in option and option.startswith("--"):
            return 0
        if self.name == "srun" and not option.startswith("--"):
            # Short options carry their value, as in -n4.
            return 0 if self.arity.get(name[:1]) == 1 else None
        return None


OPENMPI = Family(
    name="openmpi",
    title="Open MPI",
    arity=_table(
        none="""
            allow-run-as-root bind-to-core bind-to-socket bycore bynode byslot continuous debug
            debug-daemons disable-recovery display-allocation display-devel-allocation
            display-devel-map display-diffable-map display-map display-topo do-not-launch
            do-not-resolve dvm enable-instant-on-support enable-recovery forward-signals
            fwd-mpirun-port get-stack-traces index-argv-by-rank leave-session-attached
            merge-stderr-to-stdout nolocal nooversubscribe noprefix novm nousage output-proctable
            oversubscribe pernode preload-binary s q quiet report-bindings
            report-child-jobs-separately report-state-on-timeout set-cwd-to-session-dir
            show-progress tag-output
            timestamp-output tv use-hwthread-cpus use-regexp v verbose V version xml d
        """,
        one="""
            am app bind-to c cf cartofile cpu-list cpu-set cpus-per-proc cpus-per-rank debugger
            default-hostfile display H host hnp hostfile launch-agent machinefile map-by
            max-restarts max-vm-size N n np npernode npersocket ompi-server output
            output-filename path personality pmixam ppr prefix preload-files prtemca-file
            rank-by report-events report-pid report-uri rf rankfile runtime-options stdin timeout
            tune wd wdir with-ft x xml-file xterm
        """,
        two="mca gmca omca gomca pmixmca gpmixmca prtemca gprtemca",
    ),
    num_ranks=frozenset({"n", "np", "c"}),
)

HYDRA = Family(
    name="hydra",
    title="Hydra (MPICH, Intel MPI)",
    arity=_table(
        none="""
            genvnone genvall envnone envall enable-x disable-x verbose v info version V
            print-all-exitcodes profile prepend-rank l disable-auto-cleanup enable-auto-cleanup
            disable-hostname-propagation enable-hostname-propagation pmi-port no-pmi-port
            skip-launch-node rr nolocal print-rank-map hydra help
        """,
        one="""
            genvlist envlist f hostfile machinefile hosts host wdir gwdir path gpath configfile n
            np launcher launcher-exec bootstrap bootstrap-exec rmk topolib bind-to map-by membind
            demux iface ppn perhost grr prepend-pattern outfile-pattern errfile-pattern
            nameserver order-nodes localhost usize gpus-per-proc umask gumask s arch tune
            branch-count timeout
        """,
        two="genv env",
    ),
    num_ranks=frozenset({"n", "np"}),
)

SRUN = Family(
    name="srun",
    title="Slurm",
    arity=_table(
        none="""
            exclusive overlap label l unbuffered u verbose v quiet Q version V overcommit O share
            s no-kill k contiguous multi-prog pty exact spread-job use-min-nodes X H hold Z
            no-allocate E preserve-env disable-status
        """,
        one="""
            n ntasks N nodes c cpus-per-task p partition t time A account J job-name o output e
            error i input w nodelist x exclude m distribution mpi cpu-bind mem-bind mem
            mem-per-cpu ntasks-per-node ntasks-per-socket ntasks-per-core export C constraint
            D chdir q qos jobid r relative threads-per-core gres gpus G gpus-per-task
            gpus-per-node K kill-on-bad-exit W wait hint network licenses L reservation
            dependency d B extra-node-info bcast accel-bind task-prolog task-epilog
        """,
    ),
    num_ranks=frozenset({"n", "ntasks"}),
)

SMPI = Family(
    name="smpi",
    title="SimGrid SMPI",
    arity=_table(
        none="""
            no-privatize map trace trace-ti trace-grouped trace-resource keep-temps quiet gdb vgdb
            lldb analyze help h version v git-version foreground
        """,
        one="""
            np n bandwidth latency platform hostfile machinefile replay tmpdir trace-comment
            trace-comment-file trace-file wrapper
        """,
    ),
    num_ranks=frozenset({"np", "n"}),
)
