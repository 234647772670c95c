// SPDX-License-Identifier: Apache-2.0

#include "shim/lifecycle.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

#include <mpi.h>

#include "espalier/base/mpi_library.hpp"
#include "espalier/base/version.hpp"
#include "espalier/base/whole_file.hpp"
#include "espalier/plan/clock.hpp"
#include "espalier/plan/failure.hpp"
#include "espalier/plan/native_algorithms/permission.hpp"
#include "espalier/plan/progress/progress.hpp"
#include "espalier/plan/session.hpp"
#include "espalier/plan/settings/settings.hpp"
#include "espalier/plan/settings/settings_text.hpp"
#include "espalier/plan/settings/statistics.hpp"
#include "espalier/watch/duration.hpp"
#include "shim/environment.hpp"
#include "shim/expected_program.hpp"
#include "shim/forward.hpp"
#include "shim/library.hpp"
#include "shim/memory.hpp"
#include "shim/pointer_constants.hpp"
#include "shim/progress.hpp"
#include "shim/report.hpp"
#include "shim/roll_call.hpp"
#include "shim/startup.hpp"
#include "shim/surroundings.hpp"
#include "shim/topology.hpp"
#include "shim/watching.hpp"

namespace espalier::shim {

constinit std::atomic<plan::Session*> active_session{nullptr};

namespace {

/// One MPI program, from the end of MPI_Init on.
struct Program {
  std::unique_ptr<plan::Session> session;
  std::string library_version;
  plan::Clock::time_point startup = plan::Clock::now();
  plan::Clock::time_point start = startup;
  pid_t process = getpid();
  /// What this process knows was written, as it came to its end without MPI_Finalize.
  bool has_ended = false;
};

/// Never destroyed: what runs at exit needs it, in whatever order.
constinit Program* program = nullptr;

double seconds_between(plan::Clock::time_point from, plan::Clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

/// Of the program until now.
Times times() {
  return {
      .startup_seconds = seconds_between(program->startup, program->start),
      .seconds = seconds_between(program->start, plan::Clock::now()),
  };
}

plan::ProcessReport report(Times const& times, bool is_finalized) {
  plan::Session const& session = *program->session;
  return {
      .rank = session.world().rank,
      .num_ranks = session.world().num_ranks,
      .run = session.settings().run,
      .vendor = std::string(family_of(program->library_version)),
      .library_version = program->library_version,
      .seconds = times.seconds,
      .is_finalized = is_finalized,
      .memory_bytes = session.memory_bytes(),
      .warnings = session.notes().warnings(),
      .mappings = session.notes().mappings(),
      .learning = session.learning() != nullptr ? std::optional(session.learning()->report())
                                                : std::nullopt,
  };
}

/// @return errno of what went wrong, 0 if nothing or nothing is to be written.
int write_statistics(plan::ProcessReport const& process) {
  plan::Session const& session = *program->session;
  if (session.settings().statistics.empty()) {
    return 0;
  }
  return write_file(
      session.settings().statistics,
      "rank-" + std::to_string(process.rank) + ".json",
      plan::statistics_json(process, session.totals())
  );
}

std::string not_written(std::string const& who, int error_number) {
  return "ESPALIER_STATISTICS: " + who + " could not write to " +
         program->session->settings().statistics + ": " +
         std::generic_category().message(error_number) + "; make room or name another folder";
}

/// One warning for all ranks, from rank 0. Collective over MPI_COMM_WORLD.
void warn_if_not_written(int error_number) {
  plan::Session::World const& world = program->session->world();
  std::vector<int> problems(static_cast<std::size_t>(world.num_ranks));
  Handle const type = to_handle(MPI_INT);
  forward.allgather(&error_number, 1, type, problems.data(), 1, type, to_handle(MPI_COMM_WORLD));
  auto const num_good = std::ranges::count(problems, 0);
  auto const num_failed = world.num_ranks - static_cast<int>(num_good);
  if (world.rank == 0 && num_failed > 0) {
    std::string const who =
        std::to_string(num_failed) + " of " + std::to_string(world.num_ranks) + " ranks";
    print_line(not_written(who, *std::ranges::max_element(problems)));
  }
}

/// Ends of processes that never came to MPI_Finalize. Calls nothing of MPI.
void write_at_exit() noexcept {
  // A child of fork() has no calls of its own to report.
  if (program == nullptr || program->session == nullptr || program->process != getpid() ||
      std::exchange(program->has_ended, true)) {
    return;
  }
  stop_watching();
  stop_progress_thread();
  topology_session.store(nullptr);
  active_session.store(nullptr);
  plan::guard([] {
    Times const ended = times();
    plan::ProcessReport const process = report(ended, false);
    if (int const error_number = write_statistics(process); error_number != 0) {
      print_line(not_written("rank " + std::to_string(process.rank), error_number));
    }
    remember_alone(*program->session, program->library_version, ended);
    return MPI_SUCCESS;
  });
}

std::string profile_text(plan::Settings const& settings) {
  if (settings.is_off) {
    return ", switched off";
  }
  if (settings.profile) {
    return ", profile " + settings.profile_path + " with " +
           std::to_string(settings.profile->rules().size()) + " rules";
  }
  return settings.profile_path.empty() ? ", no profile" : ", profile not usable";
}

std::string learning_text(plan::Settings const& settings) {
  std::string text;
  if (settings.learning) {
    text += ", learning";
    text += settings.memory ? " from " + settings.memory_path + " on" : "";
    text += settings.site ? ", rules of the site in " + settings.site_path : "";
  }
  return text + (settings.resting.empty() ? "" : ", resting, as " + settings.resting);
}

std::string forced_text(plan::Settings const& settings) {
  std::string text;
  auto const add = [&](std::string const& call, std::string const& algorithm) {
    text += ", " + call + " forced to " + algorithm;
  };
  for (profile::Call const call : profile::all_calls) {
    for (profile::Form const form : profile::all_forms) {
      auto const& forced = settings.forced[profile::index_of(form)];
      if (auto const& entry = forced[profile::index_of(call)]) {
        add(profile::to_string({.call = call, .form = form}),
            entry->choice ? entry->choice->text() : "native");
      }
    }
  }
  for (plan::NeighborForm const one : plan::all_neighbor_forms) {
    if (auto const& forced = settings.forced_neighbors[plan::index_of(one)]) {
      add(plan::to_string(one), std::string(forced->algorithm_text()));
    }
  }
  return text;
}

void print_start(plan::Settings const& settings) {
  std::string const watch =
      settings.watches() ? ", waits of " + watch::duration_text(settings.watch) + " are told" : "";
  print_line(
      std::string(version) + " under " + program->library_version + profile_text(settings) +
      learning_text(settings) + forced_text(settings) + watch
  );
}

/// @param read  what is known of the settings of rank 0
/// @param library  whose calls these are
void start_session(std::optional<plan::SettingsText> read, MpiLibrary const& library) {
  call_roll();
  plan::Settings settings =
      plan::Settings::parse(share_settings(std::move(read), library), family_of(library.version));
  bool const is_active = settings.records() || settings.may_choose_any();
  plan::Session::World world = describe_world(
      {
          .nodes = settings.needs_nodes() || (settings.records() && counts_nodes()),
          .devices = is_active,
          // Learning asks for nothing that only nonblocking calls need before it serves some.
          .traits = is_active && (settings.has_choices() || settings.starts_what_was_learned()),
      },
      program->library_version
  );
  bool const is_first = world.rank == 0;
  if (is_first && settings.is_verbose) {
    print_start(settings);
  }
  program->session = std::make_unique<plan::Session>(
      std::move(settings),
      std::move(world),
      [is_first](std::string const& line) {
        if (is_first) {
          print_line(line);
        }
      }
  );
  program->session->prepare();
  start_watching(program->session->settings(), program->session->world());
  start_progress_thread(*program->session);
  start_together();
  program->start = plan::Clock::now();
  if (program->session->settings().cares_for_topologies()) {
    topology_session.store(program->session.get());
  }
  if (is_active) {
    static_cast<void>(std::atexit(write_at_exit));
    active_session.store(program->session.get());
  }
}

/// The end of a successful MPI_Init.
/// @param read  as in start_session()
/// @return MPI_SUCCESS, or a code that was delivered to the error handler of MPI_COMM_WORLD.
int start(std::optional<plan::SettingsText> read) noexcept {
  if (program != nullptr) {
    return MPI_SUCCESS;
  }
  int const code = plan::guard([&] {
    MpiLibrary const library = find_library();
    if (std::string const reason = why_native(library, ESPALIER_MPI_VENDOR); !reason.empty()) {
      if (may_be_rank_zero()) {
        print_line(reason);
      }
      return MPI_SUCCESS;
    }
    find_pointer_constants(library.version);
    program = std::make_unique<Program>(Program{.library_version = library.version}).release();
    start_session(std::move(read), library);
    return MPI_SUCCESS;
  });
  return code == MPI_SUCCESS ? code : plan::raise(MPI_COMM_WORLD, code);
}

/// The beginning of MPI_Init. Local. Rank 0 reads its settings while the other ranks start, too:
/// later they would wait for it.
/// @return what it read; nothing on ranks that are not rank 0 for sure
std::optional<plan::SettingsText> prepare_start() noexcept {
  note_start_of_mpi();
  if (may_want_native_algorithms()) {
    plan::permit_native_algorithms();
  }
  if (!reads_ahead() || !is_rank_zero()) {
    return std::nullopt;
  }
  try {
    return read_settings(find_library().version);
  } catch (...) {
    // Read again at the end of MPI_Init, when it can be said what is wrong.
    return std::nullopt;
  }
}

void finish_session() {
  plan::Session& session = *program->session;
  // What follows is not time of the program.
  Times const ended = times();
  // First, as it counts what the calls since the last trials saved. A handler of exit() may call
  // MPI_Finalize after the one of ours: what was kept there is not evidence twice.
  remember(session, program->library_version, ended, !program->has_ended);
  plan::ProcessReport const process = report(ended, true);
  if (!session.settings().statistics.empty()) {
    warn_if_not_written(write_statistics(process));
  }
  if (session.settings().is_verbose && process.rank == 0 && session.records()) {
    std::string const table = plan::statistics_table(process, session.totals());
    std::fputs(table.c_str(), stderr);
  }
}

}  // namespace

int init(int* argc, char*** argv) {
  auto read = prepare_start();
  int provided = MPI_THREAD_SINGLE;
  int const code = wants_all_threads()
                       ? forward.init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided)
                       : forward.init(argc, argv);
  return code == MPI_SUCCESS ? start(std::move(read)) : code;
}

int init_thread(int* argc, char*** argv, int required, int* provided) {
  auto read = prepare_start();
  int const level = wants_all_threads() ? MPI_THREAD_MULTIPLE : required;
  int const code = forward.init_thread(argc, argv, level, provided);
  return code == MPI_SUCCESS ? start(std::move(read)) : code;
}

int finalize() {
  if (program == nullptr || program->session == nullptr) {
    return forward.finalize();
  }
  stop_watching();
  stop_progress_thread();
  topology_session.store(nullptr);
  active_session.store(nullptr);
  static_cast<void>(plan::guard([] {
    finish_session();
    return MPI_SUCCESS;
  }));
  plan::leave_progress();
  program->session->finish();
  int const code = forward.finalize();
  program->session.reset();
  return code;
}

int abort(Handle comm, int errorcode) {
  write_at_exit();
  return forward.abort(comm, errorcode);
}

}  // namespace espalier::shim
