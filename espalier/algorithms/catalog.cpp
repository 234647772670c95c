// SPDX-License-Identifier: Apache-2.0

#include "espalier/algorithms/catalog.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

#include "espalier/algorithms/choices/choice_arguments.hpp"
#include "espalier/algorithms/composed/native.hpp"
#include "espalier/base/error.hpp"
#include "espalier/base/names.hpp"
#include "espalier/schedule/transforms.hpp"

namespace espalier::algorithms {
namespace {

std::string names_of(Collective collective) {
  auto const serves = [collective](Algorithm const* algorithm) {
    return algorithm->collective == collective;
  };
  std::vector<Algorithm const*> found;
  std::ranges::copy_if(catalog(), std::back_inserter(found), serves);
  return list_names(found, &Algorithm::name);
}

void check_range(std::string_view what, int value, int num_ranks) {
  if (value < 0 || value >= num_ranks) {
    throw Error(
        ErrorCode::argument,
        std::string(what) + " must be in 0 .. " + std::to_string(num_ranks - 1) + ", got " +
            std::to_string(value)
    );
  }
}

}  // namespace

void include(Facts& facts, schedule::RankProgram const& program) {
  facts.messages = std::max<std::int64_t>(facts.messages, program.num_messages_sent());
  facts.blocks = std::max(facts.blocks, program.num_blocks_sent());
  facts.scratch =
      std::max(facts.scratch, static_cast<std::int64_t>(program.frame.scratch_like.size()));
}

schedule::Frame output_frame(int num_ranks, int num_blocks) {
  return {
      .num_ranks = num_ranks,
      .num_output_blocks = num_blocks,
      .input_like = {},
      .scratch_like = {},
      .output_like = {},
  };
}

Algorithm const& find(Collective collective, std::string_view name) {
  for (Algorithm const* algorithm : catalog()) {
    if (algorithm->collective == collective && algorithm->name == name) {
      return *algorithm;
    }
  }
  throw Error(
      ErrorCode::argument,
      "expected an algorithm for " + std::string(to_string(collective)) + " (" +
          names_of(collective) + "), got '" + std::string(name) + "'"
  );
}

Choice::Choice(Algorithm const& algorithm, Arguments const& arguments)
    : algorithm_(&algorithm), arguments_(canonical(algorithm, arguments)),
      num_segments_(arguments_.integer(common_keys::segments, 1)),
      dealt_(arguments_.integers(common_keys::dealt)),
      own_arguments_(arguments_.without(common_keys::segments)
                         .without(common_keys::burst)
                         .without(common_keys::dealt)
                         .without(common_keys::shared_memory)) {}

Choice Choice::parse(std::string_view text) {
  std::size_t const slash = text.find('/');
  if (slash == std::string_view::npos) {
    throw Error(
        ErrorCode::argument,
        "expected collective/algorithm[arguments] as in allgather/ring, got '" + std::string(text) +
            "'"
    );
  }
  return parse(parse_collective(text.substr(0, slash)), text.substr(slash + 1));
}

Choice Choice::parse(Collective collective, std::string_view text) {
  std::size_t const bracket = std::min(text.find('['), text.size());
  std::string_view const name = text.substr(0, bracket);
  bool const is_of_the_library = name == native_name && bracket < text.size();
  return {
      is_of_the_library ? algorithm_of_library(collective) : find(collective, name),
      Arguments::parse(text.substr(bracket)),
  };
}

Choice Choice::parse_phase(Collective collective, std::string_view text) {
  Algorithm const* const native = text == native_name ? native_phase(collective) : nullptr;
  return native != nullptr ? Choice(*native, {}) : parse(collective, text);
}

Choice Choice::native(Collective collective) {
  Algorithm const* const whole =
      collective == Collective::barrier ? &native_barrier() : native_phase(collective);
  if (whole == nullptr) {
    throw Error(
        ErrorCode::unsupported,
        "there is no " + std::string(to_string(collective)) + "/" + std::string(native_name)
    );
  }
  return {*whole, {}};
}

bool Choice::has_native_calls() const {
  if (is_of_library(*this)) {
    return false;
  }
  return algorithm_->name == native_name ||
         arguments_.to_text().find("=" + std::string(native_name)) != std::string::npos;
}

std::string Choice::text() const {
  return full_name(*algorithm_) + arguments_.to_text();
}

Request Choice::request(int num_ranks, int root) const {
  return {.num_ranks = num_ranks, .root = root, .arguments = own_arguments_};
}

std::optional<RankOrder> Choice::order_of_ranks(int num_ranks) const {
  return is_dealt() ? std::optional(RankOrder::by_dealt_node(num_ranks, dealt_)) : std::nullopt;
}

int Choice::position_of(int num_ranks, int rank) const {
  std::optional<RankOrder> const order = order_of_ranks(num_ranks);
  return order ? order->position_of(rank) : rank;
}

std::string Choice::refuses(int num_ranks, int root) const {
  if (num_ranks < 1) {
    return "num_ranks must be at least 1, got " + std::to_string(num_ranks);
  }
  std::int64_t const capacity = std::accumulate(dealt_.begin(), dealt_.end(), std::int64_t{0});
  if (dealt_.size() > 1 && capacity < num_ranks) {
    return "dealt must be nodes that take " + std::to_string(num_ranks) + " ranks, got " +
           std::to_string(capacity);
  }
  bool const is_rank = root >= 0 && root < num_ranks;
  return refuses_position(num_ranks, is_rank ? position_of(num_ranks, root) : root);
}

std::string Choice::refuses_position(int num_ranks, int root) const {
  if (collective() == Collective::alltoall && num_ranks > schedule::most_alltoall_ranks) {
    return "needs at most " + std::to_string(schedule::most_alltoall_ranks) + " ranks, got " +
           std::to_string(num_ranks);
  }
  std::string reason = algorithm_->refuses(request(num_ranks, root));
  if (reason.empty() && num_segments_ > 1 && segment_period(num_ranks) == 0) {
    reason = "cannot be cut into segments with these arguments, got segments=" +
             std::to_string(num_segments_);
  }
  return reason;
}

void Choice::require_accepted(int num_ranks, int root) const {
  if (num_ranks >= 1) {
    check_range("root", root, num_ranks);
  }
  if (std::string const reason = refuses(num_ranks, root); !reason.empty()) {
    throw Error(ErrorCode::unsupported, text() + ": " + reason);
  }
}

schedule::RankProgram Choice::generate(int num_ranks, int root, int rank) const {
  return in_segments(generate_whole(num_ranks, root, rank));
}

schedule::RankProgram Choice::generate_whole(int num_ranks, int root, int rank) const {
  require_accepted(num_ranks, root);
  if (std::optional<RankOrder> const order = order_of_ranks(num_ranks)) {
    return generate_whole(*order, root, rank);
  }
  check_range("rank", rank, num_ranks);
  return algorithm_->generate(request(num_ranks, root), rank);
}

schedule::RankProgram Choice::generate_at_position(int num_ranks, int root, int position) const {
  if (std::string const reason = refuses_position(num_ranks, root); !reason.empty()) {
    throw Error(ErrorCode::unsupported, text() + ": " + reason);
  }
  check_range("rank", position, num_ranks);
  return in_segments(algorithm_->generate(request(num_ranks, root), position));
}

schedule::RankProgram Choice::generate(RankOrder const& order, int root, int rank) const {
  return in_segments(generate_whole(order, root, rank));
}

schedule::RankProgram Choice::generate_whole(RankOrder const& order, int root, int rank) const {
  int const num_ranks = order.num_ranks();
  check_range("root", root, num_ranks);
  check_range("rank", rank, num_ranks);
  int const root_position = order.position_of(root);
  if (std::string const reason = refuses_position(num_ranks, root_position); !reason.empty()) {
    throw Error(ErrorCode::unsupported, text() + ": " + reason);
  }
  schedule::RankProgram const program =
      algorithm_->generate(request(num_ranks, root_position), order.position_of(rank));
  return schedule::permute(program, collective(), [&](int position) {
    return order.rank_at(position);
  });
}

schedule::RankProgram Choice::in_segments(schedule::RankProgram program) const {
  if (num_segments_ == 1) {
    return program;
  }
  int const period = segment_period(program.frame.num_ranks);
  return schedule::segment(
      program,
      {
          .num_segments = num_segments_,
          .period = period,
          .window = 16,
          .send_window = arguments_.integer(common_keys::burst, 0),
      }
  );
}

Facts Choice::facts(int num_ranks, int root) const {
  require_accepted(num_ranks, root);
  Facts facts = algorithm_->facts(request(num_ranks, position_of(num_ranks, root)));
  if (num_segments_ > 1) {
    std::int64_t const base_rounds = facts.rounds;
    facts.rounds += facts.rounds == 0 ? 0 : (num_segments_ - 1) * segment_period(num_ranks);
    facts.messages *= num_segments_;
    facts.blocks *= num_segments_;
    facts.scratch *= num_segments_;
    // With one block a round somebody sends in every round of the pipeline; otherwise rounds of
    // different segments overlap and there is no closed form.
    // So there is none either where segments may meet in different phases.
    bool const has_phases = std::ranges::any_of(algorithm_->parameters, [](Parameter const& one) {
      return one.type == Parameter::Type::algorithm;
    });
    bool const is_even = facts.volume == base_rounds && facts.reductions == 0 &&
                         (!has_phases || segment_period(num_ranks) >= base_rounds);
    facts.volume = is_even ? std::optional<std::int64_t>(facts.rounds) : std::nullopt;
    facts.reductions = facts.reductions == 0 ? std::optional<std::int64_t>(0) : std::nullopt;
  }
  return facts;
}

int Choice::num_rounds(int num_ranks, int root) const {
  if (algorithm_->rounds == nullptr || num_segments_ > 1) {
    return facts(num_ranks, root).rounds;
  }
  require_accepted(num_ranks, root);
  return algorithm_->rounds(request(num_ranks, position_of(num_ranks, root)));
}

OperandOrder Choice::order(int num_ranks, int root) const {
  return is_dealt() ? OperandOrder::any : algorithm_->order(request(num_ranks, root));
}

int Choice::num_pieces(int num_ranks) const {
  Request const asked = request(num_ranks, 0);
  bool const is_accepted = algorithm_->refuses(asked).empty();
  return (is_accepted ? algorithm_->num_pieces(asked) : 1) * num_segments_;
}

int Choice::segment_period(int num_ranks) const {
  return algorithm_->segment_period == nullptr ? 0
                                               : algorithm_->segment_period(request(num_ranks, 0));
}

schedule::Segments Choice::one_sided_segments(int num_ranks) const {
  return {.number = num_segments_, .period = std::max(1, segment_period(num_ranks))};
}

std::vector<Choice> variants(Collective collective, int num_ranks) {
  std::vector<Choice> result;
  for (Algorithm const* algorithm : catalog()) {
    if (algorithm->collective != collective) {
      continue;
    }
    Request const request{.num_ranks = num_ranks, .root = 0, .arguments = {}};
    for (std::string const& arguments : algorithm->variants(request)) {
      Choice const choice = Choice::parse(collective, std::string(algorithm->name) + arguments);
      if (choice.refuses(num_ranks, 0).empty()) {
        result.push_back(choice);
      }
    }
  }
  return result;
}

}  // namespace espalier::algorithms
