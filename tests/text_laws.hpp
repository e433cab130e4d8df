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

} // namespace chamomile::tests
