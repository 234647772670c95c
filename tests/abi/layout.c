/* SPDX-License-Identifier: Apache-2.0 */

/* Compiled as C89, once for each MPI: the headers are, and structs that programs hand over keep the
   layout of version 0. If this does not compile, raise the version in espalier/capi/exports.map and
   SOVERSION, and change the numbers. */

#include "espalier.h"
#include "espalier_array.h"
#include "espalier_mpix.h"
#include "espalier_onesided.h"

#define HOLDS(name, condition) typedef char name[(condition) ? 1 : -1]

HOLDS(options_size, sizeof(espalier_cart_options) == 72);
HOLDS(options_flags, offsetof(espalier_cart_options, flags) == 8);
HOLDS(options_num_neighbors, offsetof(espalier_cart_options, num_neighbors) == 12);
HOLDS(options_offsets, offsetof(espalier_cart_options, offsets) == 16);
HOLDS(options_weights, offsetof(espalier_cart_options, weights) == 24);
HOLDS(options_dim_weights, offsetof(espalier_cart_options, dim_weights) == 32);
HOLDS(options_num_level_costs, offsetof(espalier_cart_options, num_level_costs) == 40);
HOLDS(options_verbose, offsetof(espalier_cart_options, verbose) == 44);
HOLDS(options_level_costs, offsetof(espalier_cart_options, level_costs) == 48);
HOLDS(options_objective, offsetof(espalier_cart_options, objective) == 56);
HOLDS(options_algorithm, offsetof(espalier_cart_options, algorithm) == 64);

HOLDS(name_len, ESPALIER_NAME_LEN == 64);
HOLDS(level_size, sizeof(espalier_cart_level) == 112);
HOLDS(level_num_groups, offsetof(espalier_cart_level, num_groups) == 64);
HOLDS(level_cost, offsetof(espalier_cart_level, cost) == 72);
HOLDS(level_total_before, offsetof(espalier_cart_level, total_before) == 80);
HOLDS(level_worst_after, offsetof(espalier_cart_level, worst_after) == 104);

HOLDS(order_options_size, sizeof(espalier_order_options) == 48);
HOLDS(order_options_flags, offsetof(espalier_order_options, flags) == 8);
HOLDS(order_options_num_trial_calls, offsetof(espalier_order_options, num_trial_calls) == 12);
HOLDS(order_options_order, offsetof(espalier_order_options, order) == 16);
HOLDS(order_options_machine, offsetof(espalier_order_options, machine) == 24);
HOLDS(order_options_memory, offsetof(espalier_order_options, memory) == 32);
HOLDS(order_options_measure_seconds, offsetof(espalier_order_options, measure_seconds) == 40);
HOLDS(order_name_len, ESPALIER_ORDER_NAME_LEN == 32);
HOLDS(order_report_size, sizeof(espalier_order_report) == 144);
HOLDS(order_report_source, offsetof(espalier_order_report, source) == 32);
HOLDS(order_report_channels, offsetof(espalier_order_report, channels_across) == 40);
HOLDS(order_report_num_pairs, offsetof(espalier_order_report, num_pairs) == 56);
HOLDS(order_report_standard_us, offsetof(espalier_order_report, standard_us) == 64);
HOLDS(order_report_num_calls_to_pay, offsetof(espalier_order_report, num_calls_to_pay) == 136);
HOLDS(order_sources, ESPALIER_ORDER_MEASURED == 0 && ESPALIER_ORDER_DESCRIBED == 2);

HOLDS(neighbor_options_size, sizeof(espalier_neighbor_options) == 40);
HOLDS(neighbor_options_flags, offsetof(espalier_neighbor_options, flags) == 8);
HOLDS(neighbor_options_algorithm, offsetof(espalier_neighbor_options, algorithm) == 16);
HOLDS(neighbor_options_latency, offsetof(espalier_neighbor_options, latency_us) == 24);
HOLDS(neighbor_options_bandwidth, offsetof(espalier_neighbor_options, bandwidth_gib_s) == 32);

HOLDS(planned_options_size, sizeof(espalier_planned_options) == 24);
HOLDS(planned_options_flags, offsetof(espalier_planned_options, flags) == 8);
HOLDS(planned_options_algorithm, offsetof(espalier_planned_options, algorithm) == 16);

HOLDS(transfer_size, sizeof(espalier_transfer) == 24);
HOLDS(remote_size, sizeof(espalier_remote) == 16);
HOLDS(remote_offset, offsetof(espalier_remote, offset) == 8);
/* What programs have that were compiled before there were handlers ended here. */
HOLDS(conduit_options_handlers, offsetof(espalier_conduit_options, handlers) == 32);
HOLDS(conduit_options_size, sizeof(espalier_conduit_options) == 56);
HOLDS(conduit_options_transport, offsetof(espalier_conduit_options, transport) == 16);
HOLDS(conduit_options_scratch, offsetof(espalier_conduit_options, scratch_bytes) == 24);
HOLDS(onesided_options_size, sizeof(espalier_onesided_options) == 40);
HOLDS(onesided_options_in, offsetof(espalier_onesided_options, in) == 12);
HOLDS(onesided_options_out, offsetof(espalier_onesided_options, out) == 16);
HOLDS(onesided_options_addresses, offsetof(espalier_onesided_options, addresses) == 20);
HOLDS(onesided_options_algorithm, offsetof(espalier_onesided_options, algorithm) == 24);
HOLDS(onesided_options_mechanism, offsetof(espalier_onesided_options, mechanism) == 32);
HOLDS(tuning_options_size, sizeof(espalier_tuning_options) == 40);
HOLDS(tuning_options_flags, offsetof(espalier_tuning_options, flags) == 8);
HOLDS(tuning_options_seconds, offsetof(espalier_tuning_options, seconds) == 16);
HOLDS(tuning_options_meanwhile, offsetof(espalier_tuning_options, meanwhile) == 24);
HOLDS(tuning_options_context, offsetof(espalier_tuning_options, context) == 32);
HOLDS(reproducible_number, ESPALIER_REPRODUCIBLE == 1);
HOLDS(learn_number, ESPALIER_LEARN_IN_STARTS == 2);
HOLDS(sync_numbers, ESPALIER_ALLSYNC == 0 && ESPALIER_MYSYNC == 1 && ESPALIER_NOSYNC == 2);
HOLDS(
    addresses_numbers,
    ESPALIER_ADDRESSES_SYMMETRIC == 0 && ESPALIER_ADDRESSES_LOCAL == 1 &&
        ESPALIER_ADDRESSES_SINGLE == 2
);

HOLDS(distribution_size, sizeof(espalier_distribution) == 96);
HOLDS(distribution_ndims, offsetof(espalier_distribution, ndims) == 12);
HOLDS(distribution_extents, offsetof(espalier_distribution, extents) == 16);
HOLDS(distribution_block, offsetof(espalier_distribution, block) == 48);
HOLDS(distribution_grid, offsetof(espalier_distribution, grid) == 80);
HOLDS(array_max_dims, ESPALIER_ARRAY_MAX_DIMS == 4);
HOLDS(blocks_size, sizeof(espalier_blocks) == 24);
HOLDS(blocks_stride, offsetof(espalier_blocks, stride) == 8);
HOLDS(blocks_last, offsetof(espalier_blocks, last) == 16);
HOLDS(region_size, sizeof(espalier_region) == 104);
HOLDS(region_blocks, offsetof(espalier_region, blocks) == 8);

/* What the initialiser says is the size a program was compiled with. */
int espalier_abi_is_initialised(void);

int espalier_abi_is_initialised(void) {
  espalier_cart_options options = ESPALIER_CART_OPTIONS_INIT;
  return options.size == sizeof options && options.algorithm == NULL;
}

/* Compilers must not warn of the address that stands for equal weights. */
int espalier_abi_passes_equal_weights(int dims[]);

int espalier_abi_passes_equal_weights(int dims[]) {
  int const periods[2] = {0, 0};
  return MPIX_Dims_weighted_create(12, 2, MPIX_WEIGHTS_EQUAL, periods, MPI_INFO_NULL, dims);
}
