// SPDX-License-Identifier: Apache-2.0

#include "espalier/exec/node/segment.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace espalier::exec::node {
namespace {

constexpr std::size_t kibibyte = 1024;
/// For fragments, of each rank.
constexpr std::size_t memory_of_rank = 2048 * kibibyte;
/// More for each other rank than this gains nothing.
constexpr std::size_t enough_for_a_rank = 32 * kibibyte;
/// Fragments of fewer bytes than this cost more than messages.
constexpr int most_ranks = 256;
constexpr std::size_t least_in_a_block = 64 * kibibyte;
constexpr std::size_t most_in_a_block = 512 * kibibyte;
/// Areas begin on pages of any machine.
constexpr std::size_t largest_page = 64 * kibibyte;

constexpr std::size_t round_up(std::size_t value, std::size_t unit) noexcept {
  return (value + unit - 1) / unit * unit;
}

/// A process that makes a file longer than it may is killed.
bool exceeds_limit(std::size_t num_bytes) noexcept {
  rlimit limit{};
  return getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
         limit.rlim_cur < num_bytes;
}

}  // namespace

SegmentShape SegmentShape::of(int num_ranks) noexcept {
  if (num_ranks > most_ranks) {
    return {};
  }
  auto const others = static_cast<std::size_t>(std::max(num_ranks - 1, 1));
  std::size_t const in_a_block =
      std::clamp(others * enough_for_a_rank, least_in_a_block, most_in_a_block);
  return {
      .num_ranks = num_ranks,
      .num_contexts = static_cast<int>(memory_of_rank / in_a_block),
      .chunk_memory_bytes = in_a_block,
  };
}

std::size_t SegmentShape::block_bytes() const noexcept {
  return static_cast<std::size_t>(num_ranks) * sizeof(Channel) + chunk_memory_bytes;
}

std::size_t SegmentShape::area_bytes() const noexcept {
  return round_up(static_cast<std::size_t>(num_contexts) * block_bytes(), largest_page);
}

std::size_t SegmentShape::num_bytes() const noexcept {
  return static_cast<std::size_t>(num_ranks) * area_bytes();
}

std::size_t SegmentShape::area_begin(int rank) const noexcept {
  return static_cast<std::size_t>(rank) * area_bytes();
}

Segment::Segment(Segment&& other) noexcept
    : shape_(other.shape_), file_(std::exchange(other.file_, -1)),
      memory_(std::exchange(other.memory_, nullptr)) {}

Segment& Segment::operator=(Segment&& other) noexcept {
  std::swap(shape_, other.shape_);
  std::swap(file_, other.file_);
  std::swap(memory_, other.memory_);
  return *this;
}

Segment::~Segment() {
  if (memory_ != nullptr) {
    munmap(memory_, shape_.num_bytes());
  }
  close_file();
}

void Segment::close_file() noexcept {
  if (file_ >= 0) {
    close(std::exchange(file_, -1));
  }
}

std::optional<Segment> Segment::map(SegmentShape shape, int file) noexcept {
  Segment made;
  made.shape_ = shape;
  made.file_ = file;
  void* const memory =
      mmap(nullptr, shape.num_bytes(), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) {
    return std::nullopt;
  }
  made.memory_ = static_cast<std::byte*>(memory);
  return made;
}

std::optional<Segment> Segment::create(SegmentShape shape) noexcept {
  if (shape.num_contexts == 0 || exceeds_limit(shape.num_bytes())) {
    return std::nullopt;
  }
  int const file = memfd_create("espalier-node", MFD_CLOEXEC);
  if (file < 0) {
    return std::nullopt;
  }
  if (ftruncate(file, static_cast<off_t>(shape.num_bytes())) != 0) {
    close(file);
    return std::nullopt;
  }
  return map(shape, file);
}

Segment::Address Segment::address() const noexcept {
  struct stat status {};

  if (file_ < 0 || fstat(file_, &status) != 0) {
    return {};
  }
  return {
      .process = getpid(),
      .file = file_,
      .device = status.st_dev,
      .inode = status.st_ino,
  };
}

std::optional<Segment> Segment::open(SegmentShape shape, Address const& address) noexcept {
  if (address.process < 0) {
    return std::nullopt;
  }
  std::array<char, 64> path{};
  std::snprintf(
      path.data(),
      path.size(),
      "/proc/%lld/fd/%lld",
      static_cast<long long>(address.process),
      static_cast<long long>(address.file)
  );

  // Looked at before it is opened: in another namespace the number is somebody else.
  struct stat status {};

  bool const is_it = stat(path.data(), &status) == 0 && status.st_dev == address.device &&
                     status.st_ino == address.inode &&
                     status.st_size == static_cast<off_t>(shape.num_bytes());
  int const file = is_it ? ::open(path.data(), O_RDWR | O_CLOEXEC) : -1;
  return file < 0 ? std::nullopt : map(shape, file);
}

bool Segment::back(int rank) noexcept {
  return !exceeds_limit(shape_.num_bytes()) && posix_fallocate(
                                                   file_,
                                                   static_cast<off_t>(shape_.area_begin(rank)),
                                                   static_cast<off_t>(shape_.area_bytes())
                                               ) == 0;
}

ChannelPlace Segment::place(ChannelKey const& key) const noexcept {
  std::byte* const block = memory_ + shape_.area_begin(key.to) +
                           static_cast<std::size_t>(key.context) * shape_.block_bytes();
  std::byte* const chunks = block + static_cast<std::size_t>(shape_.num_ranks) * sizeof(Channel);
  auto const others = static_cast<std::size_t>(key.num_members - 1);
  std::size_t const share = shape_.chunk_memory_bytes / others;
  std::size_t const chunk_bytes = share / num_lines / line_bytes * line_bytes;
  int const place = key.from_member - (key.from_member > key.to_member ? 1 : 0);
  return {
      .channel = reinterpret_cast<Channel*>(block) + key.from,
      .chunks = chunks + static_cast<std::size_t>(place) * num_lines * chunk_bytes,
      .chunk_bytes = chunk_bytes,
  };
}

}  // namespace espalier::exec::node
