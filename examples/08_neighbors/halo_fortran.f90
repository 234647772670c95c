! SPDX-License-Identifier: Apache-2.0

! The same as halo.c.
program halo_fortran
  use mpi_f08
  use espalier_neighbor
  implicit none
  integer, parameter :: width = 8, num_generations = 64, num_neighbors = 8
  integer, parameter :: offsets(2, num_neighbors) = reshape( &
    [-1, -1, -1, 0, -1, 1, 0, -1, 0, 1, 1, -1, 1, 0, 1, 1], [2, num_neighbors])
  ! The cells of this process, with a layer of those of others around them.
  integer, asynchronous :: cells(0:width + 1, 0:width + 1)
  integer :: begun(0:width + 1, 0:width + 1), counts(2), dims(2), generation, rank, num_ranks
  type(MPI_Comm) :: grid
  type(espalier_neighborhood) :: all8
  type(espalier_request) :: halo
  character(len=512) :: text

  call MPI_Init()
  call MPI_Comm_size(MPI_COMM_WORLD, num_ranks)
  dims = 0
  call MPI_Dims_create(num_ranks, 2, dims)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .true.], .false., grid)
  call MPI_Comm_rank(grid, rank)
  call espalier_neighborhood_create(grid, offsets, all8, &
    options=espalier_neighbor_options('combining'))
  call plan_halo()
  call espalier_explain(halo, text)

  cells(:, :) = 0
  if (rank == 0) then
    print '(a)', trim(text)
    cells(1:3, 1:3) = reshape([0, 0, 1, 1, 0, 1, 0, 1, 1], [3, 3])
  end if
  begun = cells
  do generation = 1, num_generations
    call espalier_request_start(halo)
    call espalier_request_wait(halo)
    call advance()
  end do
  associate (now => cells(1:width, 1:width), before => begun(1:width, 1:width))
    counts = [sum(now), sum(now * before)]
  end associate
  call MPI_Allreduce(MPI_IN_PLACE, counts, 2, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  if (rank == 0) print '(i0,a,i0,a)', counts(1), ' cells are alive, ', counts(2), &
    ' of them where the glider began'
  call espalier_request_free(halo)
  call espalier_neighborhood_free(all8)
  call MPI_Comm_free(grid)
  call MPI_Finalize()

contains

  ! What is sent lies at the border in a direction, and what comes lies beyond the opposite one.
  subroutine plan_halo()
    type(MPI_Datatype) :: sent(num_neighbors), received(num_neighbors)
    integer(MPI_ADDRESS_KIND) :: zeros(num_neighbors)
    integer :: ones(num_neighbors), k
    ones = 1
    zeros = 0
    do k = 1, num_neighbors
      sent(k) = block_of(offsets(:, k), [1, 1, width])
      received(k) = block_of(offsets(:, k), [width + 1, 1, 0])
    end do
    call espalier_neighbor_alltoallw_init(cells, ones, zeros, sent, cells, ones, zeros, received, &
      all8, halo)
    do k = 1, num_neighbors
      call MPI_Type_free(sent(k))
      call MPI_Type_free(received(k))
    end do
  end subroutine

  ! begins: for steps of -1, 0 and 1.
  function block_of(offset, begins) result(made)
    integer, intent(in) :: offset(2), begins(-1:1)
    type(MPI_Datatype) :: made
    call MPI_Type_create_subarray(2, [width + 2, width + 2], merge(width, 1, offset == 0), &
      [begins(offset(1)), begins(offset(2))], MPI_ORDER_FORTRAN, MPI_INTEGER, made)
    call MPI_Type_commit(made)
  end function

  subroutine advance()
    integer :: next(width, width), row, column, around
    do column = 1, width
      do row = 1, width
        around = sum(cells(row - 1:row + 1, column - 1:column + 1)) - cells(row, column)
        next(row, column) = merge(1, 0, around == 3 .or. (around == 2 .and. cells(row, column) == 1))
      end do
    end do
    cells(1:width, 1:width) = next
  end subroutine

end program
