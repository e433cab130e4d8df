! The field of 100000 particles from Fortran: at the particles, at a distant point, its neighbours
! and errors. Particles and last number are the same in all languages of docs/howto/embedding.md.
program field_from_fortran
  use, intrinsic :: iso_c_binding
  use chamomile
  implicit none
  integer, parameter :: n = 100000
  type(chm_field) :: field
  type(chm_error_stats) :: errors
  real(c_double) :: x(3, n), m(n), a(3, n), phi(n), far(3, 1), there(3, 1), ax(n), ay(n), az(n)
  real(c_double) :: mass, u
  integer(c_int64_t) :: state, count(1), list(4, 1)
  integer :: i, c, status

  state = 1
  mass = 0
  do i = 1, n
     do c = 1, 3
        u = 2 * uniform() - 1
        x(c, i) = u * u * u
     end do
     m(i) = (0.5d0 + uniform()) / n
     mass = mass + m(i)
  end do

  call field%create(status); call check
  call field%set('softening', 0.01d0, status); call check
  call field%build(x, m, status); call check ! once, for all later evaluations
  print '(4a)', chm_library_version(), ' on ', field%device()
  call field%evaluate_sources(a, status, phi); call check

  far(:, 1) = [100d0, 0d0, 0d0]
  call field%evaluate(far, there, status); call check
  print '(a, f9.6)', 'at 100: a r^2 / M = ', there(1, 1) * 1d4 / mass

  call field%neighbours(x(:, 7:7), [0.02d0], count, list, status); call check
  print '(a, i0, a, 4(1x, i0))', 'within 0.02 of particle 7: ', count, ', the first', list(:min(4_c_int64_t, count(1)), :)

  call field%compare_direct(x, m, 1000, 1, errors, status); call check
  print '(2(a, es7.1))', 'errors of 1000: median ', errors%acceleration%median, ', 99 % ', &
       errors%acceleration%p99

  ! Columns, here array sections of the rows, are used in place, with bitwise equal results.
  call field%build(x(1, :), x(2, :), x(3, :), m, status); call check
  call field%evaluate_sources(ax, ay, az, status); call check
  if (any(ax /= a(1, :)) .or. any(ay /= a(2, :)) .or. any(az /= a(3, :))) stop 1

  ! An error is returned as a status and a message.
  call field%build(x(:2, :), m, status)
  print '(a, i0, 2a)', 'status ', status, ': ', field%error()

  print '(a, z16.16)', 'accelerations ', fnv1a(a)
  call field%destroy()
  if (status /= chm_usage .or. errors%acceleration%p99 > 1d-3) stop 1
  if (abs(there(1, 1) * 1d4 / mass + 1) > 1d-3) stop 1

contains

  function uniform() ! Park & Miller (1988), exact in any language
    real(c_double) :: uniform
    state = modulo(16807 * state, 2147483647_c_int64_t)
    uniform = real(state, c_double) / 2147483647d0
  end function uniform

  subroutine check
    if (status == chm_ok) return
    print '(a)', field%error()
    stop 1
  end subroutine check

  ! In 32-bit halves, to avoid overflow; the prime is 2^40 + 435.
  function fnv1a(values) result(hash)
    real(c_double), intent(in) :: values(:, :)
    integer(c_int64_t) :: hash, low, high, word
    integer(c_int64_t), parameter :: mask = 4294967295_c_int64_t
    integer :: i, c, k
    low = 2216829733_c_int64_t  ! 14695981039346656037 = 3421674724 * 2^32 + 2216829733
    high = 3421674724_c_int64_t
    do i = 1, size(values, 2)
       do c = 1, 3
          word = transfer(values(c, i), word)
          do k = 0, 7
             low = ieor(low, ibits(word, 8 * k, 8))
             high = high * 435 + iand(ishft(low, 8), mask)
             low = low * 435
             high = iand(high + ishft(low, -32), mask)
             low = iand(low, mask)
          end do
       end do
    end do
    hash = ior(ishft(high, 32), low)
  end function fnv1a
end program field_from_fortran
