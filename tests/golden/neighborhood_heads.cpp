// SPDX-License-Identifier: Apache-2.0

/// @file
/// The head of every algorithm file for neighborhood collectives: its drawing is what the programs
/// do, it has all its lines, and its sources are in docs/references.bib.

#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/verify/neighborhood_drawing.hpp"
#include "tests/support/neighborhoods.hpp"

namespace espalier {
namespace {

using neighborhood::Algorithm;
using neighborhood::Neighborhood;

std::string const source_folder = ESPALIER_SOURCE_FOLDER;

std::string read(std::string const& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The file up to its first include.
std::string head_of(Algorithm const& algorithm) {
  std::string const text =
      read(source_folder + "/espalier/neighborhood/" + full_name(algorithm) + ".cpp");
  return text.substr(0, text.find("#include"));
}

std::string as_comment(std::string const& drawing) {
  std::istringstream text(drawing);
  std::string comment;
  for (std::string line; std::getline(text, line);) {
    comment += "///     " + line + "\n";
  }
  return comment;
}

/// The picture that each head has: on a ring, a grid, a grid of nodes.
std::string drawing_of(Algorithm const& algorithm) {
  test::Offsets const full = test::offsets_of("full", 2);
  if (algorithm.name == "direct") {
    Neighborhood const ring = Neighborhood::of_cartesian(test::grid_of({4}, 1));
    return verify::draw_sent(algorithm, {.collective = algorithm.collective, .neighborhood = ring});
  }
  if (algorithm.name == "combining") {
    Neighborhood const all = Neighborhood::of_stencil(test::grid_of({3, 3}, 0), full);
    return verify::draw_sent(
        algorithm, {.collective = algorithm.collective, .neighborhood = all}, std::vector<int>{0, 4}
    );
  }
  Neighborhood const all = Neighborhood::of_stencil(test::grid_of({2, 3}, 0), full);
  std::vector<int> const nodes{0, 0, 0, 1, 1, 1};
  return verify::draw_sent(
      algorithm,
      {.collective = algorithm.collective, .neighborhood = all, .node_of_rank = nodes},
      std::vector<int>{0, 1, 2}
  );
}

class NeighborhoodHead : public testing::TestWithParam<Algorithm const*> {};

TEST_P(NeighborhoodHead, ShowsWhatTheProgramsDo) {
  std::string const drawing = as_comment(drawing_of(*GetParam()));
  EXPECT_NE(head_of(*GetParam()).find(drawing), std::string::npos) << drawing;
}

TEST_P(NeighborhoodHead, SaysAllThatThereIsToSay) {
  std::string const head = head_of(*GetParam());
  for (std::string const name : {"Rounds", "Messages", "Volume", "Scratch", "Valid", "Source"}) {
    EXPECT_NE(head.find("\n/// " + name + " "), std::string::npos) << name;
  }
}

TEST_P(NeighborhoodHead, NamesSourcesThatAreInTheBibliography) {
  std::string const key(GetParam()->source);
  EXPECT_NE(head_of(*GetParam()).find("[" + key + "]"), std::string::npos);
  EXPECT_NE(read(source_folder + "/docs/references.bib").find("{" + key + ","), std::string::npos);
}

std::string name_of(testing::TestParamInfo<Algorithm const*> const& tested) {
  return std::string(to_string(tested.param->collective)) + "_" + std::string(tested.param->name);
}

INSTANTIATE_TEST_SUITE_P(
    ,
    NeighborhoodHead,
    testing::ValuesIn(neighborhood::catalog().begin(), neighborhood::catalog().end()),
    name_of
);

}  // namespace
}  // namespace espalier
