#include "chamomile/run/structures/analysed.hpp"

#include "chamomile/core/error.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/core/particle_types.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/core/version.hpp"
#include "chamomile/cosmology/background.hpp"
#include "chamomile/io/comoving.hpp"
#include "chamomile/io/one_line.hpp"
#include "chamomile/run/structures/comoving_run.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile {
namespace {

template <class T>
void keep(std::vector<T>& values, const std::vector<Index>& kept)
{
    if (values.empty())
        return;
    for (std::size_t k = 0; k < kept.size(); ++k)
        values[k] = values[kept[k]]; // kept ascends
    values.resize(kept.size());
}

} // namespace

void select_matter(const AnalysedMatter& matter, const std::string& source, Snapshot& snapshot)
{
    if (matter.box && contradicts_box(*matter.box, snapshot))
        throw Error(Fault::usage, "--box: " + number_text(*matter.box) +
                                      ": contradicts the box of " + number_text(snapshot.box_size) +
                                      " in " + source);
    if (matter.box) {
        snapshot.box_size = *matter.box;
        infer_units(snapshot);
    }
    if (snapshot.box_size > 0)
        require_places(outside(snapshot.particles, snapshot.box_size));
    note_outside(snapshot);
    Particles& p = snapshot.particles;
    const std::string there = types_of(p);
    if (has_critical_density(snapshot) && snapshot.box_size > 0 &&
        !has_density_of_background(snapshot))
        snapshot.notes.push_back(density_text(snapshot) + ": check units and box");
    if (!matter.types.empty()) {
        bool wanted[256] = {};
        for (int type : matter.types)
            wanted[type] = true;
        std::vector<Index> kept;
        for (std::size_t i = 0; i < p.size(); ++i)
            if (wanted[p.type[i]])
                kept.push_back(Index(i));
        keep(p.id, kept);
        keep(p.type, kept);
        keep(p.mass, kept);
        keep(p.position, kept);
        keep(p.velocity, kept);
        keep(p.acceleration, kept);
        keep(p.potential, kept);
    }
    if (p.size() == 0)
        throw Error(Fault::input, source + ": particles: none" +
                                      (there.empty() ? "" : " of the chosen types, of " + there) +
                                      ": nothing to look at");
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
