! SPDX-License-Identifier: Apache-2.0

! The module espalier_planned: all collectives under way at the same time, against those of the MPI
! library. Compiled for handles of mpi_f08, and with OLD_HANDLES for those of mpi; with LARGE_COUNTS
! counts are of the kind MPI_COUNT_KIND.
#ifdef OLD_HANDLES
#define A_COMM integer
#define A_TYPE integer
#else
#define A_COMM type(MPI_Comm)
#define A_TYPE type(MPI_Datatype)
#endif
program planned
#ifdef OLD_HANDLES
  use mpi
#else
  use mpi_f08
#endif
  use espalier_planned
  implicit none
  integer, parameter :: num_calls = 17, n = 5
#ifdef LARGE_COUNTS
  integer, parameter :: a_count = MPI_COUNT_KIND, a_place = MPI_ADDRESS_KIND
#else
  integer, parameter :: a_count = kind(n), a_place = kind(n)
#endif
  ! One that any number of ranks can run, in the order of plan_all().
  character(len=24), parameter :: algorithms(num_calls) = [character(len=24) :: &
    'bruck', 'allgather/ring', 'reduce_bcast', 'bruck', 'linear', 'pairwise', 'dissemination', &
    'binomial', 'linear', 'binomial', 'flat', 'binomial', 'pairwise', 'ring', &
    'recursive_doubling', 'binomial', 'flat']
  A_COMM :: comm
  integer :: rank, p, root, code, i
  integer, allocatable, asynchronous :: input(:), output(:, :)
  integer, allocatable :: expected(:, :)
  integer, allocatable :: counts(:), places(:), sent(:), sent_places(:), got(:), got_places(:)
  A_TYPE, allocatable :: types(:)
  type(espalier_request) :: requests(num_calls)

  call MPI_Init(code)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, code)
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, code)
  call MPI_Comm_rank(comm, rank, code)
  call MPI_Comm_size(comm, p, code)
  root = p / 2
  allocate (input(3 * n * p), output(3 * n * p, num_calls), expected(3 * n * p, num_calls))
  allocate (types(p))
  types = MPI_INTEGER
  counts = [(n * modulo(i, 3), i = 0, p - 1)]
  sent = [(n * modulo(rank + 2 * i, 3), i = 0, p - 1)]
  got = [(n * modulo(i + 2 * rank, 3), i = 0, p - 1)]
  places = places_of(counts)
  sent_places = places_of(sent)
  got_places = places_of(got)

  call check_all([character(len=24) :: ('', i = 1, num_calls)])
  call check_all([character(len=24) :: ('native', i = 1, num_calls)])
  call check_all(algorithms)
  call check_in_place()
  call check_bottom()
  call check_explanation()
  call check_refusals()
  call MPI_Comm_free(comm, code)
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize(code)

contains

  function places_of(sizes) result(found)
    integer, intent(in) :: sizes(:)
    integer :: found(size(sizes)), k
    found = [(sum(sizes(:k - 1)), k = 1, size(sizes))]
  end function

  ! Twice with other data, completed in another order on each rank.
  subroutine check_all(names)
    character(len=*), intent(in) :: names(num_calls)
    integer :: round, k, at
    logical :: is_over
    call plan_all(names)
    do round = 1, 2
      ! Sections, since an assignment to the whole may put it elsewhere.
      input(:) = [(modulo(k + 31 * rank + 7 * round, 97), k = 1, size(input))]
      output(:, :) = spread([(modulo(3 * k + 11 * rank + round, 89), k = 1, size(input))], 2, num_calls)
      expected = output
      do k = 1, num_calls
        call espalier_request_start(requests(modulo(k + rank, num_calls) + 1))
      end do
      do k = 1, num_calls
        at = modulo(3 * k + rank, num_calls) + 1
        is_over = modulo(k, 2) == 0
        do while (.not. is_over)
          call espalier_request_test(requests(at), is_over)
        end do
        call espalier_request_wait(requests(at))
      end do
      call run_natively()
      do k = 1, num_calls
        call require(all(output(:, k) == expected(:, k)), 'the result of ' // name_of(requests(k)))
      end do
    end do
    do k = 1, num_calls
      call espalier_request_free(requests(k), code)
      call require(code == MPI_SUCCESS, 'free')
    end do
  end subroutine

  function name_of(request) result(text)
    type(espalier_request), intent(in) :: request
    character(len=40) :: text
    call espalier_request_algorithm(request, text)
  end function

  function named(name) result(options)
    character(len=*), intent(in) :: name
    type(espalier_planned_options) :: options
    options%algorithm = name
  end function

  ! Lists are read while a collective is planned, so that expressions do.
  subroutine plan_all(names)
    character(len=*), intent(in) :: names(num_calls)
    integer(a_count), parameter :: m = n
    integer(a_count) :: sizes(p), out(p), into(p)
    integer(a_place) :: sizes_at(p), out_at(p), into_at(p)
    integer :: codes(num_calls), k
    sizes = counts
    out = sent
    into = got
    sizes_at = places
    out_at = sent_places
    into_at = got_places
    call espalier_allgather_init(input, m, MPI_INTEGER, output(:, 1), m, MPI_INTEGER, comm, &
      requests(1), codes(1), named(names(1)))
    call espalier_allgatherv_init(input, sizes(rank + 1), MPI_INTEGER, output(:, 2), sizes, &
      sizes_at, MPI_INTEGER, comm, requests(2), codes(2), named(names(2)))
    call espalier_allreduce_init(input, output(:, 3), m, MPI_INTEGER, MPI_SUM, comm, requests(3), &
      codes(3), named(names(3)))
    call espalier_alltoall_init(input, m, MPI_INTEGER, output(:, 4), m, MPI_INTEGER, comm, &
      requests(4), codes(4), named(names(4)))
    call espalier_alltoallv_init(input, out, out_at, MPI_INTEGER, output(:, 5), into, &
      into_at, MPI_INTEGER, comm, requests(5), codes(5), named(names(5)))
    call espalier_alltoallw_init(input, out, 4 * out_at, types, output(:, 6), into, &
      4 * into_at, types, comm, requests(6), codes(6), named(names(6)))
    call espalier_barrier_init(comm, requests(7), codes(7), named(names(7)))
    call espalier_bcast_init(output(:, 8), m, MPI_INTEGER, root, comm, requests(8), codes(8), &
      named(names(8)))
    call espalier_exscan_init(input, output(:, 9), m, MPI_INTEGER, MPI_MAX, comm, requests(9), &
      codes(9), named(names(9)))
    call espalier_gather_init(input, m, MPI_INTEGER, output(:, 10), m, MPI_INTEGER, root, comm, &
      requests(10), codes(10), named(names(10)))
    call espalier_gatherv_init(input, sizes(rank + 1), MPI_INTEGER, output(:, 11), sizes, &
      sizes_at, MPI_INTEGER, root, comm, requests(11), codes(11), named(names(11)))
    call espalier_reduce_init(input, output(:, 12), m, MPI_INTEGER, MPI_SUM, root, comm, &
      requests(12), codes(12), named(names(12)))
    call espalier_reduce_scatter_init(input, output(:, 13), sizes, MPI_INTEGER, MPI_SUM, comm, &
      requests(13), codes(13), named(names(13)))
    call espalier_reduce_scatter_block_init(input, output(:, 14), m, MPI_INTEGER, MPI_SUM, comm, &
      requests(14), codes(14), named(names(14)))
    call espalier_scan_init(input, output(:, 15), m, MPI_INTEGER, MPI_SUM, comm, requests(15), &
      codes(15), named(names(15)))
    call espalier_scatter_init(input, m, MPI_INTEGER, output(:, 16), m, MPI_INTEGER, root, comm, &
      requests(16), codes(16), named(names(16)))
    call espalier_scatterv_init(input, sizes, sizes_at, MPI_INTEGER, output(:, 17), &
      sizes(rank + 1), MPI_INTEGER, root, comm, requests(17), codes(17), named(names(17)))
    do k = 1, num_calls
      call require(codes(k) == MPI_SUCCESS, 'planned by ' // trim(names(k)) // ': ' // last_error())
      call require(index(name_of(requests(k)), trim(names(k))) > 0, 'named ' // names(k))
    end do
  end subroutine

  subroutine run_natively()
    call MPI_Allgather(input, n, MPI_INTEGER, expected(:, 1), n, MPI_INTEGER, comm, code)
    call MPI_Allgatherv(input, counts(rank + 1), MPI_INTEGER, expected(:, 2), counts, places, &
      MPI_INTEGER, comm, code)
    call MPI_Allreduce(input, expected(:, 3), n, MPI_INTEGER, MPI_SUM, comm, code)
    call MPI_Alltoall(input, n, MPI_INTEGER, expected(:, 4), n, MPI_INTEGER, comm, code)
    call MPI_Alltoallv(input, sent, sent_places, MPI_INTEGER, expected(:, 5), got, got_places, &
      MPI_INTEGER, comm, code)
    call MPI_Alltoallw(input, sent, 4 * sent_places, types, expected(:, 6), got, 4 * got_places, &
      types, comm, code)
    call MPI_Barrier(comm, code)
    call MPI_Bcast(expected(:, 8), n, MPI_INTEGER, root, comm, code)
    call MPI_Exscan(input, expected(:, 9), n, MPI_INTEGER, MPI_MAX, comm, code)
    call MPI_Gather(input, n, MPI_INTEGER, expected(:, 10), n, MPI_INTEGER, root, comm, code)
    call MPI_Gatherv(input, counts(rank + 1), MPI_INTEGER, expected(:, 11), counts, places, &
      MPI_INTEGER, root, comm, code)
    call MPI_Reduce(input, expected(:, 12), n, MPI_INTEGER, MPI_SUM, root, comm, code)
    call MPI_Reduce_scatter(input, expected(:, 13), counts, MPI_INTEGER, MPI_SUM, comm, code)
    call MPI_Reduce_scatter_block(input, expected(:, 14), n, MPI_INTEGER, MPI_SUM, comm, code)
    call MPI_Scan(input, expected(:, 15), n, MPI_INTEGER, MPI_SUM, comm, code)
    call MPI_Scatter(input, n, MPI_INTEGER, expected(:, 16), n, MPI_INTEGER, root, comm, code)
    call MPI_Scatterv(input, counts, places, MPI_INTEGER, expected(:, 17), counts(rank + 1), &
      MPI_INTEGER, root, comm, code)
  end subroutine

  ! MPI_IN_PLACE as what is sent on all ranks, and as what is received at the root alone.
  subroutine check_in_place()
    output(:, 1) = rank + 1
    output(:n, 2) = 100 * rank + [(i, i = 1, n)]
    output(:, 3) = [(i, i = 1, size(output, 1))]
    call espalier_allreduce_init(MPI_IN_PLACE, output(:, 1), n, MPI_INTEGER, MPI_SUM, comm, &
      requests(1), code, named('reduce_bcast'))
    output(n * rank + 1:n * (rank + 1), 2) = output(:n, 2)
    call espalier_allgather_init(MPI_IN_PLACE, 0, MPI_INTEGER, output(:, 2), n, MPI_INTEGER, comm, &
      requests(2), code, named('native'))
    if (rank == root) then
      call espalier_scatter_init(output(:, 3), n, MPI_INTEGER, MPI_IN_PLACE, n, MPI_INTEGER, root, &
        comm, requests(3), code, named('binomial'))
    else
      call espalier_scatter_init(input, n, MPI_INTEGER, output(:, 3), n, MPI_INTEGER, root, comm, &
        requests(3), code, named('binomial'))
    end if
    do i = 1, 3
      call espalier_request_start(requests(i))
    end do
    do i = 1, 3
      call espalier_request_wait(requests(i), code)
      call require(code == MPI_SUCCESS, 'in place: wait')
      call espalier_request_free(requests(i))
    end do
    call require(all(output(:n, 1) == p * (p + 1) / 2), 'allreduce in place')
    call require(output(n * p, 2) == 100 * (p - 1) + n, 'allgather in place')
    if (rank /= root) then
      call require(all(output(:n, 3) == n * rank + [(i, i = 1, n)]), 'scatter in place')
    else
      call require(all(output(:, 3) == [(i, i = 1, size(output, 1))]), 'scatter at the root')
    end if
  end subroutine

  ! A type of addresses, on the buffer MPI_BOTTOM; the type is freed before its use.
  subroutine check_bottom()
    A_TYPE :: absolute
    integer(MPI_ADDRESS_KIND) :: address(1)
    type(espalier_request) :: request
    call MPI_Get_address(output(1, 1), address(1), code)
    call MPI_Type_create_hindexed(1, [n], address, MPI_INTEGER, absolute, code)
    call MPI_Type_commit(absolute, code)
    call espalier_bcast_init(MPI_BOTTOM, 1, absolute, root, comm, request, code, named('binomial'))
    call require(code == MPI_SUCCESS, 'bottom: ' // last_error())
    call MPI_Type_free(absolute, code)
    output(:n, 1) = rank
    call espalier_request_start(request)
    call espalier_request_wait(request)
    call require(all(output(:n, 1) == root), 'bcast from the bottom')
    call espalier_request_free(request)
  end subroutine

  subroutine check_explanation()
    character(len=400) :: text
    character(len=8) :: begin
    type(espalier_request) :: request
    integer :: length, whole
    call espalier_barrier_init(comm, request, options=named('dissemination'))
    call espalier_explain(request, text, length)
    call require(length == len_trim(text), 'the length of an explanation')
    call require(index(text, 'barrier: barrier/dissemination, named by the program') == 1, text)
    call espalier_explain(request, begin, whole)
    call require(begin == 'barrier:' .and. whole == length, 'an explanation that is cut')
    call espalier_request_free(request)
  end subroutine

  ! Wrong on one rank, refused on all.
  subroutine check_refusals()
    integer, asynchronous :: square(n, n)
    type(espalier_request) :: request
    integer :: class
    square = 0
    call espalier_barrier_init(comm, request, code, named('telepathy'))
    call MPI_Error_class(code, class, i)
    call require(class == MPI_ERR_ARG, 'an unknown algorithm is refused')
    call require(index(last_error(), 'can be planned: native, ') > 0, last_error())
    if (rank == 0) then
      call espalier_bcast_init(square(2, :), n, MPI_INTEGER, 0, comm, request, code)
      call require(index(last_error(), 'as buffer, got a section with gaps') > 0, last_error())
    else
      call espalier_bcast_init(square(:, 2), n, MPI_INTEGER, 0, comm, request, code)
      call require(index(last_error(), 'of another rank') > 0, last_error())
    end if
    call MPI_Error_class(code, class, i)
    call require(class == MPI_ERR_ARG, 'a row is refused')
    call espalier_bcast_init(square(:, 2), n, MPI_INTEGER, 0, comm, request, code)
    call require(code == MPI_SUCCESS, 'a column is contiguous')
    call espalier_request_free(request)
  end subroutine

  function last_error() result(text)
    character(len=300) :: text
    call espalier_last_error(text)
  end function

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    integer :: ignored
    if (.not. holds) then
      print '(a,i0,2a)', 'rank ', rank, ' failed: ', trim(what)
      call MPI_Abort(MPI_COMM_WORLD, 1, ignored)
    end if
  end subroutine

end program
