! The force of a ring of 100000 particles, mass 1 and radius 1, on its axis: a = -z / (1 + z^2)^1.5.
program ring
  implicit none
  integer, parameter :: nj = 100000, ni = 3
  double precision, parameter :: pi = 3.14159265358979323846d0
  double precision :: xj(3, nj), mj(nj), xi(3, ni), a(3, ni), eps2, exact, worst
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
  eps2 = 0
  call force(xj, mj, xi, eps2, a, ni, nj)

  worst = 0
  do i = 1, ni
     exact = -xi(3, i) / (1 + xi(3, i)**2)**1.5d0
     print '(a, f3.1, a, f9.6, a, f9.6)', 'z = ', xi(3, i), ': a = ', a(3, i), ', exactly ', exact
     worst = max(worst, abs(a(3, i) / exact - 1))
  end do
  call cunbody_error_text(text)
  if (text /= '') print '(a)', trim(text)
  if (.not. worst < 1d-6) stop 1
end program ring
