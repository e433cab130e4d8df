! The Fortran module against plain sums: layouts, kinds, numbers from 1, refusals.
program interface
  use, intrinsic :: iso_c_binding
  use, intrinsic :: ieee_arithmetic
  use chamomile
  implicit none
  integer, parameter :: n = 211
  integer(c_int64_t), parameter :: most = 5
  type(chm_field) :: field
  type(chm_run_stats) :: stats
  real(c_double), target :: records(7, n), x(3, n), m(n), a(3, n), phi(n), ax(2 * n), ay(2 * n), az(2 * n)
  real(c_float), target :: single(3, n), tensors(6, n)
  real(c_double) :: exact(3, n), exact_phi(n), lengths(n), own_exact(3, n), short(3, n - 1), radius(n), tidal(6)
  integer(c_int64_t) :: own(n), active(2), count(n), list(most, n), near
  integer :: i, j, status, wrong

  wrong = 0
  call random_seed(put=[(i, i = 1, 33)])
  call random_number(x)
  call random_number(m)
  records = -1
  records(2:4, :) = x
  records(7, :) = m
  own = [(int(i, c_int64_t), i = 1, n)]
  exact = 0
  exact_phi = 0
  do i = 1, n
     do j = 1, n
        if (j /= i) call add(i, j)
     end do
  end do

  call field%create(status)
  call demand('create', status == chm_ok)
  call field%build(x, m, status)
  call field%set('solver', 'direct', status)
  call field%set('precision', 'double', status)
  call field%set('device', 'cpu', status)
  call field%set('threads', 1, status)
  call field%set('softening', 0.05d0, status)
  call demand('options', status == chm_ok)
  call field%evaluate_sources(a, status)
  call refused('order of calls', 'chm_build')

  ! Members of records, and a section backwards.
  call field%build(records(2:4, :), records(7, :), status)
  call field%evaluate_sources(a, status, phi)
  call demand('records', status == chm_ok .and. close(a, exact) .and. all(abs(phi / exact_phi - 1) < 1d-12))
  call field%evaluate(x(:, n:1:-1), a(:, n:1:-1), status, own=own(n:1:-1))
  call demand('backwards', status == chm_ok .and. close(a, exact))
  call field%build(records(2, :), records(3, :), records(4, :), m, status)
  call field%evaluate_sources(ax(1::2), ay(1::2), az(1::2), status)
  call demand('columns', status == chm_ok .and. &
       close(transpose(reshape([ax(1::2), ay(1::2), az(1::2)], [n, 3])), exact))

  active = [int(n, c_int64_t), 3_c_int64_t]
  call field%evaluate_sources(a(:, :2), status, phi(:2), active)
  call demand('active', status == chm_ok .and. close(a(:, :2), exact(:, [n, 3])))

  ! Floats in and out, and tensors: their trace is that of the softening alone.
  single = real(x, c_float)
  call field%evaluate(int(n, c_int64_t), view(single), status, acceleration=view(single), own=own)
  call refused('overlap', 'must not overlap position of the targets')
  call field%evaluate(int(n, c_int64_t), view(single), status, tidal=view(tensors), own=own)
  tidal = real(tensors(:, 5), c_double)
  call demand('tensors', status == chm_ok .and. abs(tidal(1) + tidal(4) + tidal(6) - trace(5)) < 1d-3 * abs(trace(5)))

  radius = 0.2d0
  call field%neighbours(x, radius, count, list, status, own)
  call demand('neighbours', status == chm_ok)
  do i = 1, n
     near = 0
     do j = 1, n
        if (j == i .or. norm2(x(:, j) - x(:, i)) > 0.2d0) cycle
        near = near + 1
        if (near <= most) call demand('neighbour', list(near, i) == j)
     end do
     call demand('number of neighbours', count(i) == near)
  end do

  x = x + 0.25d0
  call field%refit(x, m, status)
  call field%evaluate_sources(a, status)
  call demand('refit', status == chm_ok .and. close(a, exact))
  call field%statistics(stats, status)
  call demand('statistics', status == chm_ok .and. stats%targets == n)

  ! Lengths of the sources: a pair takes the larger of its two.
  lengths = [(0.02d0 * mod(i, 7), i = 1, n)]
  own_exact = 0
  do i = 1, n
     do j = 1, n
        if (j /= i) own_exact(:, i) = own_exact(:, i) + m(j) * (x(:, j) - x(:, i)) / &
             sqrt(sum((x(:, j) - x(:, i))**2) + max(lengths(i), lengths(j))**2)**3
     end do
  end do
  call field%build(x, m, status, softening=lengths)
  call field%evaluate_sources(a, status)
  call demand('softening', status == chm_ok .and. close(a, own_exact))
  call field%build(x(1, :), x(2, :), x(3, :), m, status, softening=lengths)
  call field%refit(x, m, status, softening=lengths)
  call field%evaluate(x, a, status, own=own)
  call demand('softening of refit', status == chm_ok .and. close(a, own_exact))
  call field%refit(x, m, status)
  call refused('softening left out', 'softening')
  call field%build(x, m, status, softening=lengths(2:))
  call refused('short softening', 'equal length')
  call field%cancel()
  call field%build(x, m, status)
  call demand('nothing to cancel', status == chm_ok .and. chm_cancelled == 9)

  ! Numbers from 1 in what is said, too.
  own(7) = n + 1
  call field%evaluate(x, a, status, own=own)
  call refused('own', 'own: 212: must be 0 to 211')
  active(2) = 0
  call field%evaluate_sources(a(:, :2), status, active=active)
  call refused('active', 'active: 0: must be 1 to 211')
  short = x(:, :n - 1)
  short(2, 3) = ieee_value(1d0, ieee_quiet_nan)
  call field%build(short, m(:n - 1), status)
  call demand('a particle that is no number', status == chm_input .and. index(field%error(), 'particle 3:') == 1)

  call field%build(x, m(:n - 1), status)
  call refused('shape', 'shape')
  call field%evaluate(x, short, status)
  call refused('short', 'shape')
  call field%set('solver', 'mesh', status)
  call refused('word', 'mesh')
  call check_batch()
  call field%destroy()
  call field%set('solver', 'tree', status)
  call refused('destroyed', 'NULL')
  if (wrong > 0) stop 1

contains

  ! Systems of 5 and 206 bodies in one call of the C interface; a step of length 0 changes nothing.
  subroutine check_batch()
    use chamomile_c
    type(c_ptr) :: context
    type(chm_systems) :: systems
    type(chm_results) :: results
    integer(c_int64_t), target :: offsets(3) = [0_c_int64_t, 5_c_int64_t, int(n, c_int64_t)]
    real(c_double), target :: moved(3, n), moving(3, n)
    moved = x
    moving = 0
    systems = chm_systems(n=2, offsets=c_loc(offsets), bodies=0, position=view(moved), velocity=view(moving), mass=view(m))
    results = chm_results(acceleration=view(a), potential=view(phi))
    exact = 0
    exact_phi = 0
    do i = 1, n
       do j = 1, n
          if (j /= i .and. (i <= 5 .eqv. j <= 5)) call add(i, j)
       end do
    end do
    status = chm_create(context)
    status = chm_set_option(context, 'precision' // c_null_char, 'double' // c_null_char)
    status = chm_set_option(context, 'device' // c_null_char, 'cpu' // c_null_char)
    status = chm_set_option(context, 'softening' // c_null_char, '0.05' // c_null_char)
    status = chm_solve_batch(context, systems, results)
    call demand('batch', status == chm_ok .and. close(a, exact) .and. all(abs(phi / exact_phi - 1) < 1d-12))
    status = chm_advance_batch(context, systems, chm_hermite, 1_c_int64_t, [0d0], 2_c_int64_t)
    call demand('batch at rest', status == chm_ok .and. all(moved == x) .and. all(moving == 0))
    status = chm_advance_batch(context, systems, chm_leapfrog, 2_c_int64_t, [0d0, 0.1d0], 1_c_int64_t)
    call demand('batch', status == chm_ok .and. all(moved(:, :5) == x(:, :5)) .and. all(moved(:, 6:) /= x(:, 6:)))
    call chm_destroy(context)
  end subroutine check_batch

  subroutine add(i, j)
    integer, intent(in) :: i, j
    real(c_double) :: d(3), u
    d = x(:, j) - x(:, i)
    u = sqrt(sum(d**2) + 0.05d0**2)
    exact(:, i) = exact(:, i) + m(j) / u**3 * d
    exact_phi(i) = exact_phi(i) - m(j) / u
  end subroutine add

  ! The Laplacian of the softened potential, -sum 3 m eps^2 / u^5.
  function trace(i)
    integer, intent(in) :: i
    real(c_double) :: trace
    integer :: j
    trace = 0
    do j = 1, n
       if (j /= i) trace = trace - 3 * m(j) * 0.05d0**2 / sqrt(sum((x(:, j) - x(:, i))**2) + 0.05d0**2)**5
    end do
  end function trace

  logical function close(a, b)
    real(c_double), intent(in) :: a(:, :), b(:, :)
    close = all(abs(a - b) < 1d-11 * maxval(abs(b)))
  end function close

  subroutine refused(what, words)
    character(*), intent(in) :: what, words
    character(:), allocatable :: line
    line = field%error()
    call demand(what, status == chm_usage .and. index(line, words) > 0)
  end subroutine refused

  subroutine demand(what, right)
    character(*), intent(in) :: what
    logical, intent(in) :: right
    if (right) return
    print '(3a, i0, 2a)', 'wrong: ', what, ', status ', status, ': ', field%error()
    wrong = wrong + 1
  end subroutine demand
end program interface
