// SPDX-License-Identifier: Apache-2.0

/// @file
/// Collectives of the blocks of shared arrays: random regions of random arrays in all modes, over
/// all transports, against what blocks should hold when they are moved one by one.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "include/espalier_array.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_array_cases.hpp"
#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;

/// Random collectives on one team.
class Turns {
public:
  Turns(Checks& checks, World const& world, espalier_team* team, MPI_Op ordered)
      : checks_(&checks), world_(&world), team_(team), ordered_(ordered) {}

  void run(int num_turns) {
    for (int turn = 0; turn < num_turns; ++turn) {
      run_turn(turn);
      if (turn % 10 == 9 || turn == num_turns - 1) {
        checks_->expect(espalier_team_cache_clear(team_) == MPI_SUCCESS, "clear the cache");
        checks_->expect(espalier_team_cache_size(team_) == 0, "the cache is empty");
      }
    }
  }

private:
  void run_turn(int turn) {
    int const p = espalier_team_size(team_);
    Shape const source = dice_.shape(p, 0);
    Shape const target = dice_.shape(p, half_words);
    espalier_array* from_array = make(source);
    espalier_array* to_array = make(target);
    auto const kind = static_cast<Kind>(turn % 6);
    bool const is_from_one = kind == Kind::bcast || kind == Kind::scatter;
    bool const is_to_one = kind == Kind::gather || is_reduction(kind);
    espalier_region const from =
        is_from_one ? dice_.one_block(source, from_array) : dice_.region(source, from_array);
    espalier_region to =
        is_to_one ? dice_.one_block(target, to_array) : dice_.region(target, to_array);
    Call call{.kind = kind, .from = blocks_of(source, from), .to = blocks_of(target, to)};
    // Regions of as many blocks are not always met.
    for (int i = 0; kind == Kind::exchange && i < 40 && call.to.size() != call.from.size(); ++i) {
      to = dice_.region(target, to_array);
      call.to = blocks_of(target, to);
    }
    bool const fits = kind != Kind::exchange || call.to.size() == call.from.size();
    std::size_t const from_room = source.block_words() / (is_cut_from(kind) ? call.to.size() : 1);
    std::size_t const to_room = target.block_words() / (is_cut_to(kind) ? call.from.size() : 1);
    auto const room = static_cast<std::int64_t>(std::min(from_room, to_room));
    call.count = static_cast<int>(room - dice_.below(room + 1));
    if (fits) {
      run_call(turn, call, from, to);
    }
    checks_->expect(espalier_array_free(&from_array) == MPI_SUCCESS, "free an array");
    checks_->expect(espalier_array_free(&to_array) == MPI_SUCCESS, "free an array");
  }

  espalier_array* make(Shape const& shape) {
    espalier_array* array = nullptr;
    int const code =
        espalier_array_create(team_, &shape.distribution, MPI_INT32_T, shape.begin * word, &array);
    checks_->expect(code == MPI_SUCCESS, "an array: " + text_of(code));
    std::uint64_t num_bytes = 0;
    espalier_distribution_bytes(
        &shape.distribution, MPI_INT32_T, espalier_team_size(team_), &num_bytes
    );
    checks_->expect(num_bytes == shape.num_words() * word, "bytes of an array");
    return array;
  }

  /// Each mode, with both kinds of addresses.
  static espalier_onesided_options options_of(int turn) {
    espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
    int const form = turn / 6;
    options.in = static_cast<espalier_sync>(form % 3);
    options.out = static_cast<espalier_sync>(form / 3 % 3);
    options.addresses = static_cast<espalier_addresses>(form / 9 % 2);
    if (options.addresses == ESPALIER_ADDRESSES_LOCAL) {
      options.mechanism = turn % 2 == 0 ? "eager" : "counting_put";
    } else if (turn % 5 == 0) {
      options.addresses = ESPALIER_ADDRESSES_SINGLE;
    }
    return options;
  }

  void
  run_call(int turn, Call const& call, espalier_region const& from, espalier_region const& to) {
    espalier_onesided_options const options = options_of(turn);
    std::string const what = std::string(names[static_cast<std::size_t>(call.kind)]) + " of turn " +
                             std::to_string(turn) + ", in " + std::to_string(options.in) +
                             ", out " + std::to_string(options.out);
    int is_source = 0;
    int is_target = 0;
    espalier_region_has_affinity(&from, &is_source);
    espalier_region_has_affinity(&to, &is_target);
    bool const is_in = is_source != 0 || is_target != 0;
    checks_->expect(is_in == takes_part(call), what + ": affinity");
    espalier_request* request = nullptr;
    // Who has none of the blocks may call, and need not.
    if (is_in || turn % 4 == 0) {
      int const code = plan(call.kind, from, to, call.count, ordered_, &options, &request);
      checks_->expect(code == MPI_SUCCESS, what + ": plan: " + text_of(code));
      std::string const algorithm = espalier_request_algorithm(request);
      checks_->expect(algorithm.empty() != is_in, what + ": the algorithm is " + algorithm);
    }
    // More ranks than processors take turns waiting.
    int const num_rounds = espalier_team_size(team_) <= 2 ? 2 : 1;
    for (int round = 0; round < num_rounds; ++round) {
      run_once(call, request, what, turn * 2 + round);
    }
    if (request != nullptr) {
      checks_->expect(espalier_request_free(&request) == MPI_SUCCESS, what + ": free");
    }
  }

  [[nodiscard]] bool takes_part(Call const& call) const {
    auto const rank = static_cast<std::size_t>(espalier_team_rank(team_));
    auto const is_mine = [&](Block const& block) { return block.rank == rank; };
    return std::ranges::any_of(call.from, is_mine) || std::ranges::any_of(call.to, is_mine);
  }

  void run_once(Call const& call, espalier_request* request, std::string const& what, int run) {
    Memory memory = numbered(espalier_team_size(team_), run);
    auto* const segment = static_cast<std::int32_t*>(espalier_conduit_segment(world_->conduit));
    auto const rank = static_cast<std::size_t>(espalier_team_rank(team_));
    std::ranges::copy(memory[rank], segment);
    espalier_conduit_barrier(world_->conduit);
    if (request != nullptr) {
      checks_->expect(espalier_request_start(request) == MPI_SUCCESS, what + ": start");
      checks_->expect(espalier_request_wait(request) == MPI_SUCCESS, what + ": wait");
    }
    espalier_conduit_barrier(world_->conduit);
    move_plainly(memory, call);
    checks_->expect(std::equal(memory[rank].begin(), memory[rank].end(), segment), what);
  }

  Checks* checks_;
  World const* world_;
  espalier_team* team_;
  MPI_Op ordered_;
  Dice dice_{20090515};
};

/// A sum of all blocks of a row, which its owner hands to all: packed by who has two of them, so
/// that several steps of several collectives are underway. Half of the members wait in reverse.
void fly_many(Checks& checks, World const& world, espalier_team* team) {
  constexpr int num_rows = 7;
  int const p = espalier_team_size(team);
  espalier_distribution grid = ESPALIER_DISTRIBUTION_INIT;
  grid.ndims = 2;
  grid.extents[0] = num_rows;
  grid.extents[1] = p + 1;
  grid.block[0] = grid.block[1] = 1;
  grid.grid[0] = 1;
  espalier_array* in = nullptr;
  espalier_array* out = nullptr;
  espalier_array_create(team, &grid, MPI_INT32_T, 0, &in);
  espalier_array_create(team, &grid, MPI_INT32_T, half_words * word, &out);
  auto* const segment = static_cast<std::int32_t*>(espalier_conduit_segment(world.conduit));
  std::fill_n(segment, segment_words, 1);
  std::vector<espalier_request*> requests(num_rows);
  for (int row = 0; row < num_rows; ++row) {
    espalier_region const from{in, {{row, 0, 0}, ESPALIER_ALL_BLOCKS}};
    espalier_region const to{out, {{row, 0, 0}, {row % (p + 1), 0, 0}}};
    int const code = espalier_array_reduce_init(
        &from, &to, 1, MPI_SUM, nullptr, &requests[static_cast<std::size_t>(row)]
    );
    checks.expect(code == MPI_SUCCESS, "plan one of many: " + text_of(code));
  }
  std::vector<espalier_request*> waited = requests;
  if (espalier_team_rank(team) % 2 == 1) {
    std::ranges::reverse(waited);
  }
  for (int round = 0; round < 3; ++round) {
    for (espalier_request* const one : requests) {
      checks.expect(espalier_request_start(one) == MPI_SUCCESS, "start one of many");
    }
    if (round == 2) {
      checks.expect(espalier_team_fence(team) == MPI_SUCCESS, "a fence of many");
    }
    for (espalier_request* const one : waited) {
      checks.expect(espalier_request_wait(one) == MPI_SUCCESS, "wait for one of many");
    }
  }
  for (int row = 0; row < num_rows; ++row) {
    std::int64_t const element[] = {row, row % (p + 1)};
    espalier_remote place{};
    checks.expect(espalier_array_place(out, element, &place) == MPI_SUCCESS, "a place");
    std::int32_t found = 0;
    espalier_get(&found, sizeof found, place, world.conduit);
    checks.expect(found == p + 1, "a sum of many: " + std::to_string(found));
  }
  espalier_conduit_barrier(world.conduit);
  for (espalier_request*& one : requests) {
    checks.expect(espalier_request_free(&one) == MPI_SUCCESS, "free one of many");
  }
  checks.expect(espalier_team_cache_size(team) == 1, "many collectives have one implicit team");
  espalier_array_free(&in);
  espalier_array_free(&out);
}

/// The last member waits for a sum before it plans: those who wait for it there move the sum on.
void plan_meanwhile(Checks& checks, World const& world, espalier_team* team) {
  espalier_team_cache_clear(team);
  int const p = espalier_team_size(team);
  bool const is_last = espalier_team_rank(team) == p - 1;
  std::int32_t const one = 1;
  std::int32_t sum = 0;
  espalier_onesided_options local = ESPALIER_ONESIDED_OPTIONS_INIT;
  local.addresses = ESPALIER_ADDRESSES_LOCAL;
  espalier_request* summing = nullptr;
  espalier_team_allreduce_init(&one, &sum, 1, MPI_INT32_T, MPI_SUM, team, &local, &summing);
  espalier_distribution line = ESPALIER_DISTRIBUTION_INIT;
  line.extents[0] = p;
  espalier_array* array = nullptr;
  espalier_array_create(team, &line, MPI_INT32_T, 0, &array);
  espalier_region const first{array, {{0}}};
  espalier_region const all{array, {ESPALIER_ALL_BLOCKS}};
  espalier_request* request = nullptr;
  auto const wait_if = [&](bool is_now) {
    if (is_now) {
      checks.expect(espalier_request_wait(summing) == MPI_SUCCESS, "wait for a sum");
    }
  };
  espalier_request_start(summing);
  wait_if(is_last);
  int const code = espalier_array_bcast_init(&first, &all, 1, nullptr, &request);
  checks.expect(code == MPI_SUCCESS, "plan meanwhile: " + text_of(code));
  wait_if(!is_last);
  checks.expect(sum == p, "a sum: " + std::to_string(sum));
  espalier_request_free(&summing);
  espalier_request_free(&request);
  espalier_array_free(&array);
  espalier_conduit_barrier(world.conduit);
}

void check_transport(Checks& checks, char const* transport, MPI_Op ordered) {
  World const world(checks, segment_words * word, transport);
  MPI_Comm reversed = MPI_COMM_NULL;
  PMPI_Comm_split(MPI_COMM_WORLD, 0, -test_rank(MPI_COMM_WORLD), &reversed);
  PMPI_Comm_set_errhandler(reversed, MPI_ERRORS_RETURN);
  espalier_team* team = nullptr;
  int const code = espalier_team_create(world.conduit, reversed, 0, &team);
  checks.expect(code == MPI_SUCCESS, "a team: " + text_of(code));
  // Each kind meets each mode with both kinds of addresses.
  Turns(checks, world, team, ordered).run(6 * 9 * 2);
  fly_many(checks, world, team);
  plan_meanwhile(checks, world, team);
  checks.expect(espalier_team_free(&team) == MPI_SUCCESS, "free the team and its implicit ones");
  PMPI_Comm_free(&reversed);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  Checks checks;
  MPI_Op ordered = MPI_OP_NULL;
  PMPI_Op_create(combine_in_order, 0, &ordered);
  for (char const* const transport : transports()) {
    check_transport(checks, transport, ordered);
  }
  PMPI_Op_free(&ordered);
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
