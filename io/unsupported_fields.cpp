// Lists the properties of a snapshot that each format cannot hold.
#include <algorithm>
#include <cmath>

#include "chamomile/io/comoving.hpp"
#include "chamomile/io/formats.hpp"
#include "chamomile/io/number_text.hpp"
#include "chamomile/io/tipsy/box_units.hpp"

namespace chamomile {
namespace {

/// Returns whether the ids are 1 to N in order, the numbers that readers assign by default.
bool ids_are_plain(const Particles& particles)
{
    for (std::size_t i = 0; i < particles.size(); ++i)
        if (particles.id[i] != i + 1)
            return false;
    return true;
}

bool are_alike(const Units& a, const Units& b)
{
    const auto same = [](double x, double y) { return std::abs(x / y - 1) < 1e-3; };
    return same(a.length_in_cm, b.length_in_cm) && same(a.mass_in_g, b.mass_in_g) &&
           same(a.velocity_in_cm_per_s, b.velocity_in_cm_per_s);
}

bool fits_single_precision(const Snapshot& snapshot)
{
    const auto fits = [](double value) { return double(float(value)) == value; };
    const auto vector_fits = [&](const Vec3<double>& v) {
        return fits(v.x) && fits(v.y) && fits(v.z);
    };
    const Particles& particles = snapshot.particles;
    return std::all_of(particles.position.begin(), particles.position.end(), vector_fits) &&
           std::all_of(particles.velocity.begin(), particles.velocity.end(), vector_fits) &&
           std::all_of(particles.mass.begin(), particles.mass.end(),
                       [&](double mass) { return fits(snapshot.G() * mass); });
}

/// Returns a phrase for each extra column.
std::vector<std::string> extra_columns(const Snapshot& snapshot)
{
    std::vector<std::string> phrases;
    for (const auto& [name, values] : snapshot.particles.extra)
        phrases.push_back("the column " + name);
    return phrases;
}

} // namespace

std::vector<std::string> left_out_of_hdf5(const Snapshot&)
{
    return {};
}

std::vector<std::string> left_out_of_text(const Snapshot& snapshot)
{
    std::vector<std::string> lost = extra_columns(snapshot);
    if (!snapshot.particles.softening.empty())
        lost.push_back("the per-particle softening (the largest length is stated for all)");
    return lost;
}

std::vector<std::string> left_out_of_gadget2(const Snapshot& snapshot)
{
    std::vector<std::string> lost = extra_columns(snapshot);
    if (snapshot.softening || !snapshot.particles.softening.empty() ||
        (snapshot.comoving && snapshot.comoving->physical_softening != 0))
        lost.push_back("the softening");
    if (const auto& frame = snapshot.comoving;
        frame && (frame->omega_radiation != 0 || frame->w0 != -1 || frame->wa != 0))
        lost.push_back("radiation and w of dark energy");
    if (const Units units = units_by_gadget(snapshot);
        units.physical && !are_alike(units, Units::gadget(true)))
        lost.push_back(
            "the units for other codes: UnitLength_in_cm " + number_text(units.length_in_cm) +
            ", UnitMass_in_g " + number_text(units.mass_in_g) + ", UnitVelocity_in_cm_per_s " +
            number_text(units.velocity_in_cm_per_s) + " ({units} gadget gives the usual ones)");
    if (!snapshot.provenance.empty())
        lost.push_back("the provenance");
    return lost;
}

std::vector<std::string> left_out_of_tipsy(const Snapshot& snapshot)
{
    const Particles& particles = snapshot.particles;
    std::vector<std::string> lost = extra_columns(snapshot);
    if (!fits_single_precision(snapshot))
        lost.push_back("digits beyond single precision");
    if (is_tipsy_box(snapshot))
        lost.push_back("the side of the box and h, to be given by {box-length} and {h} on reading "
                       "(units have side 1 and G = 1)");
    else if (snapshot.G() != 1)
        lost.push_back("the units (masses are multiplied by G: G = 1)");
    if (!ids_are_plain(particles))
        lost.push_back("the ids");
    if (std::any_of(particles.type.begin(), particles.type.end(),
                    [](std::uint8_t type) { return type == 2 || type == 3 || type == 5; }))
        lost.push_back("the types (2 and 3 become stars, 5 dark)");
    if (snapshot.softening && snapshot.softening->kind != SofteningKind::spline)
        lost.push_back("the kind of softening (Tipsy has a spline)");
    if (snapshot.softening && snapshot.softening->rule != SofteningRule::larger)
        lost.push_back("the pair rule of softening lengths");
    if (snapshot.has_accelerations)
        lost.push_back("the accelerations");
    if (snapshot.box_size != 0 && !is_tipsy_box(snapshot))
        lost.push_back("the box size");
    if (snapshot.comoving)
        lost.push_back("the cosmology");
    if (!snapshot.provenance.empty())
        lost.push_back("the provenance");
    return lost;
}

} // namespace chamomile
