// The host's own particles, of which the library knows nothing.
#pragma once

#include "core/vec3.hpp"

namespace host {
struct Particles {
    Vec3 x[2];
    float m[2];
};
} // namespace host
