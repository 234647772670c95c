// SPDX-License-Identifier: Apache-2.0

/// @file
/// Makes communicators cheap to simulate; loaded before SimGrid's library.
///
/// Before some algorithms of SMPI 3.32 use a communicator for the first time, its ranks tell each
/// other their nodes with a ring: p (p - 1) messages, of which nothing is measured, but which take
/// 90 s of processor time for 1,536 ranks. Here they do it with Bruck's algorithm, in p log p
/// messages. An allgather that a program asks for is left alone.

#include <dlfcn.h>
#include <unordered_set>

#include <simgrid/s4u/Actor.hpp>

namespace simgrid::smpi {

class Datatype;

/// So much of the library's class that the function has its name.
class Comm {
public:
  void init_smp();
};

int allgather__bruck(
    void const* send,
    int send_count,
    Datatype* send_type,
    void* receive,
    int receive_count,
    Datatype* receive_type,
    Comm* comm
);

}  // namespace simgrid::smpi

namespace {

/// Of the ranks that are telling each other their nodes.
std::unordered_set<aid_t>& actors_in_setup() {
  static std::unordered_set<aid_t> actors;
  return actors;
}

template <typename Function> Function of_the_library(char const* symbol) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, symbol));
}

}  // namespace

namespace simgrid::smpi {

void Comm::init_smp() {
  using Function = void (*)(Comm*);
  static auto const function = of_the_library<Function>("_ZN7simgrid4smpi4Comm8init_smpEv");
  aid_t const actor = s4u::this_actor::get_pid();
  actors_in_setup().insert(actor);
  function(this);
  actors_in_setup().erase(actor);
}

int allgather__ring(
    void const* send,
    int send_count,
    Datatype* send_type,
    void* receive,
    int receive_count,
    Datatype* receive_type,
    Comm* comm
) {
  static auto const ring = of_the_library<decltype(&allgather__bruck)>(
      "_ZN7simgrid4smpi15allgather__ringEPKviPNS0_8DatatypeEPviS4_PNS0_4CommE"
  );
  bool const is_setup = actors_in_setup().count(s4u::this_actor::get_pid()) != 0;
  auto const function = is_setup ? allgather__bruck : ring;
  return function(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

}  // namespace simgrid::smpi
