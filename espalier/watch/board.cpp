// SPDX-License-Identifier: Apache-2.0

#include "espalier/watch/board.hpp"

#include <cstddef>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "espalier/base/drawn_name.hpp"
#include "espalier/base/without_signals.hpp"

namespace espalier::watch {
namespace {

/// Distance of records. Mapping needs whole pages, and some machines have large ones.
std::size_t page() noexcept {
  return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

off_t offset_of(int rank) noexcept {
  return static_cast<off_t>(rank) * static_cast<off_t>(page());
}

/// Ours, and not something that another user put there.
bool is_ours(int file) noexcept {
  struct stat status {};

  return fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid();
}

}  // namespace

Board::Board(std::string const& name, int num_ranks, int rank)
    : num_ranks_(num_ranks), rank_(rank) {
  if (!name.empty()) {
    share(name);
  }
  if (own_ == nullptr) {
    private_ = std::make_unique<Record>();
    own_ = private_.get();
  }
  store(own_->magic, Record::expected_magic);
}

Board::~Board() {
  if (file_ >= 0) {
    munmap(own_, page());
    close(file_);
  }
}

void Board::share(std::string const& name) {
  int const file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) {
    return;
  }
  // Room for the record is made here: later it would be missing in the middle of a call. All
  // ranks give the file the same size, which costs nothing where nobody writes.
  WithoutSignals const undisturbed;
  bool const has_room = is_ours(file) && ftruncate(file, offset_of(num_ranks_)) == 0 &&
                        posix_fallocate(file, offset_of(rank_), static_cast<off_t>(page())) == 0;
  void* const memory =
      has_room ? mmap(nullptr, page(), PROT_READ | PROT_WRITE, MAP_SHARED, file, offset_of(rank_))
               : MAP_FAILED;
  if (memory == MAP_FAILED) {
    close(file);
    return;
  }
  file_ = file;
  own_ = new (memory) Record;
}

std::string Board::draw_name() {
  std::string const name = drawn_name();
  return name.empty() ? name : "/espalier-watch-" + name;
}

void Board::remove_name(std::string const& name) noexcept {
  if (!name.empty()) {
    shm_unlink(name.c_str());
  }
}

bool Board::read(int rank, Record& to) const noexcept {
  // Not through mapped memory: where no rank of this node is, looking would make a page, for which
  // there may be no room.
  return pread(file_, &to, sizeof to, offset_of(rank)) == static_cast<ssize_t>(sizeof to);
}

std::optional<Findings> Board::look_at_rank(int rank) const {
  if (rank < 0 || rank >= num_ranks_) {
    return std::nullopt;
  }
  if (rank == rank_) {
    return look_at([this](Record& to) {
      copy_words(*own_, to);
      return true;
    });
  }
  return is_shared() ? look_at([this, rank](Record& to) { return read(rank, to); }) : std::nullopt;
}

void Board::finish() noexcept {
  store(own_->finished_since, static_cast<std::uint64_t>(now()));
}

}  // namespace espalier::watch
