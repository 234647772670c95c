// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/native_algorithms/native_selections.hpp"

#include <algorithm>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/native_algorithms/native_menu.hpp"

namespace espalier::plan {
namespace {

using mpi::require_success;

/// Variables are those of the process: another thread in the library would see them, too, while
/// other ranks may have none there.
std::string problem_of_threads() {
  int provided = 0;
  require_success(PMPI_Query_thread(&provided), "MPI_Query_thread");
  return provided == MPI_THREAD_MULTIPLE
             ? "with MPI_THREAD_MULTIPLE several threads would change the same variables"
             : "";
}

NativeOrder order_of(WantedNative const& wanted, ControlVariables& variables) {
  NativeOrder order;
  try {
    order = native_order(wanted.call, wanted.choice, variables);
    if (order.problem.empty()) {
      // What cannot be written is known before the first call.
      WrittenVariables const tried(order.settings);
    }
  } catch (Error const& error) {
    order.problem = error.what();
  }
  return order;
}

}  // namespace

void NativeSelections::open(MPI_Comm comm, std::vector<WantedNative> const& wanted) {
  std::string const threads = problem_of_threads();
  if (threads.empty()) {
    variables_ = std::make_unique<ControlVariables>();
  }
  std::vector<NativeOrder> orders;
  std::vector<int> is_possible;
  for (WantedNative const& one : wanted) {
    orders.push_back(
        threads.empty() ? order_of(one, *variables_)
                        : NativeOrder{.settings = {}, .problem = threads}
    );
    is_possible.push_back(orders.back().problem.empty() ? 1 : 0);
  }
  require_success(
      PMPI_Allreduce(
          MPI_IN_PLACE,
          is_possible.data(),
          static_cast<int>(is_possible.size()),
          MPI_INT,
          MPI_MIN,
          comm
      ),
      "MPI_Allreduce"
  );
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (is_possible[i] != 0) {
      selections_.push_back({
          .call = wanted[i].call,
          .choice = wanted[i].choice,
          .settings = std::move(orders[i].settings),
      });
      continue;
    }
    std::string const reason =
        orders[i].problem.empty() ? "another rank cannot select it" : std::move(orders[i].problem);
    problems_.push_back(
        std::string(profile::to_string(wanted[i].call)) + ": " + wanted[i].choice.text() +
        " cannot be selected: " + reason
    );
  }
}

NativeSelection const*
NativeSelections::find(profile::Call call, algorithms::Choice const& choice) const noexcept {
  auto const found = std::ranges::find_if(selections_, [&](NativeSelection const& one) {
    return one.call == call && one.choice == choice;
  });
  return found == selections_.end() ? nullptr : &*found;
}

void NativeSelections::close() noexcept {
  selections_.clear();
  variables_.reset();
}

}  // namespace espalier::plan
