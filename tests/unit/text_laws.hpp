/// \file  Built-in laws as text.
#pragma once

namespace chamomile::tests {

inline constexpr const char* gravity_text = R"(
# Gravity with Plummer softening: acceleration and potential, G = 1.
target position x y z
source position x y z, m
sum ax ay az phi
parameter eps2 = 0

dx = source.x - target.x
dy = source.y - target.y
dz = source.z - target.z
ri = rsqrt(dx*dx + dy*dy + dz*dz + eps2)
m_ri = m*ri
w = m_ri*ri*ri
ax += w*dx
ay += w*dy
az += w*dz
phi -= m_ri
)";

inline constexpr const char* gravity_jerk_text = R"(
# Acceleration, jerk and potential (Makino & Aarseth 1992, eqs. 1 and 2).
target position x y z, vx vy vz
source position x y z, vx vy vz, m
sum ax ay az, jx jy jz, phi
parameter eps2 = 0

dx = source.x - target.x
dy = source.y - target.y
dz = source.z - target.z
ux = source.vx - target.vx
uy = source.vy - target.vy
uz = source.vz - target.vz
ri = rsqrt(dx*dx + dy*dy + dz*dz + eps2)
ri2 = ri*ri
m_ri = m*ri
w = m_ri*ri2
s = -3*ri2*(dx*ux + dy*uy + dz*uz)
ax += w*dx
ay += w*dy
az += w*dz
jx += w*(ux + s*dx)
jy += w*(uy + s*dy)
jz += w*(uz + s*dz)
phi -= m_ri
)";

/// A law with every function in the language, conditions, one-sided terms and parameters.
inline constexpr const char* everything_text = R"(
target position x y z, q s
source position x y z, q s
sum a b c d
parameter rc = 2
parameter mode = 1
dx = source.x - target.x
dy = source.y - target.y
dz = source.z - target.z
r2 = dx^2 + dy^2 + dz^2 + 0.5
sig = 0.5*(target.s + source.s)
e = sqrt(abs(target.q))*sqrt(abs(source.q))
s2 = sig^2/r2
s6 = s2^3
in = r2 < rc^2 and not (mode == 2) or mode > 3
a += select(in, 4*e*(s6^2 - s6), 0)
b -= exp(-sqrt(r2))*sin(dx)*cos(dy)/(1 + log(1 + r2))
c += min(pow(r2, 0.3), max(dx, dy)) - select(mode < 2, dx*dy, -dz)
d += 1
d += source.q
d -= target.q*2
)";

} // namespace chamomile::tests
