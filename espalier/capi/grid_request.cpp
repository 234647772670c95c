// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/grid_request.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/capi/agreement.hpp"
#include "espalier/capi/arguments.hpp"
#include "espalier/capi/own_work.hpp"
#include "espalier/capi/planned/explanation.hpp"

namespace espalier::capi {
namespace {

using plan::LineRuns;

/// What a request does, before it has one.
struct Draft {
  LineRuns lines;
  std::string algorithm;
  std::string explanation;
};

/// The algorithms of all dimensions; one if they are the same.
std::string joined_names(std::vector<std::string> const& choices) {
  std::string names = choices.front();
  bool const is_one = std::ranges::all_of(choices, [&](auto const& name) { return name == names; });
  for (std::size_t i = 1; i < choices.size() && !is_one; ++i) {
    names += ", " + choices[i];
  }
  return names;
}

exec::RunCost sum_of(std::vector<exec::MpiExecutor> const& executors) {
  exec::RunCost sum;
  for (exec::MpiExecutor const& executor : executors) {
    exec::RunCost const cost = executor.cost();
    sum.num_messages += cost.num_messages;
    sum.num_bytes += cost.num_bytes;
    sum.scratch_bytes += cost.scratch_bytes;
  }
  return sum;
}

/// By algorithms of the catalog. Local.
Draft scheduled(GridView const& view, GridCollective const& call, plan::Seat const& seat) {
  std::vector<std::string> const choices = choices_of(view.ways, call);
  auto executors = view.lines->executors(call.collective, call.lines, choices, seat.context());
  std::string const names = joined_names(choices);
  std::string const explanation = names + "\n" + text_of(sum_of(executors));
  return {
      .lines = plan::runs_of(std::move(executors), call.lines),
      .algorithm = names,
      .explanation = explanation,
  };
}

/// The same. @throws plan::ClassError of the class that blocking calls give.
Draft scheduled_or_refused(
    GridView const& view, GridCollective const& call, plan::Seat const& seat
) {
  try {
    return scheduled(view, call, seat);
  } catch (Error const& error) {
    if (error.code() == ErrorCode::unsupported) {
      throw plan::ClassError(MPI_ERR_OTHER, error.what());
    }
    throw;
  }
}

using Communicators = std::vector<mpi::OwnCommunicator>;

/// By the nonblocking collectives of the MPI library. Local.
Draft native(GridCollective const& call, Communicators const& comms) {
  std::string const name = std::string(schedule::to_string(call.collective)) + "/native";
  Draft draft{
      .algorithm = name,
      .explanation = name + "\nthe nonblocking collective of the MPI library, on communicators of "
                            "lines of its own",
  };
  for (std::size_t i = 0; i < call.lines.size(); ++i) {
    draft.lines.push_back(plan::native_run(call.collective, call.lines[i], comms[i].get()));
  }
  return draft;
}

}  // namespace

GridRequest::GridRequest(
    MPI_Comm user,
    plan::Seat seat,
    std::string algorithm,
    std::string explanation,
    LineRuns lines,
    bool is_overlapped
)
    : espalier_request(std::move(algorithm)), user_(user), seat_(std::move(seat)),
      explanation_(std::move(explanation)), run_(std::move(lines), is_overlapped) {}

GridRequest::~GridRequest() {
  if (run_.is_broken()) {
    seat_.retire();
  }
}

void plan_grid_call(
    espalier_grid& grid, std::function<GridCollective()> const& call_of, espalier_request** request
) {
  OwnWork const own_work;
  GridView const& view = grid.view;
  plan::Seat seat = view.lines->seats().take();
  bool const is_native = view.ways.algorithm == "native";
  Communicators const* comms = nullptr;
  if (is_native) {
    comms = &seat.native_comms([&](MPI_Comm like) { return view.lines->make_lines(like); });
  } else {
    // Blocking calls may come while requests are under way, and must not wait in MPI then.
    static_cast<void>(view.lines->own_comm());
  }
  GridCollective call{};
  Draft draft;
  agree(view.lines->seats().own(), [&] {
    check_pointer(reinterpret_cast<void const*>(request), "request");
    *request = nullptr;
    call = call_of();
    check(*view.lines, call);
    draft = is_native ? native(call, *comms) : scheduled_or_refused(view, call, seat);
    Fingerprint fingerprint;
    fingerprint.add(std::string(schedule::to_string(call.collective)));
    return fingerprint;
  });
  if (!is_native && has_device_memory(view, call)) {
    refuse_device_memory(view.ways);
  }
  *request = new GridRequest(
      view.lines->comm(),
      std::move(seat),
      std::move(draft.algorithm),
      std::move(draft.explanation),
      std::move(draft.lines),
      view.ways.is_overlapped
  );
}

}  // namespace espalier::capi
