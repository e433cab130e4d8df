#include "chamomile/io/pictures/marks.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <regex>

#include "chamomile/core/particle_types.hpp"
#include "chamomile/io/pictures/labels.hpp"

namespace chamomile {
namespace {

constexpr double kpc_in_cm = 3.085678e21, year_in_s = 3.155815e7; // sidereal, as in GADGET

/// The color of each component type.
constexpr Colour component_colours[] = {{64, 230, 191}, {255, 107, 31},  {64, 140, 255},
                                        {255, 217, 89}, {204, 217, 255}, {204, 77, 255}};

/// Returns a round number as text, such as 0.001, 5000 or 2e-5.
std::string short_number(double value)
{
    char text[64];
    std::snprintf(text, sizeof text, "%g", value);
    return std::regex_replace(text, std::regex("e(-?)[+]?0*"), "e$1");
}

constexpr int linear_parts = 5; ///< max steps between ticks of a linear color bar

/// A MessageQueue holds the sizes of labels in a picture, in pixels.
struct MessageQueue {
    double height; ///< of capitals
    int margin, line;
    int left, bottom; ///< margins for the axes
    MessageQueue(const Image& image, bool has_axes)
        : height(std::max(7.0, std::min(image.width(), image.height()) / 62.0)),
          margin(int(std::lround(1.6 * height))), line(std::max(1, int(std::lround(height / 5)))),
          left(margin + (has_axes ? int(4 * height) : 0)),
          bottom(margin + (has_axes ? int(1.6 * height) : 0))
    {}
};

constexpr Colour white = {240, 240, 240};

/// Draws a white rectangle with a dark edge.
void draw_mark(Image& image, int x, int y, int width, int height)
{
    draw_rectangle(image, x - 1, y - 1, width + 2, height + 2, {0, 0, 0});
    draw_rectangle(image, x, y, width, height, white);
}

/// Returns the multiples of every `stride`-th power of ten between `low` and `high`.
std::vector<double> logarithmic_ticks(double low, double high, const std::vector<int>& multiples,
                                      int stride)
{
    std::vector<double> ticks;
    for (int k = int(std::floor(std::log10(low))); std::pow(10.0, k) <= high; ++k)
        for (int m : multiples)
            if (const double tick = m * std::pow(10.0, k);
                k % stride == 0 && tick >= low * (1 - 1e-9) && tick <= high * (1 + 1e-9))
                ticks.push_back(tick);
    return ticks;
}

/// Returns n * step without rounding errors of steps such as 0.1, and no -0.
double multiple(double n, double step)
{
    return (step < 1 ? n / std::round(1 / step) : n * step) + 0.0;
}

/// Returns the multiples of a round step between `low` and `high`, at most `parts` steps.
std::vector<double> linear_ticks(double low, double high, int parts)
{
    const double step = rounded_up((high - low) / parts), first = std::ceil(low / step - 1e-9);
    std::vector<double> ticks;
    for (int k = 0; k <= parts && first + k <= high / step + 1e-9; ++k)
        ticks.push_back(multiple(first + k, step));
    return ticks;
}

/// Returns sets of ticks, densest first, single ticks last.
std::vector<std::vector<double>> tick_sets(double low, double high, bool is_log)
{
    std::vector<std::vector<double>> sets;
    const double decades = is_log ? std::log10(high / low) : 0;
    if (is_log && decades < 4)
        for (const std::vector<int>& multiples : {std::vector{1, 2, 5}, {1, 3}})
            sets.push_back(logarithmic_ticks(low, high, multiples, 1));
    for (int stride = 1; stride < decades; ++stride)
        sets.push_back(logarithmic_ticks(low, high, {1}, stride));
    if (decades < 1)
        for (int parts : {linear_parts, 2, 1})
            sets.push_back(linear_ticks(low, high, parts));
    std::erase_if(sets, [](const std::vector<double>& ticks) { return ticks.empty(); });
    std::stable_partition(sets.begin(), sets.end(),
                          [](const std::vector<double>& ticks) { return ticks.size() > 1; });
    return sets;
}

/// Returns the factor from lengths in `units` to the unit for the labels of a picture of this
/// width, and the name of the unit (empty for N-body units).
std::pair<double, std::string> length_unit(const Units& units, double width)
{
    if (!units.physical)
        return {1, ""};
    const double kpc = units.length_in_cm / kpc_in_cm;
    const std::string per_h = units.per_hubble ? "/h" : "";
    if (kpc * width > 5000)
        return {kpc / 1000, "Mpc" + per_h};
    if (kpc * width < 0.2)
        return {1000 * kpc, "pc" + per_h};
    return {kpc, "kpc" + per_h};
}

/// Returns ticks from -`half` to `half` with labels that do not overlap. `pixels`: pixels per unit.
std::vector<double> axis_ticks(double half, double pixels, double height)
{
    for (int parts : {8, 5, 2}) {
        const std::vector<double> ticks = linear_ticks(-half, half, parts);
        double size = 0;
        for (double tick : ticks)
            size = std::max(size, text_width(short_number(tick), height));
        if (ticks.size() < 2 || size + height < (ticks[1] - ticks[0]) * pixels)
            return ticks;
    }
    return {0};
}

/// Draws ticks at the left and lower edges, labeled with the distance from the picture's center,
/// and the unit in the corner. `pixels`: pixels per unit.
void draw_axes(Image& image, const MessageQueue& letters, double pixels, const std::string& unit)
{
    const double h = letters.height, bottom = image.height() - h;
    const double across = 0.5 * image.width() / pixels, up = 0.5 * image.height() / pixels;
    const int length = int(0.6 * h), half_line = letters.line / 2;
    draw_text(image, h, bottom, h, unit, white);
    for (double tick : axis_ticks(across, pixels, h)) {
        const std::string text = short_number(tick);
        const double x = 0.5 * image.width() + tick * pixels, size = text_width(text, h);
        draw_mark(image, int(x) - half_line, image.height() - length, letters.line, length);
        if (x - 0.5 * size > h + text_width(unit, h) + h && x + 0.5 * size < image.width() - h)
            draw_text(image, x - 0.5 * size, bottom, h, text, white);
    }
    for (double tick : axis_ticks(up, pixels, h)) {
        const double y = 0.5 * image.height() - tick * pixels;
        draw_mark(image, 0, int(y) - half_line, length, letters.line);
        if (y > h && y < bottom - 2 * h)
            draw_text(image, h, y + 0.5 * h, h, short_number(tick), white);
    }
}

/// Returns step * 10^exponent without rounding errors of negative powers.
double decimal(double step, int exponent)
{
    return exponent < 0 ? step / std::pow(10.0, -exponent) : step * std::pow(10.0, exponent);
}

bool is_round(double value, const RenderOptions& view)
{
    if (view.quantity == Pictured::density)
        return value == rounded_up(value);
    const std::vector<double> ticks = linear_ticks(*view.min, *view.max, linear_parts);
    return std::any_of(ticks.begin(), ticks.end(), [&](double tick) {
        return std::abs(tick - value) <= 1e-9 * (*view.max - *view.min);
    });
}

} // namespace

double rounded_up(double x)
{
    const int exponent = int(std::floor(std::log10(x)));
    for (double step : {1.0, 2.0, 5.0})
        if (decimal(step, exponent) >= 0.999999 * x)
            return decimal(step, exponent);
    return decimal(1, exponent + 1);
}

double rounded_down(double x)
{
    const int exponent = int(std::floor(std::log10(x)));
    for (double step : {5.0, 2.0})
        if (decimal(step, exponent) <= 1.000001 * x)
            return decimal(step, exponent);
    return decimal(1, exponent);
}

void round_ends(double& low, double& high)
{
    for (int time = 0; time < 3; ++time) { // a wider range may have a wider step
        const double step = rounded_up((high - low) / linear_parts);
        low = multiple(std::floor(low / step + 1e-9), step);
        high = multiple(std::ceil(high / step - 1e-9), step);
    }
}

const Meaning& meaning_of(Pictured quantity)
{
    static const Meaning meanings[] = {
        {"surface density", dimensions::surface_density, ColourMap::inferno},
        {"velocity away", dimensions::velocity, ColourMap::coolwarm},
        {"velocity dispersion", dimensions::velocity, ColourMap::magma},
        {"potential", dimensions::potential, ColourMap::viridis}};
    return meanings[int(quantity)];
}

std::string time_label(const Snapshot& snapshot)
{
    char text[64];
    if (snapshot.comoving)
        std::snprintf(text, sizeof text, "z = %.2f", 1 / snapshot.comoving->scale_factor - 1);
    else if (const Units& units = snapshot.units; units.physical)
        std::snprintf(text, sizeof text, "t = %.3f Gyr%s",
                      snapshot.time * units.length_in_cm / units.velocity_in_cm_per_s /
                          (1e9 * year_in_s),
                      units.per_hubble ? "/h" : "");
    else
        std::snprintf(text, sizeof text, "t = %.4g", snapshot.time);
    return text;
}

double part_of(double value, const RenderOptions& view)
{
    if (view.quantity == Pictured::density)
        return value > 0 ? std::log(value / *view.min) / std::log(*view.max / *view.min) : 0;
    return (value - *view.min) / (*view.max - *view.min);
}

Colour dimmed(Colour colour, double fraction)
{
    for (std::uint8_t& channel : colour)
        channel = std::uint8_t(std::lround(channel * std::clamp(fraction, 0.0, 1.0)));
    return colour;
}

Colour colour_at(double part, const RenderOptions& view, int type)
{
    return type < 0 ? colour_of(part, view.colour_map.value_or(meaning_of(view.quantity).map))
                    : dimmed(component_colours[type], part);
}

std::vector<BarNumber> bar_numbers(const RenderOptions& view, double width, double height)
{
    const auto number = [&](double value) {
        const std::string text = short_number(value);
        const double size = text_width(text, height);
        return BarNumber{
            value, std::min(part_of(value, view) * width - 0.5 * size, width + 0.8 * height - size),
            text};
    };
    const auto fits = [&](const BarNumber& left, const BarNumber& right) {
        return right.x > left.x + text_width(left.text, height) + height;
    };
    std::vector<BarNumber> ends;
    for (double end : {*view.min, *view.max})
        if (is_round(end, view))
            ends.push_back(number(end));
    if (ends.size() == 2 && !fits(ends[0], ends[1]))
        ends.clear();
    for (const std::vector<double>& ticks :
         tick_sets(*view.min, *view.max, view.quantity == Pictured::density)) {
        std::vector<BarNumber> numbers;
        for (double tick : ticks)
            numbers.push_back(number(tick));
        bool is_free = true;
        for (std::size_t k = 1; k < numbers.size(); ++k)
            is_free = is_free && fits(numbers[k - 1], numbers[k]);
        if (!is_free)
            continue;
        for (const BarNumber& end : ends) { // in place of numbers that are too close
            std::erase_if(numbers, [&](const BarNumber& other) {
                return !fits(other, end) && !fits(end, other);
            });
            numbers.insert(std::upper_bound(numbers.begin(), numbers.end(), end,
                                            [](const BarNumber& a, const BarNumber& b) {
                                                return a.value < b.value;
                                            }),
                           end);
        }
        return numbers;
    }
    return ends;
}

void draw_labels(Image& image, const Snapshot& snapshot, const RenderOptions& view)
{
    const MessageQueue letters(image, view.axes);
    const auto [unit, name] = length_unit(snapshot.units, *view.field_of_view);
    const double width = *view.field_of_view * unit, pixels = image.width() / width;
    draw_text(image, letters.left, letters.margin + letters.height, letters.height,
              time_label(snapshot), white);
    if (view.axes)
        return draw_axes(image, letters, pixels, name);
    const double bar = rounded_up(width / 10);
    const int bottom = image.height() - letters.margin;
    draw_mark(image, letters.margin, bottom - letters.line, int(std::lround(bar * pixels)),
              letters.line);
    draw_text(image, letters.margin, bottom - letters.line - 0.8 * letters.height, letters.height,
              short_number(bar) + (name.empty() ? "" : " " + name), white);
}

void draw_colour_bar(Image& image, const RenderOptions& view, const std::vector<int>& types,
                     const std::string& title)
{
    const MessageQueue letters(image, view.axes);
    const bool has_components = !types.empty();
    const int width = std::max(8, int(0.4 * image.width())),
              height = int((has_components ? 1.6 : 1.1) * letters.height);
    const int left = image.width() - letters.margin - width;
    const double low = *view.min, high = *view.max;
    const bool is_log = view.quantity == Pictured::density;
    const double numbers = image.height() - letters.bottom;
    int top = int(numbers - 1.9 * letters.height) - height;
    const std::size_t bars = std::max<std::size_t>(1, types.size());
    draw_mark(image, left, top - int(bars - 1) * height, width, int(bars) * height);
    for (std::size_t k = bars; k-- > 0; top -= height) {
        const int type = has_components ? types[k] : -1;
        for (int x = 0; x < width; ++x)
            draw_rectangle(image, left + x, top, 1, height,
                           colour_at(double(x) / (width - 1), view, type));
        if (has_components) {
            const std::string name = type_names[std::size_t(type)];
            draw_text(image, left - 0.6 * letters.height - text_width(name, letters.height),
                      top + 1.3 * letters.height, letters.height, name, component_colours[type]);
        }
    }
    top += height;
    const int bottom = int(numbers - 1.9 * letters.height);
    const auto mark = [&](double tick, double length) {
        draw_mark(image, left + int(part_of(tick, view) * (width - 1)), bottom,
                  letters.line / 2 + 1, int(length * letters.height));
    };
    if (is_log && width > 4 * 9 * std::log10(high / low)) // pixels between two ticks
        for (double tick : logarithmic_ticks(low, high, {1, 2, 3, 4, 5, 6, 7, 8, 9}, 1))
            mark(tick, 0.3);
    for (const BarNumber& number : bar_numbers(view, width, letters.height)) {
        mark(number.value, 0.5);
        draw_text(image, left + number.x, numbers, letters.height, number.text, white);
    }
    draw_text(image, left + width - text_width(title, letters.height), top - 0.7 * letters.height,
              letters.height, title, white);
}

} // namespace chamomile
