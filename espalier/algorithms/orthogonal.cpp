// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/orthogonal.hpp"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace espalier::algorithms {
namespace {

int floor_sqrt(int n) {
  std::int64_t root = 1;
  while ((root + 1) * (root + 1) <= n) {
    ++root;
  }
  return static_cast<int>(root);
}

/// The largest divisor of p in sqrt(p) / 2 .. sqrt(p); if there is none, floor(sqrt(p)).
int balanced_rows(int p) {
  int const root = floor_sqrt(p);
  for (int rows = root; rows > 1 && 2 * rows >= root; --rows) {
    if (p % rows == 0) {
      return rows;
    }
  }
  return root;
}

/// Number of runs that `num_levels` levels make; more than num_ranks counts as num_ranks + 1.
int num_runs(Orthogonal const& phases, std::size_t num_levels) {
  std::int64_t product = 1;
  for (std::size_t i = 0; i < num_levels; ++i) {
    product *= phases.num_rows[i];
    product = std::min(product, std::int64_t{phases.num_ranks} + 1);
  }
  return static_cast<int>(product);
}

/// The sizes of nearly equal parts.
std::vector<int> part_sizes(int num_ranks, int num_parts) {
  int const smallest = num_ranks / num_parts;
  return num_ranks % num_parts == 0 ? std::vector{smallest} : std::vector{smallest, smallest + 1};
}

std::string list_text(std::vector<int> const& list) {
  std::string text;
  for (int const entry : list) {
    text += (text.empty() ? "" : "x") + std::to_string(entry);
  }
  return text;
}

std::string
refuse_choice(Choice const& choice, std::string_view key, std::vector<int> const& sizes) {
  std::string const given = std::string(key) + "=" + std::string(choice.algorithm().name);
  if (choice.algorithm().name == "orthogonal") {
    return given + " cannot be nested; give more rows instead, as in rows=4x2";
  }
  if (choice.num_segments() > 1) {
    return given + " cannot be segmented by itself; give segments to orthogonal";
  }
  for (int const size : sizes) {
    if (std::string const reason = choice.refuses(size, 0); !reason.empty()) {
      return std::string(given).append(" ").append(reason);
    }
  }
  return {};
}

/// Numbers of rows of the layouts with two factors that are worth trying.
std::vector<int> two_factor_layouts(int p) {
  std::vector<int> result;
  for (int rows = 2; p <= 64 && rows <= p / 2; ++rows) {
    if (p % rows == 0) {
      result.push_back(rows);
    }
  }
  if (result.empty() && balanced_rows(p) > 1) {
    result.push_back(balanced_rows(p));
  }
  return result;
}

/// The smallest number of rows, at least 2, that does not divide p and is not the balanced one.
int unequal_rows(int p) {
  int rows = 2;
  while (p % rows == 0 || rows == balanced_rows(p)) {
    ++rows;
  }
  return rows;
}

}  // namespace

Orthogonal
Orthogonal::parse(Collective collective, Request const& request, std::string_view inner) {
  std::string_view const inner_text = request.arguments.text("inner", inner);
  std::vector<int> num_rows = request.arguments.integers("rows");
  if (num_rows.empty()) {
    num_rows = {balanced_rows(request.num_ranks)};
  }
  return {
      .num_ranks = request.num_ranks,
      .num_rows = std::move(num_rows),
      .inner = Choice::parse(collective, inner_text),
      .across = Choice::parse(collective, request.arguments.text("across", inner_text)),
  };
}

std::string Orthogonal::refuses() const {
  if (num_runs(*this, num_rows.size()) > num_ranks) {
    return "rows=" + list_text(num_rows) + " needs a rank in every row, got " +
           std::to_string(num_ranks) + " ranks; use fewer rows";
  }
  std::string const reason = refuse_choice(inner, "inner", leaf_sizes());
  return reason.empty() ? refuse_choice(across, "across", num_rows) : reason;
}

bool Orthogonal::has_equal_leaves() const {
  return leaf_sizes().size() == 1;
}

bool Orthogonal::has_unequal_rows(std::size_t level) const {
  return std::ranges::any_of(part_sizes(num_ranks, num_runs(*this, level)), [&](int size) {
    return size % num_rows[level] != 0;
  });
}

std::vector<int> Orthogonal::leaf_sizes() const {
  return part_sizes(num_ranks, num_runs(*this, num_rows.size()));
}

std::vector<Rows> Orthogonal::levels_of(int rank) const {
  std::vector<Rows> levels;
  levels.reserve(num_rows.size());
  Run whole{.begin = 0, .size = num_ranks};
  for (int const count : num_rows) {
    levels.emplace_back(whole, count);
    whole = levels.back().row(levels.back().row_of(rank));
  }
  return levels;
}

Run Orthogonal::leaf_of(int rank) const {
  Rows const last = levels_of(rank).back();
  return last.row(last.row_of(rank));
}

int Orthogonal::inner_rounds() const {
  int rounds = 0;
  for (int const size : leaf_sizes()) {
    rounds = std::max(rounds, inner.facts(size, 0).rounds);
  }
  return rounds;
}

int Orthogonal::across_rounds(std::size_t level) const {
  return across.facts(num_rows[level], 0).rounds;
}

std::int64_t Orthogonal::common_pieces(std::int64_t limit) const {
  std::int64_t pieces = 1;
  auto const include = [&](Choice const& choice, std::vector<int> const& sizes) {
    for (int const size : sizes) {
      std::int64_t const of_phase = choice.num_pieces(size);
      pieces = pieces > limit ? pieces : std::lcm(pieces, of_phase);
    }
  };
  include(inner, leaf_sizes());
  include(across, num_rows);
  return pieces;
}

int Orthogonal::segment_period() const {
  int period = 0;
  for (int const size : leaf_sizes()) {
    period = std::max(period, inner.segment_period(size));
  }
  for (int const size : num_rows) {
    int const between_rows = across.segment_period(size);
    period = period == 0 || between_rows == 0 ? 0 : period + between_rows;
  }
  return period;
}

std::vector<Parameter> orthogonal_parameters(std::string_view inner) {
  return {
      {
          .name = "rows",
          .type = Parameter::Type::integer_list,
          .fallback = "",
          .description = "number of rows, then of rows in each row, as in 4 or 4x2; if not given, "
                         "about sqrt(p)",
      },
      {
          .name = "inner",
          .type = Parameter::Type::algorithm,
          .fallback = inner,
          .description = "algorithm within a row",
      },
      {
          .name = "across",
          .type = Parameter::Type::algorithm,
          .fallback = "",
          .description = "algorithm between rows; if not given, the inner one",
      },
  };
}

std::vector<std::string> orthogonal_variants(int num_ranks, std::vector<std::string> const& inner) {
  if (num_ranks < 3) {
    return {""};
  }
  std::vector<std::string> result;
  auto const add = [&](std::string const& rows, std::string const& algorithm) {
    result.push_back("[rows=" + rows + ",inner=" + algorithm + "]");
  };
  bool const has_few_ranks = num_ranks <= 33;
  for (int const rows : two_factor_layouts(num_ranks)) {
    bool const takes_all = has_few_ranks || rows == balanced_rows(num_ranks);
    for (std::size_t i = 0; i < (takes_all ? inner.size() : 1); ++i) {
      add(std::to_string(rows), inner[i]);
    }
  }
  if (has_few_ranks) {
    add(std::to_string(unequal_rows(num_ranks)), inner.back());
  }
  if (num_ranks >= 8) {
    int side = 2;
    while (std::int64_t{side + 1} * (side + 1) * (side + 1) <= num_ranks) {
      ++side;
    }
    add(list_text({side, side}), inner.front());
  }
  return result;
}

}  // namespace espalier::algorithms
