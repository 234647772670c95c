! SPDX-License-Identifier: Apache-2.0

! The module espalier_order: the order that is made is a communicator of all ranks, options and the
! report arrive, and errors do. Compiled for handles of mpi_f08, and with OLD_HANDLES for those of
! mpi.
#ifdef OLD_HANDLES
#define A_COMM integer
#else
#define A_COMM type(MPI_Comm)
#endif
program orders
#ifdef OLD_HANDLES
  use mpi
#else
  use mpi_f08
#endif
  use, intrinsic :: ieee_arithmetic, only: ieee_is_finite
  use espalier_order
  implicit none
  character(len=8), parameter :: collectives(4) = [character(len=8) :: &
    'bcast', 'gather', 'reduce', 'scatter']
  A_COMM :: comm
  integer :: rank, p, code, i

  call MPI_Init(code)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, code)
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, code)
  call MPI_Comm_rank(comm, rank, code)
  call MPI_Comm_size(comm, p, code)
  do i = 1, size(collectives)
    call check_order(collectives(i), p / 2)
  end do
  call check_options()
  call check_defaults()
  call check_steps()
  call check_refusals()
  call MPI_Comm_free(comm, code)
  if (rank == 0) print '(a)', 'ok'
  call MPI_Finalize(code)

contains

  function without_memory() result(options)
    type(espalier_order_options) :: options
    options%memory = 'off'
    options%measure_seconds = 0.01d0
  end function

  ! The order is a permutation, and MPI's collectives on the communicator go by it.
  subroutine check_order(collective, root)
    character(len=*), intent(in) :: collective
    integer, intent(in) :: root
    type(espalier_order_report) :: report
    A_COMM :: ordered
    integer :: ranks(p), own, total_us
    call espalier_order_create(comm, collective, root, 1000, ordered, report, code, &
      without_memory())
    call require(code == MPI_SUCCESS, trim(collective) // ': an order')
    call espalier_order_ranks(comm, ordered, ranks, code)
    call require(code == MPI_SUCCESS .and. ranks(1) == root, trim(collective) // ': the root')
    call require(all([(count(ranks == i) == 1, i=0, p - 1)]), trim(collective) // ': all ranks')
    own = -1
    call MPI_Scatter(ranks, 1, MPI_INTEGER, own, 1, MPI_INTEGER, 0, ordered, code)
    call require(own == rank, trim(collective) // ': a scatter')
    call require(report%source == ESPALIER_ORDER_MEASURED, trim(collective) // ': measured')
    call require((report%num_pairs > 0) .eqv. (p > 1), trim(collective) // ': pairs')
    call require(report%chosen_us <= report%standard_us, trim(collective) // ': not slower')
    call require(report%find_us > 0 .and. report%compute_us > 0 .and. report%create_us > 0, &
      trim(collective) // ': what it took')
    total_us = int(report%find_us + report%measure_us + report%compute_us + report%create_us)
    if (ieee_is_finite(report%num_calls_to_pay)) then
      call require(abs(report%num_calls_to_pay * (report%standard_us - report%chosen_us) &
        - total_us) < 2, trim(collective) // ': calls to pay')
    else
      call require(report%standard_us <= report%chosen_us, trim(collective) // ': never pays')
    end if
    call MPI_Comm_free(ordered, code)
  end subroutine

  ! Each option arrives: by the report, by the file that is made, or by the error.
  subroutine check_options()
    type(espalier_order_options) :: options
    type(espalier_order_report) :: report
    character(len=256) :: text
    A_COMM :: ordered
    options = without_memory()
    options%order = 'random'
    options%num_trial_calls = 2
    call espalier_order_create(comm, 'scatter', p - 1, 16384, ordered, report, code, options)
    call require(report%order == 'random' .or. report%order == 'standard', &
      'the order that is named, or the one of before, got ' // report%order)
    call require(report%num_trial_calls == 2 .or. report%order == 'standard' .or. p < 3, 'tried')
    call require((report%trial_us > 0) .eqv. (report%num_trial_calls == 2), 'trials take time')
    call MPI_Comm_free(ordered, code)
    options = espalier_order_options(machine='9 apples', memory='off')
    call espalier_order_create(comm, 'scatter', 0, 8, ordered, ierror=code, options=options)
    call espalier_last_error(text)
    call require(class_of(code) == MPI_ERR_ARG .and. index(text, 'a letter after the number') > 0, &
      'a machine that is none: ' // text)
    options = espalier_order_options(memory='off', measure_seconds=-1d0)
    call espalier_order_create(comm, 'scatter', 0, 8, ordered, ierror=code, options=options)
    call require(class_of(code) == MPI_ERR_ARG, 'seconds below 0')
    call check_memory()
  end subroutine

  ! A name that is longer than any fixed text of these modules.
  subroutine check_memory()
    type(espalier_order_options) :: options
    character(len=4096) :: path
    logical :: is_there
    A_COMM :: ordered
    integer :: clock, unit
    call get_environment_variable('TMPDIR', path)
    if (len_trim(path) == 0) path = '/tmp'
    call system_clock(clock)
    call MPI_Bcast(clock, 1, MPI_INTEGER, 0, comm, code)
    write (path, '(3a,i0,a)') trim(path), '/', repeat('espalier-orders-', 8), clock, '.json'
    options%memory = path
    options%measure_seconds = 0.01d0
    call espalier_order_create(comm, 'bcast', 0, 64, ordered, options=options)
    call MPI_Comm_free(ordered, code)
    if (rank == 0) then
      inquire (file=trim(path), exist=is_there)
      call require(is_there .eqv. (p > 1), 'a file of distances: ' // trim(path))
      if (is_there) then
        open (newunit=unit, file=trim(path), status='old')
        close (unit, status='delete')
      end if
    end if
  end subroutine

  ! Without options, a report, or ierror.
  subroutine check_defaults()
    A_COMM :: ordered
    integer :: ranks(p)
    call espalier_order_create(comm, 'bcast', 0, 8, ordered)
    call espalier_order_ranks(comm, ordered, ranks)
    call require(sum(ranks) == p * (p - 1) / 2, 'defaults')
    call MPI_Comm_free(ordered, code)
  end subroutine

  subroutine check_steps()
    double precision :: mean_us(8), sd_us(8)
    integer :: num_steps, expected
    expected = 0
    do while (2**expected < p)
      expected = expected + 1
    end do
    mean_us = -1
    sd_us = -1
    call espalier_order_steps(comm, 'gather', 100, 3, mean_us, num_steps, sd_us, code)
    call require(code == MPI_SUCCESS .and. num_steps == expected, 'steps')
    call require(all(mean_us(:expected) > 0) .and. all(sd_us(:expected) >= 0), 'times of steps')
    call require(all(mean_us(expected + 1:) < 0) .and. all(sd_us(expected + 1:) < 0), 'no others')
    mean_us = -1
    call espalier_order_steps(comm, 'gather', 100, 1, mean_us(:0), num_steps)
    call require(num_steps == expected .and. all(mean_us < 0), 'without room')
  end subroutine

  subroutine check_refusals()
    character(len=256) :: text
    A_COMM :: ordered
    call refused('allgather', 0, 8, MPI_ERR_ARG, 'a collective without a tree')
    call espalier_last_error(text)
    call require(index(text, 'bcast, gather, reduce, scatter') > 0, 'the error: ' // text)
    call refused('bcast', p, 8, MPI_ERR_ROOT, 'a root that is no rank')
    call refused('bcast', 0, -1, MPI_ERR_COUNT, 'bytes below 0')
    call espalier_order_create(comm, 'bcast', 0, 8, ordered, ierror=code, &
      options=espalier_order_options(order='fastest', memory='off'))
    call require(class_of(code) == MPI_ERR_ARG, 'an order that is none')
  end subroutine

  subroutine refused(collective, root, bytes, expected, what)
    character(len=*), intent(in) :: collective, what
    integer, intent(in) :: root, bytes, expected
    A_COMM :: ordered
    call espalier_order_create(comm, collective, root, bytes, ordered, ierror=code)
    call require(class_of(code) == expected, what)
    call require(ordered == MPI_COMM_NULL, what // ': nothing is made')
  end subroutine

  integer function class_of(error)
    integer, intent(in) :: error
    call MPI_Error_class(error, class_of, code)
  end function

  subroutine require(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    integer :: aborted
    if (.not. holds) then
      print '(a,i0,2a)', 'rank ', rank, ' failed: ', what
      call MPI_Abort(MPI_COMM_WORLD, 1, aborted)
    end if
  end subroutine

end program
