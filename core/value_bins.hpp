/// \file  Bins of numbers by their leading bits.
#pragma once

#include <cstdint>
#include <cstring>

#include "chamomile/core/host_device.hpp"

namespace chamomile {

/// Bins from 2^-24 to 2^8 times a typical value, 128 per factor of 2, equally wide within a factor.
/// First and last bin also hold values beyond. Values must not be negative.
class ValueBins {
public:
    static constexpr int count = 4096;
    static constexpr std::uint16_t none = count;

    explicit ValueBins(double typical) : first_(steps(typical) - 24 * per_octave) {}

    CHAMOMILE_HD std::uint16_t of(double value) const
    {
        const std::int64_t bin = steps(value) - first_;
        return std::uint16_t(bin < 0 ? 0 : bin < count ? bin : count - 1);
    }

private:
    static constexpr int leading = 7, per_octave = 1 << leading;
    static CHAMOMILE_HD std::int64_t steps(double value)
    {
        std::int64_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        return bits >> (52 - leading);
    }
    std::int64_t first_;
};

} // namespace chamomile
