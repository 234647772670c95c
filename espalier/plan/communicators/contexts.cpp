// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/communicators/contexts.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>

#include "espalier/exec/messages/mpi_binding.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/communicators/private_comm.hpp"

namespace espalier::plan {
namespace {

using mpi::require_success;

/// All ranks of a communicator give up after the same number of rounds.
constexpr int max_rounds = 256;
constexpr int rounds_of_a_chase = 4;

/// Fewer tags than this make too few contexts with a part for each function.
constexpr std::int64_t few_tags = (std::int64_t{1} << 27) - 1;  // the last one is not used
constexpr int few_tags_per_context = 1 << 14;
/// Programs with more communicators at a time are rare.
constexpr std::int64_t enough_contexts = 1 << 11;

/// Objects that were opened, as communicators know them.
struct Open {
  std::mutex mutex;  ///< guards what follows
  std::intptr_t last_id = 0;
  std::map<std::intptr_t, Contexts*> by_id;
};

/// Never destroyed: communicators may be freed when the process ends.
Open& all_open() {
  static Open* const open = new Open;
  return *open;
}

/// Any number below a limit, hardly ever the same in two threads at a time.
int draw(int limit) noexcept {
  static constinit std::atomic<std::uint32_t> num_draws{0};
  std::uint32_t const draw = num_draws.fetch_add(1, std::memory_order_relaxed);
  return static_cast<int>((draw * 2654435761U >> 7U) % static_cast<std::uint32_t>(limit));
}

}  // namespace

Contexts::~Contexts() {
  disown();
}

void Contexts::disown() noexcept {
  Open& open = all_open();
  std::lock_guard const lock(open.mutex);
  open.by_id.erase(id_);
}

int Contexts::on_delete(MPI_Comm, int, void* number, void* id) noexcept {
  Open& open = all_open();
  std::lock_guard const lock(open.mutex);
  auto const found = open.by_id.find(reinterpret_cast<std::intptr_t>(id));
  if (found != open.by_id.end()) {
    found->second->release(static_cast<int>(reinterpret_cast<std::intptr_t>(number)));
  }
  return MPI_SUCCESS;
}

void Contexts::open(MPI_Comm all, bool starts) {
  all_ = all;
  {
    Open& open = all_open();
    std::lock_guard const lock(open.mutex);
    id_ = ++open.last_id;
    open.by_id[id_] = this;
  }
  // NOLINTNEXTLINE(performance-no-int-to-ptr): MPI keeps pointers.
  numbers_ = std::make_unique<mpi::Attribute>(on_delete, reinterpret_cast<void*>(id_));
  require_success(make_private_comm(all, comm_), "MPI_Comm_create");
  std::int64_t const num_tags = std::int64_t{exec::largest_tag()} + 1;
  // SimGrid has a million tags: there functions share those of a context.
  has_parts_ = num_tags >= few_tags;
  if (starts && has_parts_) {
    share_tags(num_tags);
  }
  tags_per_context_ = has_parts_ ? tags_per_third + 2 * third_ : few_tags_per_context;
  // At least that of MPI_COMM_WORLD, which then has fewer tags.
  num_contexts_ = std::max(
      1, static_cast<int>(std::min<std::int64_t>(num_tags / tags_per_context_, max_contexts))
  );
  uses_.assign(static_cast<std::size_t>(num_contexts_), Use::free);
  uses_[world] = Use::used;
}

void Contexts::share_tags(std::int64_t num_tags) {
  bool const are_enough = num_tags / (3 * tags_per_third) >= enough_contexts;
  third_ = are_enough ? tags_per_third : 0;
  for (MPI_Comm* const comm : {&started_comm_, &planned_comm_}) {
    if (are_enough) {
      *comm = comm_;
    } else {
      require_success(make_private_comm(all_, *comm), "MPI_Comm_create");
    }
  }
}

void Contexts::close() noexcept {
  disown();
  if (numbers_) {
    numbers_->free();
  }
  bool const are_others = started_comm_ != comm_;
  for (MPI_Comm* const comm : {&started_comm_, &planned_comm_, &comm_}) {
    if (*comm != MPI_COMM_NULL && (are_others || comm == &comm_)) {
      PMPI_Comm_free(comm);
    }
    *comm = MPI_COMM_NULL;
  }
  third_ = 0;
}

int Contexts::take(int least) {
  std::lock_guard const lock(mutex_);
  auto const found = std::find(uses_.begin() + least, uses_.end(), Use::free);
  if (found != uses_.end()) {
    *found = Use::used;
  }
  return static_cast<int>(found - uses_.begin());
}

// Each rank proposes its smallest free number from `least` on. If all propose the same one it is
// taken; otherwise nobody can do better than the largest proposal, from which the next round
// begins. Threads that claim at the same time can chase each other upwards: then all ranks of a
// communicator begin anew at a place that one of them draws.
std::optional<int> Contexts::claim(MPI_Comm comm) {
  int least = 0;
  for (int round = 0; round < max_rounds; ++round) {
    int const mine = take(least);
    std::array<int, 3> proposals{mine, -mine, draw(num_contexts_)};
    int const code = PMPI_Allreduce(MPI_IN_PLACE, proposals.data(), 3, MPI_INT, MPI_MAX, comm);
    int const largest = proposals[0];
    bool const is_agreed = code == MPI_SUCCESS && largest == -proposals[1];
    if (is_agreed && largest < num_contexts_) {
      return mine;
    }
    release(mine);
    require_success(code, "MPI_Allreduce");
    if (is_agreed && least == 0) {
      break;  // nothing is free anywhere
    }
    bool const begins_anew = largest == num_contexts_ || round % rounds_of_a_chase == 0;
    least = round > 0 && begins_anew ? proposals[2] : largest % num_contexts_;
  }
  return std::nullopt;
}

void Contexts::give(MPI_Comm comm) {
  if (std::optional<int> const number = claim(comm)) {
    keep(comm, *number);
  }
}

void Contexts::put_off(MPI_Comm comm) {
  keep(comm, none_yet);
}

void Contexts::keep(MPI_Comm comm, int number) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): MPI keeps pointers.
  numbers_->set(comm, reinterpret_cast<void*>(static_cast<std::intptr_t>(number)));
}

std::optional<int> Contexts::kept(MPI_Comm comm) const {
  std::optional<void*> const value = numbers_->of(comm);
  return value ? std::optional(static_cast<int>(reinterpret_cast<std::intptr_t>(*value)))
               : std::nullopt;
}

std::optional<int> Contexts::of(MPI_Comm comm) const {
  if (!is_open()) {
    return std::nullopt;
  }
  if (comm == all_) {
    return world;
  }
  std::optional<int> const number = kept(comm);
  return number == none_yet ? std::nullopt : number;
}

bool Contexts::is_put_off(MPI_Comm comm) const {
  return is_open() && comm != all_ && kept(comm) == none_yet;
}

void Contexts::release(int number) noexcept {
  std::lock_guard const lock(mutex_);
  if (number == none_yet || number >= num_contexts_) {
    return;
  }
  Use& use = uses_[static_cast<std::size_t>(number)];
  if (use == Use::used) {
    use = Use::free;
  } else if (use == Use::held) {
    use = Use::held_and_released;
  }
}

void Contexts::hold(int number) noexcept {
  std::lock_guard const lock(mutex_);
  Use& use = uses_[static_cast<std::size_t>(number)];
  use = use == Use::used ? Use::held : use;
}

void Contexts::let_go(int number) noexcept {
  std::lock_guard const lock(mutex_);
  Use& use = uses_[static_cast<std::size_t>(number)];
  if (use == Use::held) {
    use = Use::used;
  } else if (use == Use::held_and_released) {
    use = Use::free;
  }
}

void Contexts::retire(int number) noexcept {
  std::lock_guard const lock(mutex_);
  uses_[static_cast<std::size_t>(number)] = Use::retired;
}

exec::MpiContext Contexts::context(int number, std::span<int const> world_ranks) const noexcept {
  exec::MpiContext result(comm_);
  result.first_tag = number * tags_per_context_;
  result.num_tags = has_parts_ ? tags_of_all : few_tags_per_context;
  result.first_own_tag = result.first_tag + tags_of_all;
  result.num_own_tags = has_parts_ ? tags_per_call : 0;
  result.ranks = world_ranks;
  return result;
}

exec::MpiContext
Contexts::started_context(int number, std::span<int const> world_ranks) const noexcept {
  static_assert(tags_of_all + num_slots * tags_per_slot <= tags_per_third);
  exec::MpiContext result = context(number, world_ranks);
  result.comm = started_comm_;
  result.first_tag += third_;
  result.first_own_tag += third_;
  result.num_own_tags = tags_per_slot;
  return result;
}

exec::MpiContext Contexts::planned_context(int number) const noexcept {
  exec::MpiContext result(planned_comm_);
  result.first_tag = number * tags_per_context_ + 2 * third_;
  result.num_tags = tags_per_slot;
  return result;
}

/// Behind the parts of functions. Where these have none, a program may use the same tag: all its
/// messages have arrived by then.
exec::MpiContext
Contexts::exchange_context(int number, std::span<int const> world_ranks) const noexcept {
  constexpr int parts = static_cast<int>(profile::num_rule_calls);
  static_assert(tags_of_all + (parts + 1) * tags_per_call <= tags_per_third);
  exec::MpiContext result(comm_);
  int const tag = has_parts_ ? tags_of_all + parts * tags_per_call : few_tags_per_context - 1;
  result.first_tag = std::min(number * tags_per_context_ + tag, exec::largest_tag());
  result.num_tags = 1;
  result.ranks = world_ranks;
  return result;
}

exec::MpiContext Contexts::part(exec::MpiContext const& context, profile::Call call) noexcept {
  static_assert(tags_of_all + profile::num_rule_calls * tags_per_call <= tags_per_third);
  exec::MpiContext result = context;
  result.first_own_tag += static_cast<int>(profile::index_of(call)) * tags_per_call;
  return result;
}

}  // namespace espalier::plan
