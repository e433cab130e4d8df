!> The C interface (chamomile.h) unchanged, and views of Fortran arrays in place.
module chamomile_c
  use, intrinsic :: iso_c_binding
  implicit none
  public

  integer, parameter :: chm_ok = 0, chm_usage = 2, chm_input = 3, chm_output = 4, &
       chm_device_fault = 5, chm_numeric = 6, chm_cancelled = 9
  integer(c_int32_t), parameter :: chm_float64 = 0, chm_float32 = 1, chm_host = 0, chm_gpu = 1

  type, bind(C) :: chm_view
     type(c_ptr) :: component(6) = c_null_ptr
     integer(c_int64_t) :: stride = 0 !< bytes
     integer(c_int32_t) :: scalar = 0, place = 0
  end type chm_view

  type, bind(C) :: chm_targets
     integer(c_int64_t) :: n = 0
     type(chm_view) :: position, velocity
     type(c_ptr) :: self = c_null_ptr !< from 0
     type(chm_view) :: softening
  end type chm_targets

  type, bind(C) :: chm_results
     type(chm_view) :: acceleration, potential, tidal, jerk
  end type chm_results

  type, bind(C) :: chm_run_stats
     integer(c_int64_t) :: sources, targets, groups, cells, particle_particle, particle_cell, &
          expansions, bytes_to_device, bytes_from_device
     real(c_double) :: seconds, device_busy, device_wait
  end type chm_run_stats

  integer(c_int32_t), parameter :: chm_leapfrog = 0, chm_hermite = 1

  type, bind(C) :: chm_systems
     integer(c_int64_t) :: n = 0
     type(c_ptr) :: offsets = c_null_ptr !< from 0
     integer(c_int64_t) :: bodies = 0
     type(chm_view) :: position, velocity, mass, softening
  end type chm_systems

  type, bind(C) :: chm_percentiles
     real(c_double) :: rms, median, p90, p99, p999, max
  end type chm_percentiles

  type, bind(C) :: chm_error_stats
     integer(c_int64_t) :: sample, worst !< from 0
     type(chm_percentiles) :: acceleration, potential
  end type chm_error_stats

  interface
     type(c_ptr) function chm_version() bind(C)
       import :: c_ptr
     end function chm_version
     integer(c_int) function chm_create(context) bind(C)
       import :: c_int, c_ptr
       type(c_ptr), intent(out) :: context
     end function chm_create
     subroutine chm_destroy(context) bind(C)
       import :: c_ptr
       type(c_ptr), value :: context
     end subroutine chm_destroy
     subroutine chm_cancel(context) bind(C)
       import :: c_ptr
       type(c_ptr), value :: context
     end subroutine chm_cancel
     type(c_ptr) function chm_last_error(context) bind(C)
       import :: c_ptr
       type(c_ptr), value :: context
     end function chm_last_error
     type(c_ptr) function chm_device(context) bind(C)
       import :: c_ptr
       type(c_ptr), value :: context
     end function chm_device
     integer(c_int) function chm_set_option(context, key, value) bind(C)
       import :: c_int, c_ptr, c_char
       type(c_ptr), value :: context
       character(kind=c_char), intent(in) :: key(*), value(*)
     end function chm_set_option
     integer(c_int) function chm_set_sources(context, n, position, mass, velocity) bind(C)
       import :: c_int, c_ptr, c_int64_t, chm_view
       type(c_ptr), value :: context
       integer(c_int64_t), value :: n
       type(chm_view), value :: position, mass, velocity
     end function chm_set_sources
     integer(c_int) function chm_set_softenings(context, softening) bind(C)
       import :: c_int, c_ptr, chm_view
       type(c_ptr), value :: context
       type(chm_view), value :: softening
     end function chm_set_softenings
     integer(c_int) function chm_build(context) bind(C)
       import :: c_int, c_ptr
       type(c_ptr), value :: context
     end function chm_build
     integer(c_int) function chm_refit(context) bind(C)
       import :: c_int, c_ptr
       type(c_ptr), value :: context
     end function chm_refit
     integer(c_int) function chm_eval(context, targets, results) bind(C)
       import :: c_int, c_ptr, chm_targets, chm_results
       type(c_ptr), value :: context
       type(chm_targets), intent(in) :: targets
       type(chm_results), intent(in) :: results
     end function chm_eval
     integer(c_int) function chm_eval_active(context, n, active, results) bind(C)
       import :: c_int, c_ptr, c_int64_t, chm_results
       type(c_ptr), value :: context, active
       integer(c_int64_t), value :: n
       type(chm_results), intent(in) :: results
     end function chm_eval_active
     integer(c_int) function chm_eval_adjoint(context, acceleration, potential, position, mass) &
          bind(C)
       import :: c_int, c_ptr, chm_view
       type(c_ptr), value :: context
       type(chm_view), value :: acceleration, potential, position, mass
     end function chm_eval_adjoint
     integer(c_int) function chm_neighbours(context, targets, radius, max_count, count, list) bind(C)
       import :: c_int, c_ptr, c_int64_t, chm_targets, chm_view
       type(c_ptr), value :: context, count, list
       type(chm_targets), intent(in) :: targets
       type(chm_view), value :: radius
       integer(c_int64_t), value :: max_count
     end function chm_neighbours
     integer(c_int) function chm_compare_direct(context, sample, seed, errors) bind(C)
       import :: c_int, c_ptr, c_int64_t, chm_error_stats
       type(c_ptr), value :: context
       integer(c_int64_t), value :: sample, seed
       type(chm_error_stats), intent(out) :: errors
     end function chm_compare_direct
     integer(c_int) function chm_solve_batch(context, systems, results) bind(C)
       import :: c_int, c_ptr, chm_systems, chm_results
       type(c_ptr), value :: context
       type(chm_systems), intent(in) :: systems
       type(chm_results), intent(in) :: results
     end function chm_solve_batch
     integer(c_int) function chm_advance_batch(context, systems, scheme, lengths, step, count) bind(C)
       import :: c_int, c_ptr, c_int32_t, c_int64_t, c_double, chm_systems
       type(c_ptr), value :: context
       type(chm_systems), intent(in) :: systems
       integer(c_int32_t), value :: scheme
       integer(c_int64_t), value :: lengths, count
       real(c_double), intent(in) :: step(*)
     end function chm_advance_batch
     integer(c_int) function chm_stats(context, stats) bind(C)
       import :: c_int, c_ptr, chm_run_stats
       type(c_ptr), value :: context
       type(chm_run_stats), intent(out) :: stats
     end function chm_stats
  end interface

  !> A view of one array (3, n), (6, n) or (n), or of x(n), y(n), z(n), also array sections. No
  !> copy: the array must persist and have the attribute target. Columns with different strides give
  !> no view, and calls refuse it.
  interface view
     module procedure rows_64, rows_32, columns_64, columns_32, numbers_64, numbers_32
  end interface view

contains

  function rows_64(a) result(v)
    real(c_double), intent(in), target :: a(:, :)
    type(chm_view) :: v
    integer :: c
    if (size(a) == 0) return
    do c = 1, min(6, size(a, 1))
       v%component(c) = c_loc(a(c, 1))
    end do
    v%stride = 8
    if (size(a, 2) > 1) v%stride = apart(c_loc(a(1, 1)), c_loc(a(1, 2)))
  end function rows_64

  function rows_32(a) result(v)
    real(c_float), intent(in), target :: a(:, :)
    type(chm_view) :: v
    integer :: c
    v%scalar = chm_float32
    if (size(a) == 0) return
    do c = 1, min(6, size(a, 1))
       v%component(c) = c_loc(a(c, 1))
    end do
    v%stride = 4
    if (size(a, 2) > 1) v%stride = apart(c_loc(a(1, 1)), c_loc(a(1, 2)))
  end function rows_32

  function numbers_64(a) result(v)
    real(c_double), intent(in), target :: a(:)
    type(chm_view) :: v
    if (size(a) == 0) return
    v%component(1) = c_loc(a(1))
    v%stride = 8
    if (size(a) > 1) v%stride = apart(c_loc(a(1)), c_loc(a(2)))
  end function numbers_64

  function numbers_32(a) result(v)
    real(c_float), intent(in), target :: a(:)
    type(chm_view) :: v
    v%scalar = chm_float32
    if (size(a) == 0) return
    v%component(1) = c_loc(a(1))
    v%stride = 4
    if (size(a) > 1) v%stride = apart(c_loc(a(1)), c_loc(a(2)))
  end function numbers_32

  !> The view of optional numbers.
  function numbers_of(some) result(v)
    real(c_double), intent(in), target, optional :: some(:)
    type(chm_view) :: v
    if (present(some)) v = view(some)
  end function numbers_of

  function columns_64(x, y, z) result(v)
    real(c_double), intent(in), target :: x(:), y(:), z(:)
    type(chm_view) :: v
    v = joined(numbers_64(x), numbers_64(y), numbers_64(z))
  end function columns_64

  function columns_32(x, y, z) result(v)
    real(c_float), intent(in), target :: x(:), y(:), z(:)
    type(chm_view) :: v
    v = joined(numbers_32(x), numbers_32(y), numbers_32(z))
  end function columns_32

  pure function joined(x, y, z) result(v)
    type(chm_view), intent(in) :: x, y, z
    type(chm_view) :: v
    v = x
    if (x%stride == y%stride .and. x%stride == z%stride) v%component(2:3) = [y%component(1), z%component(1)]
  end function joined

  !> Bytes between two addresses.
  pure function apart(from, to)
    type(c_ptr), intent(in) :: from, to
    integer(c_int64_t) :: apart
    apart = transfer(to, apart) - transfer(from, apart)
  end function apart

  !> Numbers as option texts, exact.
  function real_text(value) result(text)
    real(c_double), intent(in) :: value
    character(:), allocatable :: text
    character(32) :: written
    write (written, '(es24.16e3)') value
    text = trim(adjustl(written))
  end function real_text

  function integer_text(value) result(text)
    integer, intent(in) :: value
    character(:), allocatable :: text
    character(16) :: written
    write (written, '(i0)') value
    text = trim(written)
  end function integer_text

  !> A C string as text.
  function text_at(pointer) result(text)
    type(c_ptr), intent(in) :: pointer
    character(:), allocatable :: text
    character(kind=c_char), pointer :: letters(:)
    integer :: length, k
    call c_f_pointer(pointer, letters, [huge(1)])
    length = 0
    do while (letters(length + 1) /= c_null_char)
       length = length + 1
    end do
    allocate (character(length) :: text)
    do k = 1, length
       text(k:k) = letters(k)
    end do
  end function text_at
end module chamomile_c
