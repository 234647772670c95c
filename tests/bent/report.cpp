// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/report.hpp"

#include <cstdio>
#include <fcntl.h>
#include <unistd.h>

namespace bent {
namespace {

/// Calls of the handler since the last line.
struct Handled {
  MPI_Comm expected = MPI_COMM_NULL;
  int count = 0;
  int elsewhere = 0;
  int last_class = MPI_SUCCESS;
};

Handled handled;

void on_error(MPI_Comm* comm, int* code, ...) {
  ++handled.count;
  handled.last_class = class_of(*code);
  handled.elsewhere += *comm == handled.expected ? 0 : 1;
}

/// Number of calls, with marks for another communicator and another class.
std::string handled_text(int code) {
  std::string text = std::to_string(handled.count);
  text += handled.elsewhere > 0 ? "c" : "";
  text += handled.count > 0 && handled.last_class != class_of(code) ? "e" : "";
  return text;
}

}  // namespace

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

MPI_Errhandler counting_handler() {
  static MPI_Errhandler const handler = [] {
    MPI_Errhandler made = MPI_ERRHANDLER_NULL;
    MPI_Comm_create_errhandler(on_error, &made);
    return made;
  }();
  return handler;
}

void expect_errors_on(MPI_Comm comm) {
  handled = {.expected = comm};
}

Report::Report(std::string const& folder, int rank, unsigned limit) : rank_(rank), limit_(limit) {
  if (!folder.empty()) {
    std::string const path = folder + "/rank-" + std::to_string(rank);
    descriptor_ = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  }
}

void Report::write(std::string const& line) const {
  std::string const text = line + "\n";
  if (::write(descriptor_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) {
    std::perror("bent: report");
  }
}

void Report::begin(std::uint64_t seed, std::string const& kind) {
  seed_ = seed;
  kind_ = kind;
  index_ = 0;
  write("program " + std::to_string(seed) + " " + kind);
}

void Report::renew() const {
  alarm(limit_);
}

void Report::end() {
  write("end " + std::to_string(seed_));
}

void Report::before(std::string const& call) {
  renew();
  call_ = std::to_string(seed_) + " " + std::to_string(index_) + " " + kind_ + " " + call + note_;
  note_.clear();
  write("call " + call_);
  ++index_;
}

void Report::after(int code, Data data, std::string const& digest) {
  static constexpr char const* words[] = {"clean", "garbled", "undefined"};
  std::string line = "done " + call_ + " " + std::to_string(rank_) + " " +
                     std::to_string(class_of(code)) + " " + handled_text(code) + " ";
  line += code != MPI_SUCCESS ? "error -" : words[static_cast<int>(data)] + (" " + digest);
  if (is_corrupt_ && code == MPI_SUCCESS) {
    line.back() = line.back() == '0' ? '1' : '0';
    is_corrupt_ = false;
  }
  write(line);
}

}  // namespace bent
