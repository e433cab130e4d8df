/// \file  A law in a length unit close to the particles' extent, so that powers of distance stay in
/// float's range.
#pragma once

#include <cmath>
#include <cstring>

#include "chamomile/force/pairs/law_code.hpp"

namespace chamomile {

/// Keeps a law, and the law scaled to the current length unit.
class LawUnits {
public:
    LawUnits(const LawCode& code, const void* law)
        : code_(code), given_(code.bytes), scaled_(code.bytes)
    {
        std::memcpy(given_.data(), law, code.bytes);
        set_extent(0);
    }

    /// Sets the unit to the power of two above `extent`; to 1 if the extent is 0 or the law has no
    /// units.
    void set_extent(double extent)
    {
        double unit = 1;
        if (extent > 0 && code_.with_unit) {
            int exponent = 0;
            std::frexp(extent, &exponent);
            unit = std::ldexp(1.0, exponent);
        }
        if (unit == unit_ && !sum_.empty())
            return;
        unit_ = unit;
        scaled_ = given_;
        if (unit != 1)
            code_.with_unit(given_.data(), unit_, scaled_.data());
        const auto factors = [&](const std::vector<int>& powers, int count, int sign) {
            std::vector<double> factors(std::size_t(count), 1.0);
            for (std::size_t f = 0; f < powers.size(); ++f)
                factors[f] = std::pow(unit_, sign * powers[f]);
            return factors;
        };
        target_ = factors(code_.target_length, code_.shape.target, -1);
        source_ = factors(code_.source_length, code_.shape.source, -1);
        sum_ = factors(code_.sum_length, code_.shape.sum, 1);
    }

    double unit() const { return unit_; }
    const void* given() const { return given_.data(); } ///< the law in units of 1
    const void* law() const { return scaled_.data(); }  ///< in this unit
    /// Factors that convert values into this unit, and sums back.
    const double* target_scale() const { return target_.data(); }
    const double* source_scale() const { return source_.data(); }
    const double* sum_scale() const { return sum_.data(); }

private:
    const LawCode& code_;
    double unit_ = 1;
    std::vector<char> given_, scaled_;
    std::vector<double> target_, source_, sum_;
};

} // namespace chamomile
