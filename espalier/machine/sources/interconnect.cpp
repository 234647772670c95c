// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/sources/interconnect.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>
#include <system_error>
#include <tuple>
#include <vector>

#include "espalier/base/error.hpp"
#include "espalier/machine/text/decimal.hpp"
#include "espalier/machine/text/file_text.hpp"

namespace espalier::machine {
namespace {

namespace fs = std::filesystem;

constexpr double bytes_per_gigabit = 1e9 / 8;
/// Of 10 Tbit/s; the kernel writes 2^32 - 1 Mbit/s for what it does not know.
constexpr double most_gigabits = 1e4;

struct Found {
  Interconnect interconnect;
  bool is_virtual = false;
};

std::string line_of(fs::path const& path) {
  std::string text = file_text(path).value_or("");
  text.erase(std::min(text.find('\n'), text.size()));
  return text;
}

/// The number at the front of a file, as a rate; 0 if it is none that can be.
double rate_in(fs::path const& path, double gigabits_per_unit) {
  std::string const text = line_of(path);
  double number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  double const gigabits = number * gigabits_per_unit;
  return gigabits > 0 && gigabits <= most_gigabits ? gigabits * bytes_per_gigabit : 0;
}

/// What a folder holds, by name; nothing if it cannot be read.
std::vector<fs::path> entries(fs::path const& folder) {
  std::vector<fs::path> result;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error)) {
    result.push_back(entry->path());
  }
  std::ranges::sort(result);
  return result;
}

bool is_there(fs::path const& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Names that the Omni-Path driver gives, and those that udev gives its devices by place.
bool is_omni_path(std::string_view device) {
  return device.starts_with("hfi1_") || device.starts_with("opa");
}

std::optional<InterconnectKind> kind_of_port(fs::path const& port, std::string_view device) {
  std::string const layer = line_of(port / "link_layer");
  if (is_omni_path(device)) {
    return InterconnectKind::omni_path;
  }
  if (layer == "InfiniBand") {
    return InterconnectKind::infiniband;
  }
  return layer == "Ethernet" ? std::optional(InterconnectKind::ethernet) : std::nullopt;
}

void add_infiniband(std::vector<Found>& found, fs::path const& root) {
  for (fs::path const& device : entries(root / "class/infiniband")) {
    std::string const name = device.filename().string();
    for (fs::path const& port : entries(device / "ports")) {
      auto const kind = kind_of_port(port, name);
      if (kind && line_of(port / "state").find("ACTIVE") != std::string::npos) {
        found.push_back({{*kind, name, rate_in(port / "rate", 1)}});
      }
    }
  }
}

/// Slingshot where its network devices are hidden from the process.
void add_cxi(std::vector<Found>& found, fs::path const& root) {
  for (fs::path const& device : entries(root / "class/cxi")) {
    found.push_back({{InterconnectKind::slingshot, device.filename().string(), 0}});
  }
}

void add_net(std::vector<Found>& found, fs::path const& root) {
  for (fs::path const& device : entries(root / "class/net")) {
    std::string const state = line_of(device / "operstate");
    bool const is_up = state == "up" || state == "unknown";
    bool const is_ethernet = line_of(device / "type") == "1";  // ARPHRD_ETHER; loopback has 772
    if (!is_up || !is_ethernet) {
      continue;
    }
    std::string const name = device.filename().string();
    bool const is_virtual = !is_there(device / "device") && !is_there(device / "bonding");
    found.push_back({
        .interconnect =
            {
                .kind = name.starts_with("hsn") ? InterconnectKind::slingshot
                                                : InterconnectKind::ethernet,
                .device = name,
                .bytes_per_second = is_virtual ? 0 : rate_in(device / "speed", 1e-3),
            },
        .is_virtual = is_virtual,
    });
  }
}

/// To three digits after the point: rates are read as decimals, and not all of them are doubles.
std::string number_text(double number) {
  return digits_of(std::round(number * 1e3) / 1e3);
}

std::string_view name_of(InterconnectKind kind) {
  switch (kind) {
  case InterconnectKind::ethernet:
    return "ethernet";
  case InterconnectKind::infiniband:
    return "infiniband";
  case InterconnectKind::omni_path:
    return "omni-path";
  case InterconnectKind::slingshot:
    return "slingshot";
  case InterconnectKind::none:
    break;
  }
  return "no interconnect";
}

/// Sockets. Ping-pongs over TCP between hosts take 20 to 40 us, most of it work of the processors
/// at both ends; and a core copies 2 to 4 GB/s of a stream in and out of the kernel, however fast
/// the device is.
Link sockets(double bytes_per_second) {
  constexpr double nominal = 10 * bytes_per_gigabit;
  constexpr double one_core = 3e9;
  constexpr double goodput = 0.94;  // 1448 bytes of data in each frame of 1538
  double const rate = bytes_per_second > 0 ? bytes_per_second : nominal;
  return {
      .latency = 15e-6,
      .overhead_send = 5e-6,
      .overhead_receive = 5e-6,
      .gap = 0,
      .per_byte = 1 / std::min(one_core, goodput * rate),
      .channels = 1,
  };
}

/// Devices that programs talk to without the kernel.
Link user_level(double alpha, double bytes_per_second) {
  constexpr double nominal = 100 * bytes_per_gigabit;
  constexpr double overhead = 0.2e-6;
  constexpr double goodput = 0.9;
  double const rate = bytes_per_second > 0 ? bytes_per_second : nominal;
  return {
      .latency = alpha - 2 * overhead,
      .overhead_send = overhead,
      .overhead_receive = overhead,
      .gap = 0,
      .per_byte = 1 / (goodput * rate),
      .channels = 1,
  };
}

}  // namespace

std::string Interconnect::text() const {
  std::string const name(name_of(kind));
  if (kind == InterconnectKind::none) {
    return name;
  }
  double const gigabits = bytes_per_second / bytes_per_gigabit;
  std::string rate = " of unknown rate";
  if (gigabits >= 1) {
    rate = " " + number_text(gigabits) + " Gbit/s";
  } else if (gigabits > 0) {
    rate = " " + number_text(gigabits * 1e3) + " Mbit/s";
  }
  return name + rate + " (" + device + ")";
}

Interconnect find_interconnect(fs::path const& root) {
  std::vector<Found> found;
  add_infiniband(found, root);
  add_net(found, root);
  add_cxi(found, root);
  auto const best = std::ranges::min_element(found, {}, [](Found const& one) {
    bool const is_ethernet = one.interconnect.kind == InterconnectKind::ethernet;
    return std::tuple(
        is_ethernet, one.is_virtual, -one.interconnect.bytes_per_second, one.interconnect.device
    );
  });
  return best == found.end() ? Interconnect{} : best->interconnect;
}

// The times of small messages are what the makers and the OSU micro-benchmarks say of two nodes
// below one switch: 1.0 to 1.3 us for InfiniBand from FDR to HDR, about 1 us for Omni-Path, and
// somewhat less than 2 us for Slingshot.
Link stock_link(Interconnect const& interconnect) {
  double const rate = interconnect.bytes_per_second;
  switch (interconnect.kind) {
  case InterconnectKind::infiniband:
    return user_level(1.3e-6, rate);
  case InterconnectKind::omni_path:
    return user_level(1.2e-6, rate);
  case InterconnectKind::slingshot:
    return user_level(1.8e-6, rate);
  case InterconnectKind::ethernet:
  case InterconnectKind::none:
    break;
  }
  return sockets(rate);
}

std::optional<Link> stock_link_if_slow(Interconnect const& interconnect) {
  constexpr double slowest = 0.1 * bytes_per_gigabit;
  bool const is_ethernet = interconnect.kind == InterconnectKind::ethernet ||
                           interconnect.kind == InterconnectKind::none;
  bool const is_known = !is_ethernet || interconnect.bytes_per_second > 0;
  return is_known ? std::nullopt : std::optional(sockets(slowest));
}

Link stock_link_within_node(int ranks_per_node, int num_processors) {
  for (int const number : {ranks_per_node, num_processors}) {
    if (number < 1) {
      throw Error(
          ErrorCode::argument,
          "expected at least 1 rank and 1 processor of a node, got " +
              std::to_string(ranks_per_node) + " and " + std::to_string(num_processors)
      );
    }
  }
  // MPIs need 0.3 to 0.6 us for a small message between two cores, and copy large ones at some
  // GB/s. A change of context takes 1 to 3 us, and so does waking up who waits.
  bool const is_crowded = ranks_per_node > num_processors;
  double const overhead = is_crowded ? 3e-6 : 0.1e-6;
  return {
      .latency = 0.2e-6,
      .overhead_send = overhead,
      .overhead_receive = overhead,
      .gap = 0,
      .per_byte = 1 / 5e9,
      .shared_channels = std::max(1.0, std::floor(num_processors / 2.0)),
  };
}

}  // namespace espalier::machine
