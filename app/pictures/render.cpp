/// \file  `chamomile render`: pictures of snapshots.
#include "chamomile/io/pictures/render.hpp"

#include <cstdio>
#include <filesystem>
#include <map>
#include <optional>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/options.hpp"
#include "app/pictures/movie.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/initial/transform.hpp"
#include "chamomile/io/pictures/array_file.hpp"
#include "chamomile/io/pictures/picture_settings.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/structures/analysed.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {
namespace {

struct Picture {
    std::vector<std::string> files;
    std::string ids;
    Output output, data;
    RenderOptions view;
    std::optional<int> size;
    std::string movie;
    double rate = 16;
};

void add_picture(Options& options, Picture& picture)
{
    OptionRows<Picture> t;
    options.positional("FILE", picture.files,
                       "snapshots; several make one picture each, with the view of the first and "
                       "colours wide enough for first and last");
    t.group("View");
    t.number("size", &Picture::size, ranges::between(16, 16384), "pixels of a square picture");
    t.append(ids_rows<Picture>());
    options.add(t.take(), picture);
    options.add(picture_settings(), picture.view);
    options.add(output_rows("output,o", "IMAGE.png",
                            "the picture; of several files IMAGE_000.png and so on"),
                picture.output);
    t.group("Output");
    t.text(
        "data", [](Picture & o) -> auto& { return o.data.file; }, "FILE.npy",
        "also the surface density itself, rows from top to bottom, for numpy");
    t.text("movie", &Picture::movie, "MOVIE.mp4",
           "also a movie of the pictures, by the program ffmpeg; without ffmpeg the "
           "command that makes it is printed");
    t.number("rate", &Picture::rate, ranges::between(1, 120), "pictures per second of the movie");
    options.add(t.take(), picture);
}

/// Throws Error(usage) for an extension other than .png.
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

/// Returns the picture's quantity with the ends of the colour scale.
std::string told(const Image& image)
{
    std::map<std::string, std::string> texts(image.texts.begin(), image.texts.end());
    return texts["Quantity"] + " from " + texts["Least"] + " to " + texts["Most"] + " [" +
           texts["Unit"] + "]" + (texts.contains("Comment") ? "; " + texts["Comment"] : "");
}

/// Keeps the chosen particles, sets the snapshot's box to the requested box, checks the types, and
/// wraps positions.
void prepare(Snapshot& snapshot, const std::string& file, const Picture& picture,
             const std::optional<double>& box)
{
    if (!picture.ids.empty())
        keep_ids(snapshot, picture.ids);
    require_types(picture.view.types, file, snapshot);
    if (box) {
        require_box("--box", *box, snapshot, file);
        snapshot.box_size = *box;
    }
    use_positions_only(snapshot);
    if (snapshot.box_size > 0 &&
        2 * outside(snapshot, snapshot.box_size).particles > snapshot.particles.size())
        add_note(snapshot, "most particles lie outside the box, as isolated ones about the origin "
                           "do: --box 0 takes them as isolated");
}

/// Returns the view for all pictures: center, width and colours from the first snapshot; the colour
/// scale also spans the last file.
RenderOptions common_view(const Picture& picture, const std::optional<double>& box,
                          const Snapshot& first)
{
    const RenderOptions view = complete_view(first, picture.view);
    if (picture.files.size() == 1 || (picture.view.min && picture.view.max))
        return view;
    Snapshot last = read_particles(picture.files.back(), Masses::may_lack);
    prepare(last, picture.files.back(), picture, box);
    return widen_colours(view, picture.view, last);
}

/// Throws if a movie has one picture or could not be written.
void require_movie(const Picture& picture, std::size_t count)
{
    if (std::filesystem::path(picture.movie).extension() != ".mp4")
        throw Error(Fault::usage, "--movie: " + picture.movie + ": must end in .mp4");
    require_writable("render", {picture.movie, picture.output.overwrite, "--movie"});
    if (count < 2)
        throw Error(Fault::usage,
                    "--movie: " + picture.movie + ": takes several snapshots, or --orbit N");
}

} // namespace

int render(const std::vector<std::string>& arguments)
{
    Picture picture;
    Options options("render", "Makes pictures of the projected surface density of snapshots, "
                              "smoothed over the local distance between particles.");
    add_picture(options, picture);
    options.common({"size", "fov", "center", "follow", "inclination", "azimuth", "types",
                    "quantity", "components", "min", "max", "colour-map", "output", "movie",
                    "overwrite"});
    options.expect_units();
    if (!options.parse(arguments))
        return 0;
    if (picture.size) {
        refuse_idle(options, {{true, "width height", "contradicts --size; give one"}});
        picture.view.width = picture.view.height = *picture.size;
    }
    if (picture.view.no_labels)
        refuse_idle(options, {{true, "no-colour-bar", "contradicts --no-labels, which does it"},
                              {true, "axes", "contradicts --no-labels"}});
    refuse_idle(options, {{picture.view.follow.has_value(), "center", "contradicts --follow"},
                          {picture.movie.empty(), "rate", "needs --movie"}});
    require_png(picture.output.file);
    picture.data = {picture.data.file, picture.output.overwrite, "--data"};
    record_snapshots(picture.files);
    record_input(picture.ids);
    record_input(picture.view.path);
    if (!picture.data.file.empty())
        require_data_file(picture);

    const std::size_t turns =
        picture.files.size() == 1 ? std::size_t(picture.view.orbit.value_or(1)) : 1;
    const std::size_t count = picture.files.size() * turns;
    if (!picture.movie.empty())
        require_movie(picture, count);
    std::vector<Output> outputs;
    for (std::size_t k = 0; k < count; ++k) {
        outputs.push_back(picture.output);
        if (count > 1 && !picture.output.file.empty())
            outputs.back().file = numbered(picture.output.file, k);
        require_writable("render", outputs.back());
    }
    const double azimuth = picture.view.azimuth;
    std::optional<Snapshot> snapshot;
    std::optional<double> asked_box;
    for (std::size_t k = 0; k < count; ++k) {
        const std::string& file = picture.files[k / turns];
        if (k % turns == 0)
            snapshot = read_particles(file, Masses::may_lack);
        if (k == 0) {
            options.set_units(unit_frame_of(*snapshot));
            asked_box = picture.view.box;
        }
        if (k % turns == 0)
            prepare(*snapshot, file, picture, asked_box);
        if (count > 1 && k == 0)
            picture.view = common_view(picture, asked_box, *snapshot);
        if (picture.view.orbit)
            picture.view.azimuth = azimuth + 360.0 * double(k) / *picture.view.orbit;
        Image image = render_snapshot(*snapshot, picture.view);
        image.texts.push_back({"Command", options.command_line()});
        require_still_writable(outputs[k]);
        write_png(image, outputs[k].file);
        if (!picture.data.file.empty()) {
            require_still_writable(picture.data);
            write_npy(surface_density(*snapshot, picture.view), picture.data.file);
        }
        if (options.verbosity() != Verbosity::quiet)
            std::printf("wrote %s: %s\n", outputs[k].file.c_str(), told(image).c_str());
        if (k % turns == 0)
            print_notes(options, *snapshot);
    }
    if (!picture.movie.empty())
        make_movie({picture.movie, picture.output.file, count, picture.rate}, options.verbosity());
    return 0;
}

} // namespace chamomile::app
