/* SPDX-License-Identifier: Apache-2.0 */

/* Poisson's equation on a grid of 48 x 48 x 48, solved by PETSc; its options choose how. */

#include <petscdmda.h>
#include <petscksp.h>

enum { extent = 48, most_neighbours = 6 };

static void set_row(Mat matrix, MatStencil row) {
  static int const steps[most_neighbours][3] = {
      {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}
  };
  MatStencil columns[most_neighbours + 1] = {row};
  PetscScalar values[most_neighbours + 1] = {most_neighbours};
  int count = 1;
  for (int i = 0; i < most_neighbours; ++i) {
    MatStencil column = row;
    column.i += steps[i][0];
    column.j += steps[i][1];
    column.k += steps[i][2];
    int const is_inside = column.i >= 0 && column.i < extent && column.j >= 0 &&
                          column.j < extent && column.k >= 0 && column.k < extent;
    if (is_inside) {
      columns[count] = column;
      values[count++] = -1;
    }
  }
  MatSetValuesStencil(matrix, 1, &row, count, columns, values, INSERT_VALUES);
}

static void fill(DM grid, Mat matrix) {
  DMDALocalInfo part;
  DMDAGetLocalInfo(grid, &part);
  for (PetscInt k = part.zs; k < part.zs + part.zm; ++k) {
    for (PetscInt j = part.ys; j < part.ys + part.ym; ++j) {
      for (PetscInt i = part.xs; i < part.xs + part.xm; ++i) {
        set_row(matrix, (MatStencil){.i = i, .j = j, .k = k});
      }
    }
  }
  MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY);
  MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
}

static void solve(Mat matrix) {
  Vec solution;
  Vec right;
  KSP solver;
  PetscReal norm = 0;
  PetscInt count = 0;
  MatCreateVecs(matrix, &solution, &right);
  VecSet(right, 1);
  KSPCreate(PETSC_COMM_WORLD, &solver);
  KSPSetOperators(solver, matrix, matrix);
  KSPSetTolerances(solver, 1e-10, PETSC_DEFAULT, PETSC_DEFAULT, 300);
  KSPSetFromOptions(solver);
  KSPSolve(solver, right, solution);
  VecNorm(solution, NORM_2, &norm);
  KSPGetIterationNumber(solver, &count);
  PetscPrintf(PETSC_COMM_WORLD, "norm %.8e after %d iterations\n", (double)norm, (int)count);
}

int main(int argc, char** argv) {
  DM grid;
  Mat matrix;
  PetscInitialize(&argc, &argv, NULL, NULL);
  DMDACreate3d(
      PETSC_COMM_WORLD,
      DM_BOUNDARY_NONE,
      DM_BOUNDARY_NONE,
      DM_BOUNDARY_NONE,
      DMDA_STENCIL_STAR,
      extent,
      extent,
      extent,
      PETSC_DECIDE,
      PETSC_DECIDE,
      PETSC_DECIDE,
      1,
      1,
      NULL,
      NULL,
      NULL,
      &grid
  );
  DMSetFromOptions(grid);
  DMSetUp(grid);
  DMSetMatType(grid, MATAIJ);
  DMCreateMatrix(grid, &matrix);
  fill(grid, matrix);
  solve(matrix);
  return PetscFinalize();
}
