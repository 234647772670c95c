// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/one_sided/team_plan.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include <nlohmann/json.hpp>

#include "espalier/base/field.hpp"
#include "espalier/base/json_text.hpp"
#include "espalier/measure/common/plan_fields.hpp"

namespace espalier::measure {
namespace {

using profile::Call;

constexpr std::array calls_of_teams{
    Call::bcast,
    Call::scatter,
    Call::gather,
    Call::reduce,
    Call::allreduce,
    Call::allgather,
    Call::alltoall,
    Call::barrier,
};

/// In the order of espalier_sync.
constexpr std::array<std::string_view, 3> modes{"allsync", "mysync", "nosync"};

int mode_of(Field const& field) {
  std::string const text = field.text();
  auto const* const found = std::ranges::find(modes, text);
  if (found == modes.end()) {
    field.fail("allsync, mysync or nosync", text);
  }
  return static_cast<int>(found - modes.begin());
}

TeamRequest request_of(Field const& field) {
  std::string const name = field.at("collective").text();
  auto const* const found = std::ranges::find_if(calls_of_teams, [&](Call call) {
    return profile::to_string(call) == name;
  });
  if (found == calls_of_teams.end()) {
    field.at("collective").fail("a collective of teams", name);
  }
  std::int64_t const least = *found == Call::barrier ? 0 : 1;
  return {
      .call = *found,
      .bytes = field.at("bytes").integer(least, std::numeric_limits<int>::max()),
  };
}

}  // namespace

TeamPlan TeamPlan::parse(std::string_view text, std::string_view origin) {
  nlohmann::json const file = parse_json(text, origin);
  Field const root(file, std::string(origin));
  check_header(root, schema, version);
  TeamPlan plan{
      .transport = root.has("transport") ? root.at("transport").text() : "",
      .in = mode_of(root.at("in")),
      .out = mode_of(root.at("out")),
      .has_local_addresses = root.at("has_local_addresses").boolean(),
      .is_anew = root.at("is_anew").boolean(),
      .seconds = positive_or(root, "seconds", 1),
      .requests = {},
  };
  for (Field const& field : root.at("requests").elements()) {
    plan.requests.push_back(request_of(field));
  }
  if (plan.requests.empty()) {
    root.at("requests").fail("at least one request", "none");
  }
  return plan;
}

TeamBuffers buffers_of(TeamRequest const& request, int num_members) noexcept {
  std::int64_t const whole = request.bytes;
  std::int64_t const block = std::max<std::int64_t>(1, whole / num_members);
  std::int64_t const blocks = block * num_members;
  switch (request.call) {
  case Call::scatter:
    return {.block = block, .sent = blocks, .received = block};
  case Call::gather:
  case Call::allgather:
    return {.block = block, .sent = block, .received = blocks};
  case Call::alltoall:
    return {.block = block, .sent = blocks, .received = blocks};
  case Call::barrier:
    return {};
  default:
    return {.block = whole, .sent = whole, .received = whole};
  }
}

}  // namespace espalier::measure
