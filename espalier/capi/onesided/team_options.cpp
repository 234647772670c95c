// SPDX-License-Identifier: Apache-2.0

#include "espalier/capi/onesided/team_options.hpp"

#include <cstring>
#include <string>

#include "espalier/base/error.hpp"
#include "espalier/base/format.hpp"

namespace espalier::capi {
namespace {

using schedule::AddressMode;
using schedule::Sync;

[[noreturn]] void refuse_options(std::string const& text) {
  throw Error(ErrorCode::argument, text);
}

/// Whatever a program has stored there.
template <typename Enumeration> int number_of(Enumeration const& given) noexcept {
  static_assert(sizeof(Enumeration) == sizeof(int));
  int number = 0;
  std::memcpy(&number, &given, sizeof number);
  return number;
}

Sync sync_of(espalier_sync const& given, char const* field) {
  int const number = number_of(given);
  switch (number) {
  case ESPALIER_ALLSYNC:
    return Sync::allsync;
  case ESPALIER_MYSYNC:
    return Sync::mysync;
  case ESPALIER_NOSYNC:
    return Sync::nosync;
  default:
    refuse_options(formatted("expected {} to be an espalier_sync, got {}", field, number));
  }
}

AddressMode addresses_of(espalier_addresses const& given) {
  int const number = number_of(given);
  switch (number) {
  case ESPALIER_ADDRESSES_SYMMETRIC:
  case ESPALIER_ADDRESSES_SINGLE:
    return AddressMode::single;
  case ESPALIER_ADDRESSES_LOCAL:
    return AddressMode::local;
  default:
    refuse_options(formatted("expected addresses to be an espalier_addresses, got {}", number));
  }
}

bool asks_for(espalier_onesided_options const* given, espalier_addresses addresses) noexcept {
  return given != nullptr && given->size == sizeof(espalier_onesided_options) &&
         number_of(given->addresses) == addresses;
}

}  // namespace

bool tells_places(espalier_onesided_options const* given) noexcept {
  return asks_for(given, ESPALIER_ADDRESSES_SINGLE);
}

bool are_local(espalier_onesided_options const* given) noexcept {
  return asks_for(given, ESPALIER_ADDRESSES_LOCAL);
}

TeamOptions read(espalier_onesided_options const* given) {
  TeamOptions options;
  if (given == nullptr) {
    return options;
  }
  if (given->size != sizeof(espalier_onesided_options)) {
    refuse_options("expected options set by ESPALIER_ONESIDED_OPTIONS_INIT");
  }
  if ((given->flags & ~(ESPALIER_REPRODUCIBLE | ESPALIER_LEARN_IN_STARTS)) != 0) {
    refuse_options(formatted(
        "expected flags of ESPALIER_REPRODUCIBLE and ESPALIER_LEARN_IN_STARTS, got {:#x}",
        given->flags
    ));
  }
  options.is_reproducible = (given->flags & ESPALIER_REPRODUCIBLE) != 0;
  options.learns = (given->flags & ESPALIER_LEARN_IN_STARTS) != 0;
  options.mode = {.in = sync_of(given->in, "in"), .out = sync_of(given->out, "out")};
  options.addresses = addresses_of(given->addresses);
  options.tells_places = tells_places(given);
  if (given->algorithm != nullptr) {
    options.algorithm = given->algorithm;
  }
  if (given->mechanism != nullptr) {
    options.mechanism = schedule::parse_mechanism(given->mechanism);
  }
  return options;
}

}  // namespace espalier::capi
