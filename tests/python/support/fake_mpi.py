# SPDX-License-Identifier: Apache-2.0
"""Launchers, programs and a measuring program that behave as they are told, without any MPI."""

from __future__ import annotations

import json
import os
import stat
import sys
import textwrap
from typing import TYPE_CHECKING

from espalier import installation

if TYPE_CHECKING:
    from pathlib import Path

# Runs the program once, whatever -n says; -x is what Open MPI's launcher does with it.
_OPENMPI = r"""
if [[ ${1-} == --version ]]; then echo "mpirun (Open MPI) 9.8.7"; exit 0; fi
while [[ ${1-} == -* ]]; do
  case $1 in
    -n) export FAKE_RANKS=$2; shift 2 ;;
    -x) name=${2%%=*}
        # The dynamic linker would complain about the library, which is none.
        if [[ $name == LD_PRELOAD ]]; then name=FAKE_PRELOAD; fi
        export "$name=${2#*=}"; shift 2 ;;
    --hostfile) export FAKE_HOST_FILE=$2; shift 2 ;;
    --map-by) shift 2 ;;
    *) shift ;;
  esac
done
if [[ -n ${FAKE_LAUNCHER_FAILS-} ]]; then
  printf '%s\n' "${FAKE_LAUNCHER_SAYS-no slots available}" >&2
  exit 17
fi
if ! command -v "$1" >/dev/null; then echo "cannot find $1" >&2; exit 132; fi
if [[ -z ${FAKE_LAUNCHER_CRASHES-} ]]; then
  "$@"
  exit
fi
# As Open MPI 4.1.4 may when a program has failed.
"$@" || true
cat >&2 <<'EOF'
[n1:00042] *** Process received signal ***
[n1:00042] Signal: Segmentation fault (11)
[n1:00042] Signal code: Address not mapped (1)
[n1:00042] Failing at address: (nil)
[n1:00042] [ 0] /lib/libc.so.6(+0x3c050)[0x7f0000000050]
[n1:00042] [ 1] /lib/libpmix.so.2(PMIx_server_finalize+0x1c1)[0x7f0000000100]
[n1:00042] [ 2] /usr/bin/mpirun.openmpi(main+0x10)[0x560000000010]
[n1:00042] *** End of error message ***
EOF
kill -SEGV $$
"""

_HYDRA = r"""
if [[ ${1-} == --version ]]; then printf 'HYDRA build details:\n    Version: 4.5.6\n'; exit 0; fi
while [[ ${1-} == -* ]]; do
  case $1 in
    -genv) export "FAKE_$2=$3"; shift 3 ;;
    -n) shift 2 ;;
    *) shift ;;
  esac
done
exec "$@"
"""

# Takes FAKE_SECONDS, and half of it under Espalier unless every call is forced to be native; two
# grids. With FAKE_CLOCK it takes no time, and says there how long it would have taken.
_PROGRAM = r"""
import json, os, sys, time
forced_native = "bcast=native" in os.environ.get("ESPALIER_FORCE", "")
ours = "FAKE_PRELOAD" in os.environ and not forced_native
count_file = os.environ.get("FAKE_COUNT")
if count_file:
    with open(count_file, "a") as file:
        file.write(("ours" if ours else "native" if forced_native else "plain") + "\n")
fail = os.environ.get("FAKE_FAILS_IN")
kind = "ours" if ours else "native" if forced_native else "plain"
times = open(count_file).read().split().count(kind) if count_file else 1
if fail == "all" or (fail == kind and times > int(os.environ.get("FAKE_FAILS_AFTER", "0"))):
    print("something went wrong", file=sys.stderr)
    sys.exit(int(os.environ.get("FAKE_EXIT_CODE", "3")))
seconds = float(os.environ.get("FAKE_SECONDS", "0.02"))
if ours:
    seconds *= float(os.environ.get("FAKE_FACTOR", "0.5"))
if "FAKE_HOST_FILE" in os.environ:
    if os.environ.get("FAKE_FAILS_IN") == "placed":
        print("no such host", file=sys.stderr)
        sys.exit(1)
    seconds *= float(os.environ.get("FAKE_PLACED_FACTOR", "1"))
if os.environ.get("FAKE_HANGS_IN") == "ours" and ours:
    seconds = 1000
    print("watched after", os.environ.get("ESPALIER_WATCH"), file=sys.stderr, flush=True)
clock_file = os.environ.get("FAKE_CLOCK")
if clock_file:
    with open(clock_file, "w") as file:
        file.write(str(seconds))
else:
    time.sleep(seconds)
sys.stdout.write(sys.stdin.read())
def is_shared(folder):
    # Ranks other than the first are on hosts that see nothing else (FAKE_SHARED).
    return folder.startswith(os.environ.get("FAKE_SHARED", "/"))
folder = os.environ.get("ESPALIER_STATISTICS")
if folder and "FAKE_PRELOAD" in os.environ and not os.environ.get("FAKE_NO_STATISTICS"):
    ranks = int(os.environ.get("FAKE_RANKS", "1"))
    for rank in range(ranks):
        if rank > 0 and not is_shared(folder):
            continue
        call = {
            "function": os.environ.get("FAKE_FUNCTION", "MPI_Bcast"),
            "num_ranks": ranks, "min_bytes": 512, "max_bytes": 1023,
            "count": 100, "bytes": 60000, "seconds": 0.8 * seconds,
            "algorithm": "bcast/binomial" if ours else "native",
            "reason": "profile rule 0: faster" if ours else "forced by ESPALIER_FORCE",
            "manners": json.loads(os.environ.get("FAKE_MANNERS", "[]")),
        }
        statistics = {
            "schema": "espalier-statistics", "version": 1, "rank": rank, "num_ranks": ranks,
            "mpi": {"vendor": "openmpi", "version": "Open MPI v9.8.7"}, "seconds": seconds,
            "finalized": True, "memory_bytes": 1000, "warnings": [], "calls": [call],
        }
        if rank == 0 and os.environ.get("ESPALIER_MAPPING") == "on":
            machine = os.environ.get("ESPALIER_MACHINE", "2 nodes")
            made = {"function": "MPI_Cart_create", "num_ranks": ranks, "algorithm": "tile",
                    "report": f"3x1 on {machine}: inter-node neighbours 4 -> 2"}
            statistics["mappings"] = [made, made]
        text = json.dumps(statistics)
        breaks_after = int(os.environ.get("FAKE_BREAKS_AFTER", "0"))
        if os.environ.get("FAKE_BREAKS_IN") == kind and times > breaks_after:
            text = text[:100]
        with open(os.path.join(folder, f"rank-{rank}.json"), "w") as file:
            file.write(text)
# Ranks on hosts (FAKE_HOSTS), each of which sends a MB to the one beyond the middle.
folder = os.environ.get("ESPALIER_TRAFFIC")
ranks = int(os.environ.get("FAKE_RANKS", "1"))
hosts = os.environ.get("FAKE_HOSTS", "").split() or ["here"] * ranks
if folder and "FAKE_PRELOAD" in os.environ:
    os.makedirs(folder, exist_ok=True)
    for rank, host in enumerate(hosts):
        if rank > 0 and not is_shared(folder):
            continue
        nothing = {"messages": 0, "bytes": 0}
        kinds = ("point_to_point", "one_sided", "alltoall", "neighborhood")
        counted = {
            "schema": "espalier-traffic", "version": 1, "rank": rank, "num_ranks": len(hosts),
            "host": host, "mpi": {"vendor": "openmpi", "version": "Open MPI v9.8.7"},
            "seconds": seconds, "finalized": True,
            "sent": [[(rank + len(hosts) // 2) % len(hosts), 10, 1000000]], "fetched": [],
            "outside": nothing, "kinds": dict.fromkeys(kinds, nothing),
        }
        with open(os.path.join(folder, f"traffic-{rank}.json"), "w") as file:
            json.dump(counted, file)
"""

# Times are drawn around 10 us (native) and 10 us / ratio (candidates named in FAKE_RATIOS; where
# nothing is said of how calls are made, in FAKE_PLAIN_RATIOS if there are any).
_MEASURE = r"""
import json, os, random, sys, time
if "--native-algorithms" in sys.argv:
    # This library has one algorithm for each call, and nobody can select it.
    calls = ("allgather allgatherv allreduce alltoall alltoallv alltoallw barrier bcast exscan"
             " gather gatherv reduce reduce_scatter reduce_scatter_block scan scatter"
             " scatterv").split()
    rows = [{"collective": call, "algorithms": [], "parameters": [], "problem": "there is one"}
            for call in calls]
    print(json.dumps({"calls": rows}))
    sys.exit(0)
plan = json.load(open(sys.argv[sys.argv.index("--plan") + 1]))
ratios = json.loads(os.environ.get("FAKE_RATIOS", "{}"))
wrong = os.environ.get("FAKE_WRONG", "")
hang_after = int(os.environ.get("FAKE_HANGS_AFTER", "1000000"))
exit_code = int(os.environ.get("FAKE_MEASURE_EXIT", "0"))
generator = random.Random(plan["seed"])
with open(sys.argv[sys.argv.index("--output") + 1], "w") as file:
    def write(line):
        file.write(json.dumps(line) + "\n")
        file.flush()
    nodes = json.loads(os.environ.get("FAKE_NODES", "[]"))
    write({"kind": "header", "schema": "espalier-samples", "version": 1,
           "num_ranks": int(os.environ.get("FAKE_RANKS", "4")), "num_nodes": len(set(nodes)) or 1,
           **({"node_of_rank": nodes} if nodes else {}),
           "max_ranks_per_node": 4, "min_cpus_per_node": int(os.environ.get("FAKE_CPUS", "4")),
           "mpi": {"vendor": "openmpi", "version": "Open MPI v9.8.7"},
           "clock_resolution_us": 0.03})
    for index, point in enumerate(plan["points"]):
        if index >= hang_after:
            time.sleep(1000)
        time.sleep(float(os.environ.get("FAKE_POINT_SECONDS", "0")))
        place = {"index": index, "collective": point["collective"], "bytes": point["bytes"]}
        if wrong and wrong in point["algorithms"]:
            write({"kind": "error", **place, "algorithm": wrong, "reason": "wrong",
                   "text": "rank 1: expected byte 7"})
            continue
        is_plain = not {"root", "operator", "in_place", "part_bytes", "pair_bytes"} & set(point)
        plain_ratios = json.loads(os.environ.get("FAKE_PLAIN_RATIOS", "null"))
        used = plain_ratios if is_plain and plain_ratios is not None else ratios
        names = ["native", *[name for name in point["algorithms"] if name != "native"]]
        samples = {name: [] for name in names}
        for _ in range(int(os.environ.get("FAKE_REPETITIONS", plan["max_repetitions"]))):
            drift = generator.uniform(9, 11)
            for name in names:
                ratio = 1.0 if name == "native" else used.get(name, 0.8)
                samples[name].append(drift / ratio * generator.lognormvariate(0, 0.02))
        write({"kind": "point", **place, "calls_per_sample": 1, "samples_us": samples})
    if exit_code:
        print(os.environ.get("FAKE_MEASURE_SAYS", "it broke"), file=sys.stderr)
        sys.exit(exit_code)
    write({"kind": "end", "points_left": 0})
"""


# Round trips of ranks on nodes of packages of cores, FAKE_CORES in each package; messages beyond
# FAKE_CHANNELS at a time out of a node wait. FAKE_DISTURBED: pairs that run together wait.
_PROBE = r"""
import collections, json, os, random, sys, time
plan = json.load(open(sys.argv[sys.argv.index("--plan") + 1]))
ranks = int(os.environ.get("FAKE_RANKS", "4"))
cores = int(os.environ.get("FAKE_CORES", "2"))
packages = int(os.environ.get("FAKE_PACKAGES", "2"))
channels = int(os.environ.get("FAKE_CHANNELS", "2"))
disturbed = float(os.environ.get("FAKE_DISTURBED", "1"))
noise = float(os.environ.get("FAKE_NOISE", "0.01"))
stop_after = int(os.environ.get("FAKE_STOPS_AFTER", "1000000000"))
exit_code = int(os.environ.get("FAKE_PROBE_EXIT", "0"))
left = int(os.environ.get("FAKE_SETS_LEFT", "0"))
generator = random.Random(plan["seed"])
ALPHA, BANDWIDTH = (20.0, 4.0, 1.0), (100.0, 1000.0, 4000.0)
def node(rank): return rank // (cores * packages)
def level(a, b): return 0 if node(a) != node(b) else 1 if a // cores != b // cores else 2
def one_way(pair, pairs, size):
    crossing = level(*pair)
    crowd = 1.0
    if crossing == 0:
        crowd = sum(level(*other) == 0 and node(other[0]) == node(pair[0]) for other in pairs)
        crowd = max(1.0, crowd / channels)
    return ALPHA[crossing] + size * crowd / BANDWIDTH[crossing]
def duration(test, pair, pairs, size):
    single = one_way(pair, pairs, size)
    if test["test"] == "latency": return 2 * single
    if test["test"] in ("send_overhead", "receive_overhead"): return 0.3 + size / 5000
    gap = 0.5 + size / BANDWIDTH[level(*pair)]
    crowd = (single - ALPHA[level(*pair)]) / max(1e-9, size / BANDWIDTH[level(*pair)])
    return test["messages"] * gap * max(1.0, crowd) + 2 * ALPHA[level(*pair)]
counted = 0
with open(sys.argv[sys.argv.index("--output") + 1], "w") as file:
    def write(line):
        file.write(json.dumps(line) + "\n")
        file.flush()
    moved = len(plan["tests"]) > 2 and "FAKE_MOVES" in os.environ
    write({"kind": "header", "schema": "espalier-probe-samples", "version": 1,
           "num_ranks": ranks, "mpi": {"vendor": "openmpi", "version": "Open MPI v9.8.7"},
           "clock_resolution_us": 0.03, "is_simulated": "FAKE_SIMULATED" in os.environ,
           "ranks": [{"rank": rank, "host": f"n{node(rank)}" + ("x" if moved else ""),
                      "node": node(rank), "cpus": str(rank), "bound": True, "online": 64,
                      "environment": {}} for rank in range(ranks)]})
    for index, test in enumerate(plan["tests"]):
        for number, pairs in enumerate(test["sets"]):
            for size in test["bytes"]:
                if counted >= stop_after:
                    if exit_code:
                        print(os.environ.get("FAKE_MEASURE_SAYS", "it broke"), file=sys.stderr)
                        sys.exit(exit_code)
                    time.sleep(1000)
                counted += 1
                slow = disturbed if len(pairs) > 1 else 1.0
                times = [slow * duration(test, pair, pairs, size)
                         * generator.lognormvariate(0, noise) for pair in pairs]
                write({"kind": "result", "test_index": index, "set_index": number,
                       "test": test["test"], "label": test["label"], "pairs": pairs,
                       "bytes": size, "messages": test["messages"], "calls_per_sample": 1,
                       "repetitions": 20, "converged": True, "mean_us": times,
                       "sd_us": [0.05 * one for one in times], "median_us": times,
                       "min_us": [0.95 * one for one in times],
                       "max_us": [1.05 * one for one in times],
                       "low_us": [0.98 * one for one in times],
                       "high_us": [1.02 * one for one in times],
                       "slowest": {"mean_us": max(times), "sd_us": 0.1, "median_us": max(times)}})
    write({"kind": "end", "complete": left == 0, "sets_left": left if plan["tests"] else 0})
"""


def _script(path: Path, interpreter: str, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!{interpreter}\n{textwrap.dedent(text)}")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


class FakeMpi:
    """A folder with launchers on the PATH, and a build folder with what Espalier looks for."""

    def __init__(self, folder: Path) -> None:
        self.bin = folder / "bin"
        self.build = folder / "build"
        self.mpirun = _script(self.bin / "mpirun", "/bin/bash", _OPENMPI)
        self.mpiexec = _script(self.bin / "mpiexec", "/bin/bash", _HYDRA)
        self.program = _script(self.bin / "solver", sys.executable, _PROGRAM)
        self.measure = _script(
            self.build / "bin" / "espalier-measure-openmpi", sys.executable, _MEASURE
        )
        self.probe = _script(self.build / "bin" / "espalier-probe-openmpi", sys.executable, _PROBE)
        self.library = self.build / "lib" / "libespalier-openmpi.so"
        self.library.parent.mkdir(parents=True)
        self.library.write_bytes(b"")
        (self.library.parent / "libespalier-traffic-openmpi.so").write_bytes(b"")
        # A process of its own finds the compiled module through the build folder.
        real = installation.build_folder()
        if real is not None:
            (self.build / "python").symlink_to(real / "python")

    def environment(self) -> dict[str, str]:
        return {
            "PATH": f"{self.bin}:{os.environ['PATH']}",
            "ESPALIER_BUILD_DIR": str(self.build),
            "OMPI_ALLOW_RUN_AS_ROOT": "1",
            "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
            "XDG_DATA_HOME": str(self.build.parent / "data"),
        }

    def script(self, name: str, text: str) -> Path:
        return _script(self.bin / name, "/bin/bash", text)


def ratios(**faster: float) -> dict[str, str]:
    """Return the variable that says by how much candidates beat native; `bcast_flat=1.5`."""
    named = {name.replace("_", "/", 1): ratio for name, ratio in faster.items()}
    return {"FAKE_RATIOS": json.dumps(named)}
