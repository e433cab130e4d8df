/// \file  Quantities with units, as people type them: "1 Gyr", "50pc", "50Mpc/h", "220 km/s".
///
/// A unit is a product of words with powers, such as kpc km^2/s^2/Msun or kpc/(km/s); each "/"
/// divides by what follows it directly. The word h is H0 in 100 km/s/Mpc.
#pragma once

#include <string>
#include <string_view>

#include "chamomile/core/options/dimension.hpp"
#include "chamomile/core/units.hpp"

namespace chamomile {

/// A UnitFrame is what quantities are brought to: the units of the particles, and h where a file
/// states it.
struct UnitFrame {
    Units units;
    double hubble = 0;          ///< 0: not known
    bool has_plain_time = true; ///< else times are ln a
};

/// Returns whether the text, or a number of a list in it, is a number with letters behind it.
bool has_unit(std::string_view text);

/// Throws Error(usage) `option: text: ...` unless each number of the text, which may be a list such
/// as 0,0.5 or 1:5:1, has no unit or one of the dimension.
void check_unit(const std::string& option, const std::string& text, Dimension dimension);

/// Throws Error(usage) for a text with a unit where nothing says what the numbers mean.
void refuse_unit(const std::string& option, const std::string& text, Dimension dimension);

/// Returns the text without its units.
std::string without_units(const std::string& text);

/// Returns the text with each quantity as a plain number in the frame's units; numbers without a
/// unit stay as they are. In A:B:C a unit of the last number alone is that of all three. Throws
/// like check_unit(), and where the particles have no units or h is needed and not known.
std::string in_frame(const std::string& option, const std::string& text, Dimension dimension,
                     const UnitFrame& frame);

/// Returns the dimension in words, such as "length" or "length velocity^2 / mass".
std::string dimension_name(Dimension dimension);

/// Returns a quantity of the dimension as an example, such as "50 pc".
std::string quantity_example(Dimension dimension);

/// Returns the unit of the dimension, such as "kpc/(km/s)", which in_frame() reads; it is empty of
/// N-body units and pure numbers.
std::string unit_name(Dimension dimension, const Units& units);

/// Returns the heading of a column, such as "time [kpc/(km/s)]", or the name alone.
std::string heading(const std::string& name, Dimension dimension, const Units& units);

/// Returns the number with its unit, such as "5 kpc", or alone; a unit that begins with a number is
/// bracketed, as in "5.6 [1e10 Msun]".
std::string with_unit(const std::string& number, Dimension dimension, const Units& units);

/// Returns the factor from a number of one unit system to that of another; h is 0 where it is not
/// known. Throws Error(usage) naming `what` where h is needed.
double unit_ratio(Dimension dimension, const Units& from, const Units& to, double hubble,
                  const std::string& what);

/// Returns a time of physical units in years, such as "1 Gyr" or "3 Myr/h".
std::string clock_text(double time, const Units& units);

/// Returns "1.0227 (1 Gyr)" of a time in physical units, else the number alone.
std::string time_quantity(double time, const Units& units);

/// Returns the units that a text names: galactic, stellar, planetary, cosmological or gadget, or
/// its own as LENGTH,MASS,VELOCITY or LENGTH,MASS, with which G is 1. Throws Error(usage).
Units unit_system(const std::string& option, const std::string& text);

} // namespace chamomile
