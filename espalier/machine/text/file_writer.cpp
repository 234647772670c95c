// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cstdint>
#include <limits>

#include "espalier/base/json_text.hpp"
#include "espalier/machine/text/decimal.hpp"
#include "espalier/machine/text/file.hpp"
#include "espalier/machine/tree/counts.hpp"

namespace espalier::machine {
namespace {

using Json = nlohmann::ordered_json;

Json time_of(double seconds) {
  return scaled(seconds, -micro);
}

Json limit_of(double number) {
  return number == Link::unlimited ? Json() : Json(number);
}

Json bandwidth_of(double per_byte) {
  return per_byte == 0 ? Json() : Json(scaled(1 / per_byte, 0));
}

Json json_of(Link const& link) {
  return {
      {"latency_us", time_of(link.latency)},
      {"overhead_send_us", time_of(link.overhead_send)},
      {"overhead_receive_us", time_of(link.overhead_receive)},
      {"gap_us", time_of(link.gap)},
      {"bandwidth_bytes_per_s", bandwidth_of(link.per_byte)},
      {"channels", limit_of(link.channels)},
      {"shared_channels", limit_of(link.shared_channels)},
      {"full_duplex", link.full_duplex},
      {"eager_bytes", link.eager_bytes == Link::any_size ? Json() : Json(link.eager_bytes)},
      {"rendezvous_latency_us", time_of(link.rendezvous_latency)},
  };
}

Json json_of(Counts const& level) {
  bool const is_one =
      std::ranges::count(level.of_parent, level.of_parent.front()) == std::ssize(level.of_parent);
  Json const counts = is_one ? Json::array({level.of_parent.front()}) : Json(level.of_parent);
  return {{"name", level.name}, {"counts", counts}, {"link", json_of(level.link)}};
}

Json json_of(Torus const& torus) {
  if (!torus.exists()) {
    return nullptr;
  }
  return {
      {"extents", torus.extents},
      {"hop_latency_us", time_of(torus.hop_latency)},
      {"link_bandwidth_bytes_per_s", bandwidth_of(torus.link_per_byte)},
  };
}

Json json_of(Speed const& speed) {
  return {
      {"combine_bytes_per_s", bandwidth_of(speed.per_combined_byte)},
      {"copy_bytes_per_s", bandwidth_of(speed.per_copied_byte)},
  };
}

/// A member on a line of its own.
std::string member(std::string_view key, Json const& value) {
  return ",\n  \"" + std::string(key) + "\": " + json_text(value);
}

std::string levels_text(Machine const& machine) {
  std::string text;
  for (Counts const& level : counts_of(machine)) {
    text += (text.empty() ? "\n    " : ",\n    ") + json_text(json_of(level));
  }
  return ",\n  \"levels\": [" + text + "\n  ]";
}

}  // namespace

std::string to_json(MachineFile const& file) {
  std::string text = "{\n  \"schema\": \"" + std::string(MachineFile::schema) + "\"";
  text += member("version", MachineFile::version) + levels_text(file.machine);
  text += member("torus", json_of(file.machine.torus()));
  if (file.machine.speed() != Speed{}) {
    text += member("cores", json_of(file.machine.speed()));
  }
  if (!file.object_names.empty()) {
    text += member("object_names", file.object_names);
  }
  if (!file.core_of_rank.empty()) {
    text += member("core_of_rank", file.core_of_rank);
  }
  return text + member("origin", Json(file.origin)) + "\n}\n";
}

std::string to_json(Machine const& machine) {
  return to_json(MachineFile{.machine = machine, .object_names = {}, .core_of_rank = {}});
}

}  // namespace espalier::machine
