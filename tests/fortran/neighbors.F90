! SPDX-License-Identifier: Apache-2.0

! The module espalier_neighbor: all collectives of a stencil with corners, blocking and planned,
! against what they give by definition, and those of a grid against the MPI library. Compiled for
! handles of mpi_f08, and with OLD_HANDLES for those of mpi.
#ifdef OLD_HANDLES
#define A_COMM integer
#define A_TYPE integer
#else
#define A_COMM type(MPI_Comm)
#define A_TYPE type(MPI_Datatype)
#endif
program neighbors
#ifdef OLD_HANDLES
  use mpi
#else
  use mpi_f08
#endif
  use espalier_neighbor
  implicit none
  integer, parameter :: num_calls = 5, n = 3, most = 10
  character(len=10), parameter :: algorithms(4) = [character(len=10) :: &
    '', 'direct', 'combining', 'node_aware']
  ! All neighbours with corners, one further away, and the process itself.
  integer, parameter :: stencil(2, most) = reshape( &
    [-1, -1, -1, 0, -1, 1, 0, -1, 0, 1, 1, -1, 1, 0, 1, 1, 2, -1, 0, 0], [2, most])
  A_COMM :: grid, line
  integer :: rank, p, code, i, k, dims(2), degree
  integer :: sources(most), destinations(most)
  integer, asynchronous :: input(n * most), output(n * most, num_calls)
  integer :: counts(most), got(most), places(most), got_places(most)
  integer(MPI_ADDRESS_KIND) :: addresses(most), got_addresses(most)
  A_TYPE :: types(most)
  type(espalier_neighborhood) :: neighborhood
  type(espalier_request) :: requests(num_calls)

  call MPI_Init(code)
  call MPI_Comm_size(MPI_COMM_WORLD, p, code)
  dims = 0
  call MPI_Dims_create(p, 2, dims, code)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.true., .true.], .false., grid, code)
  call MPI_Comm_rank(grid, rank, code)
  call MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN, code)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, [p, 1], [p > 2, .false.], .false., line, code)
  call MPI_Comm_set_errhandler(line, MPI_ERRORS_RETURN, code)
  types = MPI_INTEGER

  degree = most
  do k = 1, most
    sources(k) = rank_at(-stencil(:, k))
    destinations(k) = rank_at(stencil(:, k))
  end do
  call choose_sizes()
  do i = 1, size(algorithms)
    call espalier_neighborhood_create(grid, stencil, neighborhood, code, named(algorithms(i)))
    call require(code == MPI_SUCCESS, 'create: ' // last_error())
    call check_all(algorithms(i), is_stencil=.true.)
    call espalier_neighborhood_free(neighborhood, code)
    call require(code == MPI_SUCCESS, 'free')
  end do

  degree = 4
  call MPI_Cart_shift(line, 0, 1, sources(1), sources(2), code)
  call MPI_Cart_shift(line, 1, 1, sources(3), sources(4), code)
  destinations = sources
  call choose_sizes()
  do i = 1, size(algorithms)
    call espalier_neighborhood_of(line, neighborhood, code, named(algorithms(i)))
    call require(code == MPI_SUCCESS, 'of: ' // last_error())
    call check_all(algorithms(i), is_stencil=.false.)
    call espalier_neighborhood_free(neighborhood)
  end do

  call check_bottom()
  call check_refusals()
  call MPI_Comm_free(grid, code)
  call MPI_Comm_free(line, code)
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize(code)

contains

  function rank_at(offset) result(found)
    integer, intent(in) :: offset(2)
    integer :: found, place(2), own(2)
    call MPI_Cart_coords(grid, rank, 2, own, code)
    place = modulo(own + offset, dims)
    call MPI_Cart_rank(grid, place, found, code)
  end function

  ! Sizes that depend on both ends of a block.
  subroutine choose_sizes()
    integer :: j
    do j = 1, degree
      counts(j) = modulo(rank + 2 * destinations(j), n + 1)
      got(j) = modulo(sources(j) + 2 * rank, n + 1)
      if (destinations(j) < 0) counts(j) = 1
      if (sources(j) < 0) got(j) = 1
      places(j) = sum(counts(:j - 1))
      got_places(j) = sum(got(:j - 1))
    end do
    addresses = 4 * places
    got_addresses = 4 * got_places
  end subroutine

  function named(name) result(options)
    character(len=*), intent(in) :: name
    type(espalier_neighbor_options) :: options
    options%algorithm = name
  end function

  ! What a rank sends: the place of an element, and where it comes from.
  function value(sender, place) result(found)
    integer, intent(in) :: sender, place
    integer :: found
    found = 100 * sender + place
  end function

  ! Blocking, and twice by requests, which are completed in another order on each rank.
  subroutine check_all(name, is_stencil)
    character(len=*), intent(in) :: name
    logical, intent(in) :: is_stencil
    integer :: expected(size(output, 1), num_calls), turn, j, at
    logical :: is_over
    input(:) = [(value(rank, j), j = 1, size(input))]
    expected = -1
    if (is_stencil) then
      call expect_stencil(expected)
    else
      call expect_native(expected)
    end if
    output(:, :) = -1
    call run_all()
    call require(all(output == expected), 'blocking, by ' // name)
    call plan_all()
    do turn = 1, 2
      output(:, :) = -1
      do j = 1, num_calls
        call espalier_request_start(requests(modulo(j + rank, num_calls) + 1))
      end do
      do j = 1, num_calls
        at = modulo(3 * j + rank, num_calls) + 1
        is_over = modulo(j, 2) == 0
        do while (.not. is_over)
          call espalier_request_test(requests(at), is_over)
        end do
        call espalier_request_wait(requests(at))
      end do
      call require(all(output == expected), 'planned, by ' // name)
    end do
    do j = 1, num_calls
      call require(index(name_of(requests(j)), trim(name)) > 0, 'named ' // name)
      call espalier_request_free(requests(j), code)
      call require(code == MPI_SUCCESS, 'free of a request')
    end do
  end subroutine

  function name_of(request) result(text)
    type(espalier_request), intent(in) :: request
    character(len=40) :: text
    call espalier_request_algorithm(request, text)
  end function

  subroutine run_all()
    integer :: codes(num_calls)
    call espalier_neighbor_allgather(input, n, MPI_INTEGER, output(:, 1), n, MPI_INTEGER, &
      neighborhood, codes(1))
    call espalier_neighbor_allgatherv(input, own_size(rank), MPI_INTEGER, output(:, 2), &
      own_sizes(), block_places(), MPI_INTEGER, neighborhood, codes(2))
    call espalier_neighbor_alltoall(input, n, MPI_INTEGER, output(:, 3), n, MPI_INTEGER, &
      neighborhood, codes(3))
    call espalier_neighbor_alltoallv(input, counts, places, MPI_INTEGER, output(:, 4), got, &
      got_places, MPI_INTEGER, neighborhood, codes(4))
    call espalier_neighbor_alltoallw(input, counts, addresses, types, output(:, 5), got, &
      got_addresses, types, neighborhood, codes(5))
    call require(all(codes == MPI_SUCCESS), 'blocking: ' // last_error())
  end subroutine

  ! Lists are read while a collective is planned, so that expressions do.
  subroutine plan_all()
    integer :: codes(num_calls)
    call espalier_neighbor_allgather_init(input, n, MPI_INTEGER, output(:, 1), n, MPI_INTEGER, &
      neighborhood, requests(1), codes(1))
    call espalier_neighbor_allgatherv_init(input, own_size(rank), MPI_INTEGER, output(:, 2), &
      own_sizes(), block_places(), MPI_INTEGER, neighborhood, requests(2), codes(2))
    call espalier_neighbor_alltoall_init(input, n, MPI_INTEGER, output(:, 3), n, MPI_INTEGER, &
      neighborhood, requests(3), codes(3))
    call espalier_neighbor_alltoallv_init(input, counts, places, MPI_INTEGER, output(:, 4), got, &
      got_places, MPI_INTEGER, neighborhood, requests(4), codes(4))
    call espalier_neighbor_alltoallw_init(input, counts, addresses, types, output(:, 5), got, &
      got_addresses, types, neighborhood, requests(5), codes(5))
    call require(all(codes == MPI_SUCCESS), 'planned: ' // last_error())
  end subroutine

  function own_size(sender) result(found)
    integer, intent(in) :: sender
    integer :: found
    found = modulo(sender, n + 1)
    if (sender < 0) found = 1
  end function

  function own_sizes() result(found)
    integer :: found(degree), j
    found = [(own_size(sources(j)), j = 1, degree)]
  end function

  function block_places() result(found)
    integer :: found(degree), j
    found = [(n * (j - 1), j = 1, degree)]
  end function

  ! Block k comes from block k of its source.
  subroutine expect_stencil(expected)
    integer, intent(inout) :: expected(:, :)
    integer :: j, e, place
    do j = 1, degree
      place = n * (j - 1)
      do e = 1, n
        expected(place + e, 1) = value(sources(j), e)
        expected(place + e, 3) = value(sources(j), place + e)
        if (e <= own_size(sources(j))) expected(place + e, 2) = value(sources(j), e)
      end do
      do e = 1, got(j)
        expected(got_places(j) + e, 4:5) = value(sources(j), place_at(sources(j), j) + e)
      end do
    end do
  end subroutine

  ! Where a rank has block j for its neighbour.
  function place_at(sender, block) result(place)
    integer, intent(in) :: sender, block
    integer :: place, j, at(2), to
    place = 0
    call MPI_Cart_coords(grid, sender, 2, at, code)
    do j = 1, block - 1
      call MPI_Cart_rank(grid, modulo(at + stencil(:, j), dims), to, code)
      place = place + modulo(sender + 2 * to, n + 1)
    end do
  end function

  subroutine expect_native(expected)
    integer, intent(inout) :: expected(:, :)
    call MPI_Neighbor_allgather(input, n, MPI_INTEGER, expected(:, 1), n, MPI_INTEGER, line, code)
    call MPI_Neighbor_allgatherv(input, own_size(rank), MPI_INTEGER, expected(:, 2), own_sizes(), &
      block_places(), MPI_INTEGER, line, code)
    call MPI_Neighbor_alltoall(input, n, MPI_INTEGER, expected(:, 3), n, MPI_INTEGER, line, code)
    call MPI_Neighbor_alltoallv(input, counts, places, MPI_INTEGER, expected(:, 4), got, &
      got_places, MPI_INTEGER, line, code)
    ! All types are one: Fortran's MPI_Neighbor_alltoallw of Open MPI 4.1 and MPICH 4.0 takes as many
    ! of them as there are ranks.
    expected(:, 5) = expected(:, 4)
  end subroutine

  ! A type of addresses, on the buffer MPI_BOTTOM; the type is freed before its use.
  subroutine check_bottom()
    A_TYPE :: absolute
    integer(MPI_ADDRESS_KIND) :: address(1)
    type(espalier_request) :: request
    integer :: before
    call espalier_neighborhood_create(grid, reshape([1, 0], [2, 1]), neighborhood)
    call MPI_Get_address(output(1, 1), address(1), code)
    call MPI_Type_create_hindexed(1, [n], address, MPI_INTEGER, absolute, code)
    call MPI_Type_commit(absolute, code)
    call espalier_neighbor_alltoall_init(input, n, MPI_INTEGER, MPI_BOTTOM, 1, absolute, &
      neighborhood, request, code)
    call require(code == MPI_SUCCESS, 'bottom: ' // last_error())
    call MPI_Type_free(absolute, code)
    output(:n, 1) = -1
    call espalier_request_start(request)
    call espalier_request_wait(request)
    before = rank_at([-1, 0])
    call require(all(output(:n, 1) == [(value(before, i), i = 1, n)]), 'to the bottom')
    call espalier_request_free(request)
    call espalier_neighborhood_free(neighborhood)
  end subroutine

  ! Wrong on one rank: refused on all where something is made or planned, else on that rank.
  subroutine check_refusals()
    integer, asynchronous :: square(n, n)
    type(espalier_request) :: request
    square = 0
    call espalier_neighborhood_create(grid, stencil(:1, :), neighborhood, code)
    call require(class_of(code) == MPI_ERR_ARG, 'offsets of one dimension are refused')
    call require(index(last_error(), 'each of 2 dimensions, got 1') > 0, last_error())
    call espalier_neighborhood_create(grid, stencil, neighborhood, code, named('telepathy'))
    call require(class_of(code) == MPI_ERR_ARG, 'an unknown algorithm is refused')
    call espalier_neighborhood_create(grid, reshape([0, 1], [2, 1]), neighborhood, code)
    if (rank == 0) then
      call espalier_neighbor_alltoall_init(square(2, :), n, MPI_INTEGER, output(:, 1), n, &
        MPI_INTEGER, neighborhood, request, code)
      call require(index(last_error(), 'as sendbuf, got a section with gaps') > 0, last_error())
    else
      call espalier_neighbor_alltoall_init(square(:, 2), n, MPI_INTEGER, output(:, 1), n, &
        MPI_INTEGER, neighborhood, request, code)
      call require(index(last_error(), 'of another rank') > 0, last_error())
    end if
    call require(class_of(code) == MPI_ERR_ARG, 'a row is refused on all ranks')
    call espalier_neighbor_alltoall(square(2, :), n, MPI_INTEGER, output(:, 1), n, MPI_INTEGER, &
      neighborhood, code)
    call require(class_of(code) == MPI_ERR_ARG, 'a row is refused')
    call espalier_neighbor_alltoall_init(MPI_IN_PLACE, n, MPI_INTEGER, output(:, 1), n, &
      MPI_INTEGER, neighborhood, request, code)
    call require(class_of(code) == MPI_ERR_BUFFER, 'MPI_IN_PLACE is refused')
    call espalier_neighbor_alltoall(square(:, 2), n, MPI_INTEGER, output(:, 1), n, MPI_INTEGER, &
      neighborhood, code)
    call require(code == MPI_SUCCESS, 'a column is contiguous')
    call espalier_neighborhood_free(neighborhood)
  end subroutine

  function class_of(given) result(class)
    integer, intent(in) :: given
    integer :: class, ignored
    call MPI_Error_class(given, class, ignored)
  end function

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
