/// \file  `chamomile info`: prints the contents of a snapshot.
#include <cstdio>
#include <functional>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/unit_options.hpp"
#include "chamomile/core/particle_types.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/io/summary.hpp"
#include "chamomile/run/run_settings.hpp"
#include "chamomile/run/structures/comoving_run.hpp"
#include "chamomile/run/texts/doubts.hpp"
#include "chamomile/run/texts/method_text.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {
namespace {

void print_line(const char* field, const std::string& value)
{
    std::printf("%-14s %s\n", field, value.c_str());
}

std::string vector_text(const Vec3<double>& v, Dimension dimension, const Units& units)
{
    return with_unit(formatted("%.6g  %.6g  %.6g", v.x, v.y, v.z), dimension, units);
}

std::string softening_text(const Snapshot& snapshot)
{
    if (!snapshot.softening)
        return "not stated";
    const Softening& softening = *snapshot.softening;
    const auto length = [&](double value) { return length_text(value, snapshot.units); };
    if (softening.per_particle)
        return softening_text(softening, snapshot.particles, snapshot.units);
    return std::string(form_of(softening.kind).name) + ", eps = " + length(softening.length) +
           (softening.is_compact() ? " (Newtonian beyond " + length(softening.reach()) + ")" : "");
}

void print_types(const SnapshotSummary& summary, const Units& units)
{
    const auto mass = [&](const char* which) { return heading(which, dimensions::mass, units); };
    Table table({"type", "name", "particles", mass("total mass"), mass("least mass"),
                 mass("largest mass")});
    for (std::size_t type = 0; type < summary.types.size(); ++type) {
        const TypeSummary& one = summary.types[type];
        if (one.count > 0)
            table.add({std::to_string(type), type_names[type], std::to_string(one.count),
                       formatted("%.8g", one.total_mass), formatted("%.8g", one.min_mass),
                       formatted("%.8g", one.max_mass)});
    }
    std::fputs(table.text().c_str(), stdout);
}

void print_comoving(const ComovingFrame& frame)
{
    print_line("comoving",
               formatted("scale factor %.8g, Omega_m %.6g, Omega_Lambda %.6g, h %.6g",
                         frame.scale_factor, frame.omega_matter, frame.omega_lambda, frame.hubble));
}

void print_doubts(const Snapshot& snapshot)
{
    const std::vector<Doubt> found = doubts(snapshot);
    std::printf("\n%s\n", found.empty() ? "nothing to doubt" : "to doubt");
    for (const auto& [what, mend] : found)
        std::printf("- %s\n  mend: %s\n", spelled(what, command_line_spelling()).c_str(),
                    spelled(mend, command_line_spelling()).c_str());
}

} // namespace

int info(const std::vector<std::string>& arguments)
{
    std::string file;
    FileUnits file_units;
    Options options("info", "Prints the contents of a snapshot in any supported format.");
    bool checks = false;
    options.positional("FILE", file, "the snapshot; of several pieces, any one");
    add_file_units(options, file_units, "Options");
    OptionRows<bool> rows;
    rows.group("Options");
    rows.flag("check", std::identity(), "say what to doubt, and what would mend it");
    options.add(rows.take(), checks);
    if (!options.parse(arguments))
        return 0;

    Snapshot snapshot = read_particles(file, checks ? Masses::inspected : Masses::may_lack);
    set_file_units(file_units, snapshot);
    warn_of_outside(snapshot);
    set_density(snapshot);
    const SnapshotSummary summary = summarize(snapshot.particles);
    print_line("file", file);
    print_line("format", snapshot.format);
    const Units& units = snapshot.units;
    print_line("time", snapshot.comoving || snapshot.time == 0 || !units.physical
                           ? formatted("%.10g", snapshot.time)
                           : with_unit(formatted("%.10g", snapshot.time), dimensions::time, units) +
                                 ", " + clock_text(snapshot.time, units));
    print_line("units", units_text(units, snapshot.G()));
    print_line("G", with_unit(formatted("%.8g", snapshot.G()), dimensions::gravity, units));
    if (snapshot.comoving)
        print_comoving(*snapshot.comoving);
    print_line("softening", softening_text(snapshot));
    print_line("box", snapshot.box_size > 0 ? length_text(snapshot.box_size, units) : "isolated");
    print_line("particles", std::to_string(summary.count));
    if (summary.count > 0) {
        print_line("mass",
                   with_unit(formatted("%.10g", summary.total_mass), dimensions::mass, units));
        print_line("from", vector_text(summary.lower, dimensions::length, units));
        print_line("to", vector_text(summary.upper, dimensions::length, units));
        print_line("center of mass",
                   vector_text(summary.center_of_mass, dimensions::length, units));
        print_line("mean velocity",
                   vector_text(summary.mean_velocity, dimensions::velocity, units));
        print_line("forces",
                   snapshot.has_accelerations
                       ? snapshot.has_potentials ? "accelerations and potentials" : "accelerations"
                   : snapshot.has_potentials ? "potentials"
                                             : "none");
        std::printf("\n");
        print_types(summary, units);
    }
    if (!snapshot.provenance.empty()) {
        std::printf("\nhow it was made\n");
        for (const auto& [key, value] : snapshot.provenance)
            std::printf("  %s: %s\n", key.c_str(), value.c_str());
    }
    print_notes(options, snapshot);
    if (checks)
        print_doubts(snapshot);
    return 0;
}

} // namespace chamomile::app
