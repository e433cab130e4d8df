/// \file  Quantities with units, as users type them: "1 Gyr", "50pc", "50Mpc/h", "220 km/s".
///
/// A unit is a product of words with powers, such as kpc km^2/s^2/Msun or kpc/(km/s). Each "/"
/// divides by the next factor only. The word h is H0 in 100 km/s/Mpc.
#pragma once

#include <string>
#include <string_view>

#include "chamomile/core/options/dimension.hpp"
#include "chamomile/core/units.hpp"

namespace chamomile {

/// Target of conversions: the units of the particles, and h if a file states it.
struct UnitFrame {
    Units units;
    double hubble = 0;          ///< 0: not known
    bool has_plain_time = true; ///< false: times are ln a
};

/// Returns whether any number in the text has a unit.
bool has_unit(std::string_view text);

/// Throws Error(usage) `option: text: ...` if any number in the text has a unit with a different
/// dimension. The text may be a list such as 0,0.5 or 1:5:1.
void check_unit(const std::string& option, const std::string& text, Dimension dimension);

/// Throws Error(usage) for a text with any unit, for callers that read only plain numbers.
void refuse_unit(const std::string& option, const std::string& text, Dimension dimension);

/// Returns the text without its units.
std::string without_units(const std::string& text);

/// Returns the text with each quantity as a plain number in the frame's units; numbers without unit
/// stay unchanged. In A:B:C a unit only after C applies to all three. Throws like check_unit(), and
/// if the particles have no units, if h is needed but unknown, and for times that are ln a.
std::string in_frame(const std::string& option, const std::string& text, Dimension dimension,
                     const UnitFrame& frame);

/// Returns the dimension in words, such as "length" or "length velocity^2 / mass".
std::string dimension_name(Dimension dimension);

/// Returns an example quantity of the dimension, such as "50 pc".
std::string quantity_example(Dimension dimension);

/// Returns the unit of a dimension, such as "kpc/(km/s)", in a form that in_frame() reads. Empty
/// for N-body units and pure numbers.
std::string unit_name(Dimension dimension, const Units& units);

/// Returns a column heading such as "time [kpc/(km/s)]", or only the name.
std::string heading(const std::string& name, Dimension dimension, const Units& units);

/// Returns the number with its unit, if any, such as "5 kpc". A unit that begins with a number is
/// bracketed, as in "5.6 [1e10 Msun]".
std::string with_unit(const std::string& number, Dimension dimension, const Units& units);

/// Returns the factor that converts numbers in `from` to numbers in `to`. `hubble` 0: unknown.
/// Throws Error(usage), naming `what`, if h is needed but unknown.
double unit_ratio(Dimension dimension, const Units& from, const Units& to, double hubble,
                  const std::string& what);

/// Returns a time in physical units as years, such as "1 Gyr" or "3 Myr/h".
std::string clock_text(double time, const Units& units);

/// Returns a time as "1.0227 (1 Gyr)" in physical units, else only the number.
std::string time_quantity(double time, const Units& units);

/// Returns a unit system by name: galactic, stellar, planetary, cosmological or gadget; or given as
/// LENGTH,MASS,VELOCITY or LENGTH,MASS (then G is 1). Throws Error(usage).
Units unit_system(const std::string& option, const std::string& text);

} // namespace chamomile
