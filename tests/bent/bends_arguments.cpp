// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/bends.hpp"
#include "tests/bent/known.hpp"

namespace bent {
namespace {

struct Mistake {
  char const* name;
  bool (*fits)(Function);
  void (*make)(Step&, Call&);
};

bool has_data(Function function) {
  return function != Function::barrier;
}

/// Not what the root alone looks at: others would wait for it.
bool has_send_count(Function function) {
  return has_data(function) && function != Function::scatter && function != Function::scatterv &&
         function != Function::alltoallv && function != Function::alltoallw &&
         function != Function::reduce_scatter && function != Function::reduce_scatter_block;
}

bool has_recv_count(Function function) {
  return function == Function::allgather || function == Function::alltoall ||
         function == Function::scatter || function == Function::scatterv ||
         function == Function::reduce_scatter_block;
}

bool has_send_type(Function function) {
  return has_data(function) && function != Function::scatter && function != Function::scatterv &&
         function != Function::alltoallw;
}

bool has_recv_type(Function function) {
  return has_recv_count(function) && !is_reduction(function);
}

bool has_lists(Function function) {
  return function == Function::allgatherv || function == Function::alltoallv ||
         function == Function::alltoallw || function == Function::reduce_scatter;
}

/// Where all ranks receive.
bool has_recv_buffer(Function function) {
  return has_data(function) && function != Function::bcast && function != Function::gather &&
         function != Function::gatherv && function != Function::reduce &&
         function != Function::scatter && function != Function::scatterv;
}

/// Right but for one thing, the same on all ranks.
std::vector<Mistake> const& mistakes() {
  static std::vector<Mistake> const all = {
      {"negative_sendcount", has_send_count, [](Step&, Call& call) { call.send.count = -1; }},
      {"negative_recvcount", has_recv_count, [](Step&, Call& call) { call.recv.count = -3; }},
      {"null_sendtype", has_send_type, [](Step&, Call& call) { call.send.type = MPI_DATATYPE_NULL; }
      },
      {"null_recvtype", has_recv_type, [](Step&, Call& call) { call.recv.type = MPI_DATATYPE_NULL; }
      },
      {"root_too_large", has_root, [](Step& step, Call& call) { call.root = step.size(); }},
      {"negative_root", has_root, [](Step&, Call& call) { call.root = -9; }},
      {"null_operator", is_reduction, [](Step&, Call& call) { call.op = MPI_OP_NULL; }},
      {"bits_of_a_double",
       is_reduction,
       [](Step&, Call& call) {
         call.op = MPI_BAND;
         call.send.type = MPI_DOUBLE;
       }},
      {"in_place_received",
       has_recv_buffer,
       [](Step&, Call& call) { call.recv.address = MPI_IN_PLACE; }},
      {"in_place_broadcast",
       [](Function function) { return function == Function::bcast; },
       [](Step&, Call& call) { call.send.address = MPI_IN_PLACE; }},
      {"in_place_exscan_both",
       [](Function function) { return function == Function::exscan || function == Function::scan; },
       [](Step&, Call& call) {
         call.send.address = MPI_IN_PLACE;
         call.recv.address = MPI_IN_PLACE;
       }},
      {"null_sendbuffer", has_send_count, [](Step&, Call& call) { call.send.address = nullptr; }},
      {"null_recvbuffer", has_recv_buffer, [](Step&, Call& call) { call.recv.address = nullptr; }},
      {"negative_entry", has_lists, [](Step&, Call& call) { call.recv.counts[0] = -2; }},
      {"null_lists", has_lists, [](Step&, Call& call) { call.recv.without_lists = true; }},
      {"null_communicator",
       [](Function) { return true; },
       [](Step&, Call& call) { call.comm = MPI_COMM_NULL; }},
  };
  return all;
}

}  // namespace

void arguments(Step& step) {
  Mistake const& mistake = step.common.pick(mistakes());
  std::vector<Function> functions;
  for (Function const function : all_functions()) {
    if (mistake.fits(function) && plain_ends({mistake.name, function, step.size()})) {
      functions.push_back(function);
    }
  }
  if (!functions.empty()) {
    Material material;
    material.has_even_blocks = true;
    make_right(material, step, step.common.pick(functions), Shapes::ints, 100);
    mistake.make(step, material.call);
    step.report.note(mistake.name);
    perform(step, material, false);
  }
  go_on(step, step.common.below(3));
}

/// The default handler ends the job.
void fatal(Step& step) {
  Material material;
  make_right(material, step, Function::bcast, Shapes::ints, 10);
  MPI_Comm_set_errhandler(step.comm.handle, MPI_ERRORS_ARE_FATAL);
  material.call.root = step.common.chance(50) ? -9 : step.size();
  if (step.common.chance(50)) {
    material.call.send.count = -1;
  }
  perform(step, material, false);
}

}  // namespace bent
