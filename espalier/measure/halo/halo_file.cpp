// SPDX-License-Identifier: Apache-2.0

#include "espalier/measure/halo/halo_file.hpp"

#include <nlohmann/json.hpp>

#include "espalier/base/json_text.hpp"
#include "espalier/measure/common/job_line.hpp"

namespace espalier::measure {
namespace {

using Json = nlohmann::ordered_json;

Json levels_of(mapping::Places const& places) {
  Json levels = Json::array();
  for (int i = 0; i < places.num_levels(); ++i) {
    mapping::Places::LevelGroups const& level = places.groups(i);
    levels.push_back({{"name", level.name}, {"group_of_rank", level.group_of_rank}});
  }
  return levels;
}

Json case_of(MeasuredCase const& one, std::span<double const> times_us) {
  Json message_bytes = Json::array();
  for (HaloMessage const& message : one.geometry.messages) {
    message_bytes.push_back(message.bytes());
  }
  return {
      {"case", one.number},
      {"grid", one.geometry.total},
      {"local", one.geometry.local},
      {"message_bytes", message_bytes},
      {"bytes", one.geometry.bytes()},
      {"is_verified", one.is_verified},
      {"samples_us", to_nanoseconds(times_us)},
  };
}

}  // namespace

void HaloFile::write_header(
    Job const& job, double clock_resolution_us, mapping::Places const& places
) {
  Json line = job_line(job, "espalier-halo-samples", clock_resolution_us);
  line["places"] = levels_of(places);
  lines_.write(json_text(line));
}

void HaloFile::write_case(CasePlace const& place, GridCommunicator const& comm) {
  Json const line{
      {"kind", "case"},
      {"group", place.group},
      {"case", place.number},
      {"dims", comm.grid().extents()},
      {"ranks", comm.ranks()},
      {"creation_us", to_nanoseconds(comm.creation_us())},
  };
  lines_.write(json_text(line));
}

void HaloFile::write_point(
    std::size_t group,
    int factor,
    std::vector<MeasuredCase> const& cases,
    Samples const& samples,
    int exchanges_per_sample
) {
  Json list = Json::array();
  for (std::size_t i = 0; i < cases.size(); ++i) {
    list.push_back(case_of(cases[i], samples.of(i)));
  }
  Json const line{
      {"kind", "point"},
      {"group", group},
      {"factor", factor},
      {"exchanges_per_sample", exchanges_per_sample},
      {"cases", list},
  };
  lines_.write(json_text(line));
}

void HaloFile::write_error(
    CasePlace const& place, int factor, std::string const& reason, std::string const& text
) {
  Json const line{
      {"kind", "error"},
      {"group", place.group},
      {"case", place.number},
      {"factor", factor},
      {"reason", reason},
      {"text", text},
  };
  lines_.write(json_text(line));
}

void HaloFile::write_end(std::size_t num_points_left) {
  lines_.write(json_text(Json{{"kind", "end"}, {"points_left", num_points_left}}));
}

}  // namespace espalier::measure
