#include "chamomile/core/options/typed_number.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/nearest_name.hpp"

namespace chamomile {
namespace {

template <class T>
std::optional<T> number_of(const std::string& text)
{
    if constexpr (std::is_integral_v<T>)
        if (const auto value = parsed_number<T>(text))
            return value;
    const auto value = parsed_number<double>(text);
    if (!value || !std::isfinite(*value))
        return {};
    if constexpr (std::is_integral_v<T>) {
        constexpr double exact = 9007199254740992; // 2^53: every smaller integer is a double
        const bool fits = std::abs(*value) <= exact &&
                          *value >= double(std::numeric_limits<T>::min()) &&
                          *value <= double(std::numeric_limits<T>::max());
        if (!fits || *value != std::floor(*value))
            return {};
    }
    return T(*value);
}

} // namespace

template <class T>
T parse_number(const std::string& option, const std::string& text, const Range& range)
{
    const auto value = number_of<T>(text);
    if (!value || !range.contains(double(*value)))
        throw Error(Fault::usage, option + ": " + (text.empty() ? "(empty)" : text) + ": must be " +
                                      (std::is_integral_v<T> ? "a whole number" : "a number") +
                                      range.words());
    return *value;
}

template <class T>
std::vector<T> parse_numbers(const std::string& option, const std::string& text, const Range& range)
{
    std::vector<T> values;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t comma = std::min(text.find(',', start), text.size());
        values.push_back(parse_number<T>(option, text.substr(start, comma - start), range));
        start = comma + 1;
    }
    return values;
}

Vec3<double> parse_vector(const std::string& option, const std::string& text)
{
    const std::vector<double> numbers = parse_numbers<double>(option, text, ranges::any);
    if (numbers.size() != 3)
        throw Error(Fault::usage, option + ": " + text + ": must be three numbers, as in 0,0,30");
    return {numbers[0], numbers[1], numbers[2]};
}

std::string plain_seconds(const std::string& option, const std::string& text)
{
    constexpr std::pair<std::string_view, double> units[] = {
        {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [behind, error] = std::from_chars(text.data(), end, number);
    std::string_view unit(behind, std::size_t(end - behind));
    while (unit.starts_with(' '))
        unit.remove_prefix(1);
    if (error != std::errc() || unit.empty())
        return text;
    for (const auto& [name, seconds] : units)
        if (unit == name)
            return number_text(to_fifteen_digits(seconds * number));
    throw Error(Fault::usage, option + ": " + text + ": must be a time in seconds or as in " +
                                  "90s, 30min, 2h or 1d");
}

double to_fifteen_digits(double value)
{
    char text[32];
    const auto end =
        std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 14).ptr;
    return parsed_number<double>({text, std::size_t(end - text)}).value_or(value);
}

std::vector<double> parse_series(const std::string& option, const std::string& text,
                                 const Range& range)
{
    constexpr double max = 1e6, rounding = 1e-9;
    std::vector<double> values;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t comma = std::min(text.find(',', start), text.size());
        std::string part = text.substr(start, comma - start);
        start = comma + 1;
        if (part.find(':') == part.npos) {
            values.push_back(parse_number<double>(option, part, range));
            continue;
        }
        std::vector<std::string> three;
        for (std::size_t at = 0; at <= part.size();) {
            const std::size_t colon = std::min(part.find(':', at), part.size());
            three.push_back(part.substr(at, colon - at));
            at = colon + 1;
        }
        const auto refuse = [&](const char* why) {
            throw Error(Fault::usage, option + ": " + part + ": " + why);
        };
        if (three.size() != 3)
            refuse("must be FIRST:LAST:STEP, as in 1:5:1");
        const double first = parse_number<double>(option, three[0], range),
                     last = parse_number<double>(option, three[1], range),
                     step = parse_number<double>(option, three[2], {});
        const double steps = (last - first) / step;
        if (!(steps >= 0) || step == 0)
            refuse("STEP does not lead from FIRST to LAST");
        if (steps + double(values.size()) >= max)
            refuse("must stand for at most 1e6 numbers");
        const double count = std::floor(steps * (1 + rounding) + rounding);
        for (double k = 0; k <= count; ++k) {
            const double value = to_fifteen_digits(first + k * step);
            values.push_back(std::abs(k - steps) <= rounding * (1 + steps)         ? last
                             : std::abs(value) <= 1e-12 * std::abs(step) * (1 + k) ? 0
                                                                                   : value);
        }
    }
    return values;
}

void refuse_word(const std::string& option, const std::string& text,
                 const std::vector<std::string>& words)
{
    std::string list;
    for (const std::string& word : words)
        list += (list.empty() ? "" : ", ") + word;
    throw Error(Fault::usage,
                option + ": " + text + ": must be one of " + list + suggestion(text, words));
}

template double parse_number(const std::string&, const std::string&, const Range&);
template int parse_number(const std::string&, const std::string&, const Range&);
template std::uint64_t parse_number(const std::string&, const std::string&, const Range&);
template std::vector<double> parse_numbers(const std::string&, const std::string&, const Range&);
template std::vector<int> parse_numbers(const std::string&, const std::string&, const Range&);
template std::vector<std::uint64_t> parse_numbers(const std::string&, const std::string&,
                                                  const Range&);

} // namespace chamomile
