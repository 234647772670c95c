/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A plain MPI program that says by the info key espalier_tune which communicators stay native. Each
 * bcast has a size of its own, 64 B and powers of two times that, so that statistics tell which
 * algorithm it had. Exit code 1: a result was wrong.
 */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <mpi.h>

static int num_wrong = 0;

static void bcast(MPI_Comm comm, size_t num_bytes) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  char* const message = calloc(num_bytes, 1);
  memset(message, rank == 0 ? 7 : 0, num_bytes);
  MPI_Bcast(message, (int)num_bytes, MPI_BYTE, 0, comm);
  num_wrong += message[num_bytes - 1] != 7;
  free(message);
}

/* Without a value, the info says nothing of tuning. */
static MPI_Info info_with(char const* value) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "of_another_library", "true");
  if (value != NULL) {
    MPI_Info_set(info, "espalier_tune", value);
  }
  return info;
}

static void set_info(MPI_Comm comm, char const* value) {
  MPI_Info info = info_with(value);
  MPI_Comm_set_info(comm, info);
  MPI_Info_free(&info);
}

static void duplicate(MPI_Comm comm, char const* value, MPI_Comm* made) {
  MPI_Info info = info_with(value);
  MPI_Comm_dup_with_info(comm, info, made);
  MPI_Info_free(&info);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  bcast(MPI_COMM_WORLD, 64);

  MPI_Comm native = MPI_COMM_NULL;
  duplicate(MPI_COMM_WORLD, "false", &native);
  bcast(native, 128);
  MPI_Comm heir = MPI_COMM_NULL;
  MPI_Comm_dup(native, &heir);
  bcast(heir, 256);

  /* Said after calls, and taken back. */
  set_info(heir, "false");
  bcast(heir, 512);
  set_info(heir, NULL);
  bcast(heir, 1024);
  set_info(heir, "false");
  bcast(heir, 2048);
  set_info(heir, "true");
  bcast(heir, 4096);

  /* Wrong: not equal on all ranks, and no value that is known. */
  set_info(heir, rank == 0 ? "false" : "true");
  bcast(heir, 8192);
  set_info(heir, "true");
  set_info(heir, "perhaps");
  bcast(heir, 16384);

  MPI_Comm_free(&heir);
  MPI_Comm_free(&native);
  MPI_Finalize();
  return num_wrong > 0;
}
