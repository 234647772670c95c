// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>

#include "espalier/measure/probe/course.hpp"
#include "espalier/measure/probe/probe_plan.hpp"

namespace espalier::measure::probe {

/// What a finished step brought, as one line of the file `espalier-probe-samples`.
[[nodiscard]] std::string
result_line(ProbePlan const& plan, Step const& step, Course const& course);

/// The last line of the file.
[[nodiscard]] std::string end_line(std::size_t sets_left);

}  // namespace espalier::measure::probe
