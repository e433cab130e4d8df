#include "chamomile/initial/models/model_rows.hpp"

namespace chamomile {
namespace {

template <class Model>
void append_mass(OptionRows<Model>& t)
{
    t.group("Model");
    t.number(
         "mass", [](Model & model) -> auto& { return model.size.mass; }, ranges::positive,
         "of all particles")
        .in(dimensions::mass)
        .shown("1");
}

template <class Model>
void append_size(OptionRows<Model>& t)
{
    append_mass(t);
    t.number(
         "r-half", [](Model & model) -> auto& { return model.size.half_mass_radius; },
         ranges::positive, "half-mass radius")
        .also({"r_half", "half_mass_radius"})
        .in(dimensions::length);
}

} // namespace

const std::vector<OptionRow<PlummerOptions>>& plummer_rows()
{
    static const std::vector<OptionRow<PlummerOptions>> rows = [] {
        OptionRows<PlummerOptions> t;
        append_size(t);
        t.number("truncation", &PlummerOptions::truncation, ranges::positive,
                 "largest radius in units of the scale radius");
        t.number("exact-energy-limit", &PlummerOptions::exact_energy_limit, ranges::not_negative,
                 "sums the energy over all pairs up to N particles, over shells above");
        append_population(t,
                          [](PlummerOptions& model) -> StellarPopulation& { return model.stars; });
        return t.take();
    }();
    return rows;
}

const std::vector<OptionRow<UniformOptions>>& uniform_rows()
{
    static const std::vector<OptionRow<UniformOptions>> rows = [] {
        OptionRows<UniformOptions> t;
        append_size(t);
        return t.take();
    }();
    return rows;
}

const std::vector<OptionRow<ThinDiskOptions>>& thin_disk_rows()
{
    static const std::vector<OptionRow<ThinDiskOptions>> rows = [] {
        OptionRows<ThinDiskOptions> t;
        append_size(t);
        t.number("height", &ThinDiskOptions::height, ranges::positive,
                 "z0 of sech^2(z / z0), in scale lengths");
        t.number("truncation", &ThinDiskOptions::truncation, ranges::positive,
                 "largest radius, in scale lengths");
        return t.take();
    }();
    return rows;
}

const std::vector<OptionRow<TwoBodyOptions>>& two_body_rows()
{
    static const std::vector<OptionRow<TwoBodyOptions>> rows = [] {
        OptionRows<TwoBodyOptions> t;
        append_mass(t);
        t.number("semi-major-axis,a", &TwoBodyOptions::semi_major_axis, ranges::positive,
                 "the period is 2 pi a^(3/2)")
            .in(dimensions::length);
        t.number("eccentricity,e", &TwoBodyOptions::eccentricity, ranges::between(0, 0.9999999),
                 "from 0 below 1");
        t.number("mass-ratio", &TwoBodyOptions::mass_ratio, ranges::positive, "m2 / m1");
        return t.take();
    }();
    return rows;
}

} // namespace chamomile
