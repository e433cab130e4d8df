/// \file  `chamomile halos`: friends-of-friends halos of a snapshot.
#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/command_ranks.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/structure_options.hpp"
#include "app/options/unit_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/system/free_memory.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/io/comoving.hpp"
#include "chamomile/io/line_text.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/structures/mass_function_file.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {
namespace {

void print_largest(const Snapshot& snapshot, const HaloCatalogue& catalogue)
{
    const std::size_t members = catalogue.ids.size();
    std::printf("%zu halos with %zu of %zu particles (%.1f %%), linking length %.6g; %s\n",
                catalogue.halos.size(), members, snapshot.particles.size(),
                100 * double(members) / double(snapshot.particles.size()), catalogue.linking_length,
                snapshot.units.description().c_str());
    const Units& units = snapshot.units;
    std::vector<std::string> headings{"halo", "members", heading("mass", dimensions::mass, units)};
    for (const char* name : {"x", "y", "z"})
        headings.push_back(heading(name, dimensions::length, units));
    headings.push_back(heading("dispersion", dimensions::velocity, units));
    for (const DensityThreshold& threshold : catalogue.thresholds)
        headings.push_back(heading("M_" + threshold.name, dimensions::mass, units));
    Table table(headings);
    for (std::size_t h = 0; h < std::min<std::size_t>(10, catalogue.halos.size()); ++h) {
        const Halo& halo = catalogue.halos[h];
        std::vector<std::string> row{std::to_string(h), std::to_string(halo.members)};
        for (double value :
             {halo.mass, halo.center.x, halo.center.y, halo.center.z, halo.dispersion})
            row.push_back(formatted("%.6g", value));
        for (std::size_t t = 0; t < catalogue.thresholds.size(); ++t)
            row.push_back(
                formatted("%.6g", catalogue.spheres[h * catalogue.thresholds.size() + t].mass));
        table.add(row);
    }
    if (!catalogue.halos.empty())
        std::fputs(table.text().c_str(), stdout);
}

void require_different(std::vector<double> overdensities)
{
    std::sort(overdensities.begin(), overdensities.end());
    const auto twice = std::adjacent_find(overdensities.begin(), overdensities.end());
    if (twice != overdensities.end())
        throw Error(Fault::usage, "--overdensity: " + number_text(*twice) + ": is given twice");
}

/// Returns masses, positions and types of all particles if a subset is analysed; empty otherwise.
std::optional<Particles> matter_beside(const AnalysedMatter& matter, const Snapshot& snapshot)
{
    const Particles& p = snapshot.particles;
    const auto is_chosen = [&](int type) {
        return matter.types.empty() || std::count(matter.types.begin(), matter.types.end(), type);
    };
    if (std::all_of(p.type.begin(), p.type.end(), is_chosen))
        return {};
    Particles all;
    all.mass = p.mass;
    all.position = p.position;
    all.type = p.type;
    return all;
}

struct MassFunctionOutput : Output {
    MassFunctionOutput() { option = "--mass-function"; }
    int bins = 5; ///< per decade
};

std::vector<OptionRow<MassFunctionOutput>> mass_function_rows()
{
    OptionRows<MassFunctionOutput> t;
    t.group("Output");
    t.text("mass-function", &MassFunctionOutput::file, "FILE", "dn/dlnM, as a table of text");
    t.number("mass-bins", &MassFunctionOutput::bins, ranges::between(1, 100),
             "its bins per decade");
    return t.take();
}

} // namespace

int halos(const std::vector<std::string>& arguments)
{
    std::string file;
    AnalysedMatter matter;
    HaloRequest request;
    TheoryRequest theory;
    Output output;
    MassFunctionOutput numbers;
    CommandRanks ranks;
    Options options("halos", "Finds halos by friends of friends, in periodic boxes and isolated "
                             "systems, and measures them.");
    options.positional("FILE", file, "the snapshot");
    add_analysed_matter(options, matter, "particle types to link; spheres contain all types");
    add_halo_options(options, request);
    add_theory_options(options, theory);
    ranks.add(options);
    options.add(
        output_rows("output,o", "FILE", "the catalogue: .hdf5 with members, or .txt; none without"),
        output);
    options.add(mass_function_rows(), numbers);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    record_input(file);
    if (!output.file.empty()) {
        require_halo_format(output.file);
        require_writable("halos", output);
    }
    numbers.overwrite = output.overwrite;
    if (!numbers.file.empty())
        require_writable("halos", numbers);
    const bool writes = !output.file.empty() || !numbers.file.empty();
    refuse_idle(options, {{numbers.file.empty(), "fits mass-bins", "needs --mass-function FILE"},
                          {!writes, "overwrite", "needs --output FILE or --mass-function FILE"},
                          {options.given("linking-length"), "length",
                           "contradicts --linking-length; give one"}});
    require_theory(options, theory);
    require_different(request.overdensities);
    ranks.resolve(options, request.device);
    keep_freed_memory(); // for the arrays of each step

    Snapshot snapshot = ranks.read(file, true);
    options.set_units(unit_frame_of(snapshot));
    const std::optional<Particles> all = matter_beside(matter, snapshot);
    select_matter(matter, file, snapshot);
    refuse_idle(options,
                {{!(snapshot.box_size > 0) && !has_critical_density(snapshot), "overdensity",
                  "needs a mean or critical density: a periodic box (--box), or a "
                  "comoving file of physical units"}});
    if (snapshot.comoving && !has_critical_density(snapshot))
        snapshot.notes.emplace_back("no Omega_m, h or physical units: no spheres of critical "
                                    "densities");
    if (all && theory.wanted)
        snapshot.notes.emplace_back(
            "masses of friends count only the chosen types; the fits describe all matter");
    if (!request.length)
        add_note(snapshot, friends_note(snapshot.particles, {}));
    const auto fits = make_theory(theory, snapshot);
    HaloCatalogue catalogue = measured_halos(snapshot, all ? *all : snapshot.particles, request,
                                             ranks.matter(matter.types));
    print_quantities(options);
    if (options.verbosity() != Verbosity::quiet || !writes)
        print_largest(snapshot, catalogue);
    if (options.verbosity() == Verbosity::verbose)
        std::printf("friends, properties and spheres took %.3g s\n", catalogue.seconds);
    const std::string made = one_line(" of " + file + ": " + options.command_line());
    std::string table; // before anything is written
    if (!numbers.file.empty())
        table = mass_function_table(snapshot, catalogue, fits.get(), numbers.bins,
                                    "mass function" + made + notes_text(snapshot));
    if (!output.file.empty()) {
        require_still_writable(output);
        write_halos(snapshot, std::move(catalogue), "halos" + made, output.file);
    }
    if (!numbers.file.empty())
        write_text(numbers, table);
    if (options.verbosity() != Verbosity::quiet)
        for (const Output& written : {output, Output(numbers)})
            if (!written.file.empty())
                std::printf("wrote %s\n", written.file.c_str());
    print_notes(options, snapshot);
    return 0;
}

} // namespace chamomile::app
