// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/neighbors/neighbors.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>
#include <utility>

#include "espalier/exec/collectives/mpi_neighbor.hpp"
#include "espalier/exec/collectives/mpi_sizes.hpp"
#include "espalier/exec/messages/message_order.hpp"
#include "espalier/exec/messages/mpi_binding.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/neighborhood/catalog.hpp"
#include "espalier/plan/communicators/contexts.hpp"
#include "espalier/plan/communicators/patient_reduction.hpp"
#include "espalier/plan/communicators/private_comm.hpp"
#include "espalier/plan/communicators/underway.hpp"
#include "espalier/plan/neighbors/neighbor_bytes.hpp"
#include "espalier/plan/neighbors/neighbor_topology.hpp"

namespace espalier::plan {
namespace {

using exec::MpiBlocks;
using exec::MpiExecutor;
using mpi::require_success;
using neighborhood::Algorithm;
using schedule::RankProgram;

/// From 1 on, as 0 is that of run(). Where each message needs a tag of its own, a number has many.
int largest_number() noexcept {
  return exec::tags_keep_order ? 32'767 : exec::largest_tag();
}

using Sizes = std::vector<std::int64_t>;

/// Combining sends as many messages as there are neighbours, each later.
bool combines_nothing(Algorithm const& algorithm, neighborhood::Request const& request) {
  if (algorithm.name != "combining") {
    return false;
  }
  Algorithm const& direct = neighborhood::find(request.collective, "direct");
  return algorithm.facts_inside(request).messages >= direct.facts_inside(request).messages;
}

/// By the standard all blocks have this size, sent or received.
std::int64_t block_bytes(Sizes const& sent, MpiBlocks const& received) {
  if (!sent.empty()) {
    return sent.front();
  }
  auto const sizes = exec::bytes_of_blocks(received);
  return sizes.empty() ? 0 : sizes.front();
}

}  // namespace

Neighbors::Neighbors(MPI_Comm user, neighborhood::Neighborhood neighborhood)
    : user_(user), neighborhood_(std::move(neighborhood)) {}

Neighbors::~Neighbors() {
  executors_.clear();
  if (comm_ != MPI_COMM_NULL) {
    PMPI_Comm_free(&comm_);
  }
}

void Neighbors::abandon() noexcept {
  executors_.clear();
  comm_ = MPI_COMM_NULL;
  context_ = {};
}

void Neighbors::prepare() {
  if (is_prepared()) {
    return;
  }
  require_success(PMPI_Comm_rank(user_, &rank_), "MPI_Comm_rank");
  require_success(PMPI_Comm_size(user_, &num_ranks_), "MPI_Comm_size");
  if (comm_ == MPI_COMM_NULL) {
    require_success(make_private_comm(user_, comm_, own_communicators_), "MPI_Comm_create");
  }
  if (!neighborhood_) {
    neighborhood_ = neighborhood_of(user_, comm_);
  }
  count_edges();
}

void Neighbors::take(PreparedNeighbors prepared) {
  require_success(PMPI_Comm_rank(user_, &rank_), "MPI_Comm_rank");
  num_ranks_ = prepared.neighborhood.num_ranks();
  neighborhood_ = std::move(prepared.neighborhood);
  nodes_ = std::move(prepared.node_of_rank);
  context_ = prepared.context;
  knows_sizes_ = prepared.knows_sizes;
  count_edges();
}

void Neighbors::count_edges() {
  auto const in = neighborhood_->in_edges(rank_);
  auto const out = neighborhood_->out_edges(rank_);
  auto const is_there = [](neighborhood::End const& end) { return !end.is_absent(); };
  degrees_ = {.in = static_cast<int>(in.size()), .out = static_cast<int>(out.size())};
  sends_ = std::ranges::any_of(out, is_there);
  receives_ = std::ranges::any_of(in, is_there);
}

exec::MpiContext Neighbors::context(NeighborCall call) const noexcept {
  return comm_ != MPI_COMM_NULL ? exec::MpiContext(comm_)
                                : Contexts::part(context_, rule_call(call));
}

std::span<int const> Neighbors::nodes() {
  prepare();
  if (nodes_.empty()) {
    nodes_ = nodes_of_ranks(comm_);
  }
  return nodes_;
}

void Neighbors::learn_for(Algorithm const& algorithm) {
  prepare();
  if (!algorithm.forwards) {
    return;
  }
  if (!neighborhood_->knows_all()) {
    neighborhood_ = with_all_edges(*neighborhood_, comm_);
    programs_.clear();
  }
  static_cast<void>(nodes());
}

neighborhood::Request Neighbors::request(Algorithm const& algorithm, bool has_equal_blocks) const {
  return {
      .collective = algorithm.collective,
      .neighborhood = *neighborhood_,
      .node_of_rank = nodes_,
      .sizes =
          has_equal_blocks ? neighborhood::BlockSizes::equal : neighborhood::BlockSizes::by_edge,
  };
}

std::string Neighbors::refuses(Algorithm const& algorithm, NeighborCall call, SizesBy sizes) {
  bool const are_known = knows_sizes_ || sizes == SizesBy::promise;
  bool const knows_sizes = sizes == SizesBy::exchange || (are_known && has_equal_blocks(call));
  if (algorithm.forwards && !knows_sizes) {
    return neighborhood::full_name(algorithm) +
           " forwards blocks, whose sizes only their ends know";
  }
  learn_for(algorithm);
  return neighborhood::refuses(algorithm, request(algorithm, has_equal_blocks(call)));
}

bool Neighbors::serves(Algorithm const& algorithm, NeighborCall call) {
  auto const found = std::ranges::find_if(served_, [&](Served const& one) {
    return one.algorithm == &algorithm && one.call == call;
  });
  if (found != served_.end()) {
    return found->is_served;
  }
  bool const is_served = refuses(algorithm, call, SizesBy::standard).empty();
  served_.push_back({.algorithm = &algorithm, .call = call, .is_served = is_served});
  return is_served;
}

double
Neighbors::predicted(Algorithm const& algorithm, neighborhood::Links const& links, double bytes) {
  constexpr int most_ranks = 512;
  if (num_ranks_ <= most_ranks) {
    return neighborhood::line(algorithm, request(algorithm, knows_sizes_), links).seconds(bytes);
  }
  double const num_messages = std::max(degrees_.in, degrees_.out);
  return num_messages * (links.across.alpha() + links.across.beta() * bytes);
}

std::vector<NeighborProposal>
Neighbors::propose(NeighborCall call, std::int64_t block_bytes, neighborhood::Links const& links) {
  bool const is_one_node =
      std::ranges::adjacent_find(nodes_, std::ranges::not_equal_to{}) == nodes_.end();
  std::vector<NeighborProposal> proposals;
  for (Algorithm const* const algorithm : neighborhood::catalog()) {
    bool const is_meant = algorithm->collective == collective_of(call);
    // Nothing leaves the node.
    bool const is_in_vain = is_one_node && algorithm->name == "node_aware";
    if (is_meant && !is_in_vain && serves(*algorithm, call) &&
        !combines_nothing(*algorithm, request(*algorithm, has_equal_blocks(call)))) {
      double const seconds = predicted(*algorithm, links, static_cast<double>(block_bytes));
      proposals.push_back({.algorithm = algorithm, .seconds = seconds});
    }
  }
  std::ranges::stable_sort(proposals, {}, &NeighborProposal::seconds);
  return proposals;
}

RankProgram const& Neighbors::program(Algorithm const& algorithm, bool has_equal_blocks) {
  auto const found = std::ranges::find_if(programs_, [&](auto const& entry) {
    return entry->algorithm == &algorithm && entry->has_equal_blocks == has_equal_blocks;
  });
  if (found != programs_.end()) {
    return (*found)->program;
  }
  learn_for(algorithm);
  programs_.push_back(std::make_unique<Program>(Program{
      .algorithm = &algorithm,
      .has_equal_blocks = has_equal_blocks,
      .program = neighborhood::generate(algorithm, request(algorithm, has_equal_blocks), rank_),
  }));
  return programs_.back()->program;
}

template <AnyNeighborCall Call>
MpiExecutor Neighbors::bound(
    Algorithm const& algorithm,
    RankProgram const& program,
    exec::MpiContext const& context,
    Call const& call
) {
  MpiBlocks sent = sent_blocks(call, degrees_);
  MpiBlocks received = received_blocks(call, degrees_);
  Sizes const sent_bytes = exec::bytes_of_blocks(sent);
  std::vector<std::int64_t> scratch(program.frame.scratch_like.size());
  if constexpr (has_equal_blocks(Call::neighbor_call)) {
    // A rank that sends to nobody may say that its block has 0 bytes, and forward larger ones.
    std::ranges::fill(scratch, block_bytes(sends_ ? sent_bytes : Sizes{}, received));
  } else if (algorithm.forwards) {
    scratch = exec::scratch_sizes(program, context, sent_bytes);
  }
  exec::MpiContext own_context = context;
  own_context.copies_by_messages = copies_by_messages_ && !algorithm.forwards;
  return exec::neighbor_executor(
      program, own_context, std::move(sent), std::move(received), std::move(scratch)
  );
}

template <AnyNeighborCall Call> int Neighbors::run(Algorithm const& algorithm, Call const& call) {
  prepare();
  Binding binding = bind(call, degrees_, types_);
  binding.key.neighbor_algorithm = &algorithm;
  if (binding.may_stay) {
    if (MpiExecutor* const executor = executors_.find(binding.key, binding.counts)) {
      return Underway::run(*executor, binding.input, binding.output);
    }
  }
  RankProgram const& shared = program(algorithm, has_equal_blocks(Call::neighbor_call));
  MpiExecutor executor = bound(algorithm, shared, context(Call::neighbor_call), call);
  if (!binding.may_stay) {
    return Underway::run(executor, binding.input, binding.output);
  }
  return Underway::run(
      executors_.insert(binding.key, binding.counts, std::move(executor)),
      binding.input,
      binding.output
  );
}

template <AnyNeighborCall Call>
void Neighbors::start(
    Algorithm const& algorithm, Call const& call, StartedCalls& started, MPI_Request& request
) {
  Binding binding = bind(call, degrees_, types_);
  binding.key.neighbor_algorithm = &algorithm;
  std::optional<MpiExecutor> executor = started.take(binding);
  if (!executor) {
    exec::MpiContext context = started.context();
    context.ranks = context_.ranks;
    RankProgram const& shared = program(algorithm, has_equal_blocks(Call::neighbor_call));
    executor = bound(algorithm, shared, context, call);
  }
  started.start(std::move(*executor), binding, {}, request);
}

template <AnyNeighborCall Call>
BoundCall
Neighbors::bind_planned(Algorithm const& algorithm, Call const& call, exec::MpiContext context) {
  context.ranks = context_.ranks;
  RankProgram const& shared = program(algorithm, has_equal_blocks(Call::neighbor_call));
  return {
      .executor = std::make_unique<MpiExecutor>(bound(algorithm, shared, context, call)),
      .input = call.sendbuf,
      .output = call.recvbuf,
  };
}

template <AnyNeighborCall Call>
PlannedNeighbors Neighbors::plan(Algorithm const& algorithm, Call const& call) {
  RankProgram const& shared = program(algorithm, has_equal_blocks(Call::neighbor_call));
  num_planned_ = num_planned_ % largest_number() + 1;
  return {
      .algorithm = &algorithm,
      .executor = bound(
          algorithm, exec::numbered(shared, num_planned_), context(Call::neighbor_call), call
      ),
  };
}

template <AnyNeighborCall Call> std::int64_t Neighbors::typical_bytes(Call const& call) {
  prepare();
  if constexpr (has_equal_blocks(Call::neighbor_call)) {
    return block_bytes(call, *this, types_);
  }
  auto const sizes = exec::bytes_of_blocks(sent_blocks(call, degrees_));
  auto const num_blocks = std::max<std::int64_t>(1, static_cast<std::int64_t>(sizes.size()));
  std::int64_t mean = std::reduce(sizes.begin(), sizes.end()) / num_blocks;
  take_largest({&mean, 1});
  return mean;
}

void Neighbors::take_largest(std::span<std::int64_t> words) {
  prepare();
  require_success(find_largest(words, comm_), "MPI_Iallreduce");
}

std::size_t Neighbors::memory_bytes() const noexcept {
  std::size_t bytes = sizeof(*this) - sizeof(executors_) + executors_.memory_bytes() +
                      nodes_.capacity() * sizeof(int);
  for (auto const& entry : programs_) {
    bytes += sizeof(Program) + entry->program.memory_bytes();
  }
  return bytes;
}

#include "espalier/plan/neighbors/neighbor_runs.inc"

}  // namespace espalier::plan
