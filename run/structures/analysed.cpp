#include "chamomile/run/structures/analysed.hpp"

#include <algorithm>

#include "chamomile/core/cosmology/background.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/particle_types.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/initial/transform.hpp"
#include "chamomile/integrate/ranks/led_particles.hpp"
#include "chamomile/io/comoving.hpp"
#include "chamomile/io/line_text.hpp"
#include "chamomile/run/structures/comoving_run.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile {

std::uint8_t MatterOnRanks::type_bits() const
{
    std::uint8_t bits = types.empty() ? all_types : 0;
    for (const int type : types)
        bits |= std::uint8_t(1 << type);
    return bits;
}

void select_matter(const AnalysedMatter& matter, const std::string& source, Snapshot& snapshot)
{
    if (matter.box) {
        require_box("{box}", *matter.box, snapshot, source);
        snapshot.box_size = *matter.box;
        infer_units(snapshot);
    }
    use_positions_only(snapshot);
    if (has_critical_density(snapshot) && snapshot.box_size > 0 &&
        !has_density_of_background(snapshot))
        snapshot.notes.push_back(density_text(snapshot) + ": check units and box");
    require_types(matter.types, source, snapshot);
    if (!matter.types.empty())
        keep_types(snapshot, matter.types);
}

void use_positions_only(Snapshot& snapshot)
{
    if (!(snapshot.box_size > 0))
        return;
    const Outside found = outside(snapshot, snapshot.box_size);
    require_places(found);
    add_note(snapshot, outside_text(found));
}

bool has_types(const Particles& particles, const std::vector<int>& types)
{
    return std::any_of(particles.type.begin(), particles.type.end(), [&](int type) {
        return types.empty() || std::count(types.begin(), types.end(), type) > 0;
    });
}

void require_types(const std::vector<int>& types, const std::string& source,
                   const Snapshot& snapshot)
{
    if (!has_types(snapshot.particles, types))
        throw Error(Fault::input,
                    source + ": particles: none" +
                        (snapshot.particles.size() == 0
                             ? ""
                             : " of the chosen types, but " + types_of(snapshot.particles)) +
                        ": must be one or more");
}

void require_box(const std::string& option, double side, const Snapshot& snapshot,
                 const std::string& source)
{
    if (side > 0 && contradicts_box(side, snapshot))
        throw Error(Fault::usage, option + ": " + number_text(side) + ": contradicts the box of " +
                                      number_text(snapshot.box_size) + " in " + source);
}

AnalysisUnits analysis_units(const Units& units)
{
    if (!units.physical)
        return {};
    const std::string h = units.per_hubble ? "/h" : "";
    const Units gadget = Units::gadget(false);
    return {units.length_in_cm / gadget.length_in_cm / 1000,
            units.mass_in_g / gadget.mass_in_g * 1e10, "Mpc" + h, "Msun" + h};
}

double redshift_of(const Snapshot& snapshot)
{
    return snapshot.comoving ? chamomile::redshift_of(snapshot.comoving->scale_factor) : 0;
}

std::string notes_text(const Snapshot& snapshot)
{
    std::string text;
    for (const std::string& note : snapshot.notes)
        text += "\n# note: " + one_line(note);
    return text;
}

std::string table_heading(const Snapshot& snapshot, const std::string& title)
{
    std::string text = "# " + title + "\n# chamomile " + version + "\n";
    text += formatted("# time %.10g", snapshot.time);
    if (snapshot.comoving)
        text += formatted(", scale factor %.8g, redshift %.6g, Omega_m %.6g, Omega_Lambda %.6g, "
                          "h %.6g",
                          snapshot.comoving->scale_factor, redshift_of(snapshot),
                          snapshot.comoving->omega_matter, snapshot.comoving->omega_lambda,
                          snapshot.comoving->hubble);
    text += formatted("\n# box %.10g, %zu particles; %s\n", snapshot.box_size,
                      snapshot.particles.size(), snapshot.units.description().c_str());
    return text;
}

} // namespace chamomile
