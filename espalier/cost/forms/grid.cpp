// SPDX-License-Identifier: Apache-2.0

#include "espalier/cost/forms/grid.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>

#include "espalier/base/integer.hpp"

namespace espalier::cost {
namespace {

double product(std::span<int const> extents) {
  return std::accumulate(extents.begin(), extents.end(), 1.0, std::multiplies<>());
}

}  // namespace

double chain_pipeline(Hockney const& machine, int p, Segments const& segments) {
  double const s = segments.segment_bytes;
  double const step = machine.alpha + (machine.beta + machine.gamma) * s;
  return (p - 2 + segments.bytes / s) * step;
}

double best_segment_bytes(Hockney const& machine, int p, double bytes) {
  double const per_byte = (p - 2) * (machine.beta + machine.gamma);
  return per_byte > 0 ? std::min(bytes, std::sqrt(bytes * machine.alpha / per_byte)) : bytes;
}

double num_lines(std::span<int const> extents) {
  double lines = 0;
  for (int const extent : extents) {
    lines += product(extents) / extent;
  }
  return lines;
}

int external_links(std::span<int const> node_of, std::span<int const> extents) {
  int total = 0;
  std::size_t stride = 1;
  for (int const extent : extents) {
    std::map<int, int> links;
    for (std::size_t x = 0; x < node_of.size(); ++x) {
      bool const has_next =
          x / stride % static_cast<std::size_t>(extent) + 1 < static_cast<std::size_t>(extent);
      links[node_of[x]] += has_next && node_of[x + stride] != node_of[x] ? 1 : 0;
    }
    int most = 0;
    for (auto const& [node, number] : links) {
      most = std::max(most, number);
    }
    total += most;
    stride *= static_cast<std::size_t>(extent);
  }
  return total;
}

double grid_pipeline(
    Cluster const& cluster, std::span<int const> extents, double external, Segments const& segments
) {
  auto const d = static_cast<double>(extents.size());
  double const s = segments.segment_bytes;
  double const lines = num_lines(extents);
  double const beta = external / lines * cluster.beta_external / cluster.channels +
                      (lines - external) / lines * cluster.beta_internal;
  double const steps =
      std::accumulate(extents.begin(), extents.end(), 0.0) - 2 * d + d * segments.bytes / s;
  return steps * (cluster.alpha + (cluster.gamma + beta) * s);
}

double tiling_gain(std::span<int const> tile) {
  auto const d = static_cast<double>(tile.size());
  return ((d - 1) * product(tile) + 1) / num_lines(tile);
}

double most_tiling_gain(int num_cores, int num_dimensions) {
  double const k = num_cores;
  double const d = num_dimensions;
  return ((d - 1) * k + 1) / (d * std::pow(k, (d - 1) / d));
}

double binomial_scatter_volume(int p, double channels) {
  double volume = 0;
  double blocks = p / 2.0;
  for (std::int64_t messages = 1; messages < p; messages *= 2) {
    volume += blocks * std::max(1.0, static_cast<double>(messages) / channels);
    blocks /= 2;
  }
  return volume;
}

double binomial_scatter_time(
    std::span<int const> group_of, double inside, double between, double channels
) {
  auto const duration = [=](int messages, double per_block) {
    return messages == 0 ? 0 : std::max(1.0, messages / channels) * per_block;
  };
  double time = 0;
  for (std::size_t distance = group_of.size() / 2; distance > 0; distance /= 2) {
    std::array<int, 3> messages{};  // inside group 0, inside group 1, between
    for (std::size_t from = 0; from < group_of.size(); from += 2 * distance) {
      int const group = group_of[from];
      ++messages[group == group_of[from + distance] ? static_cast<std::size_t>(group) : 2];
    }
    double const slowest = std::max(
        {duration(messages[0], inside),
         duration(messages[1], inside),
         duration(messages[2], between)}
    );
    time += static_cast<double>(distance) * slowest;
  }
  return time;
}

int internal_stages(int num_cores) {
  return std::countr_zero(static_cast<unsigned>(num_cores));
}

double multicore_binomial(Cluster const& cluster, int num_nodes, int num_cores, double bytes) {
  std::array const extents{num_nodes * num_cores};
  std::array const tile{num_cores};
  return grid_binomial(cluster, extents, tile, bytes);
}

double grid_binomial(
    Cluster const& cluster, std::span<int const> extents, std::span<int const> tile, double bytes
) {
  double time = 0;
  for (std::size_t i = 0; i < extents.size(); ++i) {
    int const internal = internal_stages(tile[i]);
    int const external = ceil_log2(extents[i]) - internal;
    double const sharing = std::ceil(product(tile) / tile[i] / cluster.channels);
    time += sharing * external * (cluster.alpha + cluster.beta_external * bytes) +
            internal * (cluster.alpha + cluster.beta_internal * bytes);
  }
  return time;
}

}  // namespace espalier::cost
