// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <span>

#include <nlohmann/json_fwd.hpp>

#include "espalier/measure/common/job.hpp"

namespace espalier::measure {

/// The first line of samples of version 1: what is known about the job and the clock.
[[nodiscard]] nlohmann::ordered_json
job_line(Job const& job, char const* schema, double clock_resolution_us);

/// More digits would only make files longer.
[[nodiscard]] double to_nanoseconds(double time_us) noexcept;
/// The same of many times, in an array.
[[nodiscard]] nlohmann::ordered_json to_nanoseconds(std::span<double const> times_us);

}  // namespace espalier::measure
