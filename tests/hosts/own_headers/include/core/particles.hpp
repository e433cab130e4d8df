// The host's particles, unknown to the library.
#pragma once

#include "core/vec3.hpp"

namespace host {
struct Particles {
    Vec3 x[2];
    float m[2];
};
} // namespace host
