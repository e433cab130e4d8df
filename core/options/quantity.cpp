#include "chamomile/core/options/quantity.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/core/options/typed_number.hpp"

namespace chamomile {
namespace {

constexpr Dimension frequency{0, 0, -1};
constexpr double julian_year = 365.25 * 86400;             // s
constexpr double solar_mass = 1.989e33, kpc = 3.085678e21; // as in units.cpp

/// A product of units: value in cgs, dimension, and power of h.
struct Unit {
    double cgs = 1;
    Dimension dimension = {};
    int per_h = 0; ///< power of h; -1 for kpc/h

    Unit to(int power) const
    {
        return {std::pow(cgs, power),
                {power * dimension.length, power * dimension.mass, power * dimension.time},
                power * per_h};
    }
    friend Unit operator*(const Unit& a, const Unit& b)
    {
        return {a.cgs * b.cgs,
                {a.dimension.length + b.dimension.length, a.dimension.mass + b.dimension.mass,
                 a.dimension.time + b.dimension.time},
                a.per_h + b.per_h};
    }
};

struct NamedUnit {
    const char* name;
    double cgs;
    Dimension dimension;
    int per_h = 0;
};

constexpr NamedUnit named_units[] = {{"cm", 1, dimensions::length},
                                     {"m", 100, dimensions::length},
                                     {"km", 1e5, dimensions::length},
                                     {"Rsun", 6.957e10, dimensions::length},
                                     {"AU", 1.495978707e13, dimensions::length},
                                     {"pc", 1e-3 * kpc, dimensions::length},
                                     {"kpc", kpc, dimensions::length},
                                     {"Mpc", 1e3 * kpc, dimensions::length},
                                     {"Gpc", 1e6 * kpc, dimensions::length},
                                     {"g", 1, dimensions::mass},
                                     {"kg", 1e3, dimensions::mass},
                                     {"Mearth", solar_mass / 332946, dimensions::mass},
                                     {"Mjup", solar_mass / 1047.57, dimensions::mass},
                                     {"Msun", solar_mass, dimensions::mass},
                                     {"s", 1, dimensions::time},
                                     {"yr", julian_year, dimensions::time},
                                     {"kyr", 1e3 * julian_year, dimensions::time},
                                     {"Myr", 1e6 * julian_year, dimensions::time},
                                     {"Gyr", 1e9 * julian_year, dimensions::time},
                                     {"h", 1, dimensions::none, 1}};

Error refusal(const std::string& option, const std::string& text, const std::string& why)
{
    return Error(Fault::usage, option + ": " + text + ": " + why);
}

bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Returns the length of the number at the start of the text; 0 if there is none.
std::size_t number_length(std::string_view text)
{
    const std::size_t sign = text.size() > 1 && text[0] == '+' && text[1] != '-';
    double value = 0;
    const auto [end, error] = std::from_chars(text.data() + sign, text.data() + text.size(), value);
    return error == std::errc() || error == std::errc::result_out_of_range
               ? std::size_t(end - text.data())
               : 0;
}

/// Reads a product of words with powers.
class UnitReader {
public:
    UnitReader(const std::string& option, const std::string& text, std::string_view unit)
        : option_(option), text_(text), rest_(unit)
    {}

    Unit read()
    {
        const Unit unit = product();
        if (!rest_.empty())
            refuse();
        return unit;
    }

private:
    [[noreturn]] void refuse() const
    {
        throw refusal(option_, text_,
                      "'" + std::string(rest_) +
                          "': not a unit: must be written as in kpc, Mpc/h, km/s or Msun/pc^2");
    }

    bool take(char c)
    {
        if (rest_.empty() || rest_.front() != c)
            return false;
        rest_.remove_prefix(1);
        return true;
    }

    void skip_blanks()
    {
        while (take(' '))
            ;
    }

    Unit product()
    {
        Unit unit = factor();
        for (skip_blanks(); !rest_.empty() && rest_.front() != ')'; skip_blanks()) {
            const bool divides = take('/');
            if (!divides)
                take('*');
            skip_blanks();
            unit = unit * factor().to(divides ? -1 : 1);
        }
        return unit;
    }

    /// Reads a word, a number or a bracketed product, each with an optional power.
    Unit factor()
    {
        Unit unit;
        if (take('(')) {
            unit = product();
            if (!take(')'))
                refuse();
        } else if (const std::size_t digits = number_length(rest_)) {
            unit.cgs = parsed_number<double>(rest_.substr(0, digits)).value_or(0);
            rest_.remove_prefix(digits);
            if (!(unit.cgs > 0) || !std::isfinite(unit.cgs))
                refuse();
        } else
            unit = word();
        return unit.to(power());
    }

    Unit word()
    {
        const auto end = std::find_if_not(rest_.begin(), rest_.end(), is_letter);
        const std::string name(rest_.begin(), end);
        if (name.empty())
            refuse();
        std::string all;
        std::vector<std::string> names;
        for (const NamedUnit& known : named_units) {
            if (name == known.name) {
                rest_.remove_prefix(name.size());
                return {known.cgs, known.dimension, known.per_h};
            }
            all += (all.empty() ? "" : ", ") + std::string(known.name);
            names.emplace_back(known.name);
        }
        throw refusal(option_, text_,
                      name + ": unknown unit: must be one of " + all + suggestion(name, names));
    }

    int power()
    {
        if (!take('^'))
            return 1;
        int power = 0;
        const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), power);
        if (error != std::errc() || std::abs(power) > 9)
            refuse();
        rest_.remove_prefix(std::size_t(end - rest_.data()));
        return power;
    }

    const std::string &option_, &text_;
    std::string_view rest_;
};

/// A number in a list, its unit, and the character behind it. In disk=50pc the key is "disk=".
struct Part {
    std::string key, number, unit;
    char separator = 0; ///< ',', ':' or ';', or 0 at the end
};

std::vector<Part> parts_of(std::string_view text)
{
    const auto trimmed = [](std::string_view word) {
        while (word.starts_with(' '))
            word.remove_prefix(1);
        while (word.ends_with(' '))
            word.remove_suffix(1);
        return word;
    };
    std::vector<Part> parts;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find_first_of(",:;", start), text.size());
        const std::string_view whole = text.substr(start, end - start);
        const std::size_t equals = whole.find('=');
        const std::size_t key = equals == whole.npos ? 0 : equals + 1;
        const std::string_view word = trimmed(whole.substr(key));
        const std::size_t digits = number_length(word);
        const std::string_view behind = trimmed(word.substr(digits));
        const bool divides = digits > 0 && behind.size() > 1 && behind.front() == '/' &&
                             (is_letter(behind[1]) || behind[1] == '('); // 30/Gyr
        const bool is_quantity = digits > 0 && !behind.empty() &&
                                 (divides || is_letter(behind.front()) || behind.front() == '(' ||
                                  number_length(behind) > 0);
        parts.push_back({std::string(whole.substr(0, key)),
                         std::string(is_quantity ? word.substr(0, digits) : word),
                         std::string(divides ? "1" : "") +
                             std::string(is_quantity ? behind : std::string_view()),
                         end < text.size() ? text[end] : char(0)});
        start = end + 1;
    }
    for (std::size_t k = 2; k < parts.size(); ++k) // A:B:C kpc
        if (parts[k - 2].separator == ':' && parts[k - 1].separator == ':' &&
            parts[k - 2].unit.empty() && parts[k - 1].unit.empty())
            parts[k - 2].unit = parts[k - 1].unit = parts[k].unit;
    return parts;
}

/// Returns the unit of a part. Throws if its dimension differs.
Unit unit_of(const std::string& option, const std::string& text, const Part& part,
             Dimension dimension)
{
    const Unit unit = UnitReader(option, text, part.unit).read();
    if (unit.dimension != dimension)
        throw refusal(option, text,
                      "is a " + dimension_name(unit.dimension) + ": must be a " +
                          dimension_name(dimension) + ", such as " + quantity_example(dimension));
    return unit;
}

/// Returns the frame's unit for a dimension, with its power of h.
Unit internal_unit(Dimension d, const Units& units)
{
    const double time = units.length_in_cm / units.velocity_in_cm_per_s;
    return {std::pow(units.length_in_cm, d.length) * std::pow(units.mass_in_g, d.mass) *
                std::pow(time, d.time),
            d, units.per_hubble ? -(d.length + d.mass + d.time) : 0};
}

std::string bracketed(const std::string& name)
{
    return std::string("(").append(name).append(")");
}

std::string powered(const std::string& name, int power)
{
    const bool plain = name.find_first_of(" /") == name.npos;
    if (power == 1)
        return name;
    return (plain ? name : bracketed(name)) + "^" + std::to_string(power);
}

} // namespace

bool has_unit(std::string_view text)
{
    const std::vector<Part> parts = parts_of(text);
    return std::any_of(parts.begin(), parts.end(), [](const Part& p) { return !p.unit.empty(); });
}

void check_unit(const std::string& option, const std::string& text, Dimension dimension)
{
    for (const Part& part : parts_of(text))
        if (!part.unit.empty())
            unit_of(option, text, part, dimension);
}

void refuse_unit(const std::string& option, const std::string& text, Dimension dimension)
{
    check_unit(option, text, dimension);
    if (has_unit(text))
        throw refusal(option, text, "has a unit: must be a plain number");
}

std::string without_units(const std::string& text)
{
    std::string plain;
    for (const Part& part : parts_of(text))
        plain += part.key + part.number + (part.separator ? std::string(1, part.separator) : "");
    return plain;
}

std::string in_frame(const std::string& option, const std::string& text, Dimension dimension,
                     const UnitFrame& frame)
{
    check_unit(option, text, dimension);
    if (!has_unit(text))
        return text;
    if (dimension.time != 0 && dimension == dimensions::time && !frame.has_plain_time)
        throw refusal(option, text,
                      "has a unit, but times of a comoving run are ln a: must be a plain number");
    if (!frame.units.physical)
        throw refusal(
            option, text,
            "has a unit, but the particles are in N-body units (G = 1): must be a plain number");
    const Unit internal = internal_unit(dimension, frame.units);
    std::string plain;
    for (const Part& part : parts_of(text)) {
        plain += part.key;
        const std::optional<double> number = parsed_number<double>(part.number);
        if (part.unit.empty() || !number)
            plain += part.number;
        else {
            const Unit unit = unit_of(option, text, part, dimension);
            const int power = unit.per_h - internal.per_h;
            if (power != 0 && !(frame.hubble > 0))
                throw refusal(option, text,
                              "the particles are in " + frame.units.description() +
                                  ", and h is unknown: must be " +
                                  (frame.units.per_hubble
                                       ? "a quantity per h, as in 1 " + part.unit + "/h"
                                       : "a quantity without h"));
            plain += number_text(to_fifteen_digits(*number * (unit.cgs / internal.cgs) *
                                                   std::pow(power == 0 ? 1 : frame.hubble, power)));
        }
        if (part.separator)
            plain += part.separator;
    }
    return plain;
}

std::string dimension_name(Dimension d)
{
    struct Name {
        Dimension dimension;
        const char* name;
    };
    constexpr Name names[] = {
        {dimensions::none, "pure number"},  {dimensions::length, "length"},
        {dimensions::mass, "mass"},         {dimensions::time, "time"},
        {dimensions::velocity, "velocity"}, {dimensions::surface_density, "surface density"},
        {frequency, "frequency"},           {dimensions::gravity, "length velocity^2 / mass"}};
    for (const Name& known : names)
        if (known.dimension == d)
            return known.name;
    std::string text;
    for (const auto& [name, power] :
         {std::pair("length", d.length), std::pair("mass", d.mass), std::pair("time", d.time)})
        if (power != 0)
            text.append(text.empty() ? "" : " ").append(powered(name, power));
    return text;
}

std::string quantity_example(Dimension d)
{
    if (d == dimensions::length)
        return "50 pc";
    if (d == dimensions::mass)
        return "1e12 Msun";
    if (d == dimensions::time)
        return "1 Gyr";
    if (d == dimensions::velocity)
        return "220 km/s";
    if (d == dimensions::surface_density)
        return "1 Msun/pc^2";
    if (d == dimensions::gravity)
        return "4.3e-6 kpc km^2/s^2/Msun";
    std::string example = "1";
    for (const auto& [unit, power] :
         {std::pair("Msun", d.mass), std::pair("pc", d.length), std::pair("Myr", d.time)})
        if (power != 0)
            example.append(power > 0 ? " " : "/").append(powered(unit, std::abs(power)));
    return example;
}

std::string unit_name(Dimension d, const Units& units)
{
    if (!units.physical || d.is_pure())
        return "";
    std::vector<std::string> names; // of length, mass and velocity
    const std::string all = units.description();
    for (std::size_t start = 0; start < all.size();) {
        const std::size_t comma = std::min(all.find(", ", start), all.size());
        names.push_back(all.substr(start, comma - start));
        start = comma + 2;
    }
    const int powers[] = {d.length + d.time, d.mass, -d.time};
    constexpr std::size_t mass_first[] = {1, 0, 2};
    std::string above, below;
    for (std::size_t k : mass_first)
        if (powers[k] > 0)
            above.append(above.empty() ? "" : " ").append(powered(names[k], powers[k]));
    for (std::size_t k : mass_first)
        if (powers[k] < 0) {
            const bool plain = names[k].find_first_of(" /") == std::string::npos;
            below.append("/").append(powers[k] == -1 && !plain ? bracketed(names[k])
                                                               : powered(names[k], -powers[k]));
        }
    return (above.empty() ? "1" : above) + below;
}

std::string heading(const std::string& name, Dimension dimension, const Units& units)
{
    const std::string unit = unit_name(dimension, units);
    return unit.empty() ? name : name + " [" + unit + "]";
}

std::string with_unit(const std::string& number, Dimension dimension, const Units& units)
{
    const std::string unit = unit_name(dimension, units);
    const bool has_number = !unit.empty() && unit.front() >= '0' && unit.front() <= '9';
    return unit.empty() ? number : number + " " + (has_number ? "[" + unit + "]" : unit);
}

double unit_ratio(Dimension dimension, const Units& from, const Units& to, double hubble,
                  const std::string& what)
{
    const Unit a = internal_unit(dimension, from), b = internal_unit(dimension, to);
    const int power = a.per_h - b.per_h;
    if (power != 0 && !(hubble > 0))
        throw Error(Fault::usage, what + ": " + from.description() + ": cannot be converted to " +
                                      to.description() + ": h is unknown");
    return a.cgs / b.cgs * std::pow(power == 0 ? 1 : hubble, power);
}

std::string clock_text(double time, const Units& units)
{
    const double years = time * units.length_in_cm / units.velocity_in_cm_per_s / julian_year;
    const double size = std::abs(years);
    const auto [unit, name] = size >= 1e9   ? std::pair(1e9, "Gyr")
                              : size >= 1e6 ? std::pair(1e6, "Myr")
                              : size >= 1e3 ? std::pair(1e3, "kyr")
                                            : std::pair(1.0, "yr");
    char text[64];
    std::snprintf(text, sizeof text, "%.6g %s%s", time == 0 ? 0 : years / unit,
                  time == 0 ? "Gyr" : name, units.per_hubble ? "/h" : "");
    return text;
}

std::string time_quantity(double time, const Units& units)
{
    return number_text(time) + (units.physical ? " (" + clock_text(time, units) + ")" : "");
}

Units unit_system(const std::string& option, const std::string& text)
{
    constexpr std::pair<const char*, const char*> systems[] = {
        {"galactic", "kpc,1e10 Msun,km/s"},
        {"stellar", "pc,Msun,km/s"},
        {"planetary", "AU,Msun"},
        {"cosmological", "Mpc/h,1e10 Msun/h,km/s"},
        {"gadget", "kpc/h,1e10 Msun/h,km/s"}};
    std::string parts_text = text;
    std::vector<std::string> names;
    for (const auto& [name, meaning] : systems) {
        names.emplace_back(name);
        if (text == name)
            parts_text = meaning;
    }
    std::vector<std::string> parts;
    for (std::size_t start = 0; start <= parts_text.size();) {
        const std::size_t comma = std::min(parts_text.find(',', start), parts_text.size());
        parts.push_back(parts_text.substr(start, comma - start));
        start = comma + 1;
    }
    if (parts.size() != 2 && parts.size() != 3)
        throw refusal(option, text,
                      "must be galactic, stellar, planetary, cosmological, gadget, or "
                      "LENGTH,MASS[,VELOCITY] as in kpc,1e10Msun,km/s" +
                          suggestion(text, names));
    constexpr Dimension needed[] = {dimensions::length, dimensions::mass, dimensions::velocity};
    std::vector<Unit> units;
    for (std::size_t k = 0; k < parts.size(); ++k)
        units.push_back(unit_of(option, text, {"", "1", parts[k]}, needed[k]));
    const bool per_h = units[0].per_h == -1;
    if (units[0].per_h != units[1].per_h || (units[0].per_h != 0 && !per_h) ||
        (units.size() == 3 && units[2].per_h != 0))
        throw refusal(option, text, "must have length and mass both per h, or both without h");
    Units system{units[0].cgs, units[1].cgs, 1, true, per_h};
    system.velocity_in_cm_per_s =
        units.size() == 3 ? units[2].cgs : std::sqrt(system.gravitational_constant());
    return system;
}

} // namespace chamomile
