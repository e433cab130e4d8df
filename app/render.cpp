/// \file  `chamomile render`: pictures of snapshots.
#include "chamomile/io/pictures/render.hpp"

#include <cstdio>
#include <filesystem>
#include <optional>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/options.hpp"
#include "app/options/structure_options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/io/pictures/array_file.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/particle_notes.hpp"

namespace chamomile::app {
namespace {

/// A Picture holds the options of the command.
struct Picture {
    std::vector<std::string> files;
    Output output, data;
    RenderOptions view;
    std::optional<int> size;
    std::vector<double> centre;
    bool plain = false;
};

void add_picture(Options& options, Picture& picture)
{
    RenderOptions& view = picture.view;
    options.positional("FILE", picture.files,
                       "snapshots; several make one picture each, with the view of the first");
    options.group("View");
    options.number("size", picture.size, between(16, 16384), "pixels of a square picture");
    options.number("width", view.width, between(16, 16384), "pixels across");
    options.number("height", view.height, between(16, 16384), "pixels upwards");
    options.number("fov", view.field_of_view, positive,
                   "length across the picture; the side of a periodic box, or what holds 98 % of "
                   "the mass, unless given",
                   dimensions::length);
    options.numbers("center", picture.centre, any_number,
                    "x,y,z of the middle; of a periodic box its own, else the centre of mass of "
                    "what is shown, unless given",
                    dimensions::length);
    options.number("box", view.box, ranges::side_or_none,
                   "side of a periodic box, whose images are drawn across its faces; 0: isolated; "
                   "that of the file, if all particles lie in it, unless given",
                   dimensions::length);
    options.number("slice", view.slice, positive,
                   "thickness along the line of sight, about the centre; a periodic box is one "
                   "side thick unless given",
                   dimensions::length);
    options.number("azimuth", view.azimuth, any_number,
                   "degrees that the scene is turned about z first");
    options.number("inclination", view.inclination, any_number,
                   "degrees of tilt: 0 looks down the z axis, 90 along +y");
    add_types(options, view.types,
              "particle types shown; unless given disk, bulge and stars (2,3,4) where there "
              "are any, because a halo hides them, or else all");
    options.group("Colours");
    options.number("min", view.min, positive,
                   "surface density of the first colour; from percentiles unless given",
                   dimensions::surface_density);
    options.number("max", view.max, positive, "surface density of the last colour",
                   dimensions::surface_density);
    std::vector<std::pair<std::string, ColourMap>> maps;
    for (const std::string& name : colour_map_names())
        maps.emplace_back(name, colour_map_named(name));
    options.choice("colour-map", view.colour_map, maps, "colours of the logarithm of the density");
    options.flag("no-labels", picture.plain, "leave out time and scale bar");
    options.group("Output");
    options.text("output,o", "IMAGE.png", picture.output.file,
                 "the picture; of several files IMAGE_000.png and so on");
    options.text("data", "FILE.npy", picture.data.file,
                 "also the surface density itself, rows from top to bottom, for numpy");
    options.flag("overwrite", picture.output.overwrite, "replace files of these names");
}

/// Throws Error(usage) for the extension of another format.
void require_png(const std::string& file)
{
    const std::string extension = std::filesystem::path(file).extension().string();
    if (!file.empty() && extension != ".png" && extension != ".PNG")
        throw Error(Fault::usage, file + ": extension: '" + extension + "': must be .png");
}

void require_data_file(const Picture& picture)
{
    if (std::filesystem::path(picture.data.file).extension() != ".npy")
        throw Error(Fault::usage, "--data: " + picture.data.file + ": must end in .npy");
    if (picture.files.size() > 1)
        throw Error(Fault::usage, "--data: " + picture.data.file + ": takes one snapshot");
    require_writable("render", picture.data);
}

void take_centre(Picture& picture)
{
    if (picture.centre.empty())
        return;
    if (picture.centre.size() != 3)
        throw Error(Fault::usage, "--center: " + std::to_string(picture.centre.size()) +
                                      " numbers: three are needed, as in 0,0,0");
    picture.view.centre = {picture.centre[0], picture.centre[1], picture.centre[2]};
}

/// Returns IMAGE_007.png for the seventh of several files after the first.
std::string numbered(const std::string& file, std::size_t k)
{
    std::filesystem::path path = file;
    const std::string name =
        path.stem().string() + formatted("_%03zu", k) + path.extension().string();
    return path.replace_filename(name).string();
}

} // namespace

int render(const std::vector<std::string>& arguments)
{
    Picture picture;
    Options options("render", "Makes pictures of the projected surface density of snapshots, "
                              "smoothed over the local distance between particles.");
    add_picture(options, picture);
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    if (picture.size) {
        refuse_idle(options, {{true, "width height", "contradicts --size; give one"}});
        picture.view.width = picture.view.height = *picture.size;
    }
    take_centre(picture);
    picture.view.labels = !picture.plain;
    require_png(picture.output.file);
    picture.data = {picture.data.file, picture.output.overwrite, "--data"};
    for (const std::string& file : picture.files)
        note_input(file);
    if (!picture.data.file.empty())
        require_data_file(picture);

    std::vector<Output> outputs;
    for (std::size_t k = 0; k < picture.files.size(); ++k) {
        outputs.push_back(picture.output);
        if (picture.files.size() > 1 && !picture.output.file.empty())
            outputs.back().file = numbered(picture.output.file, k);
        require_writable("render", outputs.back());
    }
    for (const std::string& file : picture.files)
        note_snapshot(file); // all of them, before anything is written
    for (std::size_t k = 0; k < picture.files.size(); ++k) {
        const Snapshot snapshot = read_particles(picture.files[k]);
        if (k == 0) {
            options.take_units(unit_frame_of(snapshot));
            take_centre(picture);
        }
        if (picture.files.size() > 1 && k == 0)
            picture.view = complete_view(snapshot, picture.view);
        const Image image = render_snapshot(snapshot, picture.view);
        require_still_writable(outputs[k]);
        write_png(image, outputs[k].file);
        if (!picture.data.file.empty()) {
            require_still_writable(picture.data);
            write_npy(surface_density(snapshot, picture.view), picture.data.file);
        }
        if (options.verbosity() != Verbosity::quiet)
            std::printf("wrote %s\n", outputs[k].file.c_str());
        print_notes(options, snapshot);
    }
    return 0;
}

} // namespace chamomile::app
