// SPDX-License-Identifier: Apache-2.0

#include "espalier/plan/settings/statistics.hpp"

#include <array>
#include <cstdio>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "espalier/base/json_text.hpp"

namespace espalier::plan {
namespace {

nlohmann::ordered_json to_json(MappingNote const& note) {
  return {
      {"function", note.function},
      {"num_ranks", note.num_ranks},
      {"algorithm", note.algorithm},
      {"report", note.report},
  };
}

nlohmann::ordered_json to_json(Manner const& manner, Counter const& counter) {
  nlohmann::ordered_json json;
  if (manner == Manner::others()) {
    json["others"] = true;
  }
  if (manner.root >= 0) {
    json["root"] = manner.root;
  }
  if (manner.op != Operator::none) {
    json["operator"] = to_string(manner.op);
  }
  if (manner.is_in_place) {
    json["in_place"] = true;
  }
  json["count"] = counter.count;
  json["seconds"] = counter.seconds;
  return json;
}

nlohmann::ordered_json to_json(Completed const& completed) {
  return {
      {"count", completed.count},
      {"tests", completed.num_tests},
      {"waiting_seconds", completed.waiting_seconds},
      {"work_seconds", completed.work_seconds},
  };
}

/// Nothing if all there is to say is that nothing is.
nlohmann::ordered_json to_json(std::map<Manner, Counter> const& manners) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  if (manners.size() > 1 || (manners.size() == 1 && manners.begin()->first != Manner())) {
    for (auto const& [manner, counter] : manners) {
      list.push_back(to_json(manner, counter));
    }
  }
  return list;
}

nlohmann::ordered_json to_json(Totals::Key const& key, Totals::Row const& row) {
  nlohmann::ordered_json json = {
      {"function", key.function},
      {"num_ranks", key.communicator.num_ranks},
      {"num_nodes", key.communicator.num_nodes},
      {"ranks", key.communicator.ranks},
      {"min_bytes", min_bytes_of(key.size_class)},
      {"max_bytes", max_bytes_of(key.size_class)},
      {"count", row.counter.count},
      {"bytes", row.counter.bytes},
      {"seconds", row.counter.seconds},
      {"algorithm", key.algorithm},
      {"reason", key.reason},
  };
  if (row.completed != Completed()) {
    json["completed"] = to_json(row.completed);
  }
  if (auto manners = to_json(row.manners); !manners.empty()) {
    json["manners"] = std::move(manners);
  }
  // Parts of a communicator that nobody can name are of no use.
  if (row.parts_count > 0 && !key.communicator.ranks.empty()) {
    json["parts"] = {{"call", row.parts.call}, {"bytes", row.parts.bytes}};
    if (row.parts.bytes.size() > 1) {
      json["parts"]["received_bytes"] = row.parts.received_bytes;
    }
  }
  return json;
}

std::string learning_line(LearningReport const& learning) {
  std::array<char, 300> line{};
  std::snprintf(
      line.data(),
      line.size(),
      "espalier: learning lost %.1f ms of at most %.1f ms; what it knows saved about %.1f ms; "
      "kinds "
      "of calls that it decided in this run: %d, of which %d run faster now\n",
      learning.lost_seconds * 1e3,
      learning.bound_seconds * 1e3,
      learning.saved_seconds * 1e3,
      learning.num_faster + learning.num_native,
      learning.num_faster
  );
  return line.data();
}

}  // namespace

void OwnCommunicators::add(OwnCommunicators const& other) noexcept {
  count += other.count;
  seconds += other.seconds;
}

std::string function_name(profile::Call call, CountedForm form) {
  switch (form) {
  case CountedForm::nonblocking:
    return profile::function_name({.call = call, .form = profile::Form::nonblocking});
  case CountedForm::persistent:
    return std::string(profile::function_name(call)) + "_init";
  default:
    return std::string(profile::function_name(call));
  }
}

CommunicatorClass Totals::known(CommunicatorClass communicator) {
  if (ranks_.size() >= most_classes && !ranks_.contains(communicator.ranks)) {
    communicator.ranks.clear();
  }
  ranks_.insert(communicator.ranks);
  return communicator;
}

void Totals::add(CommunicatorClass communicator, Recorder const& recorder, CountedForm form) {
  communicator = known(std::move(communicator));
  for (Recorder::Row const& counted : recorder.rows()) {
    add_known(communicator, counted, form);
  }
}

void Totals::add(CommunicatorClass communicator, Recorder::Row const& counted, CountedForm form) {
  add_known(known(std::move(communicator)), counted, form);
}

void Totals::add_known(
    CommunicatorClass const& communicator, Recorder::Row const& counted, CountedForm form
) {
  Key key{
      .function = function_name(counted.call, form),
      .communicator = communicator,
      .size_class = counted.size_class,
      .algorithm = counted.decision->algorithm_text(),
      .reason = counted.decision->reason,
  };
  Row& row = rows_[std::move(key)];
  row.counter.add(counted.counter);
  if (counted.completions != nullptr) {
    row.completed.add(counted.completions->so_far());
  }
  row.manners[counted.manner].add(counted.counter);
  if (counted.parts != nullptr && counted.counter.count > row.parts_count) {
    row.parts = *counted.parts;
    row.parts_count = counted.counter.count;
  }
}

void Totals::add(CommunicatorClass communicator, NeighborRecorder const& recorder) {
  communicator = known(std::move(communicator));
  for (NeighborRecorder::Row const& counted : recorder.rows()) {
    Key key{
        .function = profile::function_name(rule_form(counted.call)),
        .communicator = communicator,
        .size_class = counted.size_class,
        .algorithm = counted.decision->algorithm_text(),
        .reason = counted.decision->reason,
    };
    Row& row = rows_[std::move(key)];
    row.counter.add(counted.counter);
    if (counted.completions != nullptr) {
      row.completed.add(counted.completions->so_far());
    }
  }
}

std::string statistics_json(ProcessReport const& report, Totals const& totals) {
  nlohmann::ordered_json calls = nlohmann::ordered_json::array();
  for (auto const& [key, row] : totals.rows()) {
    calls.push_back(to_json(key, row));
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
  if (!report.run.empty()) {
    document["run"] = report.run;
  }
  if (report.learning) {
    document["learning"] = {
        {"lost_seconds", report.learning->lost_seconds},
        {"bound_seconds", report.learning->bound_seconds},
        {"saved_seconds", report.learning->saved_seconds},
        {"num_faster", report.learning->num_faster},
        {"num_native", report.learning->num_native},
    };
  }
  return json_text(document, 1) + "\n";
}

std::string statistics_table(ProcessReport const& report, Totals const& totals) {
  using Group = std::tuple<std::string, std::string>;
  std::map<Group, Counter> groups;
  for (auto const& [key, row] : totals.rows()) {
    Counter& counter = groups[{key.function, key.algorithm}];
    counter.add(row.counter);
    counter.seconds += row.completed.waiting_seconds;
  }
  std::array<char, 300> line{};
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
