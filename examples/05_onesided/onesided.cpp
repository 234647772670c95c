/* SPDX-License-Identifier: Apache-2.0 */

/* The same as onesided.c. */

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <span>
#include <vector>

#include <espalier_onesided.hpp>

#include <mpi.h>

namespace {

constexpr std::size_t num_cells = 16;
constexpr std::size_t num_steps = 400;
constexpr std::size_t num_sums = 4;

/* With a cell of a neighbour, or of an end of the bar, on each side. */
using Cells = std::array<double, num_cells + 2>;

/* Also the number of the counter that says how many border cells have come from there. */
enum Side : std::size_t { left, right };

/* The segment of each process; all have the same. */
struct Segment {
  std::array<std::uint64_t, 2> arrived;        /* steps whose border cell came from each side */
  std::array<std::array<double, 2>, 2> border; /* these cells, of even and of odd steps */
  std::array<double, num_sums> change;         /* in the last steps, here */
  std::array<double, num_sums> sum;            /* and everywhere */
};

constexpr std::uint64_t counter_of(Side side) {
  return side * sizeof(std::uint64_t);
}

/* A border cell of a step goes to a neighbour, at its side `side`. */
void tell(
    espalier::Conduit& conduit, int rank, Side side, std::size_t step, std::span<double, 1> cell
) {
  if (rank >= 0 && rank < conduit.size()) {
    std::size_t const index = 2 * (step % 2) + side;
    espalier::Remote const to{rank, offsetof(Segment, border) + index * sizeof(double)};
    conduit.put_signal(cell, to, counter_of(side));
  }
}

double hear(espalier::Conduit& conduit, Side side, std::size_t step, double end_of_bar) {
  int const rank = conduit.rank() + (side == left ? -1 : 1);
  if (rank < 0 || rank >= conduit.size()) {
    return end_of_bar;
  }
  conduit.await(counter_of(side), step + 1);
  return conduit.segment<Segment>().front().border[step % 2][side];
}

/* One step; the first and the last cell belong to neighbours. */
double relax(Cells& x) {
  double change = 0;
  double before = x.front();
  for (std::size_t i = 1; i <= num_cells; ++i) {
    double const now = x[i] + 0.25 * (before - 2 * x[i] + x[i + 1]);
    before = x[i];
    change += std::abs(now - x[i]);
    x[i] = now;
  }
  return change;
}

void show(espalier::Conduit const& conduit, std::size_t step, double change) {
  if (conduit.rank() == 0) {
    std::cout << "step " << std::setw(3) << step << ": change " << std::fixed
              << std::setprecision(4) << change << '\n';
  }
}

/* What is planned here ends where the function ends, the last first. */
void heat_bar() {
  espalier::Conduit conduit(MPI_COMM_WORLD, sizeof(Segment));
  espalier::Team team(conduit, MPI_COMM_WORLD);
  Segment& here = conduit.segment<Segment>().front();
  /* What is mine is mine before I start a sum and after I waited. */
  auto const own = espalier::team_options(ESPALIER_MYSYNC, ESPALIER_MYSYNC);
  std::vector<espalier::Request> sums;
  for (std::size_t i = 0; i < num_sums; ++i) {
    sums.push_back(team.allreduce(&here.change[i], &here.sum[i], {1, MPI_DOUBLE}, MPI_SUM, &own));
  }

  int const rank = conduit.rank();
  Cells x{};
  std::span const cells(x);
  for (std::size_t step = 0; step < num_steps; ++step) {
    tell(conduit, rank - 1, right, step, cells.subspan<1, 1>());
    tell(conduit, rank + 1, left, step, cells.subspan<num_cells, 1>());
    std::size_t const i = step % num_sums;
    sums[i].wait();
    if (step > 0 && step % 100 == 0) {
      show(conduit, step - num_sums, here.sum[i]);
    }
    x.front() = hear(conduit, left, step, 1);
    x.back() = hear(conduit, right, step, 0);
    here.change[i] = relax(x);
    sums[i].start();
  }
  team.fence();
  show(conduit, num_steps - 1, here.sum[(num_steps - 1) % num_sums]);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  heat_bar();
  MPI_Finalize();
  return 0;
}
