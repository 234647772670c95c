// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/probe/result_line.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include <nlohmann/json.hpp>

#include "espalier/base/json_text.hpp"
#include "espalier/measure/probe/moments.hpp"

namespace espalier::measure::probe {
namespace {

using Json = nlohmann::ordered_json;

/// To a picosecond: overheads of simulated machines may be a few nanoseconds.
double rounded(double time_us) {
  return std::round(time_us * 1e6) / 1e6;
}

Json pairs_of(PairSet const& pairs) {
  Json list = Json::array();
  for (Pair const& pair : pairs) {
    list.push_back({pair.sender, pair.receiver});
  }
  return list;
}

template <typename Value>
Json for_each_pair(std::vector<Moments> const& moments, Value const& value) {
  Json list = Json::array();
  for (Moments const& pair : moments) {
    list.push_back(rounded(value(pair)));
  }
  return list;
}

void add_moments(Json& line, std::vector<Moments> const& all) {
  auto const low = [](Moments const& pair) { return std::max(pair.mean - pair.half_width, 0.0); };
  auto const high = [](Moments const& pair) { return pair.mean + pair.half_width; };
  line["mean_us"] = for_each_pair(all, [](Moments const& pair) { return pair.mean; });
  line["sd_us"] = for_each_pair(all, [](Moments const& pair) { return pair.sd; });
  line["median_us"] = for_each_pair(all, [](Moments const& pair) { return pair.median; });
  line["min_us"] = for_each_pair(all, [](Moments const& pair) { return pair.min; });
  line["max_us"] = for_each_pair(all, [](Moments const& pair) { return pair.max; });
  line["low_us"] = for_each_pair(all, low);
  line["high_us"] = for_each_pair(all, high);
}

}  // namespace

std::string result_line(ProbePlan const& plan, Step const& step, Course const& course) {
  TestRequest const& test = plan.test_of(step);
  Json line{
      {"kind", "result"},
      {"test_index", step.test_index},
      {"set_index", step.set_index},
      {"test", to_string(test.kind)},
      {"label", test.label},
      {"pairs", pairs_of(plan.pairs_of(step))},
      {"bytes", plan.bytes_of(step)},
      {"messages", test.messages},
      {"calls_per_sample", course.calls_per_sample()},
      {"repetitions", course.num_repetitions()},
      {"converged", course.has_converged()},
  };
  std::vector<Moments> moments;
  for (std::size_t pair = 0; pair < course.num_pairs(); ++pair) {
    moments.push_back(moments_of(course.times_us(pair)));
  }
  add_moments(line, moments);
  Moments const slowest = moments_of(course.slowest_us());
  line["slowest"] = {
      {"mean_us", rounded(slowest.mean)},
      {"sd_us", rounded(slowest.sd)},
      {"median_us", rounded(slowest.median)},
  };
  return json_text(line);
}

std::string end_line(std::size_t sets_left) {
  return json_text(Json{{"kind", "end"}, {"complete", sets_left == 0}, {"sets_left", sets_left}});
}

}  // namespace espalier::measure::probe
