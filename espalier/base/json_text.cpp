// SPDX-License-Identifier: Apache-2.0

#include "espalier/base/json_text.hpp"

#include <nlohmann/json.hpp>

namespace espalier {
namespace {

template <typename Json> std::string text_of(Json const& value, int indent) {
  return value.dump(indent, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

std::string json_text(nlohmann::json const& value, int indent) {
  return text_of(value, indent);
}

std::string json_text(nlohmann::ordered_json const& value, int indent) {
  return text_of(value, indent);
}

nlohmann::ordered_json parse_ordered_json(std::string_view text) {
  return nlohmann::ordered_json::parse(text);
}

std::string json_bytes(nlohmann::json const& value) {
  std::string bytes;
  nlohmann::json::to_cbor(value, bytes);
  return bytes;
}

nlohmann::json parse_json_bytes(std::string_view bytes) {
  return nlohmann::json::from_cbor(bytes);
}

}  // namespace espalier
