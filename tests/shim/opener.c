/* SPDX-License-Identifier: Apache-2.0 */

/*
 * A program without MPI that opens a module late, as interpreters do; the module uses MPI. The
 * argument names the module. Exit code: that of `run` in it.
 */

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char** argv) {
  void* const module = argc == 2 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (module == NULL) {
    fprintf(stderr, "no module: %s\n", argc == 2 ? dlerror() : "expected its path");
    return 2;
  }
  void* const symbol = dlsym(module, "run");
  int (*run)(void) = NULL;
  memcpy(&run, &symbol, sizeof run);
  return run != NULL ? run() : 2;
}
