// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/bends.hpp"

namespace bent {
namespace {

/// What many communicators gave, as one line: all of it, or the first error.
class Sum {
public:
  void add(int code, int value) {
    code_ = code_ == MPI_SUCCESS ? code : code_;
    digest_.add(static_cast<std::uint64_t>(value));
  }

  void report(Step& step, char const* what) const {
    step.report.before(what);
    expect_errors_on(MPI_COMM_NULL);
    step.report.after(code_, Data::clean, digest_.text());
  }

private:
  Digest digest_;
  int code_ = MPI_SUCCESS;
};

/// A few small calls on a communicator that may be new.
void use(MPI_Comm comm, Random common, Sum& sum) {
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  int value = 1 + rank + common.below(100);
  int result = 0;
  std::vector<int> all(static_cast<std::size_t>(size));
  switch (common.below(4)) {
  case 0:
    sum.add(MPI_Allreduce(&value, &result, 1, MPI_INT, MPI_SUM, comm), result);
    break;
  case 1:
    sum.add(MPI_Bcast(&value, 1, MPI_INT, common.below(size), comm), value);
    break;
  case 2:
    sum.add(MPI_Allgather(&value, 1, MPI_INT, all.data(), 1, MPI_INT, comm), all.back());
    break;
  default:
    sum.add(MPI_Barrier(comm), 0);
  }
}

/// A duplicate, or the same ranks in one of two groups.
MPI_Comm derive(Step& step) {
  MPI_Comm made = MPI_COMM_NULL;
  if (step.common.chance(70)) {
    MPI_Comm_dup(step.comm.handle, &made);
  } else {
    MPI_Comm_split(step.comm.handle, step.rank() % 2, -step.rank(), &made);
  }
  if (made != MPI_COMM_NULL) {
    MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  }
  return made;
}

struct Copies {
  long count = 0;
  bool fails = false;
};

int on_copy(MPI_Comm, int, void* state, void* from, void* to, int* is_copied) {
  auto* const copies = static_cast<Copies*>(state);
  ++copies->count;
  *static_cast<void**>(to) = from;
  *is_copied = 1;
  return copies->fails ? MPI_ERR_OTHER : MPI_SUCCESS;
}

}  // namespace

/// More live communicators than half of what MPICH has (2,046): one more for each is too many.
void crowd(Step& step) {
  int const number = 1050 + step.common.below(250);
  std::vector<MPI_Comm> comms;
  Sum sum;
  for (int i = 0; i < number; ++i) {
    comms.push_back(derive(step));
    sum.add(comms.back() == MPI_COMM_NULL ? MPI_ERR_OTHER : MPI_SUCCESS, 0);
    if (comms.back() != MPI_COMM_NULL) {
      use(comms.back(), step.common, sum);
    }
    if (i % 100 == 99) {
      sum.report(step, "hundred");
    }
  }
  for (MPI_Comm& comm : comms) {
    if (comm != MPI_COMM_NULL) {
      use(comm, step.common, sum);
      MPI_Comm_free(&comm);
    }
  }
  sum.report(step, "crowd");
  go_on(step, 2);
}

void short_lived(Step& step) {
  int const number = 20 + step.common.below(100);
  Sum sum;
  for (int i = 0; i < number; ++i) {
    MPI_Comm made = derive(step);
    for (int calls = step.common.below(3); calls > 0; --calls) {
      use(made, step.common, sum);
    }
    MPI_Comm_free(&made);
  }
  sum.report(step, "short_lived");
  go_on(step, 1);
}

/// Attributes of a communicator are copied by MPI_Comm_dup of the program and by nobody else.
void copied_attributes(Step& step) {
  Copies copies{.fails = step.common.chance(60)};
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(on_copy, MPI_COMM_NULL_DELETE_FN, &key, &copies);
  int value = 0;
  Communicator const made = duplicate(step);
  MPI_Comm_set_attr(made.handle, key, &value);
  Step inner{
      .report = step.report,
      .kind = step.kind,
      .comm = made,
      .common = step.common,
      .own = step.own,
  };
  go_on(inner, 1 + step.common.below(3));
  MPI_Comm_delete_attr(made.handle, key);
  MPI_Comm handle = made.handle;
  MPI_Comm_free(&handle);
  MPI_Comm_free_keyval(&key);
  report_number(step, "copies", copies.count);
}

}  // namespace bent
