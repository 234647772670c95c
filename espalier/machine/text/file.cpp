// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/text/file.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/machine/text/decimal.hpp"
#include "espalier/machine/text/text.hpp"
#include "espalier/machine/tree/counts.hpp"

namespace espalier::machine {
namespace {

void check_header(Field const& file) {
  Field const schema = file.at("schema");
  if (schema.text() != MachineFile::schema) {
    schema.fail("\"" + std::string(MachineFile::schema) + "\" (a machine file)");
  }
  Field const version = file.at("version");
  if (version.integer(1) > MachineFile::version) {
    version.fail("at most " + std::to_string(MachineFile::version) + " (use a newer espalier)");
  }
}

double read_time(Field const& object, std::string_view key) {
  return object.has(key) ? scaled(object.at(key).number(0), micro) : 0;
}

/// A number above 0; null or none: `without`.
double read_positive(Field const& object, std::string_view key, double without) {
  if (!object.has(key) || object.at(key).is_null()) {
    return without;
  }
  return object.at(key).number(std::numeric_limits<double>::min());
}

double read_per_byte(Field const& object, std::string_view key) {
  double const bandwidth = read_positive(object, key, 0);
  return bandwidth == 0 ? 0 : 1 / bandwidth;
}

constexpr std::array<std::string_view, 10> link_keys{
    "latency_us",
    "overhead_send_us",
    "overhead_receive_us",
    "gap_us",
    "bandwidth_bytes_per_s",
    "channels",
    "shared_channels",
    "full_duplex",
    "eager_bytes",
    "rendezvous_latency_us",
};

void check_link_keys(Field const& object) {
  for (auto const& [key, value] : object.json().items()) {
    if (std::ranges::find(link_keys, key) == link_keys.end()) {
      object.fail("members of a link such as latency_us", "'" + key + "'");
    }
  }
}

Link read_link(Field const& level) {
  Link link;
  if (!level.has("link")) {
    return link;
  }
  Field const object = level.at("link");
  if (!object.json().is_object()) {
    object.fail("an object");
  }
  check_link_keys(object);
  link.latency = read_time(object, "latency_us");
  link.overhead_send = read_time(object, "overhead_send_us");
  link.overhead_receive = read_time(object, "overhead_receive_us");
  link.gap = read_time(object, "gap_us");
  link.per_byte = read_per_byte(object, "bandwidth_bytes_per_s");
  link.channels = read_positive(object, "channels", Link::unlimited);
  link.shared_channels = read_positive(object, "shared_channels", Link::unlimited);
  link.full_duplex = !object.has("full_duplex") || object.at("full_duplex").boolean();
  bool const is_limited = object.has("eager_bytes") && !object.at("eager_bytes").is_null();
  link.eager_bytes = is_limited ? object.at("eager_bytes").integer(0) : Link::any_size;
  link.rendezvous_latency = read_time(object, "rendezvous_latency_us");
  return link;
}

std::vector<int> read_counts(Field const& list) {
  std::vector<int> counts;
  for (Field const& count : list.elements()) {
    counts.push_back(static_cast<int>(count.integer(1, most_cores)));
  }
  if (counts.empty()) {
    list.fail("at least one number");
  }
  return counts;
}

std::vector<Counts> read_levels(Field const& list) {
  std::vector<Counts> levels;
  for (Field const& field : list.elements()) {
    levels.push_back(
        {.name = field.at("name").text(),
         .of_parent = read_counts(field.at("counts")),
         .link = read_link(field)}
    );
  }
  return levels;
}

Torus read_torus(Field const& file) {
  Torus torus;
  if (!file.has("torus") || file.at("torus").is_null()) {
    return torus;
  }
  Field const field = file.at("torus");
  torus.extents = read_counts(field.at("extents"));
  torus.hop_latency = read_time(field, "hop_latency_us");
  torus.link_per_byte = read_per_byte(field, "link_bandwidth_bytes_per_s");
  return torus;
}

Speed read_speed(Field const& file) {
  if (!file.has("cores")) {
    return {};
  }
  Field const object = file.at("cores");
  return {
      .per_combined_byte = read_per_byte(object, "combine_bytes_per_s"),
      .per_copied_byte = read_per_byte(object, "copy_bytes_per_s"),
  };
}

Machine read_machine(Field const& file, std::string_view origin) {
  std::vector<Counts> levels = read_levels(file.at("levels"));
  Torus torus = read_torus(file);
  try {
    Machine machine = build(std::move(levels), std::move(torus));
    machine.set_speed(read_speed(file));
    return machine;
  } catch (Error const& error) {
    throw Error(ErrorCode::format, std::string(origin) + ": " + error.what());
  }
}

void read_names(Field const& object, MachineFile& into) {
  if (!object.json().is_object()) {
    object.fail("an object");
  }
  Machine const& machine = into.machine;
  for (auto const& [name, value] : object.json().items()) {
    Field const list = object.at(name);
    int level = 0;
    while (level < machine.num_levels() && machine.name(level) != name) {
      ++level;
    }
    if (level == machine.num_levels()) {
      list.fail("a level of this machine", "'" + name + "'");
    }
    std::vector<std::string>& names = into.object_names[name];
    for (Field const& text : list.elements()) {
      names.push_back(text.text());
    }
    if (std::ssize(names) != machine.num_objects(level)) {
      list.fail(
          std::to_string(machine.num_objects(level)) + " names",
          std::to_string(names.size()) + " names"
      );
    }
  }
}

std::vector<int> read_cores(Field const& list, int num_cores) {
  std::vector<int> cores;
  std::vector<bool> is_taken(static_cast<std::size_t>(num_cores));
  for (Field const& field : list.elements()) {
    cores.push_back(static_cast<int>(field.integer(0, num_cores - 1)));
    auto const core = static_cast<std::size_t>(cores.back());
    if (is_taken[core]) {
      field.fail("a core that no other rank has");
    }
    is_taken[core] = true;
  }
  return cores;
}

MachineFile parse_file(std::string_view text, std::string_view origin) {
  nlohmann::json const document = parse_json(text, origin);
  Field const file(document, std::string(origin));
  check_header(file);
  MachineFile result{.machine = read_machine(file, origin), .object_names = {}, .core_of_rank = {}};
  if (file.has("object_names")) {
    read_names(file.at("object_names"), result);
  }
  if (file.has("core_of_rank")) {
    result.core_of_rank = read_cores(file.at("core_of_rank"), result.machine.num_cores());
  }
  if (file.has("origin")) {
    result.origin = file.at("origin").json();
    if (!result.origin.is_object()) {
      file.at("origin").fail("an object");
    }
  }
  return result;
}

}  // namespace

MachineFile read_file(std::string_view text, std::string_view origin) {
  std::size_t const first = text.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && text[first] == '{') {
    return parse_file(text, origin);
  }
  return {.machine = parse_text(text), .object_names = {}, .core_of_rank = {}};
}

Machine read(std::string_view text, std::string_view origin) {
  return read_file(text, origin).machine;
}

}  // namespace espalier::machine
