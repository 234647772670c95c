// SPDX-License-Identifier: Apache-2.0

#include "espalier/candidates/memory_variants.hpp"

#include <optional>
#include <set>
#include <utility>

#include "espalier/algorithms/choices/choice_arguments.hpp"

namespace espalier::candidates {

using algorithms::Choice;

std::vector<Choice>
memory_variants(std::vector<Choice> const& choices, std::vector<int> const& node_of_rank) {
  std::set<int> const nodes(node_of_rank.begin(), node_of_rank.end());
  std::vector<Choice> result;
  if (nodes.size() == node_of_rank.size()) {
    return result;
  }
  for (Choice const& choice : choices) {
    algorithms::Arguments const& arguments = choice.arguments();
    bool const is_meant = nodes.size() == 1 || arguments.has("rows") || arguments.has("sizes");
    std::optional<Choice> shared = is_meant ? algorithms::with_shared_memory(choice) : std::nullopt;
    if (shared) {
      result.push_back(std::move(*shared));
    }
  }
  return result;
}

}  // namespace espalier::candidates
