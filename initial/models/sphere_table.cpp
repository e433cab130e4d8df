#include <span>
#include <sstream>

#include "chamomile/core/error.hpp"
#include "chamomile/core/text/spelling.hpp"
#include "chamomile/initial/models/model_rows.hpp"
#include "chamomile/initial/models/spheres.hpp"

namespace chamomile {
namespace {

constexpr SphereKind kinds[] = {SphereKind::plummer, SphereKind::hernquist,
                                SphereKind::nfw,     SphereKind::einasto,
                                SphereKind::king,    SphereKind::exponential};

constexpr unsigned bit(SphereKind kind)
{
    return 1u << int(kind);
}

constexpr unsigned virial =
    bit(SphereKind::hernquist) | bit(SphereKind::nfw) | bit(SphereKind::einasto);
constexpr unsigned open = bit(SphereKind::plummer) | bit(SphereKind::hernquist);

std::vector<OptionRow<SphereOptions>> built()
{
    using ranges::between;
    OptionRows<SphereOptions> t;
    t.group("Sphere");
    t.number("mass", &SphereOptions::mass, ranges::positive, "").in(dimensions::mass);
    t.number("scale", &SphereOptions::scale, ranges::positive, "")
        .in(dimensions::length)
        .shown("1");
    t.number("r-half", &SphereOptions::half_mass_radius, ranges::positive,
             "half-mass radius, instead of the scale")
        .also({"r_half", "half_mass_radius"})
        .in(dimensions::length);
    t.number("r-tidal", &SphereOptions::tidal_radius, ranges::positive,
             "truncation radius of the density, instead of the scale")
        .in(dimensions::length)
        .only(bit(SphereKind::king));
    t.number("m200", &SphereOptions::virial_mass, ranges::positive,
             "mass in 1e10 Msun within r200 (200 critical densities), instead of mass and scale; "
             "implies {physical}")
        .in(dimensions::mass)
        .only(virial);
    t.number("concentration", &SphereOptions::concentration, between(1, 100), "")
        .only(virial)
        .also({"concentration", "c"})
        .shown("10");
    t.number("alpha", &SphereOptions::alpha, between(0.1, 2),
             "exponent in exp(-(2 / alpha) (r / r_-2)^alpha)")
        .only(bit(SphereKind::einasto))
        .shown("0.17");
    t.number("w0", &SphereOptions::w0, between(0.1, 16),
             "central depth of the potential in units of sigma^2")
        .only(bit(SphereKind::king))
        .shown("6");
    t.number("truncation", &SphereOptions::truncation, between(1e-3, 1e4),
             "max radius in units of the scale radius")
        .only(open);
    t.number("anisotropy-radius", &SphereOptions::anisotropy_radius, ranges::positive,
             "Osipkov-Merritt radius r_a: radial orbits beyond r_a, beta = r^2 / (r^2 + r_a^2); "
             "default: isotropic")
        .also({"anisotropy_radius", "ra"})
        .in(dimensions::length);
    t.number("type", &SphereOptions::type, between(0, 5), "particle type, as in GADGET");
    t.number("part", &SphereOptions::part, ranges::above(0, 1),
             "fraction of the particles; default: fraction of the mass");
    append_population(t, [](SphereOptions& sphere) -> StellarPopulation& { return sphere.stars; });
    return t.take();
}

/// Returns the meaning of "mass", "scale" and "concentration" for a kind.
std::string meaning(SphereKind kind, const std::string& name)
{
    const bool is_halo = kind == SphereKind::nfw;
    if (name == "mass")
        return is_halo            ? "of all particles; unless given, 1 within the virial radius"
               : bit(kind) & open ? "of all particles; unless given, 1 without truncation"
                                  : "of all particles";
    if (name == "concentration")
        return is_halo                         ? "virial radius in units of the scale radius"
               : kind == SphereKind::hernquist ? "with {m200}: concentration of the NFW halo with "
                                                 "equal central density (Springel et al. 2005)"
                                               : "with {m200}: r200 in units of the scale radius";
    switch (kind) {
    case SphereKind::plummer:
        return "a of (r^2 + a^2)^(-5/2)";
    case SphereKind::hernquist:
        return "a of 1 / (r (r + a)^3)";
    case SphereKind::nfw:
        return "r_s of 1 / (r (r + r_s)^2)";
    case SphereKind::einasto:
        return "radius r_-2 with a density slope of -2";
    case SphereKind::king:
        return "King's core radius r_0";
    case SphereKind::exponential:
        break;
    }
    return "R_d of the surface density exp(-R / R_d)";
}

} // namespace

std::span<const SphereKind> sphere_kinds()
{
    return kinds;
}

const std::vector<OptionRow<SphereOptions>>& sphere_table()
{
    static const std::vector<OptionRow<SphereOptions>> table = built();
    return table;
}

std::vector<OptionRow<SphereOptions>> sphere_rows(SphereKind kind)
{
    std::vector<OptionRow<SphereOptions>> rows;
    for (OptionRow<SphereOptions> row : sphere_table()) {
        if (row.needs && !(row.needs & bit(kind)))
            continue;
        if (row.help.empty())
            row.help = meaning(kind, row.name);
        if (row.name == "mass" && !(bit(kind) & open) && kind != SphereKind::nfw)
            row.shown("1");
        if (row.name == "truncation")
            row.shown(kind == SphereKind::plummer ? "22.8" : "100");
        rows.push_back(row);
    }
    return rows;
}

SphereKind sphere_kind(const std::string& what, const std::string& name)
{
    std::vector<std::string> names;
    for (SphereKind kind : kinds) {
        if (name == name_of(kind))
            return kind;
        names.emplace_back(name_of(kind));
    }
    refuse_word(what, name.empty() ? "(empty)" : name, names);
}

SphereOptions parse_sphere(const std::string& text)
{
    std::istringstream words(text);
    std::string word;
    std::getline(words, word, ',');
    SphereOptions sphere;
    sphere.kind = sphere_kind("sphere", word);
    const std::vector<OptionRow<SphereOptions>> rows = sphere_rows(sphere.kind);
    GivenOptions given;
    while (std::getline(words, word, ',')) {
        const std::size_t equals = word.find('=');
        const std::string key = word.substr(0, equals);
        const std::string option = std::string(name_of(sphere.kind)) + ": " + key;
        const OptionRow<SphereOptions>* row = find_row(rows, key);
        if (!row && find_row(sphere_table(), key))
            throw Error(Fault::usage, option + ": must be a property of this sphere");
        if (!row) {
            std::vector<std::string> keys;
            for (const auto& known : rows)
                keys.push_back(known.name);
            refuse_word(name_of(sphere.kind), key.empty() ? "(empty)" : key, keys);
        }
        if (equals == std::string::npos && !row->is_flag())
            throw Error(Fault::usage, option + ": value missing: must be " + key + "=X");
        if (!given.insert(row->name).second)
            throw Error(Fault::usage, option + ": given twice");
        const bool with_unit = put_quantity(
            *row, sphere, option, equals == std::string::npos ? "true" : word.substr(equals + 1));
        sphere.physical = sphere.physical || with_unit;
    }
    if (const auto idle = first_idle(idle_options(sphere.stars),
                                     [&](const std::string& name) { return given.contains(name); }))
        throw Error(Fault::usage, std::string(name_of(sphere.kind)) + ": " + idle->name + ": " +
                                      spelled(idle->because));
    return sphere;
}

} // namespace chamomile
