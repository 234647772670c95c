! SPDX-License-Identifier: Apache-2.0

! The six interfaces with handles of the module mpi.
program mpix_use_mpi
  use mpi
  use espalier, only: espalier_cart_create
  use espalier_mpix
  implicit none
  integer :: comm, part, rank, num_ranks, code, error_class
  integer :: dims(2), dims_ml(2, 2), three_ml(3, 3), stencil(2, 2)
  logical :: periods(2), found(2)
  integer :: got(2), coordinates(2)
  double precision :: weights(2)

  call MPI_Init(code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks, code)
  periods = [.true., .false.]

  ! 12 processes on 1800 x 580 points.
  dims = 0
  call MPIX_Dims_weighted_create(12, 2, [1d0 / 1800, 1d0 / 580], periods, MPI_INFO_NULL, dims, code)
  call require(code == MPI_SUCCESS .and. all(dims == [6, 2]), 'dims_weighted_create')
  dims = 0
  call MPIX_Dims_weighted_create(12, 2, MPIX_WEIGHTS_EQUAL, periods, MPI_INFO_NULL, dims, code)
  call require(all(dims == [4, 3]), 'MPIX_WEIGHTS_EQUAL')

  ! Three levels, of which a transposed result would not be the same.
  call MPIX_Dims_ml_create(15000, 3, [1d0 / 1000, 1d0 / 1100, 1d0 / 950], 3, [625, 2, 12], &
    [.false., .false., .false.], MPI_INFO_NULL, three_ml, code)
  call require(all(three_ml(1, :) == [5, 2, 3]), 'dims_ml of the first dimension')
  call require(all(three_ml(:, 1) == [5, 25, 5]), 'dims_ml of the first level')

  dims = 0
  weights = [1d0, 3d0]
  call MPIX_Cart_weighted_create(MPI_COMM_WORLD, 2, weights, periods, MPI_INFO_NULL, dims, comm, code)
  call check_cart('cart_weighted_create')

  dims = 0
  call MPIX_Cart_ml_create_from_types(MPI_COMM_WORLD, 2, MPIX_WEIGHTS_EQUAL, periods, 1, &
    [MPI_COMM_TYPE_SHARED], MPI_INFO_NULL, dims, comm, code)
  call check_cart('cart_ml_create_from_types')

  dims = 0
  call MPI_Comm_dup(MPI_COMM_WORLD, part, code)
  call MPIX_Cart_ml_create_from_comms(2, [MPI_COMM_WORLD, part], 2, weights, periods, &
    MPI_INFO_NULL, dims, comm, code)
  call check_cart('cart_ml_create_from_comms')

  ! Two dimensions of one level each: ranks stand in columns.
  dims_ml = 1
  dims_ml(1, 2) = num_ranks
  call MPIX_Cart_ml_create(MPI_COMM_WORLD, 2, periods, 2, dims_ml, MPI_INFO_NULL, dims, comm, code)
  call require(all(dims == [num_ranks, 1]), 'dims of cart_ml_create')
  call check_cart('cart_ml_create')

  dims = 0
  stencil = reshape([1, 1, -1, -1], [2, 2])
  call espalier_cart_create(MPI_COMM_WORLD, 2, dims, periods, comm, code, offsets=stencil, &
    weights=weights, objective='total')
  call check_cart('espalier_cart_create')

  call MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN, code)
  dims = [num_ranks + 1, 1]
  call MPIX_Cart_weighted_create(part, 2, weights, periods, MPI_INFO_NULL, dims, comm, code)
  call MPI_Error_class(code, error_class, got(1))
  call require(error_class == MPI_ERR_DIMS .and. comm == MPI_COMM_NULL, 'error of a larger grid')
  call espalier_cart_create(part, 2, dims, periods, comm, code, algorithm='magic')
  call require(code /= MPI_SUCCESS, 'error of options')
  call check_shapes()

  call MPI_Comm_free(part, code)
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize(code)

contains

  ! What is wrong with the shape of an array, also on one rank alone, is an error on all.
  subroutine check_shapes()
    integer :: own
    own = merge(1, 2, rank == 0)
    dims = 0
    call espalier_cart_create(part, 2, dims, periods, comm, code, offsets=three_ml)
    call check_refused('offsets of three dimensions')
    call espalier_cart_create(part, 2, dims, periods, comm, code, offsets=stencil, &
      weights=weights(:own))
    call check_refused('too few weights on one rank')
    call espalier_cart_create(part, 2, dims, periods, comm, code, weights=weights)
    call check_refused('weights without offsets')
    call espalier_cart_create(part, 2, dims, periods, comm, code, dim_weights=weights(:own))
    call check_refused('too few weights of dimensions on one rank')
  end subroutine

  subroutine check_refused(what)
    character(len=*), intent(in) :: what
    call MPI_Error_class(code, error_class, got(1))
    call require(error_class == MPI_ERR_ARG .and. comm == MPI_COMM_NULL, what)
  end subroutine

  subroutine check_cart(what)
    character(len=*), intent(in) :: what
    call require(code == MPI_SUCCESS .and. product(dims) == num_ranks, what)
    call MPI_Cart_get(comm, 2, got, found, coordinates, code)
    call require(all(got == dims) .and. all(found .eqv. periods), what // ': grid')
    call MPI_Comm_free(comm, code)
  end subroutine

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    integer :: ignored
    if (.not. holds) then
      print '(a,i0,2a)', 'rank ', rank, ' failed: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
    end if
  end subroutine

end program
