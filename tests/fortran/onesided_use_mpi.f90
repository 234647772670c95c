! SPDX-License-Identifier: Apache-2.0

! The module espalier_onesided with handles of the module mpi: every procedure that takes one.
program onesided_use_mpi
  use, intrinsic :: iso_c_binding, only: c_int64_t
  use mpi
  use espalier_onesided
  implicit none
  integer, parameter :: n = 6
  type(espalier_onesided_options), parameter :: local = &
    espalier_onesided_options(addresses=ESPALIER_ADDRESSES_LOCAL)
  type(espalier_conduit) :: conduit
  type(espalier_team) :: team
  type(espalier_request) :: requests(7)
  integer, target, asynchronous :: mine(n), part(n), total(n), largest(n), word(n)
  integer, allocatable, target, asynchronous :: whole(:), gathered(:), parts(:), exchanged(:)
  integer :: rank, p, i, ierror

  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, p, ierror)
  allocate (whole(n * p), gathered(n * p), parts(n * p), exchanged(n * p))
  mine = rank
  word = merge(42, 0, rank == 0)
  whole = [(i, i = 1, n * p)]

  call espalier_conduit_attach(MPI_COMM_WORLD, 4096_c_int64_t, conduit, ierror)
  call require(ierror == MPI_SUCCESS, 'attach')
  call espalier_team_create(conduit, MPI_COMM_WORLD, team, ierror)
  call require(ierror == MPI_SUCCESS, 'team_create')
  call espalier_team_bcast_init(word, n, MPI_INTEGER, 0, team, requests(1), ierror, local)
  call require(ierror == MPI_SUCCESS, 'bcast_init')
  call espalier_team_scatter_init(whole, part, n, MPI_INTEGER, 0, team, requests(2), ierror, local)
  call require(ierror == MPI_SUCCESS, 'scatter_init')
  call espalier_team_gather_init(mine, gathered, n, MPI_INTEGER, 0, team, requests(3), ierror, &
    local)
  call require(ierror == MPI_SUCCESS, 'gather_init')
  call espalier_team_reduce_init(mine, largest, n, MPI_INTEGER, MPI_MAX, 0, team, requests(4), &
    ierror, local)
  call require(ierror == MPI_SUCCESS, 'reduce_init')
  call espalier_team_allreduce_init(mine, total, n, MPI_INTEGER, MPI_SUM, team, requests(5), &
    ierror, local)
  call require(ierror == MPI_SUCCESS, 'allreduce_init')
  call espalier_team_allgather_init(mine, parts, n, MPI_INTEGER, team, requests(6), ierror, local)
  call require(ierror == MPI_SUCCESS, 'allgather_init')
  call espalier_team_alltoall_init(whole, exchanged, n, MPI_INTEGER, team, requests(7), ierror, &
    local)
  call require(ierror == MPI_SUCCESS, 'alltoall_init')

  do i = 1, 7
    call espalier_request_start(requests(i), ierror)
  end do
  do i = 7, 1, -1
    call espalier_request_wait(requests(i), ierror)
    call espalier_request_free(requests(i), ierror)
  end do
  call require(all(word == 42), 'bcast')
  call require(all(part == whole(n * rank + 1:n * (rank + 1))), 'scatter')
  call require(all(parts == [((i - 1) / n, i = 1, n * p)]), 'allgather')
  if (rank == 0) call require(all(gathered == parts), 'gather')
  if (rank == 0) call require(all(largest == p - 1), 'reduce')
  call require(all(total == p * (p - 1) / 2), 'allreduce')
  do i = 0, p - 1
    call require(all(exchanged(n * i + 1:n * (i + 1)) == part), 'alltoall')
  end do
  call espalier_team_free(team, ierror)
  call espalier_conduit_detach(conduit, ierror)
  call require(ierror == MPI_SUCCESS, 'detach')
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize(ierror)

contains

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    integer :: code
    if (.not. holds) then
      print '(a,i0,2a)', 'rank ', rank, ' failed: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1, code)
    end if
  end subroutine

end program
