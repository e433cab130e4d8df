#include "chamomile/integrate/external/potential_table.hpp"

#include <stdexcept>

#include "chamomile/integrate/external/named_potentials.hpp"

namespace chamomile {
namespace {

constexpr auto needed = ParameterUse::needed, usual = ParameterUse::usual,
               chosen = ParameterUse::chosen, of_file = ParameterUse::file;

PotentialParameter mass(const char* help)
{
    return {"M", dimensions::mass, ranges::positive, needed, help};
}

PotentialParameter length(const char* name, const char* help)
{
    return {name, dimensions::length, ranges::positive, needed, help};
}

std::vector<PotentialRow> rows()
{
    using S = PotentialShape;
    constexpr Dimension per_time{0, 0, -1};
    constexpr Range inner_slope{.min = 0, .max = 1.999};
    std::vector<PotentialRow> all = {
        {S::point, "point", "point mass", {mass("mass")}},
        {S::plummer,
         "plummer",
         "Plummer sphere, -G M / sqrt(r^2 + a^2)",
         {mass("mass"), length("a", "scale length")}},
        {S::hernquist,
         "hernquist",
         "Hernquist sphere, -G M / (r + a)",
         {mass("mass"), length("a", "scale length")}},
        {S::nfw,
         "nfw",
         "halo of Navarro, Frenk & White, truncated at rt",
         {mass("mass within c rs"),
          {"c", dimensions::none, ranges::positive, needed, "concentration"},
          {"rs", dimensions::length, ranges::positive, chosen,
           "scale radius; by default M is M200, of 200 critical densities"},
          {"hubble", dimensions::none, ranges::hubble, usual,
           "H0 in 100 km/s/Mpc, for M200 without rs", 0.6774},
          {"rt", dimensions::length, ranges::positive, chosen,
           "truncation radius; none by default"}}},
        {S::isochrone,
         "isochrone",
         "isochrone sphere, -G M / (b + sqrt(b^2 + r^2))",
         {mass("mass"), length("b", "scale length")}},
        {S::dehnen,
         "dehnen",
         "sphere of Dehnen & Tremaine et al., density as r^-gamma (r + a)^(gamma - 4)",
         {mass("mass"),
          length("a", "scale length"),
          {"gamma", dimensions::none, inner_slope, needed, "inner slope of the density"}}},
        {S::cutoff,
         "cutoff",
         "bulge of a power law with a cut-off, density as r^-alpha exp(-(r / rc)^2)",
         {mass("mass"),
          {"alpha", dimensions::none, inner_slope, needed, "inner slope of the density"},
          length("rc", "cut-off radius")}},
        {S::logarithmic,
         "logarithmic",
         "v0^2 / 2 ln(rc^2 + R^2 + z^2 / q^2), with lengths in the unit of the particles",
         {{"v0", dimensions::velocity, ranges::positive, needed, "circular speed at infinity"},
          {"rc", dimensions::length, ranges::not_negative, usual, "core radius", 0},
          {"q", dimensions::none, ranges::positive, usual, "flattening along z", 1}}},
        {S::miyamoto_nagai,
         "miyamoto-nagai",
         "disk of Miyamoto & Nagai, -G M / sqrt(R^2 + (a + sqrt(z^2 + b^2))^2)",
         {mass("mass"),
          {"a", dimensions::length, ranges::not_negative, needed, "radial length"},
          length("b", "height")}},
        {S::rotation,
         "rotation",
         "rotation of the frame about the z axis; leapfrog only",
         {{"omega", per_time, ranges::any, needed, "angular speed, counter-clockwise if > 0"}}},
        {S::text,
         "text",
         "phi(x, y, z, t) by the lines of a file; parameters of the file may be given, too",
         {{"file", dimensions::none, ranges::any, of_file, "file of the text"}}},
    };
    for (const NamedPotential& named : named_potentials())
        all.push_back({S::named, named.name, named.help, {}});
    return all;
}

std::vector<PotentialParameter> motions()
{
    std::vector<PotentialParameter> all;
    for (const char* name : {"x", "y", "z"})
        all.push_back({name, dimensions::length, ranges::any, chosen,
                       std::string("coordinate ") + name + " of the center at t = 0; default 0"});
    for (const char* name : {"vx", "vy", "vz"})
        all.push_back(
            {name, dimensions::velocity, ranges::any, chosen, "velocity of the center; default 0"});
    all.push_back({"orbit", dimensions::none, ranges::any, of_file,
                   "file of lines t x y z vx vy vz of the center, in units of the particles, "
                   "joined by cubic polynomials"});
    all.push_back({"from", dimensions::time, ranges::any, chosen,
                   "start of a smooth growth of the mass from 0 (Dehnen 2000)"});
    all.push_back({"to", dimensions::time, ranges::any, chosen, "end of the growth"});
    return all;
}

} // namespace

const std::vector<PotentialRow>& potential_table()
{
    static const std::vector<PotentialRow> all = rows();
    return all;
}

const std::vector<PotentialParameter>& motion_parameters()
{
    static const std::vector<PotentialParameter> all = motions();
    return all;
}

const PotentialRow& row_of(PotentialShape shape)
{
    for (const PotentialRow& row : potential_table())
        if (row.shape == shape)
            return row;
    throw std::logic_error("potential: has no row");
}

std::string potential_forms()
{
    std::string all;
    for (const PotentialRow& row : potential_table()) {
        all += (all.empty() ? "" : "; ") + row.name;
        for (const PotentialParameter& parameter : row.parameters) {
            const bool may_lack = parameter.use == usual || parameter.use == chosen;
            const std::string item =
                "," + parameter.name + (parameter.use == of_file ? "=FILE" : "=X");
            all += may_lack ? "[" + item + "]" : item;
        }
    }
    return all;
}

} // namespace chamomile
