! SPDX-License-Identifier: Apache-2.0

! The module espalier_onesided with handles of mpi_f08: every procedure, and what is refused.
program onesided_use_mpi_f08
  use, intrinsic :: iso_c_binding, only: c_double, c_f_pointer, c_funloc, c_int, c_int64_t, c_loc, &
    c_ptr, c_sizeof
  use mpi_f08
  use espalier_onesided
  implicit none
  integer, parameter :: n = 6
  integer(c_int64_t), parameter :: segment_bytes = 65536, counter_at = 32768
  type(espalier_onesided_options), parameter :: local = &
    espalier_onesided_options(addresses=ESPALIER_ADDRESSES_LOCAL)
  type(espalier_conduit) :: conduit
  type(espalier_team) :: team
  integer :: rank, p, right, left

  call MPI_Init()
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, p)
  right = modulo(rank + 1, p)
  left = modulo(rank - 1, p)
  call check_refused_attach()
  call check_transport('node')
  call check_transport('rma')
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize()

contains

  subroutine check_refused_attach()
    integer :: code
    call espalier_conduit_attach(MPI_COMM_WORLD, segment_bytes, conduit, code, &
      espalier_conduit_options(transport='carrier'))
    call require(code /= MPI_SUCCESS, 'an unknown transport is refused')
  end subroutine

  subroutine check_transport(name)
    character(len=*), intent(in) :: name
    call espalier_conduit_attach(MPI_COMM_WORLD, segment_bytes + 64 * rank, conduit, &
      options=espalier_conduit_options(transport=name, scratch_bytes=4194304))
    call check_description(name)
    call check_segment()
    call espalier_conduit_barrier(conduit)
    call check_transfers()
    call check_counters()
    call check_started_signals()
    call check_barrier()
    call check_team_of_all()
    call check_part()
    call espalier_conduit_detach(conduit)
  end subroutine

  subroutine check_description(name)
    character(len=*), intent(in) :: name
    character(len=8) :: text
    integer(c_int64_t) :: num_bytes
    integer :: number, code
    call espalier_conduit_rank(conduit, number)
    call require(number == rank, 'conduit_rank')
    call espalier_conduit_size(conduit, number)
    call require(number == p, 'conduit_size')
    call espalier_conduit_transport(conduit, text)
    call require(text == name, 'conduit_transport')
    call espalier_conduit_segment_bytes(conduit, right, num_bytes)
    call require(num_bytes == segment_bytes + 64 * right, 'segment_bytes')
    call espalier_conduit_segment_bytes(conduit, p, num_bytes, code)
    call require(code /= MPI_SUCCESS, 'segment_bytes of nobody is refused')
  end subroutine

  subroutine check_segment()
    double precision, pointer :: x(:), matrix(:, :)
    real, pointer :: single(:)
    integer, pointer :: numbers(:)
    integer(c_int64_t), pointer :: large(:)
    complex(kind(1d0)), pointer :: z(:)
    type(c_ptr) :: address
    integer :: code
    call espalier_conduit_segment(conduit, x)
    call require(size(x) == (segment_bytes + 64 * rank) / 8, 'all of a segment')
    call require(all(nint(x) == 0), 'a segment is zero at first')
    call espalier_conduit_segment(conduit, numbers, offset=64_c_int64_t, num_elements=10_c_int64_t)
    call require(size(numbers) == 10, 'a part of a segment')
    call espalier_conduit_segment(conduit, single, code, 64_c_int64_t)
    call espalier_conduit_segment(conduit, large, code, 64_c_int64_t, 1_c_int64_t)
    call espalier_conduit_segment(conduit, z, code, 64_c_int64_t, 1_c_int64_t)
    call require(code == MPI_SUCCESS, 'arrays of all types')
    single(1) = 1
    call require(numbers(1) == transfer(1.0, 1) .and. large(1) == numbers(1), 'the same memory')
    z(1) = 0
    call require(all(numbers == 0) .and. all(nint(x) == 0), 'the same memory again')
    call espalier_conduit_segment(conduit, address)
    call c_f_pointer(address, matrix, [2, 3])
    matrix(2, 3) = 5
    call require(nint(x(6)) == 5, 'an array of two dimensions')
    x(6) = 0
    call espalier_conduit_segment(conduit, x, code, 4_c_int64_t)
    call require(is_wrong(code) .and. .not. associated(x), 'an odd offset is refused')
    call espalier_conduit_segment(conduit, x, code, segment_bytes + 64 * rank, 1_c_int64_t)
    call require(is_wrong(code) .and. .not. associated(x), 'elements behind are refused')
    call espalier_conduit_segment(conduit, x, code, -8_c_int64_t)
    call require(is_wrong(code), 'a negative offset is refused')
  end subroutine

  subroutine check_transfers()
    integer(c_int64_t), asynchronous :: from(n), into(n), square(n, n)
    integer(c_int64_t), pointer :: here(:)
    type(espalier_transfer) :: transfer
    integer(c_int64_t) :: num_bytes
    logical :: is_over
    integer :: code
    num_bytes = c_sizeof(from)
    call espalier_conduit_segment(conduit, here, num_elements=int(4 * n, c_int64_t))
    from = rank
    call espalier_put(from, num_bytes, espalier_remote(right, 0), conduit)
    call espalier_start_put(from, num_bytes, espalier_remote(right, num_bytes), conduit, transfer)
    call espalier_transfer_wait_local(conduit, transfer)
    call espalier_transfer_wait(conduit, transfer)
    call espalier_transfer_wait(conduit, transfer, code)
    call require(is_wrong(code), 'a second wait is refused')
    call espalier_post_put(from, num_bytes, espalier_remote(right, 2 * num_bytes), conduit)
    call espalier_fence(conduit)
    call espalier_conduit_barrier(conduit)
    call require(all(here(:3 * n) == left), 'put, start_put, post_put')
    call espalier_get(into, num_bytes, espalier_remote(right, 0), conduit)
    call require(all(into == rank), 'get')
    into = -1
    call espalier_start_get(into, num_bytes, espalier_remote(right, num_bytes), conduit, transfer)
    is_over = .false.
    do while (.not. is_over)
      call espalier_transfer_test(conduit, transfer, is_over)
    end do
    call require(all(into == rank), 'start_get')
    into = -1
    call espalier_post_get(into, num_bytes, espalier_remote(right, 2 * num_bytes), conduit)
    call espalier_fence(conduit)
    call require(all(into == rank), 'post_get')
    square = 0
    call espalier_conduit_barrier(conduit)
    call espalier_put(square(:, 2), num_bytes, espalier_remote(right, 0), conduit, code)
    call require(code == MPI_SUCCESS, 'a column is contiguous')
    call espalier_put(square(2, :), num_bytes, espalier_remote(right, 0), conduit, code)
    call require(is_wrong(code), 'a row is refused')
    call espalier_get(square(2, :), num_bytes, espalier_remote(right, 0), conduit, code)
    call require(is_wrong(code), 'a row is refused by get')
    call espalier_put(from, num_bytes, espalier_remote(p, 0), conduit, code)
    call require(is_wrong(code), 'a rank that nobody has is refused')
    call espalier_put(from, num_bytes, espalier_remote(right, -8), conduit, code)
    call require(is_wrong(code), 'an offset below 0 is refused')
    call espalier_conduit_barrier(conduit)
  end subroutine

  subroutine check_counters()
    integer(c_int64_t) :: from(n)
    integer(c_int64_t), pointer :: here(:)
    integer(c_int64_t) :: number, step
    integer :: code
    call espalier_conduit_segment(conduit, here, num_elements=int(n, c_int64_t))
    do step = 1, 3
      from = rank + step
      call espalier_put_signal(from, c_sizeof(from), espalier_remote(right, 0), counter_at, &
        1_c_int64_t, conduit)
      call espalier_await(conduit, counter_at, step)
      call require(all(here == left + step), 'put_signal')
      call espalier_conduit_barrier(conduit)
    end do
    call espalier_signal(espalier_remote(right, counter_at + 8), 5_c_int64_t, conduit)
    call espalier_await(conduit, counter_at + 8, 5_c_int64_t)
    call espalier_counter(conduit, counter_at + 8, number)
    call require(number == 5, 'signal and counter')
    call espalier_counter(conduit, 4_c_int64_t, number, code)
    call require(is_wrong(code), 'a counter at a multiple of 4 is refused')
  end subroutine

  ! The counter of the neighbor is at 3 before.
  subroutine check_started_signals()
    integer(c_int64_t), asynchronous :: from(n), square(n, n)
    integer(c_int64_t), pointer :: here(:)
    type(espalier_transfer) :: transfer
    type(espalier_remote) :: there
    logical :: is_over
    integer :: code
    call espalier_conduit_segment(conduit, here, num_elements=int(n, c_int64_t))
    there = espalier_remote(right, 0)
    call espalier_conduit_barrier(conduit)
    from = rank + 40
    call espalier_start_put_signal(from, c_sizeof(from), there, counter_at, 2_c_int64_t, conduit, &
      transfer)
    is_over = .false.
    do while (.not. is_over)
      call espalier_transfer_test_local(conduit, transfer, is_over)
    end do
    from = -1
    call espalier_transfer_wait_local(conduit, transfer)
    call espalier_transfer_wait(conduit, transfer)
    call espalier_await(conduit, counter_at, 5_c_int64_t)
    call require(all(here == left + 40), 'start_put_signal')
    call espalier_transfer_test_local(conduit, transfer, is_over, code)
    call require(is_wrong(code) .and. .not. is_over, 'a test of what is used up is refused')
    call espalier_conduit_barrier(conduit)
    from = rank + 50
    call espalier_post_put_signal(from, c_sizeof(from), there, counter_at, 1_c_int64_t, conduit)
    call espalier_fence(conduit)
    from = -1
    call espalier_await(conduit, counter_at, 6_c_int64_t)
    call require(all(here == left + 50), 'post_put_signal')
    square = 0
    call espalier_start_put_signal(square(2, :), c_sizeof(from), there, counter_at, 1_c_int64_t, &
      conduit, transfer, code)
    call require(is_wrong(code), 'a row is refused by start_put_signal')
    call espalier_post_put_signal(square(2, :), c_sizeof(from), there, counter_at, 1_c_int64_t, &
      conduit, code)
    call require(is_wrong(code), 'a row is refused by post_put_signal')
    call espalier_start_put_signal(from, c_sizeof(from), there, counter_at + 4, 1_c_int64_t, &
      conduit, transfer, code)
    call require(is_wrong(code), 'a counter at a multiple of 4 is refused by start_put_signal')
    call espalier_post_put_signal(from, c_sizeof(from), there, -8_c_int64_t, 1_c_int64_t, conduit, &
      code)
    call require(is_wrong(code), 'a counter below 0 is refused by post_put_signal')
    call espalier_conduit_barrier(conduit)
  end subroutine

  subroutine check_barrier()
    logical :: is_over
    call espalier_conduit_notify(conduit)
    is_over = .false.
    do while (.not. is_over)
      call espalier_conduit_poll(conduit)
      call espalier_conduit_try_barrier(conduit, is_over)
    end do
  end subroutine

  subroutine check_team_of_all()
    integer :: number, code
    call espalier_team_create(conduit, MPI_COMM_WORLD, team)
    call espalier_team_rank(team, number)
    call require(number == rank, 'team_rank')
    call espalier_team_size(team, number)
    call require(number == p, 'team_size')
    call espalier_team_conduit_rank(team, right, number)
    call require(number == right, 'team_conduit_rank')
    call espalier_team_conduit_rank(team, p, number, code)
    call require(code /= MPI_SUCCESS, 'team_conduit_rank of nobody is refused')
    call espalier_team_rank_of(team, left, number)
    call require(number == left, 'team_rank_of')
    call espalier_team_rank_of(team, p, number, code)
    call require(is_wrong(code), 'team_rank_of nobody is refused')
    call check_strict_bcast()
    call check_loose_bcast()
    call check_symmetric_scatter()
    call check_single_gather()
    call check_local()
    call check_refused_plans()
    call check_tuning()
    call check_learning()
    call espalier_team_free(team)
  end subroutine

  ! Strict and symmetric, as without options; started again and again.
  subroutine check_strict_bcast()
    integer(c_int64_t), pointer :: x(:)
    type(espalier_request) :: request
    character(len=64) :: algorithm, mechanism
    logical :: is_over
    integer :: step, code
    call espalier_conduit_segment(conduit, x, num_elements=int(n, c_int64_t))
    call espalier_team_bcast_init(x, n, MPI_INTEGER8, p - 1, team, request)
    call espalier_request_algorithm(request, algorithm)
    call require(index(algorithm, 'bcast/') == 1, 'request_algorithm')
    call espalier_request_mechanism(request, mechanism)
    call require(len_trim(mechanism) > 0, 'request_mechanism')
    do step = 1, 3
      x = -1
      if (rank == p - 1) x = step
      call espalier_conduit_barrier(conduit)
      call espalier_request_start(request)
      call espalier_request_start(request, code)
      call require(code /= MPI_SUCCESS, 'a second start is refused')
      is_over = .false.
      do while (.not. is_over)
        call espalier_request_test(request, is_over)
      end do
      call require(all(x == step), 'bcast')
    end do
    call espalier_request_free(request)
  end subroutine

  subroutine check_tuning()
    integer, pointer :: x(:)
    integer(c_int), target, volatile :: num_calls
    type(espalier_request) :: request
    character(len=16) :: origin
    integer :: code
    call espalier_conduit_segment(conduit, x, num_elements=int(n, c_int64_t))
    x = rank
    num_calls = 0
    call espalier_team_bcast_init(x, n, MPI_INTEGER, 0, team, request)
    call espalier_request_origin(request, origin)
    call require(origin == 'rule', 'request_origin')
    call espalier_request_tune(request, code, espalier_tuning_options(seconds=-1))
    call require(is_wrong(code), 'seconds below 0 are refused')
    call espalier_request_tune(request, options=espalier_tuning_options(seconds=0.01_c_double, &
      meanwhile=c_funloc(count_call), context=c_loc(num_calls), anew=.true., every=.true.))
    call require(num_calls > 0, 'what runs meanwhile is called')
    call require(all(x == 0), 'request_tune')
    call espalier_request_free(request)
  end subroutine

  ! Trials of the first two candidates, and what is exchanged behind them.
  subroutine check_learning()
    integer, pointer :: x(:)
    type(espalier_request) :: request
    integer :: step
    call espalier_conduit_segment(conduit, x, num_elements=int(n, c_int64_t))
    call espalier_team_bcast_init(x, n, MPI_INTEGER, 0, team, request, &
      options=espalier_onesided_options(learn=.true.))
    do step = 1, 25
      x = merge(step, -1, rank == 0)
      call espalier_conduit_barrier(conduit)
      call espalier_request_start(request)
      call espalier_request_wait(request)
      call require(all(x == step), 'a request that learns')
    end do
    call espalier_request_free(request)
  end subroutine

  subroutine count_call(context) bind(C)
    type(c_ptr), value :: context
    integer(c_int), pointer :: num_calls
    call c_f_pointer(context, num_calls)
    num_calls = num_calls + 1
  end subroutine

  subroutine check_loose_bcast()
    integer, pointer :: x(:)
    type(espalier_request) :: request
    call espalier_conduit_segment(conduit, x, num_elements=int(n, c_int64_t))
    x = rank
    call espalier_conduit_barrier(conduit)
    call espalier_team_bcast_init(x, n, MPI_INTEGER, 0, team, request, &
      options=espalier_onesided_options(in=ESPALIER_NOSYNC, out=ESPALIER_NOSYNC, &
      algorithm='bcast/binomial'))
    call espalier_request_start(request)
    call espalier_request_wait(request)
    call espalier_conduit_barrier(conduit)
    call require(all(x == 0), 'loose bcast')
    call espalier_request_free(request)
  end subroutine

  ! Only the root has a buffer there, but all say where it is.
  subroutine check_symmetric_scatter()
    integer, pointer :: whole(:), part(:)
    type(espalier_request) :: request
    integer :: i
    call espalier_conduit_segment(conduit, part, num_elements=int(n, c_int64_t))
    call espalier_conduit_segment(conduit, whole, offset=1024_c_int64_t, &
      num_elements=int(n * p, c_int64_t))
    if (rank == 0) whole = [(i, i = 1, n * p)]
    call espalier_conduit_barrier(conduit)
    call espalier_team_scatter_init(whole, part, n, MPI_INTEGER, 0, team, request)
    call espalier_request_start(request)
    call espalier_request_wait(request)
    call require(all(part == [(n * rank + i, i = 1, n)]), 'symmetric scatter')
    call espalier_request_free(request)
  end subroutine

  ! Members have their blocks at different offsets. Only the root says where its buffer is.
  subroutine check_single_gather()
    type(espalier_onesided_options), parameter :: single = &
      espalier_onesided_options(addresses=ESPALIER_ADDRESSES_SINGLE)
    integer, pointer :: whole(:), part(:)
    integer, target :: elsewhere(n)
    type(espalier_request) :: request
    integer :: i, code
    call espalier_conduit_segment(conduit, part, offset=64_c_int64_t * rank, &
      num_elements=int(n, c_int64_t))
    call espalier_conduit_segment(conduit, whole, offset=1024_c_int64_t, &
      num_elements=int(n * p, c_int64_t))
    part = rank
    call espalier_team_gather_init(elsewhere, whole, n, MPI_INTEGER, 0, team, request, code, single)
    call require(is_wrong(code), 'a single buffer outside of the segment is refused')
    call espalier_team_gather_init(part, whole, n, MPI_INTEGER, 0, team, request, options=single)
    call espalier_request_start(request)
    call espalier_request_wait(request)
    if (rank == 0) then
      call require(all(whole == [((i - 1) / n, i = 1, n * p)]), 'single gather')
    end if
    call espalier_request_free(request)
  end subroutine

  ! The other collectives, with buffers anywhere, all under way at the same time.
  subroutine check_local()
    integer, target, asynchronous :: mine(n), part(n), sum_all(n), largest(n)
    integer, target, asynchronous :: whole(n * p), gathered(n * p)
    integer, target, asynchronous :: all_parts(n * p), exchanged(n * p)
    type(espalier_request) :: requests(7)
    integer :: i, root
    root = p / 2
    mine = rank
    part = -1
    sum_all = -1
    largest = -1
    whole = [(i, i = 1, n * p)]
    gathered = -1
    all_parts = -1
    exchanged = -1
    call espalier_team_scatter_init(whole, part, n, MPI_INTEGER, root, team, requests(1), &
      options=local)
    call espalier_team_gather_init(mine, gathered, n, MPI_INTEGER, root, team, requests(2), &
      options=local)
    call espalier_team_reduce_init(mine, largest, n, MPI_INTEGER, MPI_MAX, root, team, &
      requests(3), options=local)
    call espalier_team_allreduce_init(mine, sum_all, n, MPI_INTEGER, MPI_SUM, team, requests(4), &
      options=local)
    call espalier_team_allgather_init(mine, all_parts, n, MPI_INTEGER, team, requests(5), &
      options=local)
    call espalier_team_alltoall_init(whole, exchanged, n, MPI_INTEGER, team, requests(6), &
      options=local)
    call espalier_team_barrier_init(team, requests(7))
    do i = 1, 7
      call espalier_request_start(requests(i))
    end do
    call espalier_team_fence(team)
    call require(all(part == whole(n * rank + 1:n * (rank + 1))), 'scatter')
    call require(all(sum_all == p * (p - 1) / 2), 'allreduce')
    call require(all(all_parts == [((i - 1) / n, i = 1, n * p)]), 'allgather')
    call require(all(gathered == merge(all_parts, -1, rank == root)), 'gather')
    call require(all(largest == merge(p - 1, -1, rank == root)), 'reduce')
    do i = 0, p - 1
      call require(all(exchanged(n * i + 1:n * (i + 1)) == part), 'alltoall')
    end do
    do i = 1, 7
      call espalier_request_free(requests(i))
    end do
  end subroutine

  subroutine check_refused_plans()
    double precision, pointer :: x(:)
    double precision :: elsewhere(n), square(n, n)
    type(espalier_request) :: request
    integer :: code
    call espalier_conduit_segment(conduit, x, num_elements=int(n, c_int64_t))
    call espalier_team_bcast_init(x, n, MPI_DOUBLE_PRECISION, p, team, request, code)
    call require(is_wrong(code), 'a root that nobody is is refused')
    call espalier_team_bcast_init(elsewhere, n, MPI_DOUBLE_PRECISION, 0, team, request, code)
    call require(is_wrong(code), 'a symmetric buffer outside of the segment is refused')
    call espalier_team_bcast_init(square(2, :), n, MPI_DOUBLE_PRECISION, 0, team, request, code, &
      local)
    call require(code /= MPI_SUCCESS, 'a row is refused')
    call espalier_team_bcast_init(x, n, MPI_DOUBLE_PRECISION, 0, team, request, code, &
      espalier_onesided_options(algorithm='bcast/no_such'))
    call require(code /= MPI_SUCCESS, 'an unknown algorithm is refused')
    call espalier_team_bcast_init(x, n, MPI_DOUBLE_PRECISION, 0, team, request, code, &
      espalier_onesided_options(in=7))
    call require(is_wrong(code), 'an unknown mode is refused')
    call check_refused_in_place()
  end subroutine

  ! As MPI_IN_PLACE is a variable of Fortran, it could be taken for a buffer.
  subroutine check_refused_in_place()
    integer :: numbers(n * p), code
    type(espalier_request) :: request
    call espalier_team_bcast_init(MPI_IN_PLACE, n, MPI_INTEGER, 0, team, request, code, local)
    call require(class_of(code) == MPI_ERR_BUFFER, 'a bcast in place is refused')
    call espalier_team_scatter_init(numbers, MPI_IN_PLACE, n, MPI_INTEGER, 0, team, request, code, &
      local)
    call require(class_of(code) == MPI_ERR_BUFFER, 'a scatter in place is refused')
    call espalier_team_gather_init(MPI_IN_PLACE, numbers, n, MPI_INTEGER, 0, team, request, code, &
      local)
    call require(class_of(code) == MPI_ERR_BUFFER, 'a gather in place is refused')
    call espalier_team_reduce_init(MPI_IN_PLACE, numbers, n, MPI_INTEGER, MPI_SUM, 0, team, &
      request, code, local)
    call require(class_of(code) == MPI_ERR_BUFFER, 'a reduce in place is refused')
    call espalier_team_allreduce_init(MPI_IN_PLACE, numbers, n, MPI_INTEGER, MPI_SUM, team, &
      request, code, local)
    call require(class_of(code) == MPI_ERR_BUFFER, 'an allreduce in place is refused')
    call espalier_team_allgather_init(MPI_IN_PLACE, numbers, n, MPI_INTEGER, team, request, code)
    call require(class_of(code) == MPI_ERR_BUFFER, 'an allgather in place is refused')
    call espalier_team_alltoall_init(MPI_IN_PLACE, numbers, n, MPI_INTEGER, team, request, code)
    call require(class_of(code) == MPI_ERR_BUFFER, 'an alltoall in place is refused')
  end subroutine

  ! A team of some of the processes, in an order of its own.
  subroutine check_part()
    type(MPI_Comm) :: comm
    integer, pointer :: x(:)
    type(espalier_request) :: request
    integer :: first, number
    call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), -rank, comm)
    call espalier_team_create(conduit, comm, team, scratch_bytes=65536_c_int64_t)
    call espalier_team_conduit_rank(team, 0, first)
    call espalier_team_rank_of(team, first, number)
    call require(number == 0, 'team_rank_of the first member')
    if (p > 1) then
      call espalier_team_rank_of(team, ieor(rank, 1), number)
      if (ieor(rank, 1) < p) call require(number == MPI_UNDEFINED, 'team_rank_of a stranger')
    end if
    call espalier_conduit_segment(conduit, x, num_elements=int(n, c_int64_t))
    x = rank
    call espalier_team_bcast_init(x, n, MPI_INTEGER, 0, team, request)
    call espalier_request_start(request)
    call espalier_request_wait(request)
    call require(all(x == first), 'bcast of a part')
    call espalier_request_free(request)
    call espalier_team_free(team)
    call MPI_Comm_free(comm)
  end subroutine

  ! Whether a call has said that an argument cannot be.
  function is_wrong(code)
    integer, intent(in) :: code
    logical :: is_wrong
    integer :: class
    class = class_of(code)
    is_wrong = class == MPI_ERR_ARG .or. class == MPI_ERR_BUFFER .or. class == MPI_ERR_ROOT
  end function

  function class_of(code) result(class)
    integer, intent(in) :: code
    integer :: class
    call MPI_Error_class(code, class)
  end function

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    if (.not. holds) then
      print '(a,i0,2a)', 'rank ', rank, ' failed: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1)
    end if
  end subroutine

end program
