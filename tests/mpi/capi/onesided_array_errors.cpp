// SPDX-License-Identifier: Apache-2.0

/// @file
/// What espalier_array.h refuses and in which words, and the bound of the implicit teams.

#include <cstdint>
#include <string>

#include "include/espalier_array.h"

#include <mpi.h>

#include "tests/mpi/capi/onesided_support.hpp"

namespace {

using namespace espalier::test;

constexpr std::uint64_t segment_bytes = 4096;
constexpr std::uint64_t second_half = segment_bytes / 2;

/// Codes and texts of what is wrong.
class Refusals {
public:
  explicit Refusals(Checks& checks) : checks_(&checks) {}

  void expect(int code, int expected_class, std::string const& text, std::string const& what) {
    int found = MPI_SUCCESS;
    PMPI_Error_class(code, &found);
    checks_->expect(found == expected_class, what + ": class " + std::to_string(found));
    std::string const said = code == MPI_SUCCESS ? "nothing" : last_text();
    checks_->expect(said.find(text) != std::string::npos, what + ": " + said);
  }

private:
  Checks* checks_;
};

espalier_distribution line(std::int64_t extent, std::int64_t block) {
  espalier_distribution result = ESPALIER_DISTRIBUTION_INIT;
  result.extents[0] = extent;
  result.block[0] = block;
  return result;
}

void describe_wrongly(Refusals& refusals, Checks& checks, espalier_team* team) {
  espalier_array* array = nullptr;
  espalier_distribution good = line(8, 2);
  auto const create = [&](espalier_distribution const& given, MPI_Datatype type, auto offset) {
    return espalier_array_create(team, &given, type, offset, &array);
  };
  espalier_distribution bad = good;
  bad.flags = 1;
  refusals.expect(create(bad, MPI_INT, 0U), MPI_ERR_ARG, "ESPALIER_DISTRIBUTION_INIT", "flags");
  bad = good;
  bad.ndims = ESPALIER_ARRAY_MAX_DIMS + 1;
  refusals.expect(create(bad, MPI_INT, 0U), MPI_ERR_ARG, "ndims in 1 .. 4", "dimensions");
  bad = good;
  bad.extents[0] = 0;
  refusals.expect(create(bad, MPI_INT, 0U), MPI_ERR_ARG, "expected an extent", "no elements");
  bad = good;
  bad.grid[0] = espalier_team_size(team) + 1;
  refusals.expect(create(bad, MPI_INT, 0U), MPI_ERR_ARG, "expected a grid", "another grid");
  refusals.expect(
      create(good, MPI_DATATYPE_NULL, 0U), MPI_ERR_TYPE, "expected a datatype", "no datatype"
  );
  refusals.expect(
      create(good, MPI_INT, segment_bytes), MPI_ERR_ARG, "has 4096 bytes", "behind the segment"
  );
  refusals.expect(
      create(line(std::int64_t{1} << 30U, 0), MPI_INT, 0U),
      MPI_ERR_ARG,
      "inside of segments",
      "too large"
  );
  refusals.expect(
      espalier_array_create(team, nullptr, MPI_INT, 0, &array), MPI_ERR_ARG, "distribution", "none"
  );
  refusals.expect(
      espalier_array_create(team, &good, MPI_INT, 0, nullptr), MPI_ERR_ARG, "array", "no place"
  );
  refusals.expect(espalier_array_create(nullptr, &good, MPI_INT, 0, &array), MPI_ERR_ARG, "", "-");
  refusals.expect(espalier_array_free(&array), MPI_ERR_ARG, "", "free nothing");
  std::uint64_t num_bytes = 0;
  refusals.expect(
      espalier_distribution_bytes(&good, MPI_INT, 0, &num_bytes), MPI_ERR_DIMS, "", "no members"
  );
  checks.expect(array == nullptr, "nothing is made of what is wrong");
}

/// Two arrays of blocks of two numbers, one behind the other.
struct Pair {
  espalier_team* team;
  espalier_array* in = nullptr;
  espalier_array* out = nullptr;

  Pair(Checks& checks, espalier_team* of) : team(of) {
    int const p = espalier_team_size(of);
    espalier_distribution const all = line(std::int64_t{4} * p, 2);
    int code = espalier_array_create(of, &all, MPI_INT, 0, &in);
    checks.expect(code == MPI_SUCCESS, "an array: " + text_of(code));
    code = espalier_array_create(of, &all, MPI_INT, second_half, &out);
    checks.expect(code == MPI_SUCCESS, "an array: " + text_of(code));
  }

  Pair(Pair const&) = delete;
  Pair& operator=(Pair const&) = delete;
  Pair(Pair&&) = delete;
  Pair& operator=(Pair&&) = delete;

  ~Pair() {
    espalier_array_free(&in);
    espalier_array_free(&out);
  }
};

void look_wrongly(Refusals& refusals, Checks& checks, Pair const& arrays) {
  std::int64_t const outside[] = {std::int64_t{4} * espalier_team_size(arrays.team)};
  std::int64_t const inside[] = {3};
  espalier_remote place{};
  int has_affinity = 0;
  refusals.expect(
      espalier_array_place(arrays.in, outside, &place), MPI_ERR_ARG, "expected an element", "place"
  );
  refusals.expect(
      espalier_array_place(arrays.in, nullptr, &place), MPI_ERR_ARG, "element", "no element"
  );
  refusals.expect(espalier_array_place(arrays.in, inside, nullptr), MPI_ERR_ARG, "place", "where");
  espalier_region const behind{arrays.in, {{outside[0], 0, 0}}};
  refusals.expect(
      espalier_region_has_affinity(&behind, &has_affinity), MPI_ERR_ARG, "blocks in 0 ..", "region"
  );
  refusals.expect(espalier_region_has_affinity(nullptr, &has_affinity), MPI_ERR_ARG, "", "none");
  espalier_distribution found = ESPALIER_DISTRIBUTION_INIT;
  checks.expect(espalier_array_distribution(arrays.out, &found) == MPI_SUCCESS, "described");
  bool const is_right =
      found.ndims == 1 && found.block[0] == 2 && found.grid[0] == espalier_team_size(arrays.team);
  checks.expect(is_right, "nothing is left to be chosen");
}

void plan_wrongly(Refusals& refusals, Checks& checks, Pair const& arrays, espalier_team* other) {
  espalier_request* request = nullptr;
  espalier_region const one{arrays.in, {{0}}};
  espalier_region const all{arrays.in, {ESPALIER_ALL_BLOCKS}};
  espalier_region const to{arrays.out, {ESPALIER_ALL_BLOCKS}};
  espalier_region const behind{arrays.out, {{0, 1, 1000}}};
  espalier_onesided_options bad = ESPALIER_ONESIDED_OPTIONS_INIT;
  bad.flags = 4;
  espalier_onesided_options learning = ESPALIER_ONESIDED_OPTIONS_INIT;
  learning.flags = ESPALIER_LEARN_IN_STARTS;
  auto const bcast = [&](espalier_region const& from, espalier_region const& target, int count) {
    return espalier_array_bcast_init(&from, &target, count, nullptr, &request);
  };
  refusals.expect(bcast(one, behind, 1), MPI_ERR_ARG, "0 .. 1000", "outside of the array");
  refusals.expect(bcast(all, to, 1), MPI_ERR_ARG, "one block to bcast from", "many sources");
  refusals.expect(bcast(one, to, 3), MPI_ERR_ARG, "at most 8 bytes", "more than a block");
  refusals.expect(bcast(one, to, -1), MPI_ERR_COUNT, "got -1", "a count below 0");
  refusals.expect(
      espalier_array_exchange_init(&all, &one, 1, nullptr, &request), MPI_ERR_ARG, "got", "shapes"
  );
  refusals.expect(
      espalier_array_gather_init(&all, &one, 1, nullptr, &request), MPI_ERR_ARG, "", "overlap"
  );
  refusals.expect(
      espalier_array_reduce_init(&all, &to, 1, MPI_SUM, nullptr, &request),
      MPI_ERR_ARG,
      "one block to reduce to",
      "many targets"
  );
  espalier_region const target{arrays.out, {{0}}};
  refusals.expect(
      espalier_array_reduce_init(&all, &target, 1, MPI_OP_NULL, nullptr, &request),
      MPI_ERR_OP,
      "operator",
      "no operator"
  );
  refusals.expect(
      espalier_array_bcast_init(&one, &to, 1, &bad, &request),
      MPI_ERR_ARG,
      "expected flags of",
      "options"
  );
  refusals.expect(
      espalier_array_bcast_init(&one, &to, 1, &learning, &request),
      MPI_ERR_ARG,
      "collectives of teams",
      "learning"
  );
  refusals.expect(
      espalier_array_bcast_init(&one, nullptr, 1, nullptr, &request), MPI_ERR_ARG, "region", "none"
  );
  refusals.expect(
      espalier_array_bcast_init(&one, &to, 1, nullptr, nullptr), MPI_ERR_ARG, "request", "no place"
  );
  refusals.expect(
      espalier_array_bcast_init(nullptr, &to, 1, nullptr, &request), MPI_ERR_ARG, "", "no source"
  );
  Pair const strangers(checks, other);
  espalier_region const elsewhere{strangers.out, {ESPALIER_ALL_BLOCKS}};
  refusals.expect(bcast(one, elsewhere, 1), MPI_ERR_ARG, "arrays of one team", "two teams");
  espalier_distribution const same = line(std::int64_t{4} * espalier_team_size(arrays.team), 2);
  espalier_array* floats = nullptr;
  espalier_array_create(arrays.team, &same, MPI_FLOAT, second_half, &floats);
  espalier_region const of_floats{floats, {ESPALIER_ALL_BLOCKS}};
  refusals.expect(bcast(one, of_floats, 1), MPI_ERR_TYPE, "of one datatype", "two datatypes");
  espalier_array_free(&floats);
  checks.expect(request == nullptr, "nothing is planned of what is wrong");
  checks.expect(espalier_team_cache_size(arrays.team) == 0, "no team is made of what is wrong");
}

/// Every member has two blocks to be combined first, so nobody knows where they then are.
void name_wrongly(Refusals& refusals, Checks& checks, Pair const& arrays) {
  espalier_request* request = nullptr;
  espalier_onesided_options options = ESPALIER_ONESIDED_OPTIONS_INIT;
  espalier_region const all{arrays.in, {ESPALIER_ALL_BLOCKS}};
  espalier_region const one{arrays.out, {{0}}};
  options.mechanism = "signaling_put";
  refusals.expect(
      espalier_array_reduce_init(&all, &one, 1, MPI_SUM, &options, &request),
      MPI_ERR_ARG,
      "eager or counting_put",
      "signaling puts of what is packed"
  );
  options.mechanism = nullptr;
  options.algorithm = "bcast/native";
  refusals.expect(
      espalier_array_bcast_init(&one, &all, 1, &options, &request),
      MPI_ERR_ARG,
      "needs a team that was made of a communicator",
      "a collective of the MPI library among owners of blocks"
  );
  checks.expect(request == nullptr, "nothing is planned with what cannot be");
  checks.expect(espalier_team_cache_clear(arrays.team) == MPI_SUCCESS, "clear");
}

/// Plans a bcast of a number from the first member to the first ones.
int plan_to_first(Pair const& arrays, int num_members, espalier_request** request) {
  espalier_region const from{arrays.in, {{0}}};
  espalier_region const to{arrays.out, {{0, 1, num_members - 1}}};
  return espalier_array_bcast_init(&from, &to, 1, nullptr, request);
}

void check_to_first(Checks& checks, Pair const& arrays, int num_members) {
  espalier_request* request = nullptr;
  int const code = plan_to_first(arrays, num_members, &request);
  checks.expect(code == MPI_SUCCESS, "to the first members: " + text_of(code));
  espalier_request_start(request);
  checks.expect(espalier_request_wait(request) == MPI_SUCCESS, "wait");
  espalier_request_free(&request);
}

/// The first member is in two teams and so at the limit, the others are in one.
void fill_the_cache(Refusals& refusals, Checks& checks, Pair const& arrays) {
  int const p = espalier_team_size(arrays.team);
  int const rank = espalier_team_rank(arrays.team);
  espalier_request* request = nullptr;
  refusals.expect(
      espalier_team_cache_limits(arrays.team, -1, 0), MPI_ERR_ARG, "got -1", "a limit below 0"
  );
  checks.expect(espalier_team_cache_limits(arrays.team, 2, 16384) == MPI_SUCCESS, "limits");
  for (int run = 0; run < 3; ++run) {
    check_to_first(checks, arrays, p);
    check_to_first(checks, arrays, 1);
  }
  int const num_kept = p > 1 && rank == 0 ? 2 : 1;
  checks.expect(espalier_team_cache_size(arrays.team) == num_kept, "teams are kept");
  refusals.expect(
      espalier_team_cache_limits(arrays.team, 3, 0), MPI_ERR_ARG, "before the first", "too late"
  );
  if (p > 2 && rank < 2) {
    refusals.expect(
        plan_to_first(arrays, 2, &request),
        MPI_ERR_NO_MEM,
        rank == 0 ? "at most 2 implicit teams" : "another member has no room",
        "one team too many"
    );
  }
  check_to_first(checks, arrays, p);
  checks.expect(plan_to_first(arrays, p, &request) == MPI_SUCCESS, "plan");
  refusals.expect(
      espalier_team_cache_clear(arrays.team), MPI_ERR_ARG, "1 of them", "clear what is used"
  );
  espalier_request_free(&request);
  checks.expect(espalier_team_cache_clear(arrays.team) == MPI_SUCCESS, "clear");
  checks.expect(espalier_team_cache_size(arrays.team) == 0, "nothing is kept");
  check_to_first(checks, arrays, p > 2 ? 2 : 1);
  checks.expect(espalier_team_cache_clear(arrays.team) == MPI_SUCCESS, "clear again");
  espalier_team_cache_limits(arrays.team, 2, std::uint64_t{1} << 30U);
  refusals.expect(
      plan_to_first(arrays, p, &request), MPI_ERR_NO_MEM, "scratch_bytes", "too much scratch space"
  );
  espalier_team_cache_limits(arrays.team, 16, 0);
}

/// The first member forgets the last ones, and is told so; then it names all.
void name_different_members(Refusals& refusals, Checks& checks, Pair const& arrays) {
  int const p = espalier_team_size(arrays.team);
  int const rank = espalier_team_rank(arrays.team);
  if (p < 3) {
    return;
  }
  espalier_request* request = nullptr;
  if (rank < 2) {
    refusals.expect(
        plan_to_first(arrays, rank == 0 ? 2 : p, &request),
        MPI_ERR_ARG,
        "blocks of the same members",
        "different members"
    );
  }
  check_to_first(checks, arrays, p);
}

/// Tuned as requests of teams are, and moves what it should afterwards.
void tune(Refusals& refusals, Checks& checks, Pair const& arrays, espalier_conduit* conduit) {
  auto* const in = static_cast<int*>(espalier_conduit_segment(conduit));
  auto* const out = in + second_half / sizeof(int);
  espalier_request* request = nullptr;
  checks.expect(plan_to_first(arrays, espalier_team_size(arrays.team), &request) == 0, "plan");
  checks.expect(std::string(espalier_request_origin(request)) == "rule", "an origin");
  espalier_tuning_options options = ESPALIER_TUNING_OPTIONS_INIT;
  options.seconds = -1;
  refusals.expect(espalier_request_tune(request, &options), MPI_ERR_ARG, "seconds", "seconds");
  options.seconds = 0.05;
  int const code = espalier_request_tune(request, &options);
  checks.expect(code == MPI_SUCCESS, "tune: " + text_of(code));
  in[0] = espalier_team_rank(arrays.team) + 17;
  out[0] = 0;
  espalier_conduit_barrier(conduit);
  espalier_team* team = arrays.team;
  refusals.expect(espalier_team_free(&team), MPI_ERR_ARG, "arrays were freed", "a team in use");
  espalier_request_start(request);
  checks.expect(espalier_request_wait(request) == MPI_SUCCESS, "wait");
  checks.expect(out[0] == 17, "data after tuning: " + std::to_string(out[0]));
  char text[256] = "";
  espalier_explain(request, text, static_cast<int>(sizeof text));
  bool const is_told = std::string(text).find("members that have the blocks") != std::string::npos;
  checks.expect(is_told, std::string("explained as ") + text);
  espalier_request_free(&request);
}

void check_transport(Refusals& refusals, Checks& checks, char const* transport) {
  World const world(checks, segment_bytes, transport);
  MPI_Comm comm = private_comm();
  espalier_team* team = nullptr;
  espalier_team* other = nullptr;
  checks.expect(espalier_team_create(world.conduit, comm, 1U << 16U, &team) == 0, "a team");
  checks.expect(espalier_team_create(world.conduit, comm, 1U << 16U, &other) == 0, "another one");
  describe_wrongly(refusals, checks, team);
  {
    Pair const arrays(checks, team);
    look_wrongly(refusals, checks, arrays);
    plan_wrongly(refusals, checks, arrays, other);
    name_wrongly(refusals, checks, arrays);
    fill_the_cache(refusals, checks, arrays);
    name_different_members(refusals, checks, arrays);
    tune(refusals, checks, arrays, world.conduit);
  }
  checks.expect(espalier_team_cache_size(nullptr) == 0, "no team keeps none");
  checks.expect(espalier_team_free(&team) == MPI_SUCCESS, "free the team");
  checks.expect(espalier_team_free(&other) == MPI_SUCCESS, "free the other one");
  PMPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  PMPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  PMPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  Checks checks;
  Refusals refusals(checks);
  for (char const* const transport : transports()) {
    check_transport(refusals, checks, transport);
  }
  int const code = checks.finish();
  MPI_Finalize();
  return code;
}
