/// \file  Ranges of allowed numbers, for command line and files alike.
#pragma once

#include <limits>
#include <string>

namespace chamomile {

/// An interval of finite numbers, plus 0 if `or_zero`.
struct Range {
    double min = -std::numeric_limits<double>::infinity();
    double max = std::numeric_limits<double>::infinity();
    bool min_excluded = false, or_zero = false;

    bool contains(double value) const
    {
        const bool above = min_excluded ? value > min : value >= min;
        return (or_zero && value == 0) || (value <= max && above);
    }
    /// Returns the range in words, to follow "a number": "", " > 0", " from 1 to 4096".
    std::string words() const;
};

/// Ranges for quantities in both options and files.
namespace ranges {

inline constexpr Range any{};
constexpr Range at_least(double min)
{
    return {min};
}
constexpr Range between(double min, double max)
{
    return {min, max};
}
constexpr Range above(double min, double max)
{
    return {min, max, true};
}
/// Returns the range between these bounds, plus 0 as a special value.
constexpr Range between_or_zero(double min, double max)
{
    return {min, max, false, true};
}
inline constexpr Range positive{0, std::numeric_limits<double>::infinity(), true};
inline constexpr Range not_negative{0};
/// The side of a periodic box, whose volume must fit a double. 0 means an isolated system.
inline constexpr Range side{1e-100, 1e100}, side_or_none{1e-100, 1e100, false, true};
/// At larger redshifts radiation dominates, and perturbations grow unlike perturbations of dust.
inline constexpr Range redshift{-0.99, 1e6}, scale_factor{1e-6, 100};
/// The density parameters of the background. A file without matter contains 0.
inline constexpr Range omega_matter{0, 5, true}, omega_matter_or_none{0, 5}, omega_lambda{-2, 5},
    omega_radiation{0, 1}, w0{-2, 0}, wa{-3, 3};
/// H0 in 100 km/s/Mpc. A file without H0 contains 0.
inline constexpr Range hubble{0, 10, true}, hubble_or_none{0, 10};

} // namespace ranges
} // namespace chamomile
