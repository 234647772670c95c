// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/planned_requests.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>
#include <vector>

#include "espalier/mpi/handle_bits.hpp"
#include "espalier/plan/communicators/request_table.hpp"
#include "espalier/plan/communicators/self_messages.hpp"
#include "espalier/plan/communicators/underway.hpp"
#include "espalier/plan/failure.hpp"

namespace espalier::plan {

/// What is behind a handle: a schedule, starts that are counted, or both.
class PlannedRequest {
public:
  MPI_Request handle = MPI_REQUEST_NULL;
  PlannedCall* call = nullptr;  ///< null: the MPI library's own
  std::optional<CountedStarts> starts{};
};

namespace {

using mpi::bits_of;

/// What this process has, made on first use. Never destroyed: what runs at exit needs it. Changed
/// within a Turn.
struct All {
  RequestTable table;
  SelfMessages messages;
};

constinit std::atomic<All*> all{nullptr};

All& all_of_them() {
  All* found = all.load(std::memory_order_acquire);
  if (found == nullptr) {
    found = std::make_unique<All>().release();
    all.store(found, std::memory_order_release);
  }
  return *found;
}

PlannedRequest* find(MPI_Request request) noexcept {
  All const* const found = all.load(std::memory_order_acquire);
  return found == nullptr ? nullptr : found->table.find(bits_of(request));
}

}  // namespace

constinit std::atomic<std::size_t> PlannedRequests::num_requests{0};

void PlannedRequests::drop(PlannedRequest* request) noexcept {
  std::unique_ptr<PlannedRequest> const owned(request);
  RequestTable& table = all.load(std::memory_order_relaxed)->table;
  table.erase(bits_of(request->handle));
  num_requests.store(table.size(), std::memory_order_relaxed);
  if (request->call != nullptr) {
    request->call->let_go();
  }
  if (request->starts && request->starts->row.counter.count > 0) {
    CountedStarts const& starts = *request->starts;
    static_cast<void>(guard([&] {
      starts.notes->add(starts.communicator, starts.row, CountedForm::persistent);
      return MPI_SUCCESS;
    }));
  }
}

void PlannedRequests::forget_failed() noexcept {
  Underway::Turn const turn;
  static_cast<void>(guard([] {
    for (auto const& [handle, request] : all.load(std::memory_order_relaxed)->table.entries()) {
      if (request->call != nullptr && request->call->has_failed()) {
        drop(request);
      }
    }
    return MPI_SUCCESS;
  }));
}

MPI_Request PlannedRequests::add(BoundCall bound, std::shared_ptr<StartedCalls> calls, int slot) {
  Underway::Turn const turn;
  All& of = all_of_them();
  auto request = std::make_unique<PlannedRequest>();
  SelfMessages::Receive const receive = of.messages.make(forget_failed);
  request->handle = receive.request;
  request->call =
      new PlannedCall(std::move(bound), std::move(calls), slot, of.messages, receive.tag);
  of.table.insert(bits_of(receive.request), request.get());
  request.release();
  num_requests.store(of.table.size(), std::memory_order_relaxed);
  return receive.request;
}

void PlannedRequests::count(MPI_Request request, CountedStarts starts) {
  Underway::Turn const turn;
  All& of = all_of_them();
  PlannedRequest* found = of.table.find(bits_of(request));
  if (found == nullptr) {
    auto made = std::make_unique<PlannedRequest>();
    made->handle = request;
    of.table.insert(bits_of(request), made.get());
    found = made.release();
  }
  found->starts.emplace(std::move(starts));
  num_requests.store(of.table.size(), std::memory_order_relaxed);
}

bool PlannedRequests::serves(MPI_Request request) noexcept {
  PlannedRequest const* const found = find(request);
  return found != nullptr && found->call != nullptr;
}

bool PlannedRequests::is_underway(std::span<MPI_Request const> requests) noexcept {
  return std::ranges::any_of(requests, [](MPI_Request request) {
    PlannedRequest const* const found = find(request);
    return found != nullptr && found->call != nullptr && found->call->is_underway();
  });
}

void PlannedRequests::launch(
    std::span<MPI_Request const> requests, Clock::time_point begin
) noexcept {
  for (MPI_Request const request : requests) {
    PlannedRequest* const found = find(request);
    if (found == nullptr) {
      continue;
    }
    if (found->call != nullptr) {
      Underway::Turn const turn;
      found->call->start();
    }
    if (found->starts) {
      Clock::time_point const end = Clock::now();
      std::chrono::duration<double> const elapsed = end - std::exchange(begin, end);
      found->starts->row.counter.add(
          {.count = 1, .bytes = found->starts->bytes, .seconds = elapsed.count()}
      );
    }
  }
}

void PlannedRequests::forget(MPI_Request request) noexcept {
  if (PlannedRequest* const found = find(request)) {
    Underway::Turn const turn;
    drop(found);
  }
}

void PlannedRequests::report(Totals& totals) {
  All const* const found = all.load(std::memory_order_acquire);
  if (found == nullptr) {
    return;
  }
  for (auto const& [handle, request] : found->table.entries()) {
    if (request->starts && request->starts->row.counter.count > 0) {
      totals.add(request->starts->communicator, request->starts->row, CountedForm::persistent);
    }
  }
}

void PlannedRequests::close() noexcept {
  All* const found = all.load(std::memory_order_acquire);
  if (found == nullptr) {
    return;
  }
  static_cast<void>(guard([&] {
    Underway::Turn const turn;
    for (auto const& [handle, request] : found->table.entries()) {
      drop(request);
    }
    return MPI_SUCCESS;
  }));
  found->messages.close();
}

}  // namespace espalier::plan
