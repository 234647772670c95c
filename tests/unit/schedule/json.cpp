// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/json.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::schedule {
namespace {

using nlohmann::json;

RankProgram sample() {
  Builder builder(
      {.num_ranks = 4, .num_output_blocks = 5, .input_like = {}, .scratch_like = {2}}, 1
  );
  builder.recv(0, blocks(1, 3, 2)).next_round().send(2, blocks(3));
  builder.reduce(blocks(2), {.buffer = Buffer::scratch, .first = 0});
  return segment(std::move(builder).finish(), {.num_segments = 2, .period = 1, .window = 1});
}

TEST(ProgramJson, GivesTheSameProgramBack) {
  EXPECT_EQ(from_json(json::parse(to_json(sample()).dump())), sample());
}

/// Slots in the memory of rank 2 may be larger than any buffer of rank 1.
RankProgram one_sided_sample() {
  Builder builder(
      {.num_ranks = 4, .num_output_blocks = 2, .input_like = {}, .scratch_like = {1}}, 1
  );
  Slot const far{.buffer = Buffer::scratch, .first = 7, .num_blocks = 2, .stride = 5};
  builder.signal(2, 3).await(0, 2).next_round();
  builder.put(2, far, blocks(0, 2), 1).put(2, blocks(0), blocks(1)).get(2, blocks(0, 2), far);
  return std::move(builder).finish();
}

TEST(ProgramJson, GivesTheSameOneSidedProgramBack) {
  EXPECT_EQ(from_json(json::parse(to_json(one_sided_sample()).dump())), one_sided_sample());
}

TEST(ProgramJson, RefusesAnAwaitOfNothing) {
  json document = to_json(one_sided_sample());
  document["operations"][1]["arrivals"] = 0;
  EXPECT_THROW(static_cast<void>(from_json(document)), Error);
}

TEST(ProgramJson, NamesSchemaAndVersion) {
  json const document = to_json(sample());
  EXPECT_EQ(document.at("schema"), "espalier-program");
  EXPECT_EQ(document.at("version"), 1);
}

/// A change of the document, and words that the message must have.
struct Damage {
  char const* name;
  char const* place;  ///< JSON pointer
  json value;         ///< null: the place is removed
  char const* expected;
};

class DamagedProgramJson : public testing::TestWithParam<Damage> {};

TEST_P(DamagedProgramJson, IsRefusedWithPlaceAndExpectation) {
  json document = to_json(sample());
  json::json_pointer const place(GetParam().place);
  if (GetParam().value.is_null()) {
    document.at(place.parent_pointer()).erase(place.back());
  } else {
    document[place] = GetParam().value;
  }
  try {
    static_cast<void>(from_json(document));
    FAIL() << "expected an error with '" << GetParam().expected << "'";
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    EXPECT_NE(std::string(error.what()).find(GetParam().expected), std::string::npos)
        << error.what();
  }
}

std::vector<Damage> damages() {
  return {
      {"schema", "/schema", "espalier-profile", "schema must be 'espalier-program', got"},
      {"no_schema", "/schema", nullptr, "an object with 'schema'"},
      {"version", "/version", 2, "version must be at most 1, got 2; use a newer espalier"},
      {"version_text", "/version", "1", "version must be an integer"},
      {"rank", "/rank", 4, "rank must be an integer in 0 .. 3, got 4"},
      {"ranks", "/num_ranks", 0, "num_ranks must be an integer in 1 .."},
      {"huge", "/num_ranks", std::uint64_t{1} << 63, "num_ranks must be an integer in 1 .."},
      {"fraction", "/rank", 1.5, "rank must be an integer"},
      {"label", "/scratch_like/0", 10, "scratch_like[0] must be an integer in 0 .. 9, got 10"},
      {"operations", "/operations", 3, "operations must be an array, got 3"},
      {"operation", "/operations/1", 3, "operations[1] must be an object, got 3"},
      {"kind",
       "/operations/1/kind",
       "wait",
       "one of send, recv, copy, reduce, native, put, get, signal, await, got \"wait\""},
      {"no_kind", "/operations/1/kind", nullptr, "operations[1] must be an object with 'kind'"},
      {"peer", "/operations/1/peer", 4, "operations[1].peer must be an integer in 0 .. 3, got 4"},
      {"tag", "/operations/1/tag", -1, "operations[1].tag must be an integer in 0 .."},
      {"after", "/operations/1/after", 2, "operations[1].after must be an integer in 0 .. 1"},
      {"waits", "/operations/1/waits/0", 1, "operations[1].waits[0] must be an integer in 0 .. 0"},
      {"no_source", "/operations/2/sources", json::array(), "an array that is not empty"},
      {"buffer", "/operations/0/slots/0/buffer", 1, "one of input, output, scratch, got 1"},
      {"no_such_buffer", "/operations/0/slots/0/buffer", "input", "slots[0].first must be"},
      {"first", "/operations/0/slots/0/first", 10, "slots[0].first must be an integer in 0 .. 9"},
      {"num_blocks", "/operations/0/slots/0/num_blocks", 11, "must be an integer in 1 .. 10"},
      {"stride", "/operations/0/slots/0/stride", 10, "stride must be an integer in 0 .. 9"},
      {"no_sources", "/operations/2/sources", nullptr, "operations[2] must be an object with"},
  };
}

std::string name_of(testing::TestParamInfo<Damage> const& tested) {
  return tested.param.name;
}

INSTANTIATE_TEST_SUITE_P(, DamagedProgramJson, testing::ValuesIn(damages()), name_of);

TEST(ProgramJson, RefusesWhatIsNotAnObject) {
  EXPECT_THROW(static_cast<void>(from_json(json(3))), Error);
  EXPECT_THROW(static_cast<void>(from_json(json::array())), Error);
  EXPECT_THROW(static_cast<void>(from_json(json())), Error);
}

}  // namespace
}  // namespace espalier::schedule
