// SPDX-License-Identifier: Apache-2.0

#include <thread>

#include "tests/bent/bends.hpp"

namespace bent {
namespace {

constexpr int num_threads = 3;

/// What one thread does on its own communicator, and what it got.
struct Work {
  MPI_Comm comm = MPI_COMM_NULL;
  Random common{0};
  int number = 0;
  Digest digest;
};

void make_group(MPI_Comm comm, int tag, Digest& digest) {
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &group);
  MPI_Comm made = MPI_COMM_NULL;
  digest.add(static_cast<std::uint64_t>(MPI_Comm_create_group(comm, group, tag, &made)));
  MPI_Group_free(&group);
  int value = 1;
  int sum = 0;
  digest.add(static_cast<std::uint64_t>(MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, made)));
  digest.add(static_cast<std::uint64_t>(sum));
  MPI_Comm_free(&made);
}

void make_duplicate(MPI_Comm comm, Digest& digest) {
  MPI_Comm made = MPI_COMM_NULL;
  digest.add(static_cast<std::uint64_t>(MPI_Comm_dup(comm, &made)));
  digest.add(static_cast<std::uint64_t>(MPI_Barrier(made)));
  MPI_Comm_free(&made);
}

void call_collectives(MPI_Comm comm, Random& common, Digest& digest) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int const count = 1 + common.below(600);
  std::vector<int> values(static_cast<std::size_t>(count), rank + 1);
  std::vector<int> all(values.size() * static_cast<std::size_t>(size));
  int* const to = all.data();
  int code = MPI_Allgather(values.data(), count, MPI_INT, to, count, MPI_INT, comm);
  digest.add(static_cast<std::uint64_t>(code));
  digest.add(all.data(), all.size() * sizeof(int));
  code = MPI_Allreduce(values.data(), to, count, MPI_INT, MPI_SUM, comm);
  digest.add(static_cast<std::uint64_t>(code));
  code = MPI_Bcast(to, count, MPI_INT, common.below(size), comm);
  digest.add(static_cast<std::uint64_t>(code));
  digest.add(all.data(), all.size() * sizeof(int));
}

void work_on(Work& work) {
  for (int i = 0; i < 8; ++i) {
    switch (work.common.below(5)) {
    case 0:
      make_group(work.comm, work.number, work.digest);
      break;
    case 1:
      make_duplicate(work.comm, work.digest);
      break;
    default:
      call_collectives(work.comm, work.common, work.digest);
    }
  }
}

}  // namespace

/// Threads that use their own communicators and make others of them at the same time.
void threads(Step& step) {
  std::vector<Work> works(num_threads);
  std::vector<std::thread> running;
  for (int i = 0; i < num_threads; ++i) {
    Work& work = works[static_cast<std::size_t>(i)];
    work.comm = duplicate(step).handle;
    work.common = Random{step.common.next()};
    work.number = i;
  }
  for (Work& work : works) {
    running.emplace_back([&work] { work_on(work); });
  }
  for (std::thread& thread : running) {
    thread.join();
  }
  for (Work& work : works) {
    step.report.before("thread");
    expect_errors_on(MPI_COMM_NULL);
    step.report.after(MPI_SUCCESS, Data::clean, work.digest.text());
    MPI_Comm_free(&work.comm);
  }
  go_on(step, 1);
}

}  // namespace bent
