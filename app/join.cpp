/// \file  `chamomile join`: puts snapshots together.
#include <cstdio>
#include <optional>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/orbit_text.hpp"
#include "app/options/unit_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/initial/transform.hpp"
#include "chamomile/io/unit_conversion.hpp"

namespace chamomile::app {
namespace {

struct Joining {
    std::vector<std::string> files;
    std::vector<std::string> places, velocities, turns; ///< one per file, or none
    bool recentered = false;
    std::string orbit, units;
    Output output;
};

void add_joining(Options& options, Joining& joining)
{
    OptionRows<Joining> t;
    options.positional("FILE", joining.files, "snapshots, at least two");
    t.group("Places, one for each file in turn");
    t.repeated("at", &Joining::places, "X,Y,Z", "new place of the origin of a file")
        .in(dimensions::length);
    t.repeated("velocity", &Joining::velocities, "X,Y,Z", "is added to all its velocities")
        .in(dimensions::velocity);
    t.repeated("rotate", &Joining::turns, "A,B,C",
               "before: turns it about its origin by A degrees about z, then B about x, then "
               "C about z");
    t.flag("recenter", &Joining::recentered,
           "before: brings the center of mass of each file to rest at its origin");
    t.text("orbit", &Joining::orbit, "NAME=X,...",
           "of two files, instead of --at and --velocity: pericenter=5kpc,eccentricity=1"
           "[,separation=50kpc] of their centers of mass as two points, in the x-y plane. "
           "They start before pericenter, ten pericenters apart or at apocenter unless given");
    options.add(t.take(), joining);
    options.add(unit_system_row("Units"), joining.units);
    add_output(options, joining.output);
}

/// Throws Error(usage) unless an option has one value per file, or none.
void require_one_each(const char* option, const std::vector<std::string>& values,
                      const Joining& joining)
{
    if (!values.empty() && values.size() != joining.files.size())
        throw Error(Fault::usage, std::string(option) + ": " + counted(values.size(), "value") +
                                      " for " + counted(joining.files.size(), "file") +
                                      ": give one for each, in their order");
}

OrbitText orbit_of_two(const std::string& text)
{
    return {text,
            {{"pericenter", dimensions::length, ranges::positive},
             {"eccentricity", dimensions::none, ranges::not_negative},
             {"separation", dimensions::length, ranges::positive}}};
}

void require_consistent(const Options& options, const Joining& joining)
{
    if (joining.files.size() < 2)
        throw Error(Fault::usage, "join: missing: a second FILE");
    require_one_each("--at", joining.places, joining);
    require_one_each("--velocity", joining.velocities, joining);
    require_one_each("--rotate", joining.turns, joining);
    const bool on_orbit = !joining.orbit.empty();
    refuse_idle(options, {{on_orbit, "at velocity", "contradicts --orbit; give one"},
                          {on_orbit, "recenter", "--orbit does it"},
                          {on_orbit && joining.files.size() != 2, "orbit", "takes two files"}});
    for (const std::string& turn : joining.turns)
        parse_vector("--rotate", turn);
    for (const std::string& file : joining.files)
        record_input(file);
    require_writable(options.command(), joining.output);
}

/// Reads the files and converts their units to --units, or to the units of the first file.
std::vector<Snapshot> snapshots_of(const Joining& joining)
{
    std::vector<Snapshot> parts;
    for (const std::string& file : joining.files) {
        parts.push_back(read_particles(file, Masses::may_lack));
        if (!joining.units.empty())
            choose_units(parts.back(), unit_system("--units", joining.units), file);
        else if (parts.size() > 1)
            share_units(parts.front(), parts.back(), file);
    }
    return parts;
}

} // namespace

int join(const std::vector<std::string>& arguments)
{
    Joining joining;
    Options options(
        "join",
        "Joins snapshots: keeps types, makes ids distinct, and uses the units of the first file.");
    add_joining(options, joining);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    require_consistent(options, joining);
    std::optional<OrbitText> orbit;
    if (!joining.orbit.empty())
        orbit = orbit_of_two(joining.orbit);
    if (!joining.units.empty())
        unit_system("--units", joining.units);

    return write_output(options, joining.output, [&] {
        std::vector<Snapshot> parts = snapshots_of(joining);
        const UnitFrame frame = unit_frame_of(parts.front());
        options.set_units(frame);
        for (std::size_t k = 0; k < parts.size(); ++k) {
            Placement placement;
            placement.recentered = joining.recentered || !joining.orbit.empty();
            if (!joining.turns.empty())
                placement.angles = parse_vector("--rotate", joining.turns[k]);
            if (!joining.places.empty())
                placement.shift = parse_vector("--at", joining.places[k]);
            if (!joining.velocities.empty())
                placement.boost = parse_vector("--velocity", joining.velocities[k]);
            const char* option = !joining.orbit.empty() ? "--orbit: "
                                 : placement.recentered ? "--recenter: "
                                                        : "--rotate: ";
            place(parts[k], placement, option + joining.files[k]);
        }
        if (orbit) {
            const OrbitRequest request{*orbit->number("pericenter", frame),
                                       orbit->number("eccentricity", frame).value_or(1),
                                       orbit->number("separation", frame)};
            if (const Refusal line =
                    refused_by([&] { place_on_orbit(parts[0], parts[1], request); }))
                throw Error(Fault::usage, (line->starts_with("{") ? "" : "--orbit: ") + *line);
        }
        Snapshot all = joined(std::move(parts), joining.files);
        print_quantities(options);
        if (options.verbosity() != Verbosity::quiet) {
            for (const std::string& line : orbit ? orbit->lines() : std::vector<std::string>())
                std::printf("%s\n", line.c_str());
            for (const auto& [name, text] : all.provenance)
                std::printf("%s\n", text.c_str());
        }
        print_notes(options, all);
        return all;
    });
}

} // namespace chamomile::app
