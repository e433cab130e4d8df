/// \file  The box about a group in which sources count as near.
#pragma once

#include "chamomile/core/simd.hpp"
#include "chamomile/force/gravity.hpp"

namespace chamomile::CHAMOMILE_INSTRUCTION_SET {

/// A box about a group's center, as squared half sides in packed units.
template <class T>
class NearBox {
public:
    NearBox(const Vec3<double>& half_sides, const Frame& frame, const Vec3<double>& center)
        : exists_(half_sides.x > 0 && half_sides.y > 0 && half_sides.z > 0)
    {
        const Vec3<T> c = rounded<T>(frame.of(center));
        const T middle[4] = {c.x, c.y, c.z, T(0)};
        for (int k = 0; k < whole; ++k)
            middle_[k] = middle[k % 4];
        const Vec3<T> r = rounded<T>(frame.inverse_length * half_sides);
        const T squares[4] = {r.x * r.x, r.y * r.y, r.z * r.z, T(__builtin_inf())};
        for (int k = 0; k < whole; ++k)
            squared_[k] = squares[k % 4];
    }

    explicit operator bool() const { return exists_; }

    /// Returns whether any source lies within; reads whole packs. Position comes first in `source`.
    template <class Source>
    CHAMOMILE_HD bool holds_any(const Source* source, int count) const
    {
        static_assert(sizeof(Source) == 4 * sizeof(T));
        const T* const from = reinterpret_cast<const T*>(source);
        unsigned near = 0;
        for (int k = 0; k < 4 * count; k += whole) {
            unsigned inside = 0; // one bit per coordinate
            for (int p = 0; p < whole; p += width) {
                const P x = P::load(from + k + p) - P::load(middle_ + p);
                inside |= less_bits(x * x, P::load(squared_ + p)) << p;
            }
            if (k + whole > 4 * count)
                inside &= (1u << (4 * count - k)) - 1;
            near |= inside & inside >> 1 & inside >> 2 & inside >> 3 & 0x1111;
        }
        return near != 0;
    }

private:
    using P = Pack<T>;
    static constexpr int width = P::width, whole = width < 4 ? 4 : width; // lanes of whole sources

    bool exists_;
    T middle_[whole], squared_[whole];
};

} // namespace chamomile::CHAMOMILE_INSTRUCTION_SET
