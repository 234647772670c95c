// SPDX-License-Identifier: Apache-2.0

/// @file
/// The head of every algorithm file: its drawing is what the schedule does, it has all its lines,
/// and its sources are in docs/references.bib.

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "espalier/algorithms/catalog.hpp"
#include "espalier/verify/drawing.hpp"

namespace espalier {
namespace {

using algorithms::Algorithm;
using algorithms::Choice;

std::string const source_folder = ESPALIER_SOURCE_FOLDER;

std::string full_name(Algorithm const& algorithm) {
  return std::string(to_string(algorithm.collective)) + "/" + std::string(algorithm.name);
}

std::string read(std::string const& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.good()) << path << " cannot be read";
  return {std::istreambuf_iterator<char>(file), {}};
}

/// From the root of the repository.
std::string path_of(Algorithm const& algorithm) {
  return "espalier/algorithms/" + full_name(algorithm) + ".cpp";
}

/// The lines of the file's first documentation comment, without the slashes.
std::vector<std::string> head_of(Algorithm const& algorithm) {
  std::istringstream text(read(source_folder + "/" + path_of(algorithm)));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("///")) {
      lines.push_back(line.substr(std::min<std::size_t>(line.size(), 4)));
    } else if (!lines.empty()) {
      break;
    }
  }
  return lines;
}

constexpr std::string_view indent = "    ";
constexpr std::array<std::string_view, 2> first_labels{"    blocks held, p = ", "    sent, p = "};

/// The drawing in a head: the line that begins with `blocks held` or `sent` and those up to an
/// empty one.
struct Drawing {
  std::string text;
  bool shows_messages = false;
  int num_ranks = 0;
  int root = 0;
  std::string arguments;
};

/// `6`, `6, root = 2` or `6, k=3,segments=2`, up to the names of the ranks.
void read_first_line(std::string const& line, std::string_view first_label, Drawing& drawing) {
  drawing.shows_messages = first_label == first_labels[1];
  std::string label = line.substr(first_label.size());
  label.resize(std::min(label.find("  "), label.size()));
  drawing.num_ranks = std::stoi(label);
  label.erase(0, std::min(label.find(", "), label.size()));
  if (constexpr std::string_view root = ", root = "; label.starts_with(root)) {
    drawing.root = std::stoi(label.substr(root.size()));
    label.erase(0, std::min(label.find(", ", 1), label.size()));
  }
  drawing.arguments = label.empty() ? "" : "[" + label.substr(2) + "]";
}

Drawing drawing_in(std::vector<std::string> const& head) {
  Drawing drawing;
  for (std::string const& line : head) {
    auto const first_label = std::ranges::find_if(first_labels, [&](std::string_view label) {
      return line.starts_with(label);
    });
    if (first_label != first_labels.end()) {
      read_first_line(line, *first_label, drawing);
    } else if (drawing.num_ranks == 0) {
      continue;
    } else if (!line.starts_with(indent)) {
      break;
    }
    drawing.text += line.substr(indent.size()) + "\n";
  }
  return drawing;
}

/// The text of a line such as `Rounds  p - 1.` with those that continue it; empty if missing.
std::string entry(std::vector<std::string> const& head, std::string_view name) {
  std::string text;
  for (std::string const& line : head) {
    bool const continues = !text.empty() && line.starts_with("        ");
    if (line.starts_with(name) || continues) {
      text += line.substr(std::min<std::size_t>(line.size(), 8)) + " ";
    } else if (!text.empty()) {
      break;
    }
  }
  return text;
}

/// What stands between each `open` and the next `close`.
std::set<std::string> all_between(std::string_view text, char open, char close) {
  std::set<std::string> found;
  for (std::size_t begin = text.find(open); begin != text.npos; begin = text.find(open, begin)) {
    std::size_t const end = std::min(text.find(close, ++begin), text.size());
    found.emplace(text.substr(begin, end - begin));
  }
  return found;
}

/// `@article{key,` gives key.
std::set<std::string> keys_of(std::string const& bibliography) {
  std::istringstream text(bibliography);
  std::set<std::string> keys;
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("@")) {
      keys.merge(all_between(line, '{', ','));
    }
  }
  return keys;
}

/// What is wrong with the line Source of a head; empty if nothing is.
/// @param given what the algorithm says, keys separated by commas
std::string source_problem(
    std::vector<std::string> const& head, std::string_view given, std::set<std::string> const& known
) {
  auto const in_head = all_between(entry(head, "Source  "), '[', ']');
  if (in_head.empty()) {
    return "expected a line '/// Source  [key of docs/references.bib], ...' at the end of the "
           "head, "
           "got none";
  }
  if (in_head != all_between("," + std::string(given), ',', ',')) {
    return "expected the keys of the line Source in .source, too, got '" + std::string(given) + "'";
  }
  for (std::string const& key : in_head) {
    if (!known.contains(key)) {
      return "expected a key of docs/references.bib, got '" + key + "'";
    }
  }
  return {};
}

TEST(SourceOfAHead, HasToBeThereKnownAndRepeated) {
  std::set<std::string> const known{"thakur2005", "bruck1997"};
  std::vector<std::string> const head{
      "Ring.", "Valid   p >= 1.", "Source  [thakur2005], for p = 1."
  };
  EXPECT_EQ(source_problem(head, "thakur2005", known), "");
  EXPECT_TRUE(source_problem({head.front()}, "", known).ends_with("head, got none"));
  EXPECT_TRUE(source_problem(head, "", known).ends_with("in .source, too, got ''"));
  EXPECT_TRUE(source_problem(head, "bruck1997", known).ends_with("got 'bruck1997'"));
  EXPECT_TRUE(source_problem(head, "thakur2005", {}).ends_with("bib, got 'thakur2005'"));
}

class AlgorithmHead : public testing::TestWithParam<Algorithm const*> {};

TEST_P(AlgorithmHead, ShowsWhatTheScheduleDoes) {
  Drawing const drawing = drawing_in(head_of(*GetParam()));
  ASSERT_GT(
      drawing.num_ranks, 0
  ) << "the head has no line 'blocks held, p = ...' or 'sent, p = ...'";
  Choice const choice = Choice::parse(full_name(*GetParam()) + drawing.arguments);
  auto const draw = drawing.shows_messages ? verify::draw_sent : verify::draw_holdings;
  EXPECT_EQ(drawing.text, draw(choice, drawing.num_ranks, drawing.root));
}

TEST_P(AlgorithmHead, SaysRoundsBytesValidityAndSource) {
  std::vector<std::string> const head = head_of(*GetParam());
  for (std::string_view const name : {"Rounds  ", "Bytes   ", "Valid   ", "Source  "}) {
    EXPECT_FALSE(entry(head, name).empty()) << path_of(*GetParam()) << ": expected a line '/// "
                                            << name << "...' in the head, got none";
  }
}

TEST_P(AlgorithmHead, SaysOrderAndScratchWhereThereIsAny) {
  std::vector<std::string> const head = head_of(*GetParam());
  EXPECT_EQ(entry(head, "Order   ").empty(), !schedule::reduces(GetParam()->collective));
  bool has_scratch = false;
  for (int const num_ranks : {4, 6, 9}) {
    for (Choice const& choice : algorithms::variants(GetParam()->collective, num_ranks)) {
      has_scratch = has_scratch ||
                    (&choice.algorithm() == GetParam() && choice.facts(num_ranks, 0).scratch > 0);
    }
  }
  EXPECT_EQ(entry(head, "Scratch ").empty(), !has_scratch);
}

TEST_P(AlgorithmHead, NamesSourcesThatAreInTheBibliography) {
  auto const known = keys_of(read(source_folder + "/docs/references.bib"));
  EXPECT_EQ(source_problem(head_of(*GetParam()), GetParam()->source, known), "")
      << path_of(*GetParam());
}

std::string name_of(testing::TestParamInfo<Algorithm const*> const& tested) {
  return std::string(to_string(tested.param->collective)) + "_" + std::string(tested.param->name);
}

INSTANTIATE_TEST_SUITE_P(
    ,
    AlgorithmHead,
    testing::ValuesIn(algorithms::catalog().begin(), algorithms::catalog().end()),
    name_of
);

}  // namespace
}  // namespace espalier
