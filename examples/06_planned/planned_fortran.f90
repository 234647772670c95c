! SPDX-License-Identifier: Apache-2.0

! The same as planned.c.
program planned_fortran
  use mpi_f08
  use espalier_planned
  implicit none
  integer, parameter :: num_rows = 16, num_steps = 60
  double precision, asynchronous :: own(num_rows), length(1)
  double precision, allocatable, asynchronous :: whole(:)
  type(espalier_request) :: vector, total
  integer :: rank, num_ranks, step, row

  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks)
  allocate (whole(num_rows * num_ranks))
  own = 1
  call espalier_allgather_init(own, num_rows, MPI_DOUBLE_PRECISION, whole, num_rows, &
    MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, vector, options=espalier_planned_options('bruck'))
  call espalier_allreduce_init(MPI_IN_PLACE, length, 1, MPI_DOUBLE_PRECISION, MPI_SUM, &
    MPI_COMM_WORLD, total)
  call print_plan(vector)
  call print_plan(total)

  do step = 1, num_steps
    length = dot_product(own, own)
    call espalier_request_start(total)
    call espalier_request_start(vector)
    call espalier_request_wait(vector)
    call espalier_request_wait(total)
    own(:) = [(product_of(num_rows * rank + row), row = 1, num_rows)] / sqrt(length(1))
  end do
  length = dot_product(own, own)
  call espalier_request_start(total)
  call espalier_request_wait(total)
  if (rank == 0) print '("largest eigenvalue ",f8.6)', sqrt(length(1))
  call espalier_request_free(vector)
  call espalier_request_free(total)
  call MPI_Finalize()

contains

  ! A row of the matrix of a chain of springs, of which one is stiffer, times the vector.
  function product_of(row) result(sum)
    integer, intent(in) :: row
    double precision :: sum
    sum = merge(5, 2, row == 1) * whole(row)
    if (row > 1) sum = sum - whole(row - 1)
    if (row < size(whole)) sum = sum - whole(row + 1)
  end function

  subroutine print_plan(request)
    type(espalier_request), intent(in) :: request
    character(len=512) :: text
    call espalier_explain(request, text)
    if (rank == 0) print '(a)', trim(text)
  end subroutine

end program
