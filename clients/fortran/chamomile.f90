!> Gravity of fixed sources at any points: the C interface (chamomile.h) for Fortran.
!>
!> Every call returns a status, 0 or the kind of an error; error() returns the message. Nothing
!> stops or prints. Arrays, also array sections, are used in place: (3, n) or x(n), y(n), z(n), in
!> double. view() makes arguments of other kinds and shapes. Particles are numbered from 1.
module chamomile
  use, intrinsic :: iso_c_binding
  use chamomile_c
  implicit none
  private
  public :: chm_field, chm_view, view, chm_run_stats, chm_error_stats, chm_percentiles
  public :: chm_ok, chm_usage, chm_input, chm_output, chm_device_fault, chm_numeric, chm_cancelled
  public :: chm_library_version
  integer, parameter :: k = c_int64_t

  !> One context: create it, build() sources, evaluate. Not for two threads at once.
  type :: chm_field
     private
     type(c_ptr) :: context = c_null_ptr
     integer(k) :: sources = 0 !< of build()
     character(:), allocatable :: complaint !< message of this module; otherwise the library's
   contains
     procedure :: create, destroy, error, device, statistics, cancel
     procedure, private :: set_text, set_real, set_integer
     generic :: set => set_text, set_real, set_integer !< (key, value, status)
     procedure, private :: build_views, build_vectors, build_columns
     !> (xyz, mass, status [, velocity, softening]) or (x, y, z, mass, status [, softening]): copies
     !> the sources. softening: (n), per-particle softening in place of the option.
     generic :: build => build_views, build_vectors, build_columns
     procedure, private :: refit_views, refit_vectors, refit_columns
     !> (xyz, mass, status [, softening]) or (x, y, z, mass, status [, softening]): moved sources;
     !> keeps the cells of the tree.
     generic :: refit => refit_views, refit_vectors, refit_columns
     procedure, private :: evaluate_views, evaluate_vectors, evaluate_columns
     !> (xyz, acceleration, status [, potential, own]) or (x, y, z, ax, ay, az, status [, ...]).
     !> own(i): index of the source that coincides with target i and is excluded, 0: none.
     generic :: evaluate => evaluate_views, evaluate_vectors, evaluate_columns
     procedure, private :: at_sources_views, at_sources_vectors, at_sources_columns
     !> (acceleration, status [, potential, active]) or (ax, ay, az, status [, ...]): at all sources
     !> or at the sources `active`.
     generic :: evaluate_sources => at_sources_views, at_sources_vectors, at_sources_columns
     procedure :: neighbours, compare_direct
  end type chm_field

contains

  function chm_library_version() result(text)
    character(:), allocatable :: text
    text = text_at(chm_version())
  end function chm_library_version

  subroutine create(self, status)
    class(chm_field), intent(inout) :: self
    integer, intent(out) :: status
    call self%destroy()
    status = chm_create(self%context)
    if (status == chm_ok) call self%set('first_number', 1, status)
  end subroutine create

  !> Must be called: a chm_field is a handle, and its copies share one context.
  subroutine destroy(self)
    class(chm_field), intent(inout) :: self
    call chm_destroy(self%context)
    self%context = c_null_ptr
    self%sources = 0
    if (allocated(self%complaint)) deallocate (self%complaint)
  end subroutine destroy

  !> Ends a call in progress in another thread within about 0.2 s, with status chm_cancelled.
  subroutine cancel(self)
    class(chm_field), intent(in) :: self
    call chm_cancel(self%context)
  end subroutine cancel

  !> The message of the last failed call.
  function error(self) result(text)
    class(chm_field), intent(in) :: self
    character(:), allocatable :: text
    if (allocated(self%complaint)) then
       text = self%complaint
    else
       text = text_at(chm_last_error(self%context))
    end if
  end function error

  !> Such as "CPU, avx512, 2 threads"; empty before build().
  function device(self) result(text)
    class(chm_field), intent(in) :: self
    character(:), allocatable :: text
    text = text_at(chm_device(self%context))
  end function device

  subroutine statistics(self, stats, status)
    class(chm_field), intent(inout) :: self
    type(chm_run_stats), intent(out) :: stats
    integer, intent(out) :: status
    status = answered(self, chm_stats(self%context, stats))
  end subroutine statistics

  subroutine set_text(self, key, value, status)
    class(chm_field), intent(inout) :: self
    character(*), intent(in) :: key, value
    integer, intent(out) :: status
    status = answered(self, chm_set_option(self%context, trim(key) // c_null_char, &
         trim(value) // c_null_char))
  end subroutine set_text

  subroutine set_real(self, key, value, status)
    class(chm_field), intent(inout) :: self
    character(*), intent(in) :: key
    real(c_double), intent(in) :: value
    integer, intent(out) :: status
    call self%set_text(key, real_text(value), status)
  end subroutine set_real

  subroutine set_integer(self, key, value, status)
    class(chm_field), intent(inout) :: self
    character(*), intent(in) :: key
    integer, intent(in) :: value
    integer, intent(out) :: status
    call self%set_text(key, integer_text(value), status)
  end subroutine set_integer

  !> Sets the views of n sources.
  subroutine set_sources(self, n, position, mass, status, velocity, softening)
    class(chm_field), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    type(chm_view), intent(in) :: position, mass
    integer, intent(out) :: status
    type(chm_view), intent(in), optional :: velocity, softening
    status = answered(self, chm_set_sources(self%context, n, position, mass, given(velocity)))
    if (status /= chm_ok .or. .not. present(softening)) return
    if (c_associated(softening%component(1))) &
         status = answered(self, chm_set_softenings(self%context, softening))
  end subroutine set_sources

  subroutine build_views(self, n, position, mass, status, velocity, softening)
    class(chm_field), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    type(chm_view), intent(in) :: position, mass
    integer, intent(out) :: status
    type(chm_view), intent(in), optional :: velocity, softening
    call set_sources(self, n, position, mass, status, velocity, softening)
    if (status == chm_ok) status = answered(self, chm_build(self%context))
    if (status == chm_ok) self%sources = n
  end subroutine build_views

  subroutine build_vectors(self, xyz, mass, status, velocity, softening)
    class(chm_field), intent(inout) :: self
    real(c_double), intent(in), target :: xyz(:, :), mass(:)
    integer, intent(out) :: status
    real(c_double), intent(in), target, optional :: velocity(:, :), softening(:)
    type(chm_view) :: velocities
    integer(c_int64_t) :: n
    n = size(mass, kind=k)
    if (.not. fits(self, 'positions', shape(xyz, k), n, status)) return
    if (present(velocity)) then
       if (.not. fits(self, 'velocities', shape(velocity, k), n, status)) return
       velocities = view(velocity)
    end if
    if (.not. long_enough(self, softening, n, status)) return
    call self%build_views(n, view(xyz), view(mass), status, velocities, numbers_of(softening))
  end subroutine build_vectors

  subroutine build_columns(self, x, y, z, mass, status, softening)
    class(chm_field), intent(inout) :: self
    real(c_double), intent(in), target :: x(:), y(:), z(:), mass(:)
    integer, intent(out) :: status
    real(c_double), intent(in), target, optional :: softening(:)
    integer(c_int64_t) :: n
    n = size(mass, kind=k)
    if (.not. equal(self, [n, size(x, kind=k), size(y, kind=k), size(z, kind=k)], status)) return
    if (.not. long_enough(self, softening, n, status)) return
    call self%build_views(n, view(x, y, z), view(mass), status, softening=numbers_of(softening))
  end subroutine build_columns

  subroutine refit_views(self, n, position, mass, status, velocity, softening)
    class(chm_field), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    type(chm_view), intent(in) :: position, mass
    integer, intent(out) :: status
    type(chm_view), intent(in), optional :: velocity, softening
    call set_sources(self, n, position, mass, status, velocity, softening)
    if (status == chm_ok) status = answered(self, chm_refit(self%context))
  end subroutine refit_views

  subroutine refit_vectors(self, xyz, mass, status, softening)
    class(chm_field), intent(inout) :: self
    real(c_double), intent(in), target :: xyz(:, :), mass(:)
    integer, intent(out) :: status
    real(c_double), intent(in), target, optional :: softening(:)
    integer(c_int64_t) :: n
    n = size(mass, kind=k)
    if (.not. fits(self, 'positions', shape(xyz, k), n, status)) return
    if (.not. long_enough(self, softening, n, status)) return
    call self%refit_views(n, view(xyz), view(mass), status, softening=numbers_of(softening))
  end subroutine refit_vectors

  subroutine refit_columns(self, x, y, z, mass, status, softening)
    class(chm_field), intent(inout) :: self
    real(c_double), intent(in), target :: x(:), y(:), z(:), mass(:)
    integer, intent(out) :: status
    real(c_double), intent(in), target, optional :: softening(:)
    integer(c_int64_t) :: n
    n = size(mass, kind=k)
    if (.not. equal(self, [n, size(x, kind=k), size(y, kind=k), size(z, kind=k)], status)) return
    if (.not. long_enough(self, softening, n, status)) return
    call self%refit_views(n, view(x, y, z), view(mass), status, softening=numbers_of(softening))
  end subroutine refit_columns

  !> Any results at n targets; jerks need velocities. softening: one length per target.
  subroutine evaluate_views(self, n, position, status, acceleration, potential, tidal, jerk, &
       velocity, own, softening)
    class(chm_field), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    type(chm_view), intent(in) :: position
    integer, intent(out) :: status
    type(chm_view), intent(in), optional :: acceleration, potential, tidal, jerk, velocity, softening
    integer(c_int64_t), intent(in), optional :: own(:)
    type(chm_targets) :: targets
    type(chm_results) :: results
    integer(c_int64_t), allocatable, target :: numbers(:)
    targets = chm_targets(n, position, given(velocity), c_null_ptr, given(softening))
    if (present(own)) then
       if (.not. counted(self, 'own', own, 0_k, n, numbers, status)) return
       targets%self = c_loc(numbers)
    end if
    results = chm_results(given(acceleration), given(potential), given(tidal), given(jerk))
    status = answered(self, chm_eval(self%context, targets, results))
  end subroutine evaluate_views

  subroutine evaluate_vectors(self, xyz, acceleration, status, potential, own)
    class(chm_field), intent(inout) :: self
    real(c_double), intent(in), target :: xyz(:, :)
    real(c_double), intent(inout), target :: acceleration(:, :)
    integer, intent(out) :: status
    real(c_double), intent(inout), target, optional :: potential(:)
    integer(c_int64_t), intent(in), optional :: own(:)
    integer(c_int64_t) :: n
    n = size(xyz, 2, kind=k)
    if (.not. fits(self, 'positions', shape(xyz, k), n, status)) return
    if (.not. fits(self, 'accelerations', shape(acceleration, k), n, status)) return
    if (.not. long_enough(self, potential, n, status)) return
    call self%evaluate_views(n, view(xyz), status, view(acceleration), numbers_of(potential), own=own)
  end subroutine evaluate_vectors

  subroutine evaluate_columns(self, x, y, z, ax, ay, az, status, potential, own)
    class(chm_field), intent(inout) :: self
    real(c_double), intent(in), target :: x(:), y(:), z(:)
    real(c_double), intent(inout), target :: ax(:), ay(:), az(:)
    integer, intent(out) :: status
    real(c_double), intent(inout), target, optional :: potential(:)
    integer(c_int64_t), intent(in), optional :: own(:)
    integer(c_int64_t) :: n
    n = size(x, kind=k)
    if (.not. equal(self, [n, size(y, kind=k), size(z, kind=k), size(ax, kind=k), &
         size(ay, kind=k), size(az, kind=k)], status)) return
    if (.not. long_enough(self, potential, n, status)) return
    call self%evaluate_views(n, view(x, y, z), status, view(ax, ay, az), numbers_of(potential), own=own)
  end subroutine evaluate_columns

  !> Any results at n sources: all, or the sources `active`.
  subroutine at_sources_views(self, n, status, acceleration, potential, tidal, jerk, active)
    class(chm_field), intent(inout) :: self
    integer(c_int64_t), intent(in) :: n
    integer, intent(out) :: status
    type(chm_view), intent(in), optional :: acceleration, potential, tidal, jerk
    integer(c_int64_t), intent(in), optional :: active(:)
    type(chm_results) :: results
    integer(c_int64_t), allocatable, target :: numbers(:)
    type(c_ptr) :: list
    results = chm_results(given(acceleration), given(potential), given(tidal), given(jerk))
    list = c_null_ptr
    if (present(active)) then
       if (.not. counted(self, 'active', active, 1_k, n, numbers, status)) return
       list = c_loc(numbers)
    end if
    status = answered(self, chm_eval_active(self%context, n, list, results))
  end subroutine at_sources_views

  subroutine at_sources_vectors(self, acceleration, status, potential, active)
    class(chm_field), intent(inout) :: self
    real(c_double), intent(inout), target :: acceleration(:, :)
    integer, intent(out) :: status
    real(c_double), intent(inout), target, optional :: potential(:)
    integer(c_int64_t), intent(in), optional :: active(:)
    integer(c_int64_t) :: n
    n = size(acceleration, 2, kind=k)
    if (.not. fits(self, 'accelerations', shape(acceleration, k), n, status)) return
    if (.not. long_enough(self, potential, n, status)) return
    call self%at_sources_views(n, status, view(acceleration), numbers_of(potential), active=active)
  end subroutine at_sources_vectors

  subroutine at_sources_columns(self, ax, ay, az, status, potential, active)
    class(chm_field), intent(inout) :: self
    real(c_double), intent(inout), target :: ax(:), ay(:), az(:)
    integer, intent(out) :: status
    real(c_double), intent(inout), target, optional :: potential(:)
    integer(c_int64_t), intent(in), optional :: active(:)
    integer(c_int64_t) :: n
    n = size(ax, kind=k)
    if (.not. equal(self, [size(ax, kind=k), size(ay, kind=k), size(az, kind=k)], status)) return
    if (.not. long_enough(self, potential, n, status)) return
    call self%at_sources_views(n, status, view(ax, ay, az), numbers_of(potential), active=active)
  end subroutine at_sources_columns

  !> Finds the sources within radius(i) of target i: list(:, i) holds the first, ascending, and
  !> count(i) is their total number, which may exceed size(list, 1).
  subroutine neighbours(self, xyz, radius, count, list, status, own)
    class(chm_field), intent(inout) :: self
    real(c_double), intent(in), target :: xyz(:, :), radius(:)
    integer(c_int64_t), intent(inout), contiguous, target :: count(:), list(:, :)
    integer, intent(out) :: status
    integer(c_int64_t), intent(in), optional :: own(:)
    type(chm_targets) :: targets
    integer(c_int64_t), allocatable, target :: numbers(:)
    integer(c_int64_t) :: n, i
    n = size(xyz, 2, kind=k)
    if (.not. fits(self, 'positions', shape(xyz, k), n, status)) return
    if (.not. equal(self, [n, size(radius, kind=k), size(count, kind=k), size(list, 2, k)], status)) return
    targets%n = n
    targets%position = view(xyz)
    if (present(own)) then
       if (.not. counted(self, 'own', own, 0_k, n, numbers, status)) return
       targets%self = c_loc(numbers)
    end if
    status = answered(self, chm_neighbours(self%context, targets, view(radius), &
         size(list, 1, k), c_loc(count), c_loc(list)))
    if (status /= chm_ok) return
    do i = 1, n
       associate (own_list => list(:min(count(i), size(list, 1, k)), i))
         own_list = own_list + 1
       end associate
    end do
  end subroutine neighbours

  !> Errors of `sample` sources relative to the direct sum in double, for the sources of build().
  !> errors%worst counts from 1.
  subroutine compare_direct(self, xyz, mass, sample, seed, errors, status, softening)
    class(chm_field), intent(inout) :: self
    real(c_double), intent(in), target :: xyz(:, :), mass(:)
    integer, intent(in) :: sample, seed
    type(chm_error_stats), intent(out) :: errors
    integer, intent(out) :: status
    real(c_double), intent(in), target, optional :: softening(:)
    integer(c_int64_t) :: n
    n = size(mass, kind=k)
    if (.not. fits(self, 'positions', shape(xyz, k), n, status)) return
    if (.not. long_enough(self, softening, n, status)) return
    call set_sources(self, n, view(xyz), view(mass), status, softening=numbers_of(softening))
    if (status == chm_ok) status = answered(self, chm_compare_direct(self%context, &
         int(sample, c_int64_t), int(seed, c_int64_t), errors))
    errors%worst = errors%worst + 1
  end subroutine compare_direct

  !> Returns the library's status. error() then returns the library's message.
  integer function answered(self, status)
    class(chm_field), intent(inout) :: self
    integer(c_int), intent(in) :: status
    if (allocated(self%complaint)) deallocate (self%complaint)
    answered = status
  end function answered

  logical function fits(self, what, extents, n, status)
    class(chm_field), intent(inout) :: self
    character(*), intent(in) :: what
    integer(k), intent(in) :: extents(2)
    integer(c_int64_t), intent(in) :: n
    integer, intent(out) :: status
    fits = extents(1) == 3 .and. extents(2) == n
    status = merge(chm_ok, chm_usage, fits)
    if (.not. fits) self%complaint = what // ': must be of shape (3, n)'
  end function fits

  logical function equal(self, lengths, status)
    class(chm_field), intent(inout) :: self
    integer(k), intent(in) :: lengths(:)
    integer, intent(out) :: status
    equal = all(lengths == lengths(1))
    status = merge(chm_ok, chm_usage, equal)
    if (.not. equal) self%complaint = 'arrays: must be of equal length'
  end function equal

  !> Converts n source numbers, at least `least`, to C indices. `numbers` has at least one element.
  logical function counted(self, what, list, least, n, numbers, status)
    class(chm_field), intent(inout) :: self
    character(*), intent(in) :: what
    integer(k), intent(in) :: list(:), least
    integer(c_int64_t), intent(in) :: n
    integer(c_int64_t), intent(out), allocatable, target :: numbers(:)
    integer, intent(out) :: status
    character(200) :: line
    integer(k) :: i
    counted = equal(self, [n, size(list, kind=k)], status)
    do i = 1, size(list, kind=k)
       if (.not. counted .or. (list(i) >= least .and. list(i) <= self%sources)) cycle
       write (line, '(2a, 3(i0, a))') what, ': ', list(i), ': must be ', least, ' to ', self%sources, ', the number of sources'
       self%complaint = trim(line)
       status = chm_usage
       counted = .false.
    end do
    if (.not. counted) return
    allocate (numbers(n + 1))
    numbers(:n) = list - 1
  end function counted

  logical function long_enough(self, numbers, n, status)
    class(chm_field), intent(inout) :: self
    real(c_double), intent(in), optional :: numbers(:)
    integer(c_int64_t), intent(in) :: n
    integer, intent(out) :: status
    long_enough = .true.
    status = chm_ok
    if (present(numbers)) long_enough = equal(self, [n, size(numbers, kind=k)], status)
  end function long_enough

  function given(some) result(v)
    type(chm_view), intent(in), optional :: some
    type(chm_view) :: v
    if (present(some)) v = some
  end function given
end module chamomile
