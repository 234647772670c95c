// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/statistics.hpp"

#include <array>
#include <bit>
#include <cstdio>
#include <limits>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

namespace espalier::plan {
namespace {

std::string algorithm_text(profile::Decision const& decision) {
  return decision.choice ? decision.choice->text() : "native";
}

nlohmann::ordered_json to_json(MappingNote const& note) {
  return {
      {"function", note.function},
      {"num_ranks", note.num_ranks},
      {"algorithm", note.algorithm},
      {"report", note.report},
  };
}

std::string learning_line(LearningReport const& learning) {
  std::array<char, 200> line{};
  std::snprintf(
      line.data(),
      line.size(),
      "espalier: learning lost %.1f ms of at most %.1f ms; of %d kinds of calls %d run faster "
      "now\n",
      learning.lost_seconds * 1e3,
      learning.bound_seconds * 1e3,
      learning.num_faster + learning.num_native,
      learning.num_faster
  );
  return line.data();
}

}  // namespace

std::size_t size_class(std::int64_t bytes) noexcept {
  return static_cast<std::size_t>(std::bit_width(static_cast<std::uint64_t>(bytes)));
}

std::int64_t min_bytes_of(std::size_t size_class) noexcept {
  return size_class == 0 ? 0 : std::int64_t{1} << (size_class - 1);
}

std::int64_t max_bytes_of(std::size_t size_class) noexcept {
  return size_class >= 63 ? std::numeric_limits<std::int64_t>::max()
                          : (std::int64_t{1} << size_class) - 1;
}

void Counter::add(Counter const& other) noexcept {
  count += other.count;
  bytes += other.bytes;
  seconds += other.seconds;
}

void OwnCommunicators::add(OwnCommunicators const& other) noexcept {
  count += other.count;
  seconds += other.seconds;
}

Recorder::Recorder() {
  for (auto& classes : latest_) {
    classes.fill(-1);
  }
}

void Recorder::record(
    profile::Call call,
    std::int64_t bytes,
    profile::Decision const& decision,
    double seconds,
    std::int64_t own_bytes
) {
  std::size_t const position = size_class(bytes);
  std::int32_t& latest = latest_[profile::index_of(call)][position];
  Counter const one{.count = 1, .bytes = bytes + own_bytes, .seconds = seconds};
  if (latest >= 0 && rows_[static_cast<std::size_t>(latest)].decision == &decision) {
    rows_[static_cast<std::size_t>(latest)].counter.add(one);
    return;
  }
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    Row& row = rows_[i];
    if (row.call == call && row.size_class == position && row.decision == &decision) {
      latest = static_cast<std::int32_t>(i);
      row.counter.add(one);
      return;
    }
  }
  latest = static_cast<std::int32_t>(rows_.size());
  rows_.push_back({.call = call, .size_class = position, .decision = &decision, .counter = one});
}

std::size_t Recorder::memory_bytes() const noexcept {
  return sizeof(*this) + rows_.capacity() * sizeof(Row);
}

std::string function_name(profile::Call call, Form form) {
  return form == Form::blocking ? std::string(profile::function_name(call))
                                : "MPI_I" + std::string(profile::to_string(call));
}

void Totals::add(CommunicatorClass communicator, Recorder const& recorder, Form form) {
  if (ranks_.size() >= most_classes && !ranks_.contains(communicator.ranks)) {
    communicator.ranks.clear();
  }
  ranks_.insert(communicator.ranks);
  for (Recorder::Row const& row : recorder.rows()) {
    Key key{
        .call = row.call,
        .form = form,
        .communicator = communicator,
        .size_class = row.size_class,
        .algorithm = algorithm_text(*row.decision),
        .reason = row.decision->reason,
    };
    rows_[std::move(key)].add(row.counter);
  }
}

std::string statistics_json(ProcessReport const& report, Totals const& totals) {
  nlohmann::ordered_json calls = nlohmann::ordered_json::array();
  for (auto const& [key, counter] : totals.rows()) {
    calls.push_back({
        {"function", function_name(key.call, key.form)},
        {"num_ranks", key.communicator.num_ranks},
        {"num_nodes", key.communicator.num_nodes},
        {"ranks", key.communicator.ranks},
        {"min_bytes", min_bytes_of(key.size_class)},
        {"max_bytes", max_bytes_of(key.size_class)},
        {"count", counter.count},
        {"bytes", counter.bytes},
        {"seconds", counter.seconds},
        {"algorithm", key.algorithm},
        {"reason", key.reason},
    });
  }
  nlohmann::ordered_json mappings = nlohmann::ordered_json::array();
  for (MappingNote const& note : report.mappings) {
    mappings.push_back(to_json(note));
  }
  OwnCommunicators const& made = totals.own_communicators();
  nlohmann::ordered_json document = {
      {"schema", "espalier-statistics"},
      {"version", 1},
      {"rank", report.rank},
      {"num_ranks", report.num_ranks},
      {"mpi", {{"vendor", report.vendor}, {"version", report.library_version}}},
      {"seconds", report.seconds},
      {"finalized", report.is_finalized},
      {"memory_bytes", report.memory_bytes},
      {"warnings", report.warnings},
      {"mappings", std::move(mappings)},
      {"own_communicators", {{"count", made.count}, {"seconds", made.seconds}}},
      {"calls", std::move(calls)},
  };
  if (report.learning) {
    document["learning"] = {
        {"lost_seconds", report.learning->lost_seconds},
        {"bound_seconds", report.learning->bound_seconds},
        {"num_faster", report.learning->num_faster},
        {"num_native", report.learning->num_native},
    };
  }
  // Texts of the environment may be anything; a file that is not UTF-8 would be no JSON.
  return document.dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

std::string statistics_table(ProcessReport const& report, Totals const& totals) {
  using Group = std::tuple<std::string, std::string>;
  std::map<Group, Counter> groups;
  for (auto const& [key, counter] : totals.rows()) {
    groups[{function_name(key.call, key.form), key.algorithm}].add(counter);
  }
  std::array<char, 200> line{};
  std::snprintf(
      line.data(),
      line.size(),
      "espalier: rank %d, %.3f s between MPI_Init and MPI_Finalize, %zu bytes of own memory\n",
      report.rank,
      report.seconds,
      report.memory_bytes
  );
  std::string text = line.data();
  for (auto const& [group, counter] : groups) {
    auto const& [function, algorithm] = group;
    std::snprintf(
        line.data(),
        line.size(),
        "espalier:   %-15s %10llu calls %16lld bytes %10.6f s  ",
        function.c_str(),
        static_cast<unsigned long long>(counter.count),
        static_cast<long long>(counter.bytes),
        counter.seconds
    );
    text += line.data() + algorithm + "\n";
  }
  return report.learning ? text + learning_line(*report.learning) : text;
}

}  // namespace espalier::plan
