#include "chamomile/integrate/external/potential_table.hpp"

#include <stdexcept>

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
    return {
        {S::point, "point", "of a point mass", {mass("its mass")}},
        {S::plummer,
         "plummer",
         "of Plummer's sphere, -G M / sqrt(r^2 + a^2)",
         {mass("its mass"), length("a", "its scale length")}},
        {S::hernquist,
         "hernquist",
         "of Hernquist's sphere, -G M / (r + a)",
         {mass("its mass"), length("a", "its scale length")}},
        {S::nfw,
         "nfw",
         "of a halo by Navarro, Frenk & White, which has no mass beyond rt",
         {mass("its mass within c rs"),
          {"c", dimensions::none, ranges::positive, needed, "its concentration"},
          {"rs", dimensions::length, ranges::positive, chosen,
           "its scale radius; unless given that with which M is M200, of 200 critical densities"},
          {"hubble", dimensions::none, ranges::hubble, usual,
           "H0 in 100 km/s/Mpc, for M200 where rs is not given", 0.6774},
          {"rt", dimensions::length, ranges::positive, chosen,
           "where it ends; nowhere unless given"}}},
        {S::logarithmic,
         "logarithmic",
         "v0^2 / 2 ln(rc^2 + R^2 + z^2 / q^2), with lengths in the unit of the particles",
         {{"v0", dimensions::velocity, ranges::positive, needed, "its circular speed far away"},
          {"rc", dimensions::length, ranges::not_negative, usual, "the radius of its core", 0},
          {"q", dimensions::none, ranges::positive, usual, "its flattening along z", 1}}},
        {S::miyamoto_nagai,
         "miyamoto-nagai",
         "of a disk by Miyamoto & Nagai, -G M / sqrt(R^2 + (a + sqrt(z^2 + b^2))^2)",
         {mass("its mass"),
          {"a", dimensions::length, ranges::not_negative, needed, "its radial length"},
          length("b", "its height")}},
        {S::rotation,
         "rotation",
         "of the frame, about z through the origin; of the leapfrog",
         {{"omega", per_time, ranges::any, needed, "its angular speed, counter-clockwise if > 0"}}},
        {S::text,
         "text",
         "phi of x, y, z and t by the lines of a file, whose parameters may be given too",
         {{"file", dimensions::none, ranges::any, of_file, "the text"}}},
    };
}

std::vector<PotentialParameter> motions()
{
    std::vector<PotentialParameter> all;
    for (const char* name : {"x", "y", "z"})
        all.push_back(
            {name, dimensions::length, ranges::any, chosen,
             std::string("coordinate ") + name + " of its center at t = 0; 0 unless given"});
    for (const char* name : {"vx", "vy", "vz"})
        all.push_back({name, dimensions::velocity, ranges::any, chosen,
                       "velocity of its center; 0 unless given"});
    all.push_back({"orbit", dimensions::none, ranges::any, of_file,
                   "file of lines t x y z vx vy vz of its center, in the units of the particles, "
                   "between which cubic polynomials lead"});
    all.push_back({"from", dimensions::time, ranges::any, chosen,
                   "its mass grows smoothly from 0 at this time (Dehnen 2000)"});
    all.push_back({"to", dimensions::time, ranges::any, chosen, "to all of it at this one"});
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
