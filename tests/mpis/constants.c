/* SPDX-License-Identifier: Apache-2.0 */

/*
 * Prints what the binary interface of an MPI library consists of, as mpi.h gives it to a compiler:
 * one line `name value` each. A handle that is a pointer is printed as the object that it names,
 * with its size in bytes. Does not call MPI_Init.
 */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <link.h>

#ifdef STANDARD_ABI
#include <mpi_abi.h>
#else
#include <mpi.h>
#endif

static void print_object(char const* name, void const* address) {
  Dl_info place = {0};
  ElfW(Sym) const* symbol = NULL;
  if (dladdr1(address, &place, (void**)&symbol, RTLD_DL_SYMENT) != 0 && symbol != NULL) {
    printf("%s %s[%lu]\n", name, place.dli_sname, (unsigned long)symbol->st_size);
  } else {
    printf("%s %ld\n", name, (long)(intptr_t)address);
  }
}

#define NUMBER(name) printf(#name " %ld\n", (long)(name))
#define POINTER(name) printf(#name " %ld\n", (long)(intptr_t)(void const*)(name))
#define SIZE(type) printf("sizeof(" #type ") %zu\n", sizeof(type))
#define PLACE(field) printf("offsetof(MPI_Status, " #field ") %zu\n", offsetof(MPI_Status, field))
#ifdef OPEN_MPI
#define HANDLE(name) print_object(#name, (void const*)(name))
#else
#define HANDLE(name) printf(#name " %#lx\n", (unsigned long)(intptr_t)(name))
#endif

static void print_sizes(void) {
  SIZE(MPI_Aint);
  SIZE(MPI_Comm);
  SIZE(MPI_Count);
  SIZE(MPI_Datatype);
#ifndef STANDARD_ABI
  SIZE(MPI_Fint);
#endif
  SIZE(MPI_Offset);
  SIZE(MPI_Op);
  SIZE(MPI_Request);
  SIZE(MPI_Status);
  PLACE(MPI_SOURCE);
  PLACE(MPI_TAG);
  PLACE(MPI_ERROR);
}

static void print_pointers(void) {
  POINTER(MPI_BOTTOM);
  POINTER(MPI_IN_PLACE);
  POINTER(MPI_STATUS_IGNORE);
  POINTER(MPI_STATUSES_IGNORE);
  POINTER(MPI_ERRCODES_IGNORE);
#if defined(OPEN_MPI) || defined(STANDARD_ABI)
  POINTER(MPI_UNWEIGHTED);
  POINTER(MPI_WEIGHTS_EMPTY);
#else
  /* Variables of the library: programs read them. */
  printf("MPI_UNWEIGHTED %s\n", MPI_UNWEIGHTED != NULL ? "variable" : "NULL");
  printf("MPI_WEIGHTS_EMPTY %s\n", MPI_WEIGHTS_EMPTY != NULL ? "variable" : "NULL");
#endif
}

static void print_numbers(void) {
  NUMBER(MPI_ANY_SOURCE);
  NUMBER(MPI_ANY_TAG);
  NUMBER(MPI_PROC_NULL);
  NUMBER(MPI_ROOT);
  NUMBER(MPI_UNDEFINED);
  NUMBER(MPI_KEYVAL_INVALID);
  NUMBER(MPI_TAG_UB);
  NUMBER(MPI_CONGRUENT);
  NUMBER(MPI_SIMILAR);
  NUMBER(MPI_CART);
  NUMBER(MPI_GRAPH);
  NUMBER(MPI_DIST_GRAPH);
  NUMBER(MPI_COMM_TYPE_SHARED);
  NUMBER(MPI_THREAD_MULTIPLE);
  NUMBER(MPI_COMBINER_NAMED);
  NUMBER(MPI_COMBINER_STRUCT);
  NUMBER(MPI_COMBINER_RESIZED);
  NUMBER(MPI_SUCCESS);
  NUMBER(MPI_ERR_BUFFER);
  NUMBER(MPI_ERR_COUNT);
  NUMBER(MPI_ERR_TYPE);
  NUMBER(MPI_ERR_COMM);
  NUMBER(MPI_ERR_ROOT);
  NUMBER(MPI_ERR_OP);
  NUMBER(MPI_ERR_TRUNCATE);
  NUMBER(MPI_ERR_OTHER);
  NUMBER(MPI_ERR_LASTCODE);
  NUMBER(MPI_MAX_ERROR_STRING);
  NUMBER(MPI_MAX_LIBRARY_VERSION_STRING);
  NUMBER(MPI_MAX_OBJECT_NAME);
  NUMBER(MPI_MAX_PROCESSOR_NAME);
}

static void print_handles(void) {
  HANDLE(MPI_COMM_NULL);
  HANDLE(MPI_COMM_SELF);
  HANDLE(MPI_COMM_WORLD);
  HANDLE(MPI_DATATYPE_NULL);
  HANDLE(MPI_BYTE);
  HANDLE(MPI_CHAR);
  HANDLE(MPI_INT);
  HANDLE(MPI_INT64_T);
  HANDLE(MPI_FLOAT);
  HANDLE(MPI_DOUBLE);
  HANDLE(MPI_2INT);
  HANDLE(MPI_DOUBLE_INT);
  HANDLE(MPI_C_DOUBLE_COMPLEX);
  HANDLE(MPI_COUNT);
  HANDLE(MPI_SUM);
  HANDLE(MPI_MAXLOC);
  HANDLE(MPI_REPLACE);
  HANDLE(MPI_ERRORS_ARE_FATAL);
  HANDLE(MPI_ERRORS_RETURN);
  HANDLE(MPI_GROUP_NULL);
  HANDLE(MPI_INFO_NULL);
  HANDLE(MPI_REQUEST_NULL);
}

int main(void) {
  print_sizes();
  print_pointers();
  print_numbers();
  print_handles();
  return 0;
}
