#include "chamomile/io/pictures/marks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "chamomile/core/particle_types.hpp"
#include "chamomile/io/pictures/labels.hpp"

namespace chamomile {
namespace {

constexpr double kpc_in_cm = 3.085678e21, year_in_s = 3.155815e7; // sidereal, as in GADGET

/// The colours of components, by type.
constexpr Colour component_colours[] = {{64, 230, 191}, {255, 107, 31},  {64, 140, 255},
                                        {255, 217, 89}, {204, 217, 255}, {204, 77, 255}};

/// Returns a round number (1, 2 or 5 times a power of ten) that is at least x.
double rounded_up(double x)
{
    const double power = std::pow(10, std::floor(std::log10(x)));
    for (double step : {1.0, 2.0, 5.0})
        if (step * power >= 0.999999 * x)
            return step * power;
    return 10 * power;
}

std::string short_number(double value)
{
    char text[64];
    std::snprintf(text, sizeof text, "%.3g", value);
    return text;
}

/// A Letters holds the sizes of the labels of a picture, in pixels.
struct Letters {
    double height; ///< of capitals
    int margin, line;
    explicit Letters(const Image& image)
        : height(std::max(7.0, std::min(image.width(), image.height()) / 62.0)),
          margin(int(std::lround(1.6 * height))), line(std::max(1, int(std::lround(height / 5))))
    {}
};

constexpr Colour white = {240, 240, 240};

Colour dimmed(Colour colour, double part)
{
    for (std::uint8_t& channel : colour)
        channel = std::uint8_t(std::lround(channel * std::clamp(part, 0.0, 1.0)));
    return colour;
}

/// Returns the values of the ticks: with `is_log` the powers of ten and their multiples, else some
/// four round numbers.
std::vector<double> ticks_of(double low, double high, bool is_log)
{
    std::vector<double> ticks;
    if (is_log && high / low > 3) {
        const int first = int(std::floor(std::log10(low)));
        const bool has_minor = high / low < 1e4;
        for (int k = first; std::pow(10.0, k) <= high; ++k)
            for (int m = 1; m <= (has_minor ? 9 : 1); ++m)
                if (const double tick = m * std::pow(10.0, k); tick > low && tick < high)
                    ticks.push_back(tick);
        return ticks;
    }
    const double step = rounded_up((high - low) / 5);
    for (double k = std::ceil(low / step); k * step < high; ++k)
        if (k * step > low)
            ticks.push_back(k * step);
    return ticks;
}

} // namespace

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
        std::snprintf(text, sizeof text, "t = %.2f", snapshot.time);
    return text;
}

double part_of(double value, const RenderOptions& view)
{
    if (view.quantity == Pictured::density)
        return value > 0 ? std::log(value / *view.min) / std::log(*view.max / *view.min) : 0;
    return (value - *view.min) / (*view.max - *view.min);
}

Colour colour_at(double part, const RenderOptions& view, int type)
{
    return type < 0 ? colour_of(part, view.colour_map.value_or(meaning_of(view.quantity).map))
                    : dimmed(component_colours[type], part);
}

void draw_labels(Image& image, const Snapshot& snapshot, double field_of_view)
{
    const Letters letters(image);
    double unit = 1;
    std::string name = "N-body units";
    if (const Units& units = snapshot.units; units.physical) {
        const double kpc = units.length_in_cm / kpc_in_cm;
        const bool is_large = kpc * field_of_view > 5000, is_small = kpc * field_of_view < 0.2;
        unit = is_large ? kpc / 1000 : is_small ? 1000 * kpc : kpc;
        name = std::string(is_large   ? "Mpc"
                           : is_small ? "pc"
                                      : "kpc") +
               (units.per_hubble ? "/h" : "");
    }
    const double bar = rounded_up(field_of_view * unit / 10);
    const int pixels = int(std::lround(bar / unit / field_of_view * image.width()));
    const int bottom = image.height() - letters.margin;
    draw_rectangle(image, letters.margin, bottom - letters.line, pixels, letters.line, white);
    draw_text(image, letters.margin, bottom - letters.line - 0.8 * letters.height, letters.height,
              short_number(bar) + " " + name, white);
    draw_text(image, letters.margin, letters.margin + letters.height, letters.height,
              time_label(snapshot), white);
}
void draw_colour_bar(Image& image, const RenderOptions& view, const std::vector<int>& types,
                     const std::string& title)
{
    const Letters letters(image);
    const bool has_components = !types.empty();
    const int width = std::max(8, int(0.4 * image.width())),
              height = int((has_components ? 1.6 : 1.1) * letters.height);
    const int left = image.width() - letters.margin - width;
    const double low = *view.min, high = *view.max, numbers = image.height() - letters.margin;
    int top = int(numbers - 1.9 * letters.height) - height;
    for (std::size_t k = std::max<std::size_t>(1, types.size()); k-- > 0; top -= height) {
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
    const std::string first = short_number(low), last = short_number(high);
    const double first_end = left + text_width(first, letters.height),
                 last_start = left + width - text_width(last, letters.height);
    draw_text(image, left, numbers, letters.height, first, white);
    draw_text(image, last_start, numbers, letters.height, last, white);
    double free = first_end + letters.height;
    const bool is_log = view.quantity == Pictured::density;
    for (double tick : ticks_of(low, high, is_log)) {
        const double x = left + part_of(tick, view) * width;
        const double digits = is_log ? std::log10(tick) : 0;
        const bool is_main = std::abs(digits - std::round(digits)) < 1e-9;
        draw_rectangle(image, int(x), bottom, letters.line / 2 + 1,
                       int((is_main ? 0.5 : 0.3) * letters.height), white);
        const std::string number = short_number(tick);
        const double half = 0.5 * text_width(number, letters.height);
        if (is_main && x - half > free && x + half + letters.height < last_start) {
            draw_text(image, x - half, numbers, letters.height, number, white);
            free = x + half + letters.height;
        }
    }
    draw_text(image, left + width - text_width(title, letters.height), top - 0.7 * letters.height,
              letters.height, title, white);
}

} // namespace chamomile
