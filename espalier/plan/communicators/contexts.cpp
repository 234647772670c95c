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

/// Tags of one kind of calls. MPI has 2^15 tags at least.
constexpr int most_tags_of_a_kind = 1 << 17;
constexpr int fewest_tags_of_a_kind = 1 << 14;
/// Tags of functions, of which each has its part, and what ranks tell each other behind calls.
constexpr int num_parts = 32;
static_assert(profile::num_rule_calls < num_parts);
/// Programs with more communicators at a time are rare: if there can be so many contexts, one
/// communicator has all kinds of calls.
constexpr std::int64_t enough_contexts = 1 << 11;
/// If there can be so many, contexts are not made smaller for more of them.
constexpr std::int64_t many_contexts = 1 << 10;

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
  tags_ = divide(num_tags);
  if (starts) {
    share_tags(num_tags);
  }
  tags_per_context_ = tags_.all + 2 * third_;
  num_contexts_ =
      static_cast<int>(std::min<std::int64_t>(num_tags / tags_per_context_, max_contexts));
  uses_.assign(static_cast<std::size_t>(num_contexts_), Use::free);
  uses_[world] = Use::used;
}

Contexts::Tags Contexts::divide(std::int64_t num_tags) noexcept {
  int all = most_tags_of_a_kind;
  // The last tag of the library is not used.
  while (all > fewest_tags_of_a_kind && (num_tags + 1) / all < many_contexts) {
    all /= 2;
  }
  int const of_small_ones = all / 2;
  return {
      .all = all,
      .of_all = all - of_small_ones,
      .per_call = of_small_ones / num_parts,
      .per_slot = of_small_ones / num_slots,
  };
}

void Contexts::share_tags(std::int64_t num_tags) {
  bool const are_enough = num_tags / (std::int64_t{3} * tags_.all) >= enough_contexts;
  third_ = are_enough ? tags_.all : 0;
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
  result.num_tags = tags_.of_all;
  result.first_own_tag = result.first_tag + tags_.of_all;
  result.num_own_tags = tags_.per_call;
  result.ranks = world_ranks;
  return result;
}

exec::MpiContext
Contexts::started_context(int number, std::span<int const> world_ranks) const noexcept {
  exec::MpiContext result = context(number, world_ranks);
  result.comm = started_comm_;
  result.first_tag += third_;
  result.first_own_tag += third_;
  result.num_own_tags = tags_.per_slot;
  return result;
}

exec::MpiContext Contexts::planned_context(int number) const noexcept {
  exec::MpiContext result(planned_comm_);
  result.first_tag = number * tags_per_context_ + 2 * third_;
  result.num_tags = tags_.per_slot;
  return result;
}

/// Behind the parts of functions.
exec::MpiContext
Contexts::exchange_context(int number, std::span<int const> world_ranks) const noexcept {
  constexpr int parts = static_cast<int>(profile::num_rule_calls);
  exec::MpiContext result(comm_);
  result.first_tag = number * tags_per_context_ + tags_.of_all + parts * tags_.per_call;
  result.num_tags = 1;
  result.ranks = world_ranks;
  return result;
}

exec::MpiContext Contexts::part(exec::MpiContext const& context, profile::Call call) noexcept {
  exec::MpiContext result = context;
  result.first_own_tag += static_cast<int>(profile::index_of(call)) * context.num_own_tags;
  return result;
}

}  // namespace espalier::plan
