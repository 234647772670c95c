// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/topologies/grid_lines.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/base/error.hpp"
#include "espalier/base/integer.hpp"
#include "espalier/exec/collectives/mpi_collectives.hpp"
#include "espalier/exec/messages/mpi_datatype.hpp"
#include "espalier/mpi/success.hpp"

namespace espalier::plan {
namespace {

using mpi::OwnCommunicator;
using mpi::require_success;
using schedule::Collective;

/// Takes over a communicator whose error handler stays that of another one.
OwnCommunicator taken_over(MPI_Comm made, MPI_Comm like) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  require_success(PMPI_Comm_get_errhandler(like, &handler), "MPI_Comm_get_errhandler");
  OwnCommunicator own(made);
  int const code = PMPI_Comm_set_errhandler(made, handler);
  PMPI_Errhandler_free(&handler);
  require_success(code, "MPI_Comm_set_errhandler");
  return own;
}

[[noreturn]] void refuse(Collective collective) {
  throw Error(
      ErrorCode::unsupported,
      "expected bcast, gather, scatter or reduce along lines, got " +
          std::string(schedule::to_string(collective))
  );
}

/// The arguments as MPI takes them.
struct NativeCall {
  explicit NativeCall(LineCall const& call)
      : input(is_in_place(call.sent) ? MPI_IN_PLACE : call.input),
        output(is_in_place(call.received) ? MPI_IN_PLACE : call.output),
        num_sent(static_cast<int>(call.sent.count)),
        num_received(static_cast<int>(call.received.count)), sent(type_of(call.sent)),
        received(type_of(call.received)), op(call.op), root(call.root) {}

  static bool is_in_place(exec::TypedCount const& part) { return part.type == MPI_DATATYPE_NULL; }

  /// MPI looks at no type of what is in place, but checks that it is one.
  static MPI_Datatype type_of(exec::TypedCount const& part) {
    return is_in_place(part) ? MPI_BYTE : part.type;
  }

  void const* input;
  void* output;
  int num_sent;
  int num_received;
  MPI_Datatype sent;
  MPI_Datatype received;
  MPI_Op op;
  int root;
};

int run(Collective collective, NativeCall const& c, MPI_Comm line) {
  switch (collective) {
  case Collective::bcast:
    return PMPI_Bcast(c.output, c.num_received, c.received, c.root, line);
  case Collective::gather:
    return PMPI_Gather(
        c.input, c.num_sent, c.sent, c.output, c.num_received, c.received, c.root, line
    );
  case Collective::scatter:
    return PMPI_Scatter(
        c.input, c.num_sent, c.sent, c.output, c.num_received, c.received, c.root, line
    );
  case Collective::reduce:
    return PMPI_Reduce(c.input, c.output, c.num_received, c.received, c.op, c.root, line);
  default:
    refuse(collective);
  }
}

int start(Collective collective, NativeCall const& c, MPI_Comm line, MPI_Request* request) {
  switch (collective) {
  case Collective::bcast:
    return PMPI_Ibcast(c.output, c.num_received, c.received, c.root, line, request);
  case Collective::gather:
    return PMPI_Igather(
        c.input, c.num_sent, c.sent, c.output, c.num_received, c.received, c.root, line, request
    );
  case Collective::scatter:
    return PMPI_Iscatter(
        c.input, c.num_sent, c.sent, c.output, c.num_received, c.received, c.root, line, request
    );
  case Collective::reduce:
    return PMPI_Ireduce(c.input, c.output, c.num_received, c.received, c.op, c.root, line, request);
  default:
    refuse(collective);
  }
}

/// The nonblocking collective of MPI. Types that are significant here are kept, but for those of
/// reductions: operators are called with the types of the program, as for all planned collectives.
class NativeLine final : public LineRun {
public:
  NativeLine(Collective collective, LineCall const& call, MPI_Comm comm)
      : collective_(collective), call_(call), comm_(comm) {
    int rank = 0;
    require_success(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    bool const is_root = rank == call.root;
    if (collective == Collective::gather || (collective == Collective::scatter && is_root)) {
      keep(call_.sent);
    }
    if (collective == Collective::bcast || collective == Collective::scatter ||
        (collective == Collective::gather && is_root)) {
      keep(call_.received);
    }
  }

  int start() noexcept override { return plan::start(collective_, call_, comm_, &request_); }

  int progress(bool& is_complete) noexcept override {
    int is_done = 0;
    int const code = PMPI_Test(&request_, &is_done, MPI_STATUS_IGNORE);
    is_complete = is_done != 0;
    return code;
  }

private:
  void keep(MPI_Datatype& type) {
    types_.push_back(exec::MpiType::duplicate(type));
    type = types_.back().get();
  }

  Collective collective_;
  NativeCall call_;
  MPI_Comm comm_;
  MPI_Request request_ = MPI_REQUEST_NULL;
  std::vector<exec::MpiType> types_;
};

exec::MpiExecutor executor_of(
    Collective collective,
    LineCall const& call,
    schedule::RankProgram const& program,
    exec::MpiContext const& comm
) {
  switch (collective) {
  case Collective::bcast:
    return exec::bcast_executor(program, comm, call.received, call.root);
  case Collective::gather:
    return exec::gather_executor(program, comm, call.sent, call.received, call.root);
  case Collective::scatter:
    return exec::scatter_executor(program, comm, call.sent, call.received, call.root);
  case Collective::reduce:
    return exec::reduce_executor(
        program,
        comm,
        call.received.count,
        {.type = call.received.type, .op = call.op, .is_in_place = call.input == MPI_IN_PLACE},
        call.root
    );
  default:
    refuse(collective);
  }
}

/// Whether operands must be combined in the order of ranks, whatever the root.
bool keeps_order(Collective collective, LineCall const& call) {
  int is_commutative = 1;
  if (collective == Collective::reduce) {
    require_success(PMPI_Op_commutative(call.op, &is_commutative), "MPI_Op_commutative");
  }
  return is_commutative == 0;
}

int num_segments(LineCall const& call, std::int64_t segment_bytes) {
  constexpr std::int64_t most_segments = 1024;
  std::int64_t const bytes = call.received.count * exec::describe(call.received.type).size_bytes;
  return static_cast<int>(std::clamp<std::int64_t>(ceil_div(bytes, segment_bytes), 1, most_segments)
  );
}

}  // namespace

GridLines::GridLines(MPI_Comm comm, mapping::CartesianGrid const& grid)
    : comm_(taken_over(comm, comm)), grid_(grid.extents()), rank_(comm_.rank()) {
  for (int dimension = 0; dimension < grid.num_dimensions(); ++dimension) {
    lines_.emplace_back(MPI_COMM_NULL);
  }
}

MPI_Comm GridLines::split(MPI_Comm like, int dimension) const {
  MPI_Comm made = MPI_COMM_NULL;
  int const color = grid_.rank_on_line(rank_, dimension, 0);
  require_success(PMPI_Comm_split(like, color, coordinate(dimension), &made), "MPI_Comm_split");
  return made;
}

MPI_Comm GridLines::line(int dimension) {
  OwnCommunicator& line = lines_[static_cast<std::size_t>(dimension)];
  if (line.get() == MPI_COMM_NULL) {
    line = taken_over(split(comm_.get(), dimension), comm_.get());
  }
  return line.get();
}

std::vector<OwnCommunicator> GridLines::make_lines(MPI_Comm like) const {
  std::vector<OwnCommunicator> lines;
  for (int dimension = 0; dimension < grid_.num_dimensions(); ++dimension) {
    lines.emplace_back(split(like, dimension));
  }
  return lines;
}

Seats& GridLines::seats() {
  return seats_ ? *seats_ : seats_.emplace(comm_.get());
}

MPI_Comm GridLines::own_comm() {
  if (own_.get() == MPI_COMM_NULL) {
    own_ = OwnCommunicator::duplicate(comm_.get());
  }
  return own_.get();
}

int GridLines::run_native(
    Collective collective, std::span<LineCall const> calls, bool is_overlapped
) {
  std::vector<MPI_Request> requests(calls.size(), MPI_REQUEST_NULL);
  for (std::size_t i = 0; i < calls.size(); ++i) {
    NativeCall const call(calls[i]);
    MPI_Comm const comm = line(static_cast<int>(i));
    int const code =
        is_overlapped ? start(collective, call, comm, &requests[i]) : run(collective, call, comm);
    if (code != MPI_SUCCESS) {
      return code;
    }
  }
  auto const num_requests = static_cast<int>(requests.size());
  return PMPI_Waitall(num_requests, requests.data(), MPI_STATUSES_IGNORE);
}

exec::GridExecutor GridLines::plan(
    Collective collective, std::span<LineCall const> calls, std::span<std::string const> choices
) {
  return exec::GridExecutor(executors(collective, calls, choices, own_comm()));
}

std::vector<exec::MpiExecutor> GridLines::executors(
    Collective collective,
    std::span<LineCall const> calls,
    std::span<std::string const> choices,
    exec::MpiContext const& context
) const {
  std::vector<exec::MpiExecutor> executors;
  for (int dimension = 0; dimension < grid_.num_dimensions(); ++dimension) {
    auto const idx = static_cast<std::size_t>(dimension);
    auto const choice = algorithms::Choice::parse(choices[idx]);
    auto const program =
        choice.generate(grid_.size(dimension), calls[idx].root, coordinate(dimension));
    executors.push_back(executor_of(
        collective, calls[idx], schedule::onto_line(program, grid_, rank_, dimension), context
    ));
  }
  return executors;
}

LineRuns runs_of(std::vector<exec::MpiExecutor> executors, std::span<LineCall const> calls) {
  std::vector<exec::LineBuffers> const buffers = buffers_of(calls);
  LineRuns runs;
  for (std::size_t i = 0; i < executors.size(); ++i) {
    runs.push_back(std::make_unique<ScheduledLine>(std::move(executors[i]), buffers[i]));
  }
  return runs;
}

std::unique_ptr<LineRun> native_run(Collective collective, LineCall const& call, MPI_Comm comm) {
  bool const is_known = collective == Collective::bcast || collective == Collective::gather ||
                        collective == Collective::scatter || collective == Collective::reduce;
  if (!is_known) {
    refuse(collective);
  }
  return std::make_unique<NativeLine>(collective, call, comm);
}

std::vector<Span> spans_of(Collective collective, LineCall const& call, int size, int coordinate) {
  bool const is_root = coordinate == call.root;
  bool const sends =
      collective != Collective::bcast && (collective != Collective::scatter || is_root);
  bool const receives =
      collective == Collective::bcast || collective == Collective::scatter || is_root;
  std::vector<Span> spans;
  if (sends && !NativeCall::is_in_place(call.sent) && call.input != MPI_IN_PLACE) {
    std::int64_t const parts = collective == Collective::scatter ? size : 1;
    spans.push_back(span_of(call.input, parts * call.sent.count, call.sent.type));
  }
  if (receives && !NativeCall::is_in_place(call.received)) {
    std::int64_t const parts = collective == Collective::gather ? size : 1;
    spans.push_back(span_of(call.output, parts * call.received.count, call.received.type));
  }
  return spans;
}

std::vector<exec::LineBuffers> buffers_of(std::span<LineCall const> calls) {
  std::vector<exec::LineBuffers> buffers;
  for (LineCall const& call : calls) {
    buffers.push_back({.input = call.input, .output = call.output});
  }
  return buffers;
}

std::vector<std::string> line_choices(
    Collective collective,
    std::string const& name,
    std::span<LineCall const> calls,
    std::int64_t segment_bytes
) {
  std::string const prefix = std::string(schedule::to_string(collective)) + "/";
  bool const is_pipeline = name == "pipeline";
  if (!is_pipeline && name != "binomial") {
    throw Error(ErrorCode::argument, "expected pipeline or binomial, got '" + name + "'");
  }
  if (is_pipeline && collective != Collective::bcast && collective != Collective::reduce) {
    throw Error(
        ErrorCode::unsupported,
        "expected a bcast or reduce for a pipeline, got " +
            std::string(schedule::to_string(collective))
    );
  }
  std::vector<std::string> choices;
  for (LineCall const& call : calls) {
    choices.push_back(
        is_pipeline
            ? prefix + "chain[segments=" + std::to_string(num_segments(call, segment_bytes)) + "]"
            : prefix + "binomial" + (keeps_order(collective, call) ? "[in_order=1]" : "")
    );
  }
  return choices;
}

}  // namespace espalier::plan
