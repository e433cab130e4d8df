! Potential and force of a ring of mass and radius 1 on its axis, with GRAPE-5's calls in Fortran: p
! = 1 / sqrt(1 + z^2), a = -z / (1 + z^2)^1.5.
program ring
  implicit none
  integer, parameter :: nj = 1000, ni = 3
  double precision, parameter :: pi = 3.14159265358979323846d0
  double precision :: xj(3, nj), mj(nj), xi(3, ni), a(3, ni), p(ni), worst
  character(len=120) :: text
  integer :: i, j

  xj = 0
  do j = 1, nj
     xj(1, j) = cos(2 * pi * j / nj)
     xj(2, j) = sin(2 * pi * j / nj)
  end do
  mj = 1d0 / nj
  xi = 0
  xi(3, :) = [0.5d0, 1d0, 2d0]
  call g5_open
  call g5_set_range(-2d0, 2d0, 1d0 / nj)
  call g5_set_eps_to_all(0d0)
  call g5_set_xmj(0, nj, xj, mj)
  call g5_set_n(nj)
  call g5_set_xi(ni, xi)
  call g5_run
  call g5_get_force(ni, a, p)

  worst = 0
  do i = 1, ni
     print '(a, f3.1, a, f9.6, a, f9.6)', 'z = ', xi(3, i), ': a = ', a(3, i), ', p = ', p(i)
     worst = max(worst, abs(p(i) * sqrt(1 + xi(3, i)**2) - 1), abs(a(3, i) * (1 + xi(3, i)**2)**1.5d0 / xi(3, i) + 1))
  end do
  call chm_g5_error_text(text)
  if (text /= '') print '(a)', trim(text)
  call g5_close
  if (.not. worst < 1d-6) stop 1
end program ring
