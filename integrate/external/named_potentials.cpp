// Numbers from tests/references/named_potentials.py.
#include "chamomile/integrate/external/named_potentials.hpp"

#include <stdexcept>

namespace chamomile {
namespace {

NamedPart nfw(double GM, double scale, double concentration)
{
    return {PotentialShape::nfw, GM, {{"rs", scale}}, {{"c", concentration}}};
}

NamedPart disk(double GM, double a, double b)
{
    return {PotentialShape::miyamoto_nagai, GM, {{"a", a}, {"b", b}}, {}};
}

} // namespace

const std::vector<NamedPotential>& named_potentials()
{
    static const std::vector<NamedPotential> all = {
        {"mwpotential2014",
         "Milky Way of galpy (Bovy 2015): bulge, disk and halo",
         {{PotentialShape::cutoff, 19360.000080513975, {{"rc", 1.9}}, {{"alpha", 1.8}}},
          disk(293296.3341900681, 3, 0.28),
          nfw(3480474.542930934, 16, 15.3)}},
        {"mcmillan17",
         "Milky Way of McMillan (2017): his halo; five disks that fit his bulge, stars and gas, "
         "with forces within 2.7 % (rms 1.1 %) from 0.3 to 60 kpc",
         {nfw(6439735.670335329, 19.6, 15.3), disk(214148.9, 3.58665, 0.490893),
          disk(49059.8538, 0.605202, 0.555083), disk(47692.5515, 4.71034, 0.125026),
          disk(11391.8083, 3.5854, 0.491531), disk(6625.17726, 0.158108, 0.147652)}},
    };
    return all;
}

const NamedPotential& named_potential(const std::string& name)
{
    for (const NamedPotential& one : named_potentials())
        if (one.name == name)
            return one;
    throw std::logic_error("named potential: has no row");
}

} // namespace chamomile
