/* SPDX-License-Identifier: Apache-2.0 */

/* What C has in the place of the variables MPI_IN_PLACE and MPI_BOTTOM of Fortran. It is part of
   the library of the modules, so that libespalier-api-<vendor> shows nothing of it. */

#include <mpi.h>

void* espalier_in_place_of_c(void);
void* espalier_bottom_of_c(void);

void* espalier_in_place_of_c(void) {
  return MPI_IN_PLACE;
}

void* espalier_bottom_of_c(void) {
  return MPI_BOTTOM;
}
