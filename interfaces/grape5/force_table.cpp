#include "chamomile/interfaces/grape5/force_table.hpp"

#include <cmath>
#include <string>

#include "chamomile/core/error.hpp"

namespace chamomile {

ForceTable make_force_table(const std::function<double(double)>& f, double cut)
{
    if (!(cut > 0) || !std::isfinite(cut) || !std::isfinite(cut * cut))
        throw Error(Fault::usage, "force table: cut: " + std::to_string(cut) + ": must be above 0");
    ForceTable table;
    table.cut2 = cut * cut;
    const auto value = [&](double s) {
        const double r = std::sqrt(s) * cut, v = f(r);
        if (!std::isfinite(v))
            throw Error(Fault::usage, "force table: f(" + std::to_string(r) + "): must be finite");
        return v;
    };
    const int parts = 1 << ForceTable::part_bits;
    for (int k = 0; k < ForceTable::intervals; ++k) {
        const double octave = std::ldexp(1.0, k / parts - ForceTable::octaves),
                     begin = octave * (1 + double(k % parts) / parts), width = octave / parts;
        // The cubic interpolates the ends and thirds of the interval.
        const double y0 = value(begin), y1 = value(begin + width / 3),
                     y2 = value(begin + 2 * width / 3), y3 = value(begin + width);
        table.cubics[k][0] = y0;
        table.cubics[k][1] = -5.5 * y0 + 9 * y1 - 4.5 * y2 + y3;
        table.cubics[k][2] = 9 * y0 - 22.5 * y1 + 18 * y2 - 4.5 * y3;
        table.cubics[k][3] = -4.5 * y0 + 13.5 * y1 - 13.5 * y2 + 4.5 * y3;
    }
    return table;
}

double s2_pull(double a, double r)
{
    const double x = 2 * r / a;
    if (x >= 2)
        return 1 / (r * r * r);
    const double unit = 2 / (35 * a * a * a);
    if (x < 1)
        return unit * (224 + x * x * (-224 + x * (70 + x * (48 - 21 * x))));
    return unit / x *
           (12 / (x * x) - 224 + x * (896 + x * (-840 + x * (224 + x * (70 + x * (-48 + 7 * x))))));
}

} // namespace chamomile
