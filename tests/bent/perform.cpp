// SPDX-License-Identifier: Apache-2.0

#include "tests/bent/program.hpp"

namespace bent {
namespace {

/// The same place in a copy of the buffer; addresses outside of it stay.
void* moved(void* address, Buffer* from, Buffer& to) {
  if (from == nullptr) {
    return address;
  }
  return to.bytes().data() + (static_cast<unsigned char*>(address) - from->bytes().data());
}

/// The result of a call with separate buffers.
class Straight {
public:
  Straight(Step const& step, Material& material) {
    Call call = material.call;
    call.comm = step.comm.shadow;
    Buffer* const sent = material.holder(call.send.address);
    received_ = material.holder(call.recv.address);
    bool const has_one_buffer = call.function == Function::bcast || received_ == nullptr;
    if (has_one_buffer) {
      received_ = sent;
    }
    if (sent != nullptr) {
      sent_copy_ = *sent;
    }
    if (!has_one_buffer) {
      result_ = *received_;
      call.recv.address = moved(call.recv.address, received_, result_);
    }
    call.send.address = moved(call.send.address, sent, sent_copy_);
    bool const moves = !is_reduction(call.function) && call.function != Function::barrier;
    int const code = moves ? move_by_messages(call, step.rank(), step.size()) : invoke(call);
    is_good_ = code == MPI_SUCCESS;
    if (has_one_buffer) {
      result_ = sent_copy_;
    }
  }

  /// Whether the call that was bent had this result, too.
  [[nodiscard]] bool is_result() const {
    return !is_good_ || received_ == nullptr || received_->bytes() == result_.bytes();
  }

private:
  Buffer* received_ = nullptr;
  Buffer sent_copy_;
  Buffer result_;
  bool is_good_ = false;
};

}  // namespace

Buffer* Material::holder(void* address) {
  if (send.contains(address)) {
    return &send;
  }
  return recv.contains(address) ? &recv : nullptr;
}

int perform(Step& step, Material& material, bool is_judged, Data data) {
  step.report.before(name_of(material.call.function));
  bool is_clean = true;
  expect_errors_on(material.call.comm);
  int code = MPI_SUCCESS;
  if (is_judged) {
    Straight const straight(step, material);
    code = invoke(material.call);
    is_clean = straight.is_result();
  } else {
    code = invoke(material.call);
  }
  Digest digest;
  digest.add(material.send.bytes().data(), material.send.bytes().size());
  digest.add(material.recv.bytes().data(), material.recv.bytes().size());
  Data const found = data == Data::clean && !is_clean ? Data::garbled : data;
  step.report.after(code, found, digest.text());
  return code;
}

void report_number(Step& step, char const* what, long number) {
  step.report.before(what);
  expect_errors_on(MPI_COMM_NULL);
  Digest digest;
  digest.add(static_cast<std::uint64_t>(number));
  step.report.after(MPI_SUCCESS, Data::clean, digest.text());
}

void go_on(Step& step, int num_calls) {
  for (int i = 0; i < num_calls && step.may_go_on; ++i) {
    Material material;
    make_right(material, step, step.common.pick(all_functions()), Shapes::legal, 500);
    perform(step, material, true);
  }
}

}  // namespace bent
