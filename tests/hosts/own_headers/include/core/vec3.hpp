#pragma once

namespace host {
struct Vec3 {
    float a[3];
};
} // namespace host
