#include "chamomile/io/pictures/labels.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <numbers>
#include <sstream>
#include <string>
#include <vector>

namespace chamomile {
namespace {

/// Glyphs are drawn with this pen on a grid with capitals 7 units high.
constexpr double capital = 7, pen = 0.42, gap = 1.7, blank = 2.2;
constexpr double raised = 3.6, raised_size = 0.68; ///< of exponents

/// A Glyph is a list of strokes. "l": corners x y of a polyline. "a": an elliptical arc with
/// center, two radii and two angles in degrees.
struct Glyph {
    char character;
    double width;
    const char* strokes;
};

constexpr Glyph glyphs[] = {
    {'0', 4, "a 2 3.5 2 3.5 0 360"},
    {'1', 2.4, "l 0 5.6 1.6 7 1.6 0"},
    {'2', 4, "a 2 5 1.95 2 165 -35 l 3.6 3.85 0 0 4 0"},
    {'3', 4, "a 1.9 5.3 1.75 1.7 150 -90 a 1.9 1.85 2.05 1.85 90 -150"},
    {'4', 4.4, "l 3.2 0 3.2 7 0 2 4.4 2"},
    {'5', 4, "l 3.6 7 0.6 7 0.3 3.9 a 1.8 2.3 2.2 2.3 130 -145"},
    {'6', 4, "a 2 2.2 2 2.2 0 360 a 4.2 2.2 4.2 4.8 180 105"},
    {'7', 4, "l 0 7 4 7 1.4 0"},
    {'8', 4, "a 2 5.3 1.7 1.7 0 360 a 2 1.8 2 1.8 0 360"},
    {'9', 4, "a 2 4.8 2 2.2 0 360 a -0.2 4.8 4.2 4.8 0 -75"},
    {'.', 0.4, "l 0.2 0.1 0.2 0.1"},
    {',', 0.6, "l 0.4 0.2 0 -1.2"},
    {':', 0.4, "l 0.2 0.1 0.2 0.1 l 0.2 4 0.2 4"},
    {';', 0.6, "l 0.4 0.2 0 -1.2 l 0.4 4 0.4 4"},
    {'-', 2.4, "l 0 2.7 2.4 2.7"},
    {'_', 4, "l 0 -1 4 -1"},
    {'+', 3.6, "l 0 3 3.6 3 l 1.8 1.2 1.8 4.8"},
    {'=', 3.6, "l 0 2 3.6 2 l 0 4 3.6 4"},
    {'/', 3, "l 0 -1 3 7.6"},
    {'|', 0, "l 0 -1.5 0 7.6"},
    {'*', 3, "l 1.5 3 1.5 6.4 l 0 3.9 3 5.5 l 0 5.5 3 3.9"},
    {'<', 3.6, "l 3.6 1 0 3 3.6 5"},
    {'>', 3.6, "l 0 1 3.6 3 0 5"},
    {'(', 1.5, "a 3.2 3 3.2 5 120 240"},
    {')', 1.5, "a -1.7 3 3.2 5 60 -60"},
    {'[', 1.4, "l 1.4 -1.4 0 -1.4 0 7.6 1.4 7.6"},
    {']', 1.4, "l 0 -1.4 1.4 -1.4 1.4 7.6 0 7.6"},
    {'%', 5, "a 1.1 5.7 1.1 1.3 0 360 a 3.9 1.3 1.1 1.3 0 360 l 0.6 0 4.4 7"},
    {'\'', 0, "l 0 5.2 0 7.2"},
    {'A', 5, "l 0 0 2.5 7 5 0 l 0.9 2.4 4.1 2.4"},
    {'B', 4,
     "l 2.2 3.7 0 3.7 0 7 2.2 7 l 2.2 3.7 2.2 3.7 a 2.2 5.35 1.5 1.65 90 -90 "
     "a 2.2 1.85 1.8 1.85 90 -90 l 2.2 0 0 0 0 7"},
    {'C', 4.6, "a 2.8 3.5 2.8 3.5 45 315"},
    {'D', 4.6, "l 1.6 7 0 7 0 0 1.6 0 a 1.6 3.5 3 3.5 90 -90"},
    {'E', 3.8, "l 3.8 7 0 7 0 0 3.8 0 l 0 3.6 3.2 3.6"},
    {'F', 3.6, "l 3.6 7 0 7 0 0 l 0 3.6 3 3.6"},
    {'G', 5, "a 2.8 3.5 2.8 3.5 45 325 l 5 1.4 5 3.2 3 3.2"},
    {'H', 4.6, "l 0 0 0 7 l 4.6 0 4.6 7 l 0 3.6 4.6 3.6"},
    {'I', 0, "l 0 0 0 7"},
    {'J', 3, "l 3 7 3 1.6 a 1.5 1.6 1.5 1.6 0 -170"},
    {'K', 4.4, "l 0 0 0 7 l 4.2 7 0 2.6 l 1.4 4 4.4 0"},
    {'L', 3.6, "l 0 7 0 0 3.6 0"},
    {'M', 5.6, "l 0 0 0 7 2.8 1.8 5.6 7 5.6 0"},
    {'N', 4.6, "l 0 0 0 7 4.6 0 4.6 7"},
    {'O', 5.4, "a 2.7 3.5 2.7 3.5 0 360"},
    {'P', 4, "l 0 0 0 7 2 7 a 2 5.15 1.9 1.85 90 -90 l 2 3.3 0 3.3"},
    {'Q', 5.4, "a 2.7 3.5 2.7 3.5 0 360 l 3.4 1.6 5.4 -0.4"},
    {'R', 4.2, "l 0 0 0 7 2 7 a 2 5.15 1.9 1.85 90 -90 l 2 3.3 0 3.3 l 2 3.3 4.2 0"},
    {'S', 4, "a 2 5.2 1.8 1.8 35 270 a 2 1.7 2 1.7 90 -145"},
    {'T', 4.8, "l 0 7 4.8 7 l 2.4 7 2.4 0"},
    {'U', 4.6, "l 0 7 0 2.3 a 2.3 2.3 2.3 2.3 180 360 l 4.6 2.3 4.6 7"},
    {'V', 5, "l 0 7 2.5 0 5 7"},
    {'W', 7, "l 0 7 1.75 0 3.5 6.4 5.25 0 7 7"},
    {'X', 4.6, "l 0 0 4.6 7 l 0 7 4.6 0"},
    {'Y', 4.6, "l 0 7 2.3 3.4 4.6 7 l 2.3 3.4 2.3 0"},
    {'Z', 4.4, "l 0 7 4.4 7 0 0 4.4 0"},
    {'a', 3.7, "a 1.8 2.4 1.8 2.4 0 360 l 3.6 4.8 3.6 0"},
    {'b', 3.7, "a 1.9 2.4 1.8 2.4 0 360 l 0.1 0 0.1 7.4"},
    {'c', 3.3, "a 1.9 2.4 1.9 2.4 50 310"},
    {'d', 3.7, "a 1.8 2.4 1.8 2.4 0 360 l 3.6 0 3.6 7.4"},
    {'e', 3.7, "l 0.1 2.6 3.7 2.6 a 1.9 2.4 1.8 2.4 5 315"},
    {'f', 2.4, "a 2.2 5.8 1.3 1.6 80 180 l 0.9 5.8 0.9 0 l 0 4.8 2.2 4.8"},
    {'g', 3.7, "a 1.8 2.4 1.8 2.4 0 360 l 3.6 4.8 3.6 -0.4 a 1.8 -0.4 1.8 1.8 0 -150"},
    {'h', 3.5, "l 0 0 0 7.4 a 1.75 3 1.75 1.8 180 0 l 3.5 3 3.5 0"},
    {'i', 0.2, "l 0.1 0 0.1 4.8 l 0.1 6.9 0.1 6.9"},
    {'j', 0.9, "l 0.8 4.8 0.8 -0.8 a -0.5 -0.8 1.3 1.4 0 -70 l 0.8 6.9 0.8 6.9"},
    {'k', 3.4, "l 0 0 0 7.4 l 3.2 4.8 0 1.8 l 1.1 2.8 3.4 0"},
    {'l', 0.2, "l 0.1 0 0.1 7.4"},
    {'m', 5.8,
     "l 0 0 0 4.8 a 1.45 3.2 1.45 1.6 180 0 l 2.9 3.2 2.9 0 "
     "a 4.35 3.2 1.45 1.6 180 0 l 5.8 3.2 5.8 0"},
    {'n', 3.5, "l 0 0 0 4.8 a 1.75 3 1.75 1.8 180 0 l 3.5 3 3.5 0"},
    {'o', 3.8, "a 1.9 2.4 1.9 2.4 0 360"},
    {'p', 3.7, "a 1.9 2.4 1.8 2.4 0 360 l 0.1 4.8 0.1 -2.2"},
    {'q', 3.7, "a 1.8 2.4 1.8 2.4 0 360 l 3.6 4.8 3.6 -2.2"},
    {'r', 2.2, "l 0 0 0 4.8 a 1.9 2.8 1.9 2 180 80"},
    {'s', 3.2, "a 1.6 3.55 1.4 1.25 30 270 a 1.6 1.15 1.6 1.15 90 -150"},
    {'t', 2.3, "l 0.9 6.4 0.9 1.3 a 2 1.3 1.1 1.3 180 280 l 0 4.8 2.2 4.8"},
    {'u', 3.5, "l 0 4.8 0 1.8 a 1.75 1.8 1.75 1.8 180 360 l 3.5 4.8 3.5 0"},
    {'v', 3.6, "l 0 4.8 1.8 0 3.6 4.8"},
    {'w', 5.6, "l 0 4.8 1.4 0 2.8 4.6 4.2 0 5.6 4.8"},
    {'x', 3.4, "l 0 0 3.4 4.8 l 0 4.8 3.4 0"},
    {'y', 3.6, "l 0 4.8 1.8 0 l 3.6 4.8 1.3 -1.4 0.3 -2.2"},
    {'z', 3.3, "l 0 4.8 3.3 4.8 0 0 3.3 0"},
};

struct Point {
    double x, y;
};

/// A Shape is a glyph as straight line segments.
struct Shape {
    double width = blank;
    std::vector<std::pair<Point, Point>> lines;
};

Shape shape_of(const Glyph& glyph)
{
    Shape shape{glyph.width, {}};
    const auto connect = [&](const std::vector<Point>& points) {
        for (std::size_t k = 1; k < points.size(); ++k)
            shape.lines.push_back({points[k - 1], points[k]});
    };
    std::istringstream strokes(glyph.strokes);
    std::vector<Point> points;
    for (std::string word; strokes >> word;) {
        if (word == "l") {
            connect(points);
            points.clear();
        } else if (word == "a") {
            connect(points);
            points.clear();
            double x, y, across, up, from, to;
            strokes >> x >> y >> across >> up >> from >> to;
            std::vector<Point> arc;
            for (int k = 0; k <= 32; ++k) {
                const double angle = (from + (to - from) * k / 32) * std::numbers::pi / 180;
                arc.push_back({x + across * std::cos(angle), y + up * std::sin(angle)});
            }
            connect(arc);
        } else {
            Point point{std::stod(word), 0};
            strokes >> point.y;
            points.push_back(point);
        }
    }
    connect(points);
    return shape;
}

const Shape& shape_of(char character)
{
    static const std::array<Shape, 128> shapes = [] {
        std::array<Shape, 128> made;
        for (const Glyph& glyph : glyphs)
            made[std::size_t(glyph.character)] = shape_of(glyph);
        return made;
    }();
    return shapes[(unsigned char)character < 128 ? std::size_t(character) : 0];
}

/// Calls use(shape, x, y, scale) for each character, in pixels from the lower left corner. Returns
/// the total width.
template <class Use>
double lay_out(std::string_view text, double height, const Use& use)
{
    double x = 0, end = 0;
    bool is_raised = false;
    for (std::size_t k = 0; k < text.size(); ++k) {
        if (text[k] == '^') {
            is_raised = true;
            continue;
        }
        const bool is_number = std::isdigit((unsigned char)text[k]) || text[k] == '-';
        is_raised = is_raised && is_number;
        const double scale = height / capital * (is_raised ? raised_size : 1);
        const Shape& shape = shape_of(text[k]);
        use(shape, x, is_raised ? raised * height / capital : 0.0, scale);
        end = x + shape.width * scale;
        x = end + gap * scale;
    }
    return end;
}

double distance(const Point& p, const std::pair<Point, Point>& line)
{
    const auto& [a, b] = line;
    const double x = b.x - a.x, y = b.y - a.y, square = x * x + y * y;
    const double part =
        square > 0 ? std::clamp(((p.x - a.x) * x + (p.y - a.y) * y) / square, 0.0, 1.0) : 0;
    const double u = p.x - a.x - part * x, v = p.y - a.y - part * y;
    return std::sqrt(u * u + v * v);
}

void blend(Colour& pixel, Colour colour, double part)
{
    for (std::size_t c = 0; c < 3; ++c)
        pixel[c] = std::uint8_t(std::lround(pixel[c] + part * (colour[c] - pixel[c])));
}

/// Draws a shape with a round pen of `radius` pixels and a soft edge of one pixel.
void draw(Image& image, const Shape& shape, Point corner, double scale, double radius,
          Colour colour, double opacity)
{
    const double reach = radius + 1;
    const int left = std::max(0, int(std::floor(corner.x - scale - reach))),
              right = std::min(image.width(),
                               int(std::ceil(corner.x + (shape.width + 1) * scale + reach))),
              top = std::max(0, int(std::floor(corner.y - 8 * scale - reach))),
              bottom = std::min(image.height(), int(std::ceil(corner.y + 3 * scale + reach)));
    for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) {
            const Point place{(x + 0.5 - corner.x) / scale, (corner.y - y - 0.5) / scale};
            double nearest = HUGE_VAL;
            for (const auto& line : shape.lines)
                nearest = std::min(nearest, distance(place, line));
            const double part = std::clamp(radius + 0.5 - nearest * scale, 0.0, 1.0);
            if (part > 0)
                blend(image.at(x, y), colour, opacity * part);
        }
}

} // namespace

void draw_rectangle(Image& image, int x, int y, int width, int height, Colour colour)
{
    for (int j = std::max(0, y); j < std::min(image.height(), y + height); ++j)
        for (int i = std::max(0, x); i < std::min(image.width(), x + width); ++i)
            image.at(i, j) = colour;
}

void draw_line(Image& image, const LineEnds& ends, double radius, Colour colour)
{
    const auto range = [&](double a, double b, int size) {
        const auto inside = [&](double x) { return int(std::clamp(x, 0.0, double(size))); };
        return std::pair(inside(std::min(a, b) - radius - 1), inside(std::max(a, b) + radius + 2));
    };
    const auto [left, right] = range(ends.x0, ends.x1, image.width());
    const auto [top, bottom] = range(ends.y0, ends.y1, image.height());
    for (int y = top; y < bottom; ++y)
        for (int x = left; x < right; ++x) {
            const double away =
                distance({x + 0.5, y + 0.5}, {{ends.x0, ends.y0}, {ends.x1, ends.y1}});
            if (const double part = std::clamp(radius + 0.5 - away, 0.0, 1.0); part > 0)
                blend(image.at(x, y), colour, part);
        }
}

double text_width(std::string_view text, double height)
{
    return lay_out(text, height, [](const Shape&, double, double, double) {});
}

void draw_text(Image& image, double x, double y, double height, std::string_view text,
               Colour colour)
{
    const double radius = std::max(0.6, pen * height / capital);
    const auto layer = [&](double width, Colour ink, double opacity) {
        lay_out(text, height, [&](const Shape& shape, double right, double up, double scale) {
            draw(image, shape, {x + right, y - up}, scale, width, ink, opacity);
        });
    };
    for (double edge : {2.4, 1.2}) // dark enough for letters on pale colors
        layer(radius + edge * std::max(1.0, 0.7 * radius), {0, 0, 0}, 0.6);
    layer(radius, colour, 1);
}

} // namespace chamomile
