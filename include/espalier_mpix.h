/* SPDX-License-Identifier: Apache-2.0 */

/**
 * @file
 * Cartesian communicators that fit the application's grid and the hardware: the six interfaces of
 * Niethammer and Rabenseifner (MPI Forum issue 120; EuroMPI 2018) [niethammer2019].
 *
 * A grid of g_i points in direction i, of which halos of width h_i are sent at a cost of c_i per
 * element, has the weights h_i * c_i / g_i; a common factor does not matter. dims[i] processes in
 * direction i then cost the sum of dims[i] * weight[i], which is made as small as it can be, on
 * every level of the hardware.
 *
 * Link with libespalier-api-<vendor>, of the MPI the program is compiled with. All functions return
 * an MPI error code and report errors to the handler of their first communicator, those without a
 * communicator to that of MPI_COMM_WORLD, as MPI_Cart_create and MPI_Dims_create do.
 *
 * Keys of `info`, all optional and equal on all ranks; others are ignored:
 *
 * @verbatim
 *     espalier_factorization  greedy (default): one level after the other, outermost first
 *                             joint: all levels at once, for the least sum over levels of
 *                             cost * data sent
 *     espalier_level_costs    costs of a unit of data at each level, outermost first, separated by
 *                             commas: "1,0.125"; for joint, default 1, 1/8, 1/64 ..
 * @endverbatim
 */

#ifndef ESPALIER_MPIX_H
#define ESPALIER_MPIX_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Passed as dim_weights: all directions count the same, make the grid as cubic as possible. Not an
 * address that can be read, which is why dim_weights is declared as a pointer, not as an array.
 */
#ifdef __cplusplus
#define MPIX_WEIGHTS_EQUAL (reinterpret_cast<double*>(1))
#else
#define MPIX_WEIGHTS_EQUAL ((double*)1)
#endif

/**
 * Make a Cartesian communicator whose extents fit the weights and the hardware.
 *
 * Looks for nodes and for what their ranks are bound to inside (package, NUMA domain, ..),
 * factorises level by level from outside, and gives every rank the position that belongs to its
 * place. Where groups of a level have different sizes, the extents are those of
 * MPIX_Dims_weighted_create() and the order is the best of the mapping portfolio: never more data
 * between nodes than in the order of comm_old, in total or for the worst node, but without a
 * promise how much less.
 *
 * Collective over comm_old; all arguments must be equal on all ranks.
 *
 * @param comm_old     Intracommunicator.
 * @param ndims        Number of dimensions, >= 1.
 * @param dim_weights  Finite, >= 0, one for each dimension; or MPIX_WEIGHTS_EQUAL.
 * @param periods      True for each dimension that is periodic.
 * @param info         See above; MPI_INFO_NULL for none.
 * @param dims         [inout] Entries above 0 are kept, entries of 0 are chosen. If none is 0, the
 *                     product may be less than the size of comm_old.
 * @param comm_cart    [out] To be freed by MPI_Comm_free. Take rank, coordinates and data from it,
 *                     not from comm_old. MPI_COMM_NULL on ranks that the grid leaves out: the last
 *                     of comm_old.
 *
 * @return MPI_SUCCESS, or a code of the class MPI_ERR_COMM for a null or an intercommunicator,
 * MPI_ERR_ARG for weights or a null pointer, MPI_ERR_DIMS for dims and ndims, MPI_ERR_INFO_VALUE
 * for the value of a known key. The same code on every rank, unless comm_old is not a communicator
 * there.
 */
int MPIX_Cart_weighted_create(
    MPI_Comm comm_old,
    int ndims,
    double const* dim_weights,
    int const periods[],
    MPI_Info info,
    int dims[],
    MPI_Comm* comm_cart
);

/**
 * The same with the levels that MPI_Comm_split_type makes.
 *
 * comm_old is split by the first type, its parts by the second, and so on; the single ranks are the
 * innermost level. Parts of a level must have equal sizes.
 *
 * Collective over comm_old; all arguments must be equal on all ranks.
 *
 * @param nsplit_types  >= 0; with none, the ranks of comm_old are one level.
 * @param split_types   Outermost first: MPI_COMM_TYPE_SHARED, or a type of the MPI in use, such as
 *                      OMPI_COMM_TYPE_SOCKET.
 *
 * @return As MPIX_Cart_weighted_create(); MPI_ERR_TOPOLOGY if parts of a level differ in size, or a
 *         rank is in none.
 */
int MPIX_Cart_ml_create_from_types(
    MPI_Comm comm_old,
    int ndims,
    double const* dim_weights,
    int const periods[],
    int nsplit_types,
    int const split_types[],
    MPI_Info info,
    int dims[],
    MPI_Comm* comm_cart
);

/**
 * The same with levels that the program has split itself.
 *
 * level_comms[0] holds all ranks, level_comms[l + 1] is the part of level_comms[l] that the calling
 * rank is in, made by MPI_Comm_split or MPI_Comm_split_type. The single ranks of the last one are
 * the innermost level, so that sizes per level are: parts of level_comms[0], ..., ranks of
 * level_comms[nlevels - 1].
 *
 * Collective over level_comms[0]; arguments that are not communicators must be equal on all ranks.
 *
 * @param nlevels      >= 1.
 * @param level_comms  Intracommunicators; may be freed afterwards.
 *
 * @return As MPIX_Cart_weighted_create(); MPI_ERR_TOPOLOGY if parts of a level differ in size, or
 * one is not inside the one before.
 */
int MPIX_Cart_ml_create_from_comms(
    int nlevels,
    MPI_Comm const level_comms[],
    int ndims,
    double const* dim_weights,
    int const periods[],
    MPI_Info info,
    int dims[],
    MPI_Comm* comm_cart
);

/**
 * Make a Cartesian communicator from a factorisation on all levels.
 *
 * comm_old must be ranked sequentially in the hardware: ranks of a node stand together, inside it
 * those of a package, and so on. Nothing checks that.
 *
 * Collective over comm_old; all arguments must be equal on all ranks.
 *
 * @param nlevels    >= 1.
 * @param dims_ml    ndims * nlevels entries >= 1, row by row: dims_ml[d][l] parts in direction d on
 *                   level l, outermost level first. The product of all may be less than the size of
 *                   comm_old.
 * @param dims       [out] dims[d], the product of dims_ml[d] over the levels.
 * @param comm_cart  [out] As above. Coordinate d of a rank has the digits of its place on all
 * levels, that of the outermost level counting most.
 *
 * @return As MPIX_Cart_weighted_create().
 */
int MPIX_Cart_ml_create(
    MPI_Comm comm_old,
    int ndims,
    int const periods[],
    int nlevels,
    int const dims_ml[],
    MPI_Info info,
    int dims[],
    MPI_Comm* comm_cart
);

/**
 * Factorise processes on several levels, each into the least weighted sum.
 *
 * Inside a part of an outer level sub-domains are smaller: there the weight of a direction is
 * multiplied by the number of parts it was cut into.
 *
 * Not collective; the same arguments give the same result on every rank.
 *
 * @param nnodes   Number of processes, >= 1: the product of sizes.
 * @param sizes    Parts of each level, outermost first, >= 1.
 * @param periods  Not looked at.
 * @param dims_ml  [out] ndims * nlevels entries, row by row, as MPIX_Cart_ml_create() takes them.
 *
 * @return MPI_SUCCESS, or a code of the class MPI_ERR_DIMS for ndims, nlevels, nnodes and sizes,
 * MPI_ERR_ARG for weights or a null pointer, MPI_ERR_INFO_VALUE for the value of a known key.
 */
int MPIX_Dims_ml_create(
    int nnodes,
    int ndims,
    double const* dim_weights,
    int nlevels,
    int const sizes[],
    int const periods[],
    MPI_Info info,
    int dims_ml[]
);

/**
 * Factorise a number of processes into extents with the least sum of dims[i] * dim_weights[i].
 *
 * Not collective; the same arguments give the same result on every rank. With equal weights, ties
 * are broken as MPI_Dims_create does: extents close to each other, in non-increasing order.
 *
 * @param nnodes   Number of processes, >= 1.
 * @param periods  Not looked at.
 * @param dims     [inout] Entries above 0 are kept, entries of 0 are chosen.
 *
 * @return MPI_SUCCESS, or a code of the class MPI_ERR_DIMS if the product of the entries above 0
 * does not divide nnodes, an entry is negative, or ndims or nnodes is below 1; otherwise as
 * MPIX_Dims_ml_create().
 */
int MPIX_Dims_weighted_create(
    int nnodes, int ndims, double const* dim_weights, int const periods[], MPI_Info info, int dims[]
);

#ifdef __cplusplus
}
#endif

#endif
