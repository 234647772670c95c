! SPDX-License-Identifier: Apache-2.0

! Blocks of different sizes and reproducible reductions of the module espalier_onesided, with handles
! of mpi_f08 or, with OLD_HANDLES, of mpi: every procedure, and what is refused.
program onesided_uneven
  use, intrinsic :: iso_c_binding, only: c_double, c_int32_t, c_int64_t
#ifdef OLD_HANDLES
  use mpi
#else
  use mpi_f08
#endif
  use espalier_onesided
  implicit none
  integer, parameter :: none(0) = [integer ::]
  type(espalier_onesided_options), parameter :: local = &
    espalier_onesided_options(addresses=ESPALIER_ADDRESSES_LOCAL)
  type(espalier_conduit) :: conduit
  type(espalier_team) :: team
  ! Blocks of all members, in the reverse order and with an element before each; their indices.
  integer, allocatable :: counts(:), displs(:)
  integer :: rank, p, code, num_elements

  call MPI_Init(code)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, code)
  call MPI_Comm_size(MPI_COMM_WORLD, p, code)
  call make_lists()
  call check_with('node')
  call check_with('rma')
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize(code)

contains

  subroutine make_lists()
    integer :: i
    counts = [(2 * modulo(i + 1, 3), i = 0, p - 1)]
    allocate (displs(p))
    num_elements = 0
    do i = p, 1, -1
      displs(i) = num_elements + 1
      num_elements = num_elements + counts(i) + 1
    end do
  end subroutine

  subroutine check_with(transport)
    character(len=*), intent(in) :: transport
    call espalier_conduit_attach(MPI_COMM_WORLD, 65536_c_int64_t, conduit, &
      options=espalier_conduit_options(transport=transport))
    call espalier_team_create(conduit, MPI_COMM_WORLD, team)
    call check_scatterv()
    call check_gatherv()
    call check_allgatherv()
    call check_alltoallv()
    call check_symmetric()
    call check_refused()
    call check_refused_in_place()
    call check_refused_exchange()
    call check_reproducible()
    call espalier_team_free(team)
    call espalier_conduit_detach(conduit)
  end subroutine

  ! The number that member m has at place j of its block.
  elemental function number_of(m, j) result(number)
    integer, intent(in) :: m, j
    integer :: number
    number = 100 * m + j
  end function

  ! What all blocks together are, and -1 between them.
  function all_blocks() result(blocks)
    integer, allocatable :: blocks(:)
    integer :: m, j
    allocate (blocks(num_elements))
    blocks = -1
    do m = 0, p - 1
      blocks(displs(m + 1) + 1:displs(m + 1) + counts(m + 1)) = &
        [(number_of(m, j), j = 1, counts(m + 1))]
    end do
  end function

  function own_block() result(block)
    integer, allocatable :: block(:)
    integer :: j
    block = [(number_of(rank, j), j = 1, counts(rank + 1))]
  end function

  subroutine run(request)
    type(espalier_request), intent(inout) :: request
    call espalier_request_start(request)
    call espalier_request_wait(request)
    call espalier_request_free(request)
  end subroutine

  subroutine check_scatterv()
    integer, allocatable, target, asynchronous :: whole(:), part(:)
    type(espalier_request) :: request
    whole = all_blocks()
    allocate (part(counts(rank + 1) + 1))
    part = -2
    call espalier_team_scatterv_init(whole, counts, displs, part, MPI_INTEGER, p / 2, team, &
      request, options=local)
    call run(request)
    call require(all(part == [own_block(), -2]), 'scatterv')
  end subroutine

  subroutine check_gatherv()
    integer, allocatable, target, asynchronous :: mine(:), gathered(:)
    type(espalier_request) :: request
    mine = own_block()
    allocate (gathered(num_elements))
    gathered = -1
    call espalier_team_gatherv_init(mine, gathered, counts, displs, MPI_INTEGER, p - 1, team, &
      request, options=local)
    call run(request)
    call require(rank /= p - 1 .or. all(gathered == all_blocks()), 'gatherv')
    call require(rank == p - 1 .or. all(gathered == -1), 'gatherv elsewhere')
  end subroutine

  ! One block behind the other.
  subroutine check_allgatherv()
    integer, allocatable, target, asynchronous :: mine(:), gathered(:)
    integer :: m, j
    type(espalier_request) :: request
    mine = own_block()
    allocate (gathered(sum(counts)))
    gathered = -1
    call espalier_team_allgatherv_init(mine, gathered, counts, none, MPI_INTEGER, team, request, &
      options=local)
    call run(request)
    call require(all(gathered == [((number_of(m, j), j=1, counts(m + 1)), m=0, p - 1)]), &
      'allgatherv')
  end subroutine

  ! How much goes from one member to another.
  elemental function exchanged(from, into) result(count)
    integer, intent(in) :: from, into
    integer :: count
    count = modulo(from + 2 * into, 3)
  end function

  subroutine check_alltoallv()
    integer, allocatable, target, asynchronous :: give(:), got(:)
    integer :: given(p), gotten(p), places(p)
    integer :: m, j
    type(espalier_request) :: request
    given = [(exchanged(rank, m), m = 0, p - 1)]
    gotten = [(exchanged(m, rank), m = 0, p - 1)]
    places = [(3 * (p - m), m = 1, p)]
    give = [((1000 * rank + number_of(m, j), j=1, given(m + 1)), m=0, p - 1)]
    allocate (got(3 * p))
    got = -1
    call espalier_team_alltoallv_init(give, given, none, got, gotten, places, MPI_INTEGER, team, &
      request, options=local)
    call run(request)
    do m = 0, p - 1
      call require(all(got(places(m + 1) + 1:places(m + 1) + 3) == &
        [(merge(1000 * m + number_of(rank, j), -1, j <= gotten(m + 1)), j = 1, 3)]), 'alltoallv')
    end do
  end subroutine

  ! In segments, without local addresses.
  subroutine check_symmetric()
    integer(c_int32_t), pointer :: mine(:), gathered(:)
    type(espalier_request) :: request
    call espalier_conduit_segment(conduit, mine, num_elements=64_c_int64_t)
    call espalier_conduit_segment(conduit, gathered, offset=256_c_int64_t, &
      num_elements=int(num_elements, c_int64_t))
    mine(:counts(rank + 1)) = own_block()
    gathered = -1
    call espalier_conduit_barrier(conduit)
    call espalier_team_gatherv_init(mine, gathered, counts, displs, MPI_INTEGER, 0, team, request)
    call run(request)
    call require(rank /= 0 .or. all(gathered == all_blocks()), 'symmetric gatherv')
  end subroutine

  ! As MPI_IN_PLACE is a variable of Fortran, it could be taken for a buffer.
  subroutine check_refused_in_place()
    integer, target, asynchronous :: numbers(64)
    integer, allocatable :: ones(:)
    type(espalier_request) :: request
    call espalier_team_scatterv_init(numbers, counts, displs, MPI_IN_PLACE, MPI_INTEGER, 0, team, &
      request, code, local)
    call require(class_of(code) == MPI_ERR_BUFFER, 'a scatterv in place is refused')
    call espalier_team_gatherv_init(MPI_IN_PLACE, numbers, counts, displs, MPI_INTEGER, 0, team, &
      request, code, local)
    call require(class_of(code) == MPI_ERR_BUFFER, 'a gatherv in place is refused')
    call espalier_team_allgatherv_init(MPI_IN_PLACE, numbers, counts, displs, MPI_INTEGER, team, &
      request, code, local)
    call require(class_of(code) == MPI_ERR_BUFFER, 'an allgatherv in place is refused')
    allocate (ones(p))
    ones = 1
    call espalier_team_alltoallv_init(MPI_IN_PLACE, ones, none, numbers, ones, none, MPI_INTEGER, &
      team, request, code, local)
    call require(class_of(code) == MPI_ERR_BUFFER, 'an alltoallv in place is refused')
  end subroutine

  subroutine check_refused()
    integer, target, asynchronous :: mine(64), all_parts(64)
    type(espalier_request) :: request
    call espalier_team_allgatherv_init(mine, all_parts, none, displs, MPI_INTEGER, team, request, &
      code, local)
    call require(class_of(code) == MPI_ERR_ARG, 'no counts are refused')
    call espalier_team_allgatherv_init(mine, all_parts, [(-1, code=1, p)], none, MPI_INTEGER, &
      team, request, code, local)
    call require(class_of(code) == MPI_ERR_COUNT, 'counts below 0 are refused')
    if (p == 1) return
    call espalier_team_allgatherv_init(mine, all_parts, counts(:p - 1), none, MPI_INTEGER, team, &
      request, code, local)
    call require(class_of(code) == MPI_ERR_COUNT, 'too few counts are refused')
    call espalier_team_gatherv_init(mine, all_parts, counts, displs(:p - 1), MPI_INTEGER, 0, team, &
      request, code, local)
    call require(class_of(code) == MPI_ERR_ARG, 'too few displacements are refused')
    call espalier_team_scatterv_init(all_parts, counts, displs, mine, MPI_INTEGER, p, team, &
      request, code, local)
    call require(class_of(code) == MPI_ERR_ROOT, 'a root that nobody is is refused')
    call espalier_team_gatherv_init(mine, all_parts, [(1, code=1, p)], [(0, code=1, p)], &
      MPI_INTEGER, 0, team, request, code, local)
    call require(class_of(code) == MPI_ERR_ARG, 'blocks that overlap are refused')
  end subroutine

  ! On all members, what is wrong with the lists of one of them.
  subroutine check_refused_exchange()
    integer, target, asynchronous :: give(64), got(64)
    integer, allocatable :: ones(:), twos(:)
    type(espalier_request) :: request
    if (p == 1) return
    allocate (ones(p), twos(p))
    ones = 1
    twos = merge(2, 1, rank == p - 1)
    call espalier_team_alltoallv_init(give, ones, none, got, twos, none, MPI_INTEGER, team, &
      request, code, local)
    call require(class_of(code) == MPI_ERR_COUNT, 'counts that do not fit are refused')
    call espalier_team_alltoallv_init(give, ones(:merge(p - 1, p, rank == 0)), none, got, ones, &
      none, MPI_INTEGER, team, request, code, local)
    call require(code /= MPI_SUCCESS, 'too few counts of one member are refused')
  end subroutine

  ! The bits of a loop over the members.
  subroutine check_reproducible()
    real(c_double), target, asynchronous :: mine(3), total(3)
    real(c_double) :: expected(3)
    type(espalier_request) :: request
    integer :: m, i
    mine = [(term(rank, i), i = 1, 3)]
    expected = [(term(0, i), i = 1, 3)]
    do m = 1, p - 1
      expected = expected + [(term(m, i), i = 1, 3)]
    end do
    call espalier_team_allreduce_init(mine, total, 3, MPI_DOUBLE_PRECISION, MPI_SUM, team, &
      request, options=espalier_onesided_options(addresses=ESPALIER_ADDRESSES_LOCAL, &
      reproducible=.true.))
    call run(request)
    call require(all(transfer(total, 1_c_int64_t, 3) == transfer(expected, 1_c_int64_t, 3)), &
      'a reproducible allreduce')
  end subroutine

  ! Sums of these differ with the order.
  pure function term(m, i) result(number)
    integer, intent(in) :: m, i
    real(c_double) :: number
    number = (-1)**m * 10.0_c_double**modulo(5 * m + i, 17) / 3
  end function

  function class_of(error) result(class)
    integer, intent(in) :: error
    integer :: class, ignored
    call MPI_Error_class(error, class, ignored)
  end function

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
