! SPDX-License-Identifier: Apache-2.0

! The six interfaces with handles of the module mpi_f08, without ierror.
program mpix_use_mpi_f08
  use mpi_f08
  use espalier, only: espalier_cart_create
  use espalier_mpix
  implicit none
  type(MPI_Comm) :: comm, part
  integer :: rank, num_ranks
  integer :: dims(2), dims_ml(2, 2)
  logical :: periods(2), found(2)
  integer :: got(2), coordinates(2)
  double precision :: weights(2)

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks)
  periods = [.false., .true.]
  weights = [1d0, 1d-3]

  dims = 0
  call MPIX_Dims_weighted_create(12, 2, weights, periods, MPI_INFO_NULL, dims)
  call require(all(dims == [1, 12]), 'dims_weighted_create')
  call MPIX_Dims_ml_create(600, 2, MPIX_WEIGHTS_EQUAL, 2, [25, 24], periods, MPI_INFO_NULL, dims_ml)
  call require(all(dims_ml(1, :) == [5, 6]) .and. all(dims_ml(2, :) == [5, 4]), 'dims_ml_create')

  dims = [0, 1]
  call MPIX_Cart_weighted_create(MPI_COMM_WORLD, 2, weights, periods, MPI_INFO_NULL, dims, comm)
  call check_cart('cart_weighted_create')
  call require(all(dims == [num_ranks, 1]), 'fixed entries stay')

  dims = 0
  call MPIX_Cart_ml_create_from_types(MPI_COMM_WORLD, 2, weights, periods, 1, &
    [MPI_COMM_TYPE_SHARED], MPI_INFO_NULL, dims, comm)
  call check_cart('cart_ml_create_from_types')

  dims = 0
  call MPI_Comm_dup(MPI_COMM_WORLD, part)
  call MPIX_Cart_ml_create_from_comms(2, [MPI_COMM_WORLD, part], 2, MPIX_WEIGHTS_EQUAL, periods, &
    MPI_INFO_NULL, dims, comm)
  call check_cart('cart_ml_create_from_comms')
  call MPI_Comm_free(part)

  dims_ml = reshape([1, num_ranks, 1, 1], [2, 2])
  call MPIX_Cart_ml_create(MPI_COMM_WORLD, 2, periods, 2, dims_ml, MPI_INFO_NULL, dims, comm)
  call require(all(dims == [1, num_ranks]), 'dims of cart_ml_create')
  call check_cart('cart_ml_create')

  dims = 0
  call espalier_cart_create(MPI_COMM_WORLD, 2, dims, periods, comm, dim_weights=weights)
  call check_cart('espalier_cart_create')
  call require(all(dims == [1, num_ranks]), 'weights of espalier_cart_create')

  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize()

contains

  subroutine check_cart(what)
    character(len=*), intent(in) :: what
    call require(product(dims) == num_ranks, what)
    call MPI_Cart_get(comm, 2, got, found, coordinates)
    call require(all(got == dims) .and. all(found .eqv. periods), what // ': grid')
    call MPI_Comm_free(comm)
  end subroutine

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (.not. holds) then
      print '(a,i0,2a)', 'rank ', rank, ' failed: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
  end subroutine

end program
