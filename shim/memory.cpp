// SPDX-License-Identifier: Apache-2.0

#include "shim/memory.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <mpi.h>

#include "espalier/base/error.hpp"
#include "espalier/base/field.hpp"
#include "espalier/base/whole_file.hpp"
#include "espalier/machine/sources/kind_of_machine.hpp"
#include "espalier/mpi/success.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/learning/learned.hpp"
#include "espalier/plan/settings/settings.hpp"
#include "espalier/profile/kept_file.hpp"
#include "espalier/profile/profile.hpp"
#include "shim/report.hpp"

namespace espalier::shim {
namespace {

namespace fs = std::filesystem;

using mpi::require_success;

/// Whether the user named the file. On rank 0, which reads and writes it.
constinit bool is_named = false;

/// Empty if there is no place for it.
std::string usual_path(std::string const& library_version) {
  fs::path const folder = state_folder();
  if (folder.empty()) {
    return "";
  }
  return (folder / machine::learned_file_name(library_version)).string();
}

/// There is nothing in it yet, as in a file that mktemp made.
bool is_empty(fs::path const& path) {
  std::error_code problem;
  return fs::is_regular_file(path, problem) && fs::file_size(path, problem) == 0;
}

/// The last parts of the path of the program and of the first argument that is no option, which for
/// interpreters is the program: `16 x gmx_mpi mdrun`.
std::string program_name() {
  constexpr std::size_t longest_name = 120;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::string name;
  std::string word;
  std::getline(file, name, '\0');
  name = fs::path(name).filename().string();
  while (std::getline(file, word, '\0')) {
    if (!word.empty() && word.front() != '-') {
      name += " " + fs::path(word).filename().string();
      break;
    }
  }
  name.resize(std::min(name.size(), longest_name));
  // Names of files need not be texts, as the memory is.
  std::ranges::replace_if(name, [](char one) { return one < ' ' || one > '~'; }, '?');
  int num_ranks = 1;
  require_success(PMPI_Comm_size(MPI_COMM_WORLD, &num_ranks), "MPI_Comm_size");
  return std::to_string(num_ranks) + " x " + name;
}

void write_learned(
    plan::Settings const& settings,
    plan::Learned const& learned,
    plan::RunsOfProgram const& run,
    std::string const& library_version
) {
  std::string const& path = settings.memory_path;
  profile::change_kept_file(path, [&](std::string const& before) {
    return plan::with_learned(before, path, learned, settings.program, run, library_version);
  });
}

/// Something was decided, tried, or is worth trying in the next run, or it is known what that
/// costs, or how many calls there are now of those that are to be tried.
bool is_worth_keeping(plan::Learned const& learned, std::vector<plan::Trials> const& earlier) {
  return !learned.lessons.empty() ||
         std::ranges::any_of(learned.trials, [&](plan::Trials const& trials) {
           bool const is_known =
               std::ranges::find(earlier, trials.kind, &plan::Trials::kind) != earlier.end();
           return !trials.record.candidates.empty() || trials.exchange_seconds > 0 || is_known;
         });
}

void write_or_complain(
    plan::Session const& session,
    plan::Learned const& learned,
    std::string const& library_version,
    Times const& times
) {
  if (!is_worth_keeping(learned, session.settings().trials)) {
    return;
  }
  plan::RunsOfProgram const run{
      .seconds = times.startup_seconds + times.seconds,
      .cost_seconds = times.startup_seconds + session.learning()->report().lost_seconds,
  };
  try {
    write_learned(session.settings(), learned, run, library_version);
  } catch (Error const& error) {
    // Nobody asked for a file in the usual place, which some jobs cannot write to.
    if (!is_named && !session.settings().is_verbose) {
      return;
    }
    print_line(
        std::string("ESPALIER_MEMORY: what was learned is lost: ") + error.what() +
        "; make room or name another file"
    );
  }
}

/// Of all ranks on rank 0; nothing on the others. Collective over MPI_COMM_WORLD.
plan::Learned gather(plan::Learned const& own, int rank, int num_ranks) {
  std::string const bytes = own.empty() ? std::string() : plan::to_bytes(own);
  auto const size = static_cast<int>(bytes.size());
  std::vector<int> sizes(rank == 0 ? static_cast<std::size_t>(num_ranks) : 0);
  require_success(
      PMPI_Gather(&size, 1, MPI_INT, sizes.data(), 1, MPI_INT, 0, MPI_COMM_WORLD), "MPI_Gather"
  );
  std::vector<int> places(sizes.size());
  std::exclusive_scan(sizes.begin(), sizes.end(), places.begin(), 0);
  std::string all(sizes.empty() ? 0 : static_cast<std::size_t>(places.back() + sizes.back()), '\0');
  require_success(
      PMPI_Gatherv(
          bytes.data(),
          size,
          MPI_BYTE,
          all.data(),
          sizes.data(),
          places.data(),
          MPI_BYTE,
          0,
          MPI_COMM_WORLD
      ),
      "MPI_Gatherv"
  );
  plan::Learned learned;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    auto const part = std::string_view(all).substr(
        static_cast<std::size_t>(places[i]), static_cast<std::size_t>(sizes[i])
    );
    if (!part.empty()) {
      learned.add(plan::learned_from_bytes(part));
    }
  }
  return learned;
}

/// Finds what trials of nonblocking calls took on the ranks that took longest. Collective over
/// MPI_COMM_WORLD.
void conclude_started(plan::Learning& learning, int rank) {
  std::vector<double> const own = learning.end_started();
  if (own.empty()) {
    return;
  }
  std::vector<double> longest(own.size());
  require_success(
      PMPI_Reduce(
          own.data(),
          longest.data(),
          static_cast<int>(own.size()),
          MPI_DOUBLE,
          MPI_MAX,
          0,
          MPI_COMM_WORLD
      ),
      "MPI_Reduce"
  );
  if (rank == 0) {
    learning.note_started(longest);
  }
}

}  // namespace

void read_memory(plan::SettingsText& text, std::string const& library_version) {
  if (text.memory_path == "off") {
    text.memory_path.clear();
    return;
  }
  std::error_code problem;
  is_named = !text.memory_path.empty();
  text.memory_path = text.memory_path.empty() ? usual_path(library_version)
                                              : fs::absolute(text.memory_path, problem).string();
  if (text.memory_path.empty() || !fs::exists(text.memory_path, problem) ||
      is_empty(text.memory_path)) {
    return;
  }
  try {
    text.memory = parse_json(profile::read_text(text.memory_path), text.memory_path);
  } catch (Error const& error) {
    text.memory_problem = error.what();
  }
}

void name_program(plan::SettingsText& text) {
  if (!text.memory_path.empty()) {
    // What is left to learn beside a profile says nothing of runs without one.
    text.program = program_name() + (text.profile_path.empty() ? "" : ", with a profile");
  }
}

void remember(
    plan::Session& session, std::string const& library_version, Times const& times, bool is_first
) {
  if (session.learning() == nullptr || session.settings().memory_path.empty()) {
    return;
  }
  plan::Session::World const& world = session.world();
  conclude_started(*session.learning(), world.rank);
  plan::Learned const own = is_first ? session.learned(true) : plan::Learned{};
  plan::Learned const learned = gather(own, world.rank, world.num_ranks);
  if (world.rank == 0 && is_first) {
    write_or_complain(session, learned, library_version, times);
  }
}

void remember_alone(
    plan::Session& session, std::string const& library_version, Times const& times
) noexcept {
  static_cast<void>(plan::guard([&] {
    bool const is_writer = session.learning() != nullptr && session.world().rank == 0 &&
                           !session.settings().memory_path.empty();
    if (is_writer) {
      write_or_complain(session, session.learned(false), library_version, times);
    }
    return MPI_SUCCESS;
  }));
}

}  // namespace espalier::shim
