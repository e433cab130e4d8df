/// \file  `chamomile join`: puts snapshots together.
#include <cstdio>
#include <map>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/placement_options.hpp"
#include "app/options/unit_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/options/nearest_name.hpp"
#include "chamomile/core/text/table.hpp"
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
    options.positional("FILE", joining.files, "snapshots, at least two");
    options.group("Places, one for each file in turn");
    options.repeated("at", "X,Y,Z", joining.places, "where the origin of a file is put",
                     dimensions::length);
    options.repeated("velocity", "X,Y,Z", joining.velocities, "is added to all its velocities",
                     dimensions::velocity);
    options.repeated("rotate", "A,B,C", joining.turns,
                     "before: turns it about its origin by A degrees about z, then B about x, then "
                     "C about z");
    options.flag("recenter", joining.recentered,
                 "before: brings the center of mass of each file to rest at its origin");
    options.text(
        "orbit", "NAME=X,...", joining.orbit,
        "of two files, instead of --at and --velocity: pericenter=5kpc,eccentricity=1"
        "[,separation=50kpc] of their centers of mass as two points, in the x-y plane. "
        "They start before pericenter, ten pericenters apart or at apocenter unless given");
    options.group("Units");
    add_unit_system(options, joining.units);
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

/// Returns the values of --orbit by name, as typed.
std::map<std::string, std::string> orbit_texts(const std::string& text)
{
    const std::vector<std::string> names = {"pericenter", "eccentricity", "separation"};
    std::map<std::string, std::string> texts;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(',', start), text.size());
        const std::string item = text.substr(start, end - start);
        start = end + 1;
        const std::size_t equals = std::min(item.find('='), item.size());
        const std::string name = item.substr(0, equals);
        if (std::find(names.begin(), names.end(), name) == names.end() || equals == item.size())
            throw Error(Fault::usage, "--orbit: " + item +
                                          ": is not pericenter=X, eccentricity=X or separation=X" +
                                          suggestion(name, names));
        if (!texts.emplace(name, item.substr(equals + 1)).second)
            throw Error(Fault::usage, "--orbit: " + name + ": is given twice");
    }
    if (!texts.contains("pericenter"))
        throw Error(Fault::usage, "--orbit: " + text + ": needs pericenter=X");
    for (const auto& [name, value] : texts)
        check_unit("--orbit: " + name, value,
                   name == "eccentricity" ? dimensions::none : dimensions::length);
    return texts;
}

OrbitRequest orbit_of(const std::map<std::string, std::string>& texts, const UnitFrame& frame,
                      std::vector<std::string>& lines)
{
    OrbitRequest orbit;
    for (const auto& [name, text] : texts) {
        const std::string option = "--orbit: " + name;
        if (name == "eccentricity") {
            orbit.eccentricity = parse_number<double>(option, text, not_negative);
            continue;
        }
        const std::string plain = in_frame(option, text, dimensions::length, frame);
        const double length = parse_number<double>(option, plain, positive);
        if (plain != text)
            lines.push_back(option + " " + text + " = " + plain);
        if (name == "pericenter")
            orbit.pericenter = length;
        else
            orbit.separation = length;
    }
    return orbit;
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
        three_angles("--rotate", turn);
    for (const std::string& file : joining.files)
        record_input(file);
    require_writable(options.command(), joining.output);
}

/// Reads the files and converts their units to --units, or to the units of the first file.
std::vector<Snapshot> parts_of(const Joining& joining)
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
    Options options("join", "Puts snapshots together: types stay as they are, ids are kept apart, "
                            "units are those of the first file.");
    add_joining(options, joining);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    require_consistent(options, joining);
    const auto orbit_text =
        joining.orbit.empty() ? std::map<std::string, std::string>() : orbit_texts(joining.orbit);
    if (!joining.units.empty())
        unit_system("--units", joining.units);

    std::vector<std::string> lines;
    return write_output(options, joining.output, [&] {
        std::vector<Snapshot> parts = parts_of(joining);
        const UnitFrame frame = unit_frame_of(parts.front());
        options.set_units(frame);
        for (std::size_t k = 0; k < parts.size(); ++k) {
            Placement placement;
            placement.recentered = joining.recentered || !joining.orbit.empty();
            if (!joining.turns.empty())
                placement.angles = three_angles("--rotate", joining.turns[k]);
            if (!joining.places.empty())
                placement.shift = three_numbers("--at", joining.places[k]);
            if (!joining.velocities.empty())
                placement.boost = three_numbers("--velocity", joining.velocities[k]);
            const char* option = !joining.orbit.empty() ? "--orbit: "
                                 : placement.recentered  ? "--recenter: "
                                                        : "--rotate: ";
            place(parts[k], placement, option + joining.files[k]);
        }
        if (!joining.orbit.empty()) {
            const OrbitRequest orbit = orbit_of(orbit_text, frame, lines);
            if (const Refusal line = refused_by([&] { place_on_orbit(parts[0], parts[1], orbit); }))
                throw Error(Fault::usage, (line->starts_with("{") ? "" : "--orbit: ") + *line);
        }
        Snapshot all = joined(std::move(parts), joining.files);
        print_quantities(options);
        if (options.verbosity() != Verbosity::quiet) {
            for (const std::string& line : lines)
                std::printf("%s\n", line.c_str());
            for (const auto& [name, text] : all.provenance)
                std::printf("%s\n", text.c_str());
        }
        print_notes(options, all);
        return all;
    });
}

} // namespace chamomile::app
