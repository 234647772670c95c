// SPDX-License-Identifier: Apache-2.0

#include "espalier/profile/profile.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <system_error>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/profile/call_in_file.hpp"
#include "espalier/profile/neighbor_choice.hpp"

namespace espalier::profile {
namespace {

void check_header(Field const& file) {
  Field const schema = file.at("schema");
  if (schema.text() != Profile::schema) {
    schema.fail("\"" + std::string(Profile::schema) + "\" (a file written by espalier tune)");
  }
  Field const version = file.at("version");
  if (version.integer(1) > Profile::version) {
    version.fail(
        "at most " + std::to_string(Profile::version) +
        " (use a newer espalier, or tune again with this one)"
    );
  }
}

std::optional<algorithms::Choice> parse_choice(Field const& field, CallForm one, int num_ranks) {
  std::string const text = field.text();
  if (text == "native") {
    return std::nullopt;
  }
  std::optional<algorithms::Choice> choice;
  try {
    choice = algorithms::Choice::parse(text);
  } catch (Error const& error) {
    field.fail("native or an algorithm of this version", "\"" + text + "\" (" + error.what() + ")");
  }
  if (choice->collective() != collective_of(one.call)) {
    field.fail("an algorithm for " + std::string(to_string(collective_of(one.call))));
  }
  if (std::string const reason = refuses(one, *choice, num_ranks, 0); !reason.empty()) {
    field.fail(
        "an algorithm that accepts " + std::to_string(num_ranks) + " ranks" +
            (one.form == Form::blocking ? "" : " in " + function_name(one)),
        "\"" + text + "\" (" + reason + ")"
    );
  }
  return choice;
}

neighborhood::Algorithm const* parse_neighbors(Field const& field, Call call) {
  std::string const text = field.text();
  if (text == "native") {
    return nullptr;
  }
  try {
    return &parse_neighbor_choice(call, text);
  } catch (Error const& error) {
    field.fail("native or an algorithm of this version", "\"" + text + "\" (" + error.what() + ")");
  }
}

Rule parse_rule(Field const& field) {
  Rule rule;
  CallForm const one = rule_call_in_file(field.at("collective"));
  rule.call = one.call;
  rule.form = one.form;
  rule.shape = shape_in_file(field, rule.call);
  rule.min_bytes = field.at("min_bytes").integer(0);
  Field const max_bytes = field.at("max_bytes");
  rule.max_bytes = max_bytes.is_null() ? Rule::no_limit : max_bytes.integer(rule.min_bytes);
  if (!has_known_size(one, rule.shape) &&
      (rule.min_bytes != 0 || rule.max_bytes != Rule::no_limit)) {
    field.fail(
        "min_bytes 0 and max_bytes null: not all ranks know the size of a " + to_string(one),
        "limits"
    );
  }
  if (is_neighborhood(rule.call)) {
    rule.neighbors = parse_neighbors(field.at("algorithm"), rule.call);
  } else {
    rule.choice = parse_choice(field.at("algorithm"), one, rule.shape.num_ranks);
  }
  rule.reason = field.at("reason").text();
  return rule;
}

/// Its algorithm is one of this version, and serves such calls.
bool is_known(Field const& field) {
  CallForm const one = rule_call_in_file(field.at("collective"));
  Shape const shape = shape_in_file(field, one.call);
  static_cast<void>(field.at("algorithm").text());  // which a name has to be, known or not
  try {
    if (is_neighborhood(one.call)) {
      static_cast<void>(parse_neighbors(field.at("algorithm"), one.call));
    } else {
      static_cast<void>(parse_choice(field.at("algorithm"), one, shape.num_ranks));
    }
  } catch (Error const&) {
    return false;
  }
  return true;
}

auto order_of(Rule const& rule) {
  return std::tuple(
      rule.call,
      rule.form,
      rule.shape.num_ranks,
      rule.shape.num_nodes,
      rule.shape.placement,
      rule.shape.topology,
      rule.shape.max_neighbors,
      rule.min_bytes,
      rule.max_bytes
  );
}

void check_overlaps(std::vector<Rule> const& rules, std::vector<Field> const& fields) {
  std::vector<std::size_t> order(rules.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    order[i] = i;
  }
  std::ranges::sort(order, {}, [&](std::size_t i) { return order_of(rules[i]); });
  for (std::size_t i = 1; i < order.size(); ++i) {
    Rule const& before = rules[order[i - 1]];
    Rule const& rule = rules[order[i]];
    if (before.call == rule.call && before.form == rule.form && before.shape == rule.shape &&
        rule.min_bytes <= before.max_bytes) {
      fields[order[i]]
          .at("min_bytes")
          .fail(
              "sizes that no other rule of the shape covers",
              std::to_string(rule.min_bytes) + ", which rules[" + std::to_string(order[i - 1]) +
                  "] covers too"
          );
    }
  }
}

}  // namespace

Profile Profile::parse(std::string_view text, std::string_view origin) {
  return from_json(parse_json(text, origin), origin);
}

Profile
Profile::from_json(nlohmann::json const& document, std::string_view origin, Unknown unknown) {
  Field const file(document, std::string(origin));
  check_header(file);
  Profile profile;
  profile.vendor_ = file.at("mpi").at("vendor").text();
  std::vector<Field> fields = file.at("rules").elements();
  if (unknown == Unknown::left_out) {
    std::erase_if(fields, [](Field const& field) { return !is_known(field); });
  }
  for (Field const& field : fields) {
    profile.rules_.push_back(parse_rule(field));
  }
  check_overlaps(profile.rules_, fields);
  return profile;
}

Profile Profile::read(std::string const& path) {
  return parse(read_text(path), path);
}

void Profile::require_vendor(
    std::string_view expected, std::string_view origin, std::string_view advice
) const {
  if (vendor_ != expected) {
    throw Error(
        ErrorCode::format,
        std::string(origin) + ": expected a profile tuned with " + std::string(expected) +
            ", got one tuned with '" + vendor_ + "' (" + std::string(advice) + ")"
    );
  }
}

std::string read_text(std::string const& path) {
  using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;
  errno = 0;
  File const file(std::fopen(path.c_str(), "rb"), &std::fclose);
  std::string text;
  if (file) {
    std::array<char, 4096> chunk{};
    while (std::size_t const size = std::fread(chunk.data(), 1, chunk.size(), file.get())) {
      text.append(chunk.data(), size);
    }
  }
  if (!file || std::ferror(file.get()) != 0) {
    throw Error(
        ErrorCode::io,
        path + ": expected a readable file, got '" + std::generic_category().message(errno) + "'"
    );
  }
  return text;
}

}  // namespace espalier::profile
