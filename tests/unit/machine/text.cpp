// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/text/text.hpp"

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/base/error.hpp"
#include "espalier/machine/tree/counts.hpp"

namespace espalier::machine {
namespace {

using Numbers = std::vector<int>;

std::string complaint(std::string_view text) {
  try {
    static_cast<void>(parse_text(text));
  } catch (Error const& error) {
    EXPECT_EQ(error.code(), ErrorCode::argument);
    return error.what();
  }
  return "";
}

std::string names(Machine const& machine) {
  std::string text;
  for (int level = 0; level < machine.num_levels(); ++level) {
    text += (level == 0 ? "" : " ") + machine.name(level) + ":" +
            std::to_string(machine.num_objects(level));
  }
  return text;
}

Link link_of(std::string_view brackets) {
  return parse_text("2n[" + std::string(brackets) + "]").link(0);
}

TEST(MachineText, HasLettersOrNames) {
  EXPECT_EQ(names(parse_text("8n x 2s x 12c")), "node:8 package:16 core:192");
  EXPECT_EQ(
      names(parse_text("2g x 2w x 2n x 2s x 2m x 2l x 2c x 2t")),
      "group:2 switch:4 node:8 package:16 numa:32 l3:64 core:128 thread:256"
  );
  EXPECT_EQ(parse_text("8nx2sx12c"), parse_text("node:8 package:2 core:12"));
  EXPECT_EQ(parse_text("8n 2s x core:12"), parse_text(" 8n  x2s x  12c\n"));
  EXPECT_EQ(names(parse_text("rack:2 node:3")), "rack:2 node:6");
}

TEST(MachineText, HasPartsBesideEachOther) {
  EXPECT_EQ(parse_text("3n x 8c + 1n x 4c"), parse_text("node:4 core:8,8,8,4"));
  EXPECT_EQ(parse_text("1n x 2s x 3c+1n x 1s x 4c"), parse_text("node:2 package:2,1 core:3,3,4"));
  EXPECT_EQ(
      parse_text("1w x 2n x 1c + 1w x node:2 core:2,3"), parse_text("switch:2 node:2 core:1,1,2,3")
  );
}

TEST(MachineText, HasNetworks) {
  EXPECT_EQ(parse_text("fattree 4x8 x 12c"), parse_text("4w x 8n x 12c"));
  EXPECT_EQ(
      parse_text("fattree 2x4x8 x 2s x 6c"),
      parse_text("switch1:2 switch2:4 node:8 package:2 core:6")
  );
  EXPECT_EQ(parse_text("dragonfly 4x3x2 x 8c"), parse_text("4g x 3w x 2n x 8c"));
  Machine const torus = parse_text("torus 4x3x2 x 8c");
  EXPECT_EQ(names(torus), "node:24 core:192");
  EXPECT_EQ(torus.torus().extents, (Numbers{4, 3, 2}));
  EXPECT_EQ(parse_text("torus 4 x 3 x 2 x 8c"), torus);
  EXPECT_EQ(names(parse_text("torus 2x2 core:4,4,4,1")), "node:4 core:13");
}

TEST(MachineText, HasLinks) {
  EXPECT_DOUBLE_EQ(link_of("latency=1.5us").latency, 1.5e-6);
  EXPECT_EQ(link_of("latency=300ns"), link_of("latency = 0.3us"));
  EXPECT_EQ(link_of("latency=2ms").latency, 2e-3);
  Link const both = link_of("overhead=400ns");
  EXPECT_EQ(both, link_of("overhead_send=400ns, overhead_receive=0.4us"));
  EXPECT_EQ(both.overhead_send, 4e-7);
  EXPECT_EQ(link_of("gap=1s").gap, 1);
  EXPECT_EQ(link_of("bandwidth=12.5GB/s").per_byte, 1 / 12.5e9);
  EXPECT_EQ(link_of("bandwidth=100Gbit/s").per_byte, 1 / 12.5e9);
  EXPECT_EQ(link_of("bandwidth=2GiB/s").per_byte, 0x1p-31);
  EXPECT_EQ(link_of("bandwidth=unlimited").per_byte, 0);
  EXPECT_EQ(link_of("channels=2").channels, 2);
  EXPECT_EQ(link_of("channels=unlimited").channels, Link::unlimited);
  EXPECT_EQ(link_of("shared_channels=1.5").shared_channels, 1.5);
  EXPECT_FALSE(link_of("duplex=half").full_duplex);
  EXPECT_TRUE(link_of("duplex=full").full_duplex);
  EXPECT_EQ(link_of("eager=16KiB").eager_bytes, 16384);
  EXPECT_EQ(link_of("eager=64kB").eager_bytes, 64000);
  EXPECT_EQ(link_of("eager=12").eager_bytes, 12);
  EXPECT_EQ(link_of("eager=unlimited"), Link{});
  EXPECT_EQ(link_of("rendezvous=5us").rendezvous_latency, 5e-6);
  EXPECT_EQ(link_of(""), Link{});
}

TEST(MachineText, PutsLinksWhereTheyStand) {
  Machine const machine = parse_text("2w[latency=3us]x 2n [latency=2us] x 4c[latency=1us]");
  EXPECT_EQ(machine.link(0).latency, 3e-6);
  EXPECT_EQ(machine.link(1).latency, 2e-6);
  EXPECT_EQ(machine.link(2).latency, 1e-6);
  Machine const tree = parse_text("fattree 2[latency=2us]x4[latency=1us] x 8c");
  EXPECT_EQ(tree.link(0).latency, 2e-6);
  EXPECT_EQ(tree.link(1).latency, 1e-6);
  Machine const torus = parse_text("torus 2x2[latency=1us,hop=50ns,link_bandwidth=5GB/s] x 8c");
  EXPECT_EQ(torus.link(0).latency, 1e-6);
  EXPECT_EQ(torus.torus().hop_latency, 5e-8);
  EXPECT_EQ(torus.torus().link_per_byte, 1 / 5e9);
  Machine const parts = parse_text("1n x 2c[latency=1us] + 1n[latency=2us] x 3c[latency=1us]");
  EXPECT_EQ(parts.link(0).latency, 2e-6);
  EXPECT_EQ(parts.link(1).latency, 1e-6);
  Machine const speed = parse_text("1n x 2c[latency=1us] + 1n x 3c[combine=4GB/s]");
  EXPECT_EQ(speed.link(1).latency, 1e-6);
  EXPECT_EQ(speed.speed().per_combined_byte, 1 / 4e9);
}

TEST(MachineText, SaysBehindTheLastLevelWhatCoresDo) {
  Machine const machine = parse_text("2n x 4c[latency=1us,combine=2GB/s,copy=8GB/s]");
  EXPECT_EQ(machine.speed().per_combined_byte, 1 / 2e9);
  EXPECT_EQ(machine.speed().per_copied_byte, 1 / 8e9);
  EXPECT_EQ(machine.link(1).latency, 1e-6);
  EXPECT_EQ(parse_text("1n x 2c + 1n x 3c[copy=8GB/s]").speed().per_copied_byte, 1 / 8e9);
  EXPECT_EQ(
      complaint("1n x 2c[copy=4GB/s] + 1n x 3c[copy=8GB/s]"),
      "expected cores of the same speed in every part, got 'copy=8GB/s'"
  );
}

TEST(MachineText, IsWrittenAsShortAsItCan) {
  for (std::string_view const text : {
           "8n x 2s x 12c",
           "4c",
           "3n x 8c + 1n x 4c",
           "node:2 package:2 core:3,1,2,2",
           "rack:2 node:3 core:4",
           "torus 4x4x4[latency=1us,hop=50ns,link_bandwidth=5GB/s] x 8c",
           "torus 2x2 core:8,8,8,4",
           "torus 5",
           "fattree 2x4x8 x 12c",
           "fattree 2[latency=3us]x4x8 core:12 die:2",
           "4w x 8n x 12c",
           "8n[latency=1.5us,bandwidth=12.5GB/s,channels=2] x 12c[latency=300ns,bandwidth=8GB/s]",
           "1n[gap=2us] x 2c[overhead=1ms] + 1n x 3c",
           "2n[overhead_send=1ns,overhead_receive=2s,shared_channels=1.5,duplex=half,eager=1001B,"
           "rendezvous=1ps]",
           "2n[eager=16KiB]",
           "2n x 4c[combine=2GB/s,copy=8GB/s]",
       }) {
    EXPECT_EQ(to_text(parse_text(text)), text);
  }
  EXPECT_EQ(to_text(parse_text("dragonfly 4x4x2 x 8c")), "4g x 4w x 2n x 8c");
}

TEST(MachineText, IsLongWithManyDifferentParts) {
  std::string text = "node:10 core:1,2,1,2,1,2,1,2,1,2";
  EXPECT_EQ(to_text(parse_text(text)), text);
}

TEST(MachineText, SaysWhatIsWrongWithAWord) {
  std::string const machine = "expected a machine as in '8n x 2s x 12c' or 'node:2 core:4', got ";
  EXPECT_EQ(complaint(""), machine + "''");
  EXPECT_EQ(complaint("8n + "), machine + "'8n + '");
  EXPECT_EQ(complaint("+ 8n"), machine + "'+ 8n'");
  std::string const word = "expected a level and a number as in node:2 or 2n, got ";
  EXPECT_EQ(complaint("node"), word + "'node'");
  EXPECT_EQ(complaint(":3"), word + "':3'");
  EXPECT_EQ(complaint("Node:3"), word + "'Node:3'");
  EXPECT_EQ(complaint("2n x -3c"), word + "'-3c'");
  std::string const number = "expected positive numbers as in 8c, core:8 or core:8,8,4, got ";
  EXPECT_EQ(complaint("node:0"), number + "'node:0'");
  EXPECT_EQ(complaint("2n x 0c"), number + "'0c'");
  EXPECT_EQ(complaint("node:2 core:4,x"), number + "'core:4,x'");
  EXPECT_EQ(complaint("node:2 core:4,"), number + "'core:4,'");
  EXPECT_EQ(complaint("99999999999n"), number + "'99999999999n'");
  std::string const letters =
      "g group, w switch, n node, s package, m numa, l l3, c core, t thread";
  EXPECT_EQ(complaint("8n x 12"), "expected a letter after the number (" + letters + "), got '12'");
  EXPECT_EQ(
      complaint("8n x 12q"), "expected one letter of " + letters + " after the number, got '12q'"
  );
  EXPECT_EQ(
      complaint("8n x 12cc"), "expected one letter of " + letters + " after the number, got '12cc'"
  );
}

TEST(MachineText, SaysWhatIsWrongBetweenWords) {
  std::string const sides = "expected a level on both sides of each x, got ";
  EXPECT_EQ(complaint("8n x"), sides + "'8n x'");
  EXPECT_EQ(complaint("x 8n"), sides + "'x 8n'");
  EXPECT_EQ(complaint("8n x x 2c"), sides + "'8n x x 2c'");
  EXPECT_EQ(complaint("8nxx2c"), sides + "'8nxx2c'");
  EXPECT_EQ(complaint("8n x + 2c"), sides + "'8n x + 2c'");
  EXPECT_EQ(complaint("8n[gap=1us"), "expected a ] after each [, got '[gap=1us'");
  EXPECT_EQ(complaint("8n[a[b]]"), "expected a ] after each [, got '[a[b]]'");
  EXPECT_EQ(complaint("8n]"), "expected a [ before each ], got '8n]'");
  EXPECT_EQ(complaint("[gap=1us] 8n"), "expected a level before [gap=1us], got '[gap=1us] 8n'");
  EXPECT_EQ(complaint("8n[] []"), "expected a level before [], got '8n[] []'");
}

TEST(MachineText, SaysWhatContradicts) {
  EXPECT_EQ(complaint("node:2 node:3"), "expected each level once, got 'node'");
  EXPECT_EQ(
      complaint("8c x 2n"),
      "expected levels from the outside in (group, switch, node, package, numa, l3, core, thread), "
      "not node inside core, got 'node'"
  );
  EXPECT_EQ(
      complaint("node:3 core:4,4"),
      "expected one number, or one for each of the 3 objects above, got 'core:4,4'"
  );
  EXPECT_EQ(complaint("node:3,4"), "expected one number of node, got 'node:3,4'");
  EXPECT_EQ(
      complaint("node:10000 core:10000"), "expected at most 16777216 cores, got 'core:10000'"
  );
  EXPECT_EQ(complaint("16777217n"), "expected at most 16777216 cores, got '16777217n'");
  EXPECT_EQ(
      complaint("3n x 8c + 1n x 2s x 4c"),
      "expected the levels of the first part in every part, got '1n'"
  );
  EXPECT_EQ(
      complaint("1n[gap=1us] + 1n[gap=2us]"),
      "expected the same link of level node in every part, got 'gap=2us'"
  );
}

TEST(MachineText, SaysWhatIsWrongWithANetwork) {
  EXPECT_EQ(
      complaint("torus x 8c"),
      "expected extents of a torus as in 'torus 4x4x4 x 8c', with at most 2^24 nodes, got 'torus'"
  );
  EXPECT_NE(complaint("torus 5000x5000"), "");
  EXPECT_EQ(
      complaint("fattree 4 x 8c"),
      "expected switches and nodes as in 'fattree 4x8 x 12c', got 'fattree'"
  );
  EXPECT_EQ(
      complaint("dragonfly 4x4 x 8c"),
      "expected groups, switches and nodes as in 'dragonfly 4x4x2 x 8c', got 'dragonfly'"
  );
  EXPECT_EQ(
      complaint("torus[gap=1us] 4x4"),
      "expected brackets behind the numbers of a network, got 'torus'"
  );
  EXPECT_EQ(
      complaint("torus 4[gap=1us]x4"),
      "expected brackets behind the last extent of a torus, got '4'"
  );
  EXPECT_EQ(
      complaint("torus 4x4 x 2c + 1n x 2c"), "expected one part in a machine with a torus, got '1n'"
  );
  EXPECT_EQ(complaint("torus 4x4 x 2n"), "expected each level once, got 'node'");
}

TEST(MachineText, SaysWhatIsWrongWithALink) {
  std::string const keys =
      "expected a key of latency overhead overhead_send overhead_receive gap bandwidth channels "
      "shared_channels duplex eager rendezvous";
  EXPECT_EQ(complaint("8n[speed=3] x 2c"), keys + ", got 'speed=3'");
  EXPECT_EQ(complaint("8n[hop=3us] x 2c"), keys + ", got 'hop=3us'");
  EXPECT_EQ(complaint("8n[copy=1GB/s] x 2c"), keys + ", got 'copy=1GB/s'");
  EXPECT_EQ(complaint("8c[speed=3]"), keys + " combine copy, got 'speed=3'");
  EXPECT_EQ(complaint("torus 8[speed=3] x 2c"), keys + " hop link_bandwidth, got 'speed=3'");
  EXPECT_EQ(
      complaint("8n[latency]"), "expected key=value in brackets as in latency=1.5us, got 'latency'"
  );
  EXPECT_EQ(complaint("8n[gap=1us,gap=1us]"), "expected each key once, got 'gap=1us'");
  std::string const time = "expected a time such as 1.5us or 300ns, got ";
  EXPECT_EQ(complaint("8n[gap=3]"), time + "'gap=3'");
  EXPECT_EQ(complaint("8n[gap=-3us]"), time + "'gap=-3us'");
  EXPECT_EQ(complaint("8n[gap=us]"), time + "'gap=us'");
  EXPECT_EQ(complaint("8n[gap=1e400s]"), time + "'gap=1e400s'");
  std::string const rate = "expected a bandwidth above 0 such as 12.5GB/s, or unlimited, got ";
  EXPECT_EQ(complaint("8n[bandwidth=0GB/s]"), rate + "'bandwidth=0GB/s'");
  EXPECT_EQ(complaint("8n[bandwidth=5GB]"), rate + "'bandwidth=5GB'");
  std::string const channels = "expected a number above 0, or unlimited, got ";
  EXPECT_EQ(complaint("8n[channels=0]"), channels + "'channels=0'");
  EXPECT_EQ(complaint("8n[shared_channels=two]"), channels + "'shared_channels=two'");
  EXPECT_EQ(complaint("8n[duplex=both]"), "expected duplex=full or duplex=half, got 'duplex=both'");
  std::string const size = "expected a whole number of bytes such as 16KiB, or unlimited, got ";
  EXPECT_EQ(complaint("8n[eager=0.5]"), size + "'eager=0.5'");
  EXPECT_EQ(complaint("8n[eager=1e300]"), size + "'eager=1e300'");
}

TEST(Counts, AreTheInverseOfBuild) {
  Machine const machine = parse_text("node:3[gap=1us] package:1,2,1 core:4,1,2,3");
  std::vector<Counts> const counts = counts_of(machine);
  ASSERT_EQ(counts.size(), 3U);
  EXPECT_EQ(counts[0].of_parent, (Numbers{3}));
  EXPECT_EQ(counts[1].of_parent, (Numbers{1, 2, 1}));
  EXPECT_EQ(counts[2].of_parent, (Numbers{4, 1, 2, 3}));
  EXPECT_EQ(build(counts), machine);
  EXPECT_THROW(static_cast<void>(build({{.name = "node", .of_parent = {0}}})), Error);
}

}  // namespace
}  // namespace espalier::machine
