/// \file  Which numbers are taken: the same from the command line and from a file.
#pragma once

#include <limits>
#include <string>

namespace chamomile {

/// An interval of finite numbers.
struct Range {
    double least = -std::numeric_limits<double>::infinity();
    double most = std::numeric_limits<double>::infinity();
    bool least_excluded = false, or_zero = false;

    bool contains(double value) const
    {
        const bool above = least_excluded ? value > least : value >= least;
        return (or_zero && value == 0) || (value <= most && above);
    }
    /// In words that follow the kind of number: "", " > 0", " from 1 to 4096".
    std::string words() const;
};

/// Of the quantities that options and files state alike.
namespace ranges {

inline constexpr Range any{};
constexpr Range at_least(double least)
{
    return {least};
}
constexpr Range between(double least, double most)
{
    return {least, most};
}
constexpr Range above(double least, double most)
{
    return {least, most, true};
}
/// Within these bounds, or 0, which then means that something is chosen or left out.
constexpr Range between_or_zero(double least, double most)
{
    return {least, most, false, true};
}
inline constexpr Range positive{0, std::numeric_limits<double>::infinity(), true};
inline constexpr Range not_negative{0};
/// A box of which a double holds the volume; 0: none, the system is isolated.
inline constexpr Range side{1e-100, 1e100}, side_or_none{1e-100, 1e100, false, true};
/// Beyond the largest redshift that makes sense radiation rules and perturbations are no dust's.
inline constexpr Range redshift{-0.99, 1e6}, scale_factor{1e-6, 100};
/// Of the background; a file that states no matter says 0.
inline constexpr Range omega_matter{0, 5, true}, omega_matter_or_none{0, 5}, omega_lambda{-2, 5},
    omega_radiation{0, 1}, w0{-2, 0}, wa{-3, 3};
/// H0 in 100 km/s/Mpc; a file that states none says 0.
inline constexpr Range hubble{0, 10, true}, hubble_or_none{0, 10};

} // namespace ranges
} // namespace chamomile
