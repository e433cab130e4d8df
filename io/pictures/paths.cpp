#include "chamomile/io/pictures/paths.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "chamomile/core/error.hpp"
#include "chamomile/core/files/regular_file.hpp"
#include "chamomile/core/options/option_row.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/core/pictures/projection.hpp"
#include "chamomile/io/pictures/labels.hpp"

namespace chamomile {
namespace {

constexpr std::size_t max_table_bytes = std::size_t(1) << 30;

/// A PathColumn is a column of lengths: its index, and the factor to the units of the frame.
struct PathColumn {
    std::size_t index;
    double factor;
};

/// Returns the column with this name. Throws Error(input) if it is missing.
PathColumn column_named(const std::string& name, const std::vector<std::string>& headings,
                        const std::string& file, const UnitFrame& frame)
{
    for (std::size_t k = 0; k < headings.size(); ++k) {
        const std::size_t bracket = headings[k].find(" [");
        if (headings[k].substr(0, bracket) != name)
            continue;
        if (bracket == std::string::npos)
            return {k, 1};
        const std::string unit = headings[k].substr(bracket + 2, headings[k].size() - bracket - 3);
        const bool has_number = !unit.empty() && unit[0] >= '0' && unit[0] <= '9';
        return {k,
                *parsed_number<double>(in_frame(file + ": " + name, (has_number ? "" : "1 ") + unit,
                                                dimensions::length, frame))};
    }
    throw Error(Fault::input, file + ": column " + name +
                                  ": missing: must have x, y, z or center_x, center_y, center_z");
}

/// A PlacedPoint is a point of the picture, in pixels from the upper left corner.
struct PlacedPoint {
    double x, y;
};

} // namespace

std::vector<std::vector<Vec3<double>>> read_paths(const std::string& file, const UnitFrame& frame)
{
    const std::string text = read_regular_file(file, max_table_bytes, "a table of places");
    std::vector<std::string> lines = parts_of(text, '\n');
    for (std::string& line : lines)
        if (line.ends_with('\r'))
            line.pop_back();
    const std::vector<std::string> headings = parts_of(lines.front(), ',');
    const bool has_center =
        std::any_of(headings.begin(), headings.end(),
                    [](const std::string& heading) { return heading.starts_with("center_x"); });
    std::array<PathColumn, 3> columns{};
    for (std::size_t c = 0; c < 3; ++c)
        columns[c] = column_named(std::string(has_center ? "center_" : "") + "xyz"[c], headings,
                                  file, frame);
    const std::size_t id =
        std::size_t(std::find(headings.begin(), headings.end(), "id") - headings.begin());
    std::map<std::string, std::vector<Vec3<double>>> by_id;
    for (std::size_t row = 1; row < lines.size(); ++row) {
        if (lines[row].empty())
            continue;
        const std::vector<std::string> words = parts_of(lines[row], ',');
        std::array<double, 3> place{};
        for (std::size_t c = 0; c < 3; ++c) {
            const std::size_t k = columns[c].index;
            const std::string word = k < words.size() ? words[k] : "";
            const auto number = parsed_number<double>(word);
            if (!number || !std::isfinite(*number))
                throw Error(Fault::input, file + ": line " + std::to_string(row + 1) + ": " +
                                              headings[k] + ": " +
                                              (word.empty() ? "missing" : word.substr(0, 40)) +
                                              ": must be a finite number");
            place[c] = *number * columns[c].factor;
        }
        by_id[id < words.size() ? words[id] : ""].push_back({place[0], place[1], place[2]});
    }
    if (by_id.empty())
        throw Error(Fault::input, file + ": no rows: must contain places");
    std::vector<std::vector<Vec3<double>>> paths;
    for (auto& [name, path] : by_id)
        paths.push_back(std::move(path));
    return paths;
}

void draw_paths(Image& image, const RenderOptions& view)
{
    const View turn(view.azimuth, view.inclination);
    const Periodicity box{view.box.value_or(0)};
    const double pixels = image.width() / *view.field_of_view;
    const double thickness = std::max(1.0, std::min(image.width(), image.height()) / 500.0);
    const auto placed = [&](const Vec3<double>& place) {
        const Vec3<double> r = turn(box.nearest(place - *view.center));
        return PlacedPoint{0.5 * image.width() + r.x * pixels, 0.5 * image.height() - r.y * pixels};
    };
    const auto draw = [&](double radius, Colour colour) {
        const auto line = [&](const PlacedPoint& a, const PlacedPoint& b) {
            draw_line(image, {a.x, a.y, b.x, b.y}, radius, colour);
        };
        for (const std::vector<Vec3<double>>& path : view.orbits)
            for (std::size_t k = 1; k < path.size(); ++k) {
                const Vec3<double> before = box.nearest(path[k - 1] - *view.center),
                                   now = box.nearest(path[k] - *view.center);
                if (!box || norm(now - before) < 0.5 * box.side) // else it crossed a face
                    line(placed(path[k - 1]), placed(path[k]));
            }
        if (!view.mark)
            return;
        const PlacedPoint middle = placed(*view.mark);
        for (const auto& [x, y] : {PlacedPoint{1, 0}, {-1, 0}, {0, 1}, {0, -1}}) {
            const double near = 5 * thickness, far = 14 * thickness; // the center stays visible
            line({middle.x + near * x, middle.y + near * y},
                 {middle.x + far * x, middle.y + far * y});
        }
    };
    draw(0.9 * thickness + 1, {0, 0, 0}); // an edge, visible on pale colors
    draw(0.9 * thickness, {102, 204, 238});
}

} // namespace chamomile
