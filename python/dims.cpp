// SPDX-License-Identifier: Apache-2.0

#include "espalier/mapping/dims/dims.hpp"

#include <utility>
#include <vector>

#include "python/core.hpp"
#include <nanobind/nanobind.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace espalier::python {
namespace {

using Dims = std::vector<int>;
using Weights = std::vector<double>;

}  // namespace

void bind_dims(nb::module_& module) {
  using nb::arg;
  module.def("balanced_dims", mapping::balanced_dims, arg("num_ranks"), arg("dims"));
  module.def(
      "weighted_dims",
      [](int num_ranks, Weights const& weights, Dims dims) {
        return mapping::weighted_dims(num_ranks, weights, std::move(dims));
      },
      arg("num_ranks"),
      arg("weights"),
      arg("dims")
  );
  module.def(
      "multi_level_dims",
      [](Dims const& sizes, Weights const& weights, Dims const& dims) {
        return mapping::multi_level_dims(sizes, weights, dims);
      },
      arg("sizes"),
      arg("weights"),
      arg("dims") = Dims()
  );
  module.def(
      "joint_dims",
      [](Dims const& sizes, Weights const& costs, Weights const& weights, Dims const& dims) {
        return mapping::joint_dims(sizes, costs, weights, dims);
      },
      arg("sizes"),
      arg("costs"),
      arg("weights"),
      arg("dims") = Dims()
  );
  module.def(
      "joint_cost",
      [](mapping::MultiLevelDims const& dims_ml, Weights const& costs, Weights const& weights) {
        return mapping::joint_cost(dims_ml, costs, weights);
      },
      arg("dims_ml"),
      arg("costs"),
      arg("weights")
  );
  module.def("multi_level_order", mapping::multi_level_order, arg("dims_ml"));
}

}  // namespace espalier::python
