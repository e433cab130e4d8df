/// \file  Vectors of three components and the few operations that the method needs.
#pragma once

#include "chamomile/core/host_device.hpp"

namespace chamomile {

template <class T>
struct Vec3 {
    T x{}, y{}, z{};
};

template <class T>
CHAMOMILE_HD Vec3<T> operator+(const Vec3<T>& a, const Vec3<T>& b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

template <class T>
CHAMOMILE_HD Vec3<T> operator-(const Vec3<T>& a, const Vec3<T>& b)
{
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

template <class T>
CHAMOMILE_HD Vec3<T> operator*(const T& s, const Vec3<T>& a)
{
    return {s * a.x, s * a.y, s * a.z};
}

template <class T>
CHAMOMILE_HD Vec3<T>& operator+=(Vec3<T>& a, const Vec3<T>& b)
{
    a.x += b.x;
    a.y += b.y;
    a.z += b.z;
    return a;
}

template <class T>
CHAMOMILE_HD Vec3<T>& operator-=(Vec3<T>& a, const Vec3<T>& b)
{
    a.x -= b.x;
    a.y -= b.y;
    a.z -= b.z;
    return a;
}

template <class T>
CHAMOMILE_HD bool operator==(const Vec3<T>& a, const Vec3<T>& b)
{
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

template <class T>
CHAMOMILE_HD T dot(const Vec3<T>& a, const Vec3<T>& b)
{
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

template <class T>
CHAMOMILE_HD Vec3<T> cross(const Vec3<T>& a, const Vec3<T>& b)
{
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// Returns |a|^2 + start, as a chain of multiply-adds (fused if contraction is on).
template <class T>
CHAMOMILE_HD T norm_squared(const Vec3<T>& a, const T& start = T(0))
{
    return start + a.x * a.x + a.y * a.y + a.z * a.z;
}

template <class T>
CHAMOMILE_HD T norm(const Vec3<T>& a)
{
    return std::sqrt(norm_squared(a));
}

} // namespace chamomile
