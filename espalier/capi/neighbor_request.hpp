// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <string>
#include <utility>

#include <mpi.h>

#include "espalier/capi/neighbor_objects.hpp"
#include "espalier/capi/planned/explanation.hpp"
#include "espalier/capi/request.hpp"
#include "espalier/plan/communicators/underway.hpp"
#include "espalier/plan/neighbors/neighbors.hpp"

namespace espalier::capi {

/// The buffers of a neighborhood collective.
struct NeighborBuffers {
  void const* input = nullptr;
  void* output = nullptr;
};

/// A collective of a neighborhood.
class NeighborRequest final : public espalier_request {
public:
  /// Refers to the neighborhood.
  NeighborRequest(
      espalier_neighborhood& neighborhood,
      plan::PlannedNeighbors planned,
      std::string algorithm,
      NeighborBuffers buffers
  )
      : espalier_request(std::move(algorithm)), neighborhood_(&neighborhood),
        planned_(std::move(planned)), buffers_(buffers), underway_(planned_.executor) {}

  int start() override { return underway_.start(buffers_.input, buffers_.output); }

  int test(bool& is_complete) override { return underway_.test(is_complete); }

  int wait() override { return underway_.wait(); }

  [[nodiscard]] bool is_active() const noexcept override { return underway_.is_active(); }

  [[nodiscard]] MPI_Comm user() const noexcept override { return neighborhood_->neighbors.user(); }

  [[nodiscard]] std::string explain() const override {
    return algorithm() + "\n" + text_of(planned_.executor.cost());
  }

private:
  espalier_neighborhood* neighborhood_;
  plan::PlannedNeighbors planned_;
  NeighborBuffers buffers_;
  plan::Underway underway_;
};

}  // namespace espalier::capi
