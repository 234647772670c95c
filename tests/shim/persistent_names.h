/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * Open MPI 4 has persistent collectives under names of an extension.
 */

#pragma once

#include <mpi.h>

#if defined(OPEN_MPI) && MPI_VERSION < 4
#include <mpi-ext.h>
#define ESPALIER_PERSISTENT(name) MPIX_##name##_init
#else
#define ESPALIER_PERSISTENT(name) MPI_##name##_init
#endif
