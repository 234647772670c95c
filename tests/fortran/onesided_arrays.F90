! SPDX-License-Identifier: Apache-2.0

! Shared arrays of the module espalier_onesided, with handles of mpi_f08 or, with OLD_HANDLES, of
! mpi: every procedure, and what is refused.
program onesided_arrays
  use, intrinsic :: iso_c_binding, only: c_int32_t, c_int64_t
#ifdef OLD_HANDLES
  use mpi
#else
  use mpi_f08
#endif
  use espalier_onesided
  implicit none
  integer(c_int64_t), parameter :: segment_bytes = 65536, behind = 32768
  integer, parameter :: b = 5  ! elements of a block
  type(espalier_conduit) :: conduit
  type(espalier_team) :: team
  type(espalier_array) :: x, y
  integer(c_int32_t), pointer, asynchronous :: own(:), other(:)
  integer :: rank, p, code

  call MPI_Init(code)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
  call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, p, code)
  call check_with('node')
  call check_with('rma')
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize(code)

contains

  subroutine check_with(transport)
    character(len=*), intent(in) :: transport
    call espalier_conduit_attach(MPI_COMM_WORLD, segment_bytes, conduit, &
      options=espalier_conduit_options(transport=transport))
    call espalier_team_create(conduit, MPI_COMM_WORLD, team)
    call espalier_team_cache_limits(team, 8, 65536_c_int64_t)
    call make_arrays()
    call check_places()
    call check_affinity()
    call check_moves()
    call check_reduction()
    call check_parts()
    call check_cache()
    call check_refused()
    call espalier_array_free(x)
    call espalier_array_free(y)
    call espalier_team_free(team)
    call espalier_conduit_detach(conduit)
  end subroutine

  ! One block for each member, of b * p elements: in blocks of b there is a piece for each.
  function one_for_each() result(blocks)
    type(espalier_distribution) :: blocks
    blocks%extents(1) = b * p * p
  end function

  subroutine make_arrays()
    type(espalier_distribution) :: found
    integer(c_int64_t) :: num_bytes
    call espalier_array_create(team, one_for_each(), MPI_INTEGER4, 0_c_int64_t, x)
    call espalier_array_create(team, one_for_each(), MPI_INTEGER4, behind, y)
    call espalier_distribution_bytes(one_for_each(), MPI_INTEGER4, p, num_bytes)
    call require(num_bytes == 4 * b * p, 'distribution_bytes')
    call espalier_array_distribution(x, found)
    call require(found%ndims == 1 .and. found%extents(1) == b * p * p, 'array_distribution')
    call require(found%block(1) == b * p .and. found%grid(1) == p, 'what was chosen')
    call espalier_conduit_segment(conduit, own, num_elements=int(b * p, c_int64_t))
    call espalier_conduit_segment(conduit, other, offset=behind, &
      num_elements=int(b * p, c_int64_t))
  end subroutine

  subroutine check_places()
    type(espalier_remote) :: place
    integer :: member
    do member = 0, p - 1
      call espalier_array_place(y, [int(member * b * p + 2, c_int64_t)], place)
      call require(place%rank == member .and. place%offset == behind + 8, 'array_place')
    end do
    call espalier_array_place(y, [integer(c_int64_t) ::], place, code)
    call require(code /= MPI_SUCCESS, 'an element without numbers is refused')
  end subroutine

  subroutine check_affinity()
    logical :: has_affinity
    call espalier_region_has_affinity(region(x, p - 1), has_affinity)
    call require(has_affinity .eqv. (rank == p - 1), 'region_has_affinity')
    call espalier_region_has_affinity(all_of(x), has_affinity)
    call require(has_affinity, 'all of it')
  end subroutine

  subroutine check_moves()
    type(espalier_request) :: request
    integer :: i
    call begin(1000)
    call espalier_array_bcast_init(region(x, p - 1), all_of(y), b, request)
    call complete(request)
    call require(all(other(:b) == [(value_of(p - 1, i, 1000), i = 1, b)]), 'array_bcast')
    call begin(2000)
    call espalier_array_scatter_init(region(x, 0), all_of(y), b, request)
    call complete(request)
    call require(all(other(:b) == [(value_of(0, rank * b + i, 2000), i = 1, b)]), 'array_scatter')
    call begin(3000)
    call espalier_array_gather_init(all_of(x), region(y, 0), b, request)
    call complete(request)
    if (rank == 0) then
      do i = 0, p - 1
        call require(other(i * b + 1) == value_of(i, 1, 3000), 'array_gather')
      end do
    end if
    call begin(4000)
    call espalier_array_exchange_init(all_of(x), all_of(y), b, request, &
      options=espalier_onesided_options(addresses=ESPALIER_ADDRESSES_LOCAL))
    call complete(request)
    do i = 0, p - 1
      call require(other(i * b + 2) == value_of(i, rank * b + 2, 4000), 'array_exchange')
    end do
  end subroutine

  subroutine check_reduction()
    type(espalier_request) :: request
    integer :: member, expected
    call begin(7)
    call espalier_array_reduce_init(all_of(x), region(y, p - 1), 2, MPI_SUM, request)
    call complete(request)
    expected = 0
    do member = 0, p - 1
      expected = expected + value_of(member, 2, 7)
    end do
    if (rank == p - 1) call require(other(2) == expected, 'array_reduce')
  end subroutine

  ! In two dimensions, of which the last one varies fastest; every second block of it.
  subroutine check_parts()
    type(espalier_array) :: matrix
    type(espalier_distribution) :: blocks
    type(espalier_request) :: request
    type(espalier_remote) :: place
    integer(c_int32_t), pointer, asynchronous :: all_of_it(:)
    blocks%ndims = 2
    blocks%extents(:2) = [2, 3 * p]
    blocks%block(:2) = [2, 1]
    blocks%grid(:2) = [1, 0]
    call espalier_array_create(team, blocks, MPI_INTEGER4, 0_c_int64_t, matrix)
    call espalier_array_place(matrix, [1_c_int64_t, int(p, c_int64_t)], place)
    call require(place%rank == 0 .and. place%offset == 12, 'the second element of a second block')
    call espalier_conduit_segment(conduit, all_of_it, num_elements=6_c_int64_t)
    all_of_it = -rank - 1
    call espalier_conduit_barrier(conduit)
    call espalier_array_bcast_init(espalier_region(matrix, espalier_blocks(), espalier_blocks()), &
      espalier_region(matrix, espalier_blocks(), &
      espalier_blocks(first=p, stride=p, last=-1)), 2, request)
    call complete(request)
    if (rank == 0) call require(all(all_of_it == -1), 'blocks of one member')
    if (rank > 0) call require(all(all_of_it == -rank - 1), 'others have none of them')
    call espalier_array_free(matrix)
  end subroutine

  subroutine check_cache()
    integer :: num_teams
    call espalier_team_cache_size(team, num_teams)
    call require(num_teams >= 1, 'team_cache_size')
    call espalier_team_cache_clear(team)
    call espalier_team_cache_size(team, num_teams)
    call require(num_teams == 0, 'team_cache_clear')
  end subroutine

  subroutine check_refused()
    type(espalier_request) :: request
    type(espalier_array) :: none
    type(espalier_distribution) :: nothing
    call espalier_array_bcast_init(region(x, p), all_of(y), 1, request, code)
    call require(code /= MPI_SUCCESS, 'blocks outside of the array are refused')
    call espalier_array_bcast_init(all_of(x), region(y, 0), b * p + 1, request, code)
    call require(code /= MPI_SUCCESS, 'more than a block has is refused')
    call espalier_array_create(team, nothing, MPI_INTEGER4, 0_c_int64_t, none, code)
    call require(code /= MPI_SUCCESS, 'an array without extents is refused')
    call espalier_array_create(team, one_for_each(), MPI_INTEGER4, segment_bytes, none, code)
    call require(code /= MPI_SUCCESS, 'an array outside of the segment is refused')
  end subroutine

  function region(array, block) result(found)
    type(espalier_array), intent(in) :: array
    integer, intent(in) :: block
    type(espalier_region) :: found
    found = espalier_region(array, espalier_blocks(first=block))
  end function

  function all_of(array) result(found)
    type(espalier_array), intent(in) :: array
    type(espalier_region) :: found
    found = espalier_region(array, ESPALIER_ALL_BLOCKS)
  end function

  elemental function value_of(member, element, salt) result(found)
    integer, intent(in) :: member, element, salt
    integer :: found
    found = salt + 100 * member + element
  end function

  subroutine begin(salt)
    integer, intent(in) :: salt
    integer :: i
    call espalier_conduit_barrier(conduit)
    own = [(value_of(rank, i, salt), i = 1, b * p)]
    other = -1
    call espalier_conduit_barrier(conduit)
  end subroutine

  subroutine complete(request)
    type(espalier_request), intent(inout) :: request
    call espalier_request_start(request)
    call espalier_request_wait(request)
    call espalier_request_free(request)
  end subroutine

  subroutine require(is_true, what)
    logical, intent(in) :: is_true
    character(len=*), intent(in) :: what
    if (is_true) return
    print '(a, i0, 2a)', 'rank ', rank, ' failed: ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, code)
  end subroutine

end program
