// SPDX-License-Identifier: Apache-2.0

#include "espalier/schedule/json.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"
#include "espalier/base/json_text.hpp"
#include "espalier/schedule/text.hpp"

namespace espalier::schedule {
namespace {

using nlohmann::json;

constexpr std::int64_t largest = std::numeric_limits<int>::max();
constexpr std::string_view schema_name = "espalier-program";

constexpr std::array native_collectives{
    Collective::allgather,
    Collective::allreduce,
    Collective::alltoall,
    Collective::bcast,
    Collective::gather,
    Collective::reduce,
    Collective::reduce_scatter,
    Collective::scatter,
};

[[noreturn]] void reject(std::string const& where, std::string const& expected, json const& found) {
  std::string text = json_text(found);
  if (constexpr std::size_t longest = 60; text.size() > longest) {
    text = text.substr(0, longest) + "...";
  }
  throw Error(
      ErrorCode::format, formatted("program: {} must be {}, got {}", where, expected, text)
  );
}

/// A value inside the document, and where it stands, for messages.
class Reader {
public:
  Reader(json const& value, std::string where) : value_(value), where_(std::move(where)) {}

  [[nodiscard]] Reader member(std::string const& key) const {
    if (!value_.is_object()) {
      reject(where_, "an object", value_);
    }
    auto const found = value_.find(key);
    if (found == value_.end()) {
      reject(where_, "an object with '" + key + "'", value_);
    }
    return {*found, where_ == "the document" ? key : where_ + "." + key};
  }

  [[nodiscard]] bool has(std::string const& key) const { return value_.contains(key); }

  [[nodiscard]] int integer(std::int64_t low, std::int64_t high) const {
    auto const expected = formatted("an integer in {} .. {}", low, high);
    bool const is_huge = value_.is_number_unsigned() &&
                         value_.get<std::uint64_t>() > static_cast<std::uint64_t>(largest);
    if (!value_.is_number_integer() || is_huge || value_.get<std::int64_t>() < low ||
        value_.get<std::int64_t>() > high) {
      reject(where_, expected, value_);
    }
    return static_cast<int>(value_.get<std::int64_t>());
  }

  [[nodiscard]] std::vector<int> integers(std::int64_t low, std::int64_t high) const {
    std::vector<int> result;
    for (Reader const& entry : entries()) {
      result.push_back(entry.integer(low, high));
    }
    return result;
  }

  [[nodiscard]] std::vector<Reader> entries(std::size_t at_least = 0) const {
    if (!value_.is_array() || value_.size() < at_least) {
      reject(where_, at_least > 0 ? "an array that is not empty" : "an array", value_);
    }
    std::vector<Reader> result;
    for (std::size_t i = 0; i < value_.size(); ++i) {
      result.emplace_back(value_[i], formatted("{}[{}]", where_, i));
    }
    return result;
  }

  /// The enumerator of that name.
  template <typename Enum, std::size_t Size>
  [[nodiscard]] Enum one_of(std::array<Enum, Size> const& choices) const {
    std::string names;
    for (Enum const choice : choices) {
      if (value_.is_string() && value_.get_ref<std::string const&>() == to_string(choice)) {
        return choice;
      }
      names += std::string(names.empty() ? "" : ", ").append(to_string(choice));
    }
    reject(where_, "one of " + names, value_);
  }

  void require_string(std::string_view expected) const {
    if (!value_.is_string() || value_.get_ref<std::string const&>() != expected) {
      reject(where_, formatted("'{}'", expected), value_);
    }
  }

private:
  json const& value_;
  std::string where_;
};

json slots_to_json(std::span<Slot const> slots) {
  json result = json::array();
  for (Slot const& slot : slots) {
    result.push_back(
        {{"buffer", to_string(slot.buffer)},
         {"first", slot.first},
         {"num_blocks", slot.num_blocks},
         {"stride", slot.stride}}
    );
  }
  return result;
}

/// A put that raises no counter has none, and so has a get.
bool has_tag(Operation const& operation) {
  switch (operation.kind) {
  case Kind::send:
  case Kind::recv:
  case Kind::signal:
  case Kind::await:
    return true;
  case Kind::put:
    return operation.tag != no_counter;
  case Kind::copy:
  case Kind::reduce:
  case Kind::native:
  case Kind::get:
    return false;
  }
  return false;
}

json operation_to_json(RankProgram const& program, Operation const& operation) {
  json result{
      {"kind", to_string(operation.kind)},
      {"round", operation.round},
      {"after", operation.after},
      {"slots", slots_to_json(program.slots(operation))},
  };
  if (operation.after_sends > 0) {
    result["after_sends"] = operation.after_sends;
  }
  if (operation.peer >= 0) {
    result["peer"] = operation.peer;
  }
  if (has_tag(operation)) {
    result["tag"] = operation.tag;
  }
  if (operation.kind == Kind::await) {
    result["arrivals"] = operation.arrivals;
  }
  if (operation.sources.size() > 0) {
    result["sources"] = slots_to_json(program.sources(operation));
  }
  if (operation.kind == Kind::native) {
    NativeCall const& call = program.native_call(operation);
    result["collective"] = to_string(call.collective);
    result["root"] = call.root;
    result["members"] = call.members;
  }
  if (operation.waits.size() > 0) {
    auto const waits = program.waits(operation);
    result["waits"] = std::vector<int>(waits.begin(), waits.end());
  }
  return result;
}

/// Appends what it reads to one program.
class ProgramReader {
public:
  explicit ProgramReader(Reader document) : document_(std::move(document)) {}

  RankProgram run() {
    Frame& frame = program_.frame;
    frame.num_ranks = document_.member("num_ranks").integer(1, largest);
    program_.rank = document_.member("rank").integer(0, frame.num_ranks - 1);
    frame.num_output_blocks = document_.member("num_output_blocks").integer(0, largest);
    if (document_.has("output_like")) {
      frame.output_like = read_labels("output_like");
    }
    frame.input_like = read_labels("input_like");
    frame.scratch_like = read_labels("scratch_like");
    for (Reader const& operation : document_.member("operations").entries()) {
      add(operation);
    }
    return std::move(program_);
  }

private:
  [[nodiscard]] std::vector<int> read_labels(char const* name) const {
    Frame const& frame = program_.frame;
    bool const has_own_labels = document_.has("output_like");
    std::int64_t const num_labels =
        has_own_labels ? std::int64_t{frame.num_ranks} * frame.num_ranks : frame.num_output_blocks;
    return document_.member(name).integers(
        0, static_cast<int>(std::min<std::int64_t>(num_labels - 1, largest))
    );
  }

  void add(Reader const& from) {
    auto const index = static_cast<int>(program_.operations.size());
    Operation operation{
        .kind = from.member("kind").one_of(std::array{
            Kind::send,
            Kind::recv,
            Kind::copy,
            Kind::reduce,
            Kind::native,
            Kind::put,
            Kind::get,
            Kind::signal,
            Kind::await,
        }),
        .round = from.member("round").integer(0, largest),
        .after = from.member("after").integer(0, index),
    };
    read_blocks(from, operation);
    if (operation.kind == Kind::native) {
      read_native_call(from, operation);
    } else if (operation.kind != Kind::copy && operation.kind != Kind::reduce) {
      read_partner(from, operation);
    }
    if (from.has("after_sends")) {
      operation.after_sends = from.member("after_sends").integer(0, index);
    }
    operation.waits = read_waits(from, index);
    program_.operations.push_back(operation);
  }

  void read_blocks(Reader const& from, Operation& operation) {
    Kind const kind = operation.kind;
    bool const must_write =
        kind == Kind::copy || kind == Kind::reduce || kind == Kind::put || kind == Kind::get;
    operation.slots =
        read_slots(from.member("slots"), must_write ? 1 : 0, schedule::has_remote_slots(kind));
    if (must_write || (kind == Kind::native && from.has("sources"))) {
      operation.sources = read_slots(from.member("sources"), 1, schedule::has_remote_sources(kind));
    } else {
      operation.sources = {.begin = operation.slots.end, .end = operation.slots.end};
    }
  }

  /// The other rank and the tag, or what is awaited.
  void read_partner(Reader const& from, Operation& operation) {
    if (operation.kind == Kind::await) {
      operation.arrivals = from.member("arrivals").integer(1, largest);
    } else {
      operation.peer = from.member("peer").integer(0, program_.frame.num_ranks - 1);
    }
    bool const may_lack_tag = operation.kind == Kind::put || operation.kind == Kind::get;
    if (!may_lack_tag || from.has("tag")) {
      operation.tag = from.member("tag").integer(0, largest);
    } else if (operation.kind == Kind::put) {
      operation.tag = no_counter;
    }
  }

  void read_native_call(Reader const& from, Operation& operation) {
    operation.tag = static_cast<int>(program_.native_calls.size());
    Reader const members = from.member("members");
    program_.native_calls.push_back({
        .collective = from.member("collective").one_of(native_collectives),
        .root = from.member("root").integer(0, program_.frame.num_ranks - 1),
        .members = members.integers(0, program_.frame.num_ranks - 1),
    });
  }

  /// How large buffers of a peer are is not known here.
  Range read_slots(Reader const& from, std::size_t at_least, bool is_remote) {
    auto const begin = static_cast<int>(program_.slot_pool.size());
    for (Reader const& entry : from.entries(at_least)) {
      Slot slot{
          .buffer = entry.member("buffer").one_of(
              std::array{Buffer::input, Buffer::output, Buffer::scratch}
          ),
      };
      std::int64_t const size = is_remote ? largest : program_.frame.num_blocks(slot.buffer);
      slot.first = entry.member("first").integer(0, size - 1);
      slot.num_blocks = entry.member("num_blocks").integer(1, size);
      slot.stride = entry.member("stride").integer(0, size - 1);
      program_.slot_pool.push_back(slot);
    }
    return {.begin = begin, .end = static_cast<int>(program_.slot_pool.size())};
  }

  Range read_waits(Reader const& from, int index) {
    auto const begin = static_cast<int>(program_.wait_pool.size());
    if (from.has("waits")) {
      for (int const waited_for : from.member("waits").integers(0, index - 1)) {
        program_.wait_pool.push_back(waited_for);
      }
    }
    return {.begin = begin, .end = static_cast<int>(program_.wait_pool.size())};
  }

  Reader document_;
  RankProgram program_;
};

}  // namespace

nlohmann::json to_json(RankProgram const& program) {
  json operations = json::array();
  for (Operation const& operation : program.operations) {
    operations.push_back(operation_to_json(program, operation));
  }
  json result{
      {"schema", schema_name},
      {"version", program_schema_version},
      {"rank", program.rank},
      {"num_ranks", program.frame.num_ranks},
      {"num_output_blocks", program.frame.num_output_blocks},
      {"input_like", program.frame.input_like},
      {"scratch_like", program.frame.scratch_like},
      {"operations", std::move(operations)},
  };
  if (!program.frame.output_like.empty()) {
    result["output_like"] = program.frame.output_like;
  }
  return result;
}

RankProgram from_json(nlohmann::json const& document) {
  Reader const reader(document, "the document");
  reader.member("schema").require_string(schema_name);
  int const version = reader.member("version").integer(1, largest);
  if (version > program_schema_version) {
    throw Error(
        ErrorCode::format,
        formatted(
            "program: version must be at most {}, got {}; use a newer espalier",
            program_schema_version,
            version
        )
    );
  }
  return ProgramReader(reader).run();
}

}  // namespace espalier::schedule
