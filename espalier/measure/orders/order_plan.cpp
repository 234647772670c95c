// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/orders/order_plan.hpp"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "espalier/base/field.hpp"
#include "espalier/base/json_text.hpp"
#include "espalier/measure/common/plan_fields.hpp"

namespace espalier::measure {
namespace {

constexpr int most_creations = 10'000;

NamedOrder order_of(Field const& field, int root) {
  NamedOrder order{.name = field.at("name").text(), .ranks = {}};
  Field const ranks = field.at("ranks");
  for (Field const& rank : ranks.elements()) {
    order.ranks.push_back(static_cast<int>(rank.integer(0, std::numeric_limits<int>::max())));
  }
  auto const num_ranks = static_cast<int>(order.ranks.size());
  if (std::string const complaint = mapping::refuses(order.ranks, num_ranks); !complaint.empty()) {
    ranks.fail("a permutation (" + complaint + ")");
  }
  if (order.ranks.empty() || order.ranks.front() != root) {
    ranks.fail("root " + std::to_string(root) + " in front");
  }
  return order;
}

void add(std::vector<NamedOrder>& orders, NamedOrder order, Field const& field) {
  if (std::ranges::count(orders, order.name, &NamedOrder::name) > 0) {
    field.at("name").fail("another name for each order", order.name);
  }
  if (!orders.empty() && orders.front().ranks.size() != order.ranks.size()) {
    field.at("ranks").fail(
        std::to_string(orders.front().ranks.size()) + " ranks", std::to_string(order.ranks.size())
    );
  }
  orders.push_back(std::move(order));
}

bool goes_by_tree(profile::Call call) {
  return call == profile::Call::scatter || call == profile::Call::gather ||
         call == profile::Call::bcast;
}

}  // namespace

OrderPlan OrderPlan::parse(std::string_view text, std::string_view origin) {
  nlohmann::json const file = parse_json(text, origin);
  Field const root(file, std::string(origin));
  check_header(root, schema, version);
  OrderPlan plan{
      .root = static_cast<int>(root.at("root").integer(0, std::numeric_limits<int>::max())),
      .creations = static_cast<int>(root.at("creations").integer(0, most_creations)),
      .orders = {},
      .measurement = {},
  };
  for (Field const& field : root.at("orders").elements()) {
    add(plan.orders, order_of(field, plan.root), field);
  }
  if (plan.orders.empty()) {
    root.at("orders").fail("at least one order", "none");
  }
  static_cast<void>(root.at("measurement"));
  plan.measurement = MeasurementPlan::parse(
      json_text(file.at("measurement")), std::string(origin) + ": measurement"
  );
  for (PointRequest const& point : plan.measurement.points) {
    if (!goes_by_tree(point.call) || point.form != profile::Form::blocking) {
      root.at("measurement")
          .fail("scatter, gather or bcast", profile::to_string(point.call_form()));
    }
  }
  return plan;
}

}  // namespace espalier::measure
