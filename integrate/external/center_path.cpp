// Reads a center's orbit from lines of numbers; interpolates by cubic Hermite polynomials.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/integrate/external/potential.hpp"

namespace chamomile {
namespace {

constexpr std::string_view spaces = " \t\r,";

[[noreturn]] void refuse(const std::string& name, std::size_t line, const std::string& what)
{
    throw Error(Fault::input, name + ": line " + std::to_string(line) + ": " + what);
}

/// Returns the numbers of a line; nothing for an empty line or a comment.
std::vector<double> numbers_of(std::string_view line, const std::string& name, std::size_t number)
{
    std::vector<double> values;
    line = line.substr(0, line.find('#'));
    for (;;) {
        const std::size_t begin = line.find_first_not_of(spaces);
        if (begin == line.npos)
            return values;
        const std::size_t end = std::min(line.find_first_of(spaces, begin), line.size());
        const std::string_view word = line.substr(begin, end - begin);
        const auto value = parsed_number<double>(word);
        if (!value || !std::isfinite(*value))
            refuse(name, number, std::string(word.substr(0, 40)) + ": must be a finite number");
        values.push_back(*value);
        line = line.substr(end);
    }
}

} // namespace

CenterPath CenterPath::read(const std::string& text, const std::string& name)
{
    CenterPath path{name, {}};
    std::size_t number = 0;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find('\n', start), text.size());
        const auto v =
            numbers_of(std::string_view(text).substr(start, end - start), name, ++number);
        start = end + 1;
        if (v.empty())
            continue;
        if (v.size() != 7)
            refuse(name, number,
                   std::to_string(v.size()) + " numbers: must be seven: t x y z vx vy vz");
        if (!path.rows.empty() && !(v[0] > path.rows.back().time))
            refuse(name, number,
                   number_text(v[0]) + ": must be later than the time in the line before");
        path.rows.push_back({v[0], {v[1], v[2], v[3]}, {v[4], v[5], v[6]}});
    }
    if (path.rows.size() < 2)
        throw Error(Fault::input, name + ": " + std::to_string(path.rows.size()) +
                                      " lines of an orbit: must be at least two");
    return path;
}

CenterPath::Row CenterPath::at(double time) const
{
    const double first = rows.front().time, last = rows.back().time,
                 rounding = 1e-9 * (last - first);
    if (!(time >= first - rounding && time <= last + rounding))
        throw Error(Fault::usage, name + ": t = " + number_text(time) +
                                      ": must be within the times of the orbit, " +
                                      number_text(first) + " to " + number_text(last));
    time = std::clamp(time, first, last); // rounding may move a run's end
    const auto after =
        std::upper_bound(rows.begin() + 1, rows.end() - 1, time,
                         [](double value, const Row& row) { return value < row.time; });
    const Row &a = *(after - 1), &b = *after;
    const double h = b.time - a.time, s = (time - a.time) / h, s2 = s * s, s3 = s2 * s;
    const Vec3<double> step = b.position - a.position;
    Row row{time, a.position + (3 * s2 - 2 * s3) * step, (6 * (s - s2) / h) * step};
    row.position += (h * (s - 2 * s2 + s3)) * a.velocity;
    row.position += (h * (s3 - s2)) * b.velocity;
    row.velocity += (1 - 4 * s + 3 * s2) * a.velocity;
    row.velocity += (3 * s2 - 2 * s) * b.velocity;
    return row;
}

} // namespace chamomile
