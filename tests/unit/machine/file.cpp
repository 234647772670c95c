// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/text/file.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/text/text.hpp"

namespace espalier::machine {
namespace {

using Numbers = std::vector<int>;

constexpr std::string_view full = R"({
  "schema": "espalier-machine", "version": 1,
  "levels": [
    {"name": "node", "counts": [2],
     "link": {"latency_us": 1.5, "overhead_send_us": 0.2, "overhead_receive_us": 0.3, "gap_us": 0.1,
              "bandwidth_bytes_per_s": 12.5e9, "channels": 2, "shared_channels": null,
              "full_duplex": false, "eager_bytes": 4096, "rendezvous_latency_us": 2}},
    {"name": "core", "counts": [3, 1]}
  ],
  "torus": {"extents": [2], "hop_latency_us": 0.05, "link_bandwidth_bytes_per_s": 5e9},
  "cores": {"combine_bytes_per_s": 2e9, "copy_bytes_per_s": null},
  "object_names": {"node": ["a", "b"]},
  "core_of_rank": [3, 0, 1],
  "origin": {"mpi": "Open MPI 4.1.4", "warnings": []}
})";

constexpr std::string_view header = R"({"schema": "espalier-machine", "version": 1, )";

std::string complaint(std::string const& text) {
  try {
    static_cast<void>(read_file(text, "m.json"));
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::format);
    return error.what();
  }
  return "";
}

/// Of a file with these members behind its header.
std::string complaint_about(std::string const& members) {
  return complaint(std::string(header) + members + "}");
}

/// Of a file with one level with this link.
std::string complaint_about_link(std::string const& link) {
  return complaint_about(R"("levels": [{"name": "node", "counts": [2], "link": )" + link + "}]");
}

TEST(MachineFile, SaysEverything) {
  MachineFile const file = read_file(full);
  EXPECT_EQ(
      to_text(file.machine),
      "torus 2[latency=1.5us,overhead_send=200ns,overhead_receive=300ns,gap=100ns,"
      "bandwidth=12.5GB/s,channels=2,duplex=half,eager=4KiB,rendezvous=2us,hop=50ns,"
      "link_bandwidth=5GB/s] core:3,1[combine=2GB/s]"
  );
  EXPECT_EQ(file.object_names.at("node"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(file.core_of_rank, (Numbers{3, 0, 1}));
  EXPECT_EQ(file.origin.at("mpi"), "Open MPI 4.1.4");
}

TEST(MachineFile, IsReadBackAsItWasWritten) {
  MachineFile const file = read_file(full);
  std::string const text = to_json(file);
  MachineFile const again = read_file(text);
  EXPECT_EQ(again.machine, file.machine);
  EXPECT_EQ(again.object_names, file.object_names);
  EXPECT_EQ(again.core_of_rank, file.core_of_rank);
  EXPECT_EQ(again.origin, file.origin);
  EXPECT_EQ(to_json(again), text);
}

TEST(MachineFile, KeepsWhatMeasurementsGive) {
  // More digits than a file has: the second file is the first.
  Machine machine = parse_text("2n");
  machine.set_link(0, {.latency = 1.0 / 3e6, .per_byte = 1.0 / 7e9});
  std::string const text = to_json(machine);
  EXPECT_EQ(to_json(read_file(text)), text);
  EXPECT_NEAR(read(text).link(0).latency, machine.link(0).latency, 1e-20);
}

TEST(MachineFile, HasALineForEachLevel) {
  std::string const text = to_json(parse_text("node:2 core:2,1"));
  EXPECT_NE(
      text.find(R"(
    {"name":"node","counts":[2],"link":{"latency_us":0.0,)"),
      std::string::npos
  );
  EXPECT_NE(
      text.find(R"(
    {"name":"core","counts":[2,1],"link":{)"),
      std::string::npos
  );
  EXPECT_NE(text.find(R"("bandwidth_bytes_per_s":null,"channels":null)"), std::string::npos);
}

TEST(MachineFile, MayBeATextInstead) {
  EXPECT_EQ(read(" 8n x 2c "), parse_text("8n x 2c"));
  EXPECT_EQ(read("\n" + std::string(full)), read_file(full).machine);
  EXPECT_THROW(static_cast<void>(read("machine.json")), Error);
}

TEST(MachineFile, SaysWhatIsWrongWithTheFile) {
  EXPECT_EQ(complaint("{"), "m.json: expected JSON, got something else near byte 2 of 1");
  EXPECT_EQ(complaint("{}"), "m.json: expected a member 'schema', got none");
  EXPECT_EQ(
      complaint(R"({"schema": "espalier-profile"})"),
      "m.json: schema: expected \"espalier-machine\" (a machine file), got \"espalier-profile\""
  );
  EXPECT_EQ(
      complaint(R"({"schema": "espalier-machine", "version": 2})"),
      "m.json: version: expected at most 1 (use a newer espalier), got 2"
  );
  EXPECT_EQ(complaint_about(R"("x": 1)"), "m.json: expected a member 'levels', got none");
}

TEST(MachineFile, SaysWhatIsWrongWithLevels) {
  EXPECT_EQ(
      complaint_about(R"("levels": [])"),
      "m.json: expected a machine with at least one level, got 'none'"
  );
  EXPECT_EQ(
      complaint_about(R"("levels": [{"name": "node", "counts": []}])"),
      "m.json: levels[0]: counts: expected at least one number, got []"
  );
  EXPECT_EQ(
      complaint_about(R"("levels": [{"name": "node", "counts": [0]}])"),
      "m.json: levels[0]: counts[0]: expected an integer of at least 1 and at most 16777216, got 0"
  );
  EXPECT_EQ(
      complaint_about(
          R"("levels": [{"name": "node", "counts": [3]}, {"name": "core", "counts": [1, 2]}])"
      ),
      "m.json: expected one number, or one for each of the 3 objects above, got 'core'"
  );
  EXPECT_EQ(
      complaint_about(
          R"("levels": [{"name": "core", "counts": [3]}, {"name": "node", "counts": [1]}])"
      ),
      "m.json: expected levels from the outside in (group, switch, node, package, numa, l3, core, "
      "thread), not node inside core, got 'node'"
  );
  EXPECT_EQ(
      complaint_about(R"("levels": [{"name": "node", "counts": [3]}], "torus": {"extents": [2]})"),
      "m.json: expected a torus of 3 nodes, and no level outside them, got '2'"
  );
}

TEST(MachineFile, SaysWhatIsWrongWithALink) {
  std::string const link = "m.json: levels[0]: link: ";
  EXPECT_EQ(complaint_about_link("3"), link + "expected an object, got 3");
  EXPECT_EQ(
      complaint_about_link(R"({"latency": 3})"),
      link + "expected members of a link such as latency_us, got 'latency'"
  );
  EXPECT_EQ(
      complaint_about_link(R"({"latency_us": -1})"),
      link + "latency_us: expected a number of at least 0.0, got -1"
  );
  EXPECT_EQ(
      complaint_about_link(R"({"latency_us": null})"),
      link + "latency_us: expected a number of at least 0.0, got null"
  );
  EXPECT_NE(complaint_about_link(R"({"bandwidth_bytes_per_s": 0})"), "");
  EXPECT_NE(complaint_about_link(R"({"channels": 0})"), "");
  EXPECT_EQ(
      complaint_about_link(R"({"full_duplex": 1})"),
      link + "full_duplex: expected true or false, got 1"
  );
  EXPECT_EQ(
      complaint_about_link(R"({"eager_bytes": 1.5})"),
      link + "eager_bytes: expected an integer of at least 0, got 1.5"
  );
}

TEST(MachineFile, SaysWhatIsWrongWithNamesAndRanks) {
  std::string const levels = R"("levels": [{"name": "node", "counts": [2]}], )";
  EXPECT_EQ(
      complaint_about(levels + R"("object_names": {"rack": ["a"]})"),
      "m.json: object_names: rack: expected a level of this machine, got 'rack'"
  );
  EXPECT_EQ(
      complaint_about(levels + R"("object_names": {"node": ["a"]})"),
      "m.json: object_names: node: expected 2 names, got 1 names"
  );
  EXPECT_EQ(
      complaint_about(levels + R"("object_names": {"node": ["a", 2]})"),
      "m.json: object_names: node[1]: expected a text, got 2"
  );
  EXPECT_EQ(
      complaint_about(levels + R"("core_of_rank": [0, 2])"),
      "m.json: core_of_rank[1]: expected an integer of at least 0 and at most 1, got 2"
  );
  EXPECT_EQ(
      complaint_about(levels + R"("core_of_rank": [1, 0, 1])"),
      "m.json: core_of_rank[2]: expected a core that no other rank has, got 1"
  );
  EXPECT_EQ(
      complaint_about(levels + R"("origin": "found")"),
      "m.json: origin: expected an object, got \"found\""
  );
}

}  // namespace
}  // namespace espalier::machine
