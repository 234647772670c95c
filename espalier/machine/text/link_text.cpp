// SPDX-License-Identifier: Apache-2.0

#include "espalier/machine/text/link_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "espalier/machine/text/decimal.hpp"
#include "espalier/machine/text/quantity.hpp"
#include "espalier/machine/tree/refuse.hpp"

namespace espalier::machine {
namespace {

constexpr std::string_view unlimited = "unlimited";

/// What a key sets, its value, and the whole `key=value` for complaints.
struct Setting {
  std::string_view key;
  std::string_view value;
  std::string_view text;
};

double parse_time(Setting const& setting) {
  std::optional<double> const seconds = parse_seconds(setting.value);
  if (!seconds) {
    refuse("a time such as 1.5us or 300ns", setting.text);
  }
  return *seconds;
}

double parse_per_byte(Setting const& setting) {
  if (setting.value == unlimited) {
    return 0;
  }
  std::optional<double> const rate = parse_bytes_per_second(setting.value);
  if (!rate || *rate <= 0) {
    refuse("a bandwidth above 0 such as 12.5GB/s, or unlimited", setting.text);
  }
  return 1 / *rate;
}

double parse_channels(Setting const& setting) {
  if (setting.value == unlimited) {
    return Link::unlimited;
  }
  std::optional<double> const number = parse_number(setting.value);
  if (!number || *number <= 0) {
    refuse("a number above 0, or unlimited", setting.text);
  }
  return *number;
}

std::int64_t parse_size(Setting const& setting) {
  if (setting.value == unlimited) {
    return Link::any_size;
  }
  std::optional<std::int64_t> const size = parse_bytes(setting.value);
  if (!size) {
    refuse("a whole number of bytes such as 16KiB, or unlimited", setting.text);
  }
  return *size;
}

bool parse_duplex(Setting const& setting) {
  if (setting.value != "full" && setting.value != "half") {
    refuse("duplex=full or duplex=half", setting.text);
  }
  return setting.value == "full";
}

using Setter = void (*)(Setting const&, Bracketed const&);

enum class Of { link, torus, cores };

struct Key {
  std::string_view name;
  Setter set;
  Of of = Of::link;

  [[nodiscard]] bool applies(Bracketed const& into) const {
    return (of != Of::torus || into.torus != nullptr) && (of != Of::cores || into.speed != nullptr);
  }
};

constexpr std::array keys{
    Key{"latency",
        [](Setting const& s, Bracketed const& into) { into.link->latency = parse_time(s); }},
    Key{"overhead",
        [](Setting const& s, Bracketed const& into) {
          into.link->overhead_send = into.link->overhead_receive = parse_time(s);
        }},
    Key{"overhead_send",
        [](Setting const& s, Bracketed const& into) { into.link->overhead_send = parse_time(s); }},
    Key{"overhead_receive",
        [](Setting const& s, Bracketed const& into) { into.link->overhead_receive = parse_time(s); }
    },
    Key{"gap", [](Setting const& s, Bracketed const& into) { into.link->gap = parse_time(s); }},
    Key{"bandwidth",
        [](Setting const& s, Bracketed const& into) { into.link->per_byte = parse_per_byte(s); }},
    Key{"channels",
        [](Setting const& s, Bracketed const& into) { into.link->channels = parse_channels(s); }},
    Key{"shared_channels",
        [](Setting const& s, Bracketed const& into) {
          into.link->shared_channels = parse_channels(s);
        }},
    Key{"duplex",
        [](Setting const& s, Bracketed const& into) { into.link->full_duplex = parse_duplex(s); }},
    Key{"eager",
        [](Setting const& s, Bracketed const& into) { into.link->eager_bytes = parse_size(s); }},
    Key{"rendezvous",
        [](Setting const& s, Bracketed const& into) {
          into.link->rendezvous_latency = parse_time(s);
        }},
    Key{"hop",
        [](Setting const& s, Bracketed const& into) { into.torus->hop_latency = parse_time(s); },
        Of::torus},
    Key{"link_bandwidth",
        [](Setting const& s, Bracketed const& into) {
          into.torus->link_per_byte = parse_per_byte(s);
        },
        Of::torus},
    Key{"combine",
        [](Setting const& s, Bracketed const& into) {
          into.speed->per_combined_byte = parse_per_byte(s);
        },
        Of::cores},
    Key{"copy",
        [](Setting const& s, Bracketed const& into) {
          into.speed->per_copied_byte = parse_per_byte(s);
        },
        Of::cores},
};

std::string names_of_keys(Bracketed const& into) {
  std::string names;
  for (Key const& key : keys) {
    if (key.applies(into)) {
      names += (names.empty() ? "" : " ") + std::string(key.name);
    }
  }
  return names;
}

std::string_view trimmed(std::string_view text) {
  std::size_t const first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) {
    return {};
  }
  return text.substr(first, text.find_last_not_of(' ') - first + 1);
}

Setting split(std::string_view text) {
  std::size_t const equals = text.find('=');
  if (equals == std::string_view::npos) {
    refuse("key=value in brackets as in latency=1.5us", text);
  }
  return {
      .key = trimmed(text.substr(0, equals)),
      .value = trimmed(text.substr(equals + 1)),
      .text = text
  };
}

Key const& find_key(Setting const& setting, Bracketed const& into) {
  auto const* const key = std::ranges::find(keys, setting.key, &Key::name);
  if (key == keys.end() || !key->applies(into)) {
    refuse("a key of " + names_of_keys(into), setting.text);
  }
  return *key;
}

void append(std::string& text, std::string_view key, std::string const& value) {
  text += (text.empty() ? "" : ",") + std::string(key) + "=" + value;
}

void append_time(std::string& text, std::string_view key, double seconds) {
  if (seconds > 0) {
    append(text, key, seconds_text(seconds));
  }
}

void append_rate(std::string& text, std::string_view key, double per_byte) {
  if (per_byte > 0) {
    append(text, key, bytes_per_second_text(1 / per_byte));
  }
}

void append_channels(std::string& text, std::string_view key, double channels) {
  if (channels != Link::unlimited) {
    append(text, key, digits_of(channels));
  }
}

void append_size(std::string& text, std::string_view key, std::int64_t size) {
  if (size == Link::any_size) {
    return;
  }
  append(text, key, bytes_text(size));
}

void append_overheads(std::string& text, Link const& link) {
  if (link.overhead_send == link.overhead_receive) {
    append_time(text, "overhead", link.overhead_send);
    return;
  }
  append_time(text, "overhead_send", link.overhead_send);
  append_time(text, "overhead_receive", link.overhead_receive);
}

}  // namespace

void set_brackets(std::string_view text, Bracketed const& into) {
  std::vector<std::string_view> seen;
  bool is_last = trimmed(text).empty();
  while (!is_last) {
    std::size_t const comma = text.find(',');
    is_last = comma == std::string_view::npos;
    Setting const setting = split(trimmed(text.substr(0, comma)));
    if (std::ranges::find(seen, setting.key) != seen.end()) {
      refuse("each key once", setting.text);
    }
    find_key(setting, into).set(setting, into);
    seen.push_back(setting.key);
    text.remove_prefix(is_last ? text.size() : comma + 1);
  }
}

std::string brackets_text(Link const& link, Torus const* torus, Speed const* speed) {
  std::string text;
  append_time(text, "latency", link.latency);
  append_overheads(text, link);
  append_time(text, "gap", link.gap);
  append_rate(text, "bandwidth", link.per_byte);
  append_channels(text, "channels", link.channels);
  append_channels(text, "shared_channels", link.shared_channels);
  if (!link.full_duplex) {
    append(text, "duplex", "half");
  }
  append_size(text, "eager", link.eager_bytes);
  append_time(text, "rendezvous", link.rendezvous_latency);
  if (torus != nullptr) {
    append_time(text, "hop", torus->hop_latency);
    append_rate(text, "link_bandwidth", torus->link_per_byte);
  }
  if (speed != nullptr) {
    append_rate(text, "combine", speed->per_combined_byte);
    append_rate(text, "copy", speed->per_copied_byte);
  }
  return text;
}

}  // namespace espalier::machine
