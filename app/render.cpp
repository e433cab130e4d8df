/// \file  `chamomile render`: pictures of snapshots.
#include "chamomile/io/pictures/render.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/command.hpp"
#include "app/command_files.hpp"
#include "app/options/option_uses.hpp"
#include "app/options/options.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/io/pictures/array_file.hpp"
#include "chamomile/io/pictures/picture_settings.hpp"
#include "chamomile/io/unit_conversion.hpp"
#include "chamomile/run/texts/particle_notes.hpp"

namespace chamomile::app {
namespace {

/// A Picture holds the options of the command.
struct Picture {
    std::vector<std::string> files;
    Output output, data;
    RenderOptions view;
    std::optional<int> size;
    std::string movie;
    double rate = 16;
};

void add_picture(Options& options, Picture& picture)
{
    options.positional("FILE", picture.files,
                       "snapshots; several make one picture each, with the view of the first");
    options.group("View");
    options.number("size", picture.size, between(16, 16384), "pixels of a square picture");
    for (const auto& row : picture_settings())
        options.option(row, picture.view);
    options.group("Output");
    options.text("output,o", "IMAGE.png", picture.output.file,
                 "the picture; of several files IMAGE_000.png and so on");
    options.text("data", "FILE.npy", picture.data.file,
                 "also the surface density itself, rows from top to bottom, for numpy");
    options.text("movie", "MOVIE.mp4", picture.movie,
                 "also a movie of the pictures, by the program ffmpeg; where there is none its "
                 "line is told");
    options.number("rate", picture.rate, between(1, 120), "pictures per second of the movie");
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

/// Returns IMAGE_007.png for the seventh of several files after the first.
std::string numbered(const std::string& file, std::size_t k)
{
    std::filesystem::path path = file;
    const std::string name =
        path.stem().string() + formatted("_%03zu", k) + path.extension().string();
    return path.replace_filename(name).string();
}

/// Returns the quantity of a picture with the ends of its colours.
std::string told(const Image& image)
{
    std::map<std::string, std::string> texts(image.texts.begin(), image.texts.end());
    return texts["Quantity"] + " from " + texts["Least"] + " to " + texts["Most"] + " [" +
           texts["Unit"] + "]";
}

/// Refuses a movie of one picture, or one that could not be written.
void require_movie(const Picture& picture, std::size_t count)
{
    if (std::filesystem::path(picture.movie).extension() != ".mp4")
        throw Error(Fault::usage, "--movie: " + picture.movie + ": must end in .mp4");
    if (count < 2)
        throw Error(Fault::usage,
                    "--movie: " + picture.movie + ": takes several snapshots, or --orbit N");
    require_writable("render", {picture.movie, picture.output.overwrite, "--movie"});
}

/// Returns the line that makes the movie; its sides become even, as its format needs.
std::vector<std::string> movie_line(const Picture& picture)
{
    const std::filesystem::path image = picture.output.file;
    std::filesystem::path pattern = image;
    pattern.replace_filename(image.stem().string() + "_%03d" + image.extension().string());
    return {"ffmpeg",
            "-nostdin",
            "-loglevel",
            "error",
            "-y",
            "-framerate",
            shortest(picture.rate),
            "-i",
            pattern.string(),
            "-vf",
            "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p",
            "-c:v",
            "libx264",
            "-crf",
            "18",
            "-movflags",
            "+faststart",
            picture.movie};
}

/// Runs ffmpeg, or tells its line where there is none. Throws Error(output) if it fails.
void make_movie(const Picture& picture, const Options& options)
{
    const std::vector<std::string> line = movie_line(picture);
    std::vector<char*> words;
    std::string shown;
    for (const std::string& word : line) {
        words.push_back(const_cast<char*>(word.c_str()));
        const bool is_plain = word.find_first_of(" *()'\"$&;") == std::string::npos;
        shown += (shown.empty() ? "" : " ") + (is_plain ? word : "'" + word + "'");
    }
    words.push_back(nullptr);
    pid_t child = 0;
    if (const int error = ::posix_spawnp(&child, "ffmpeg", nullptr, nullptr, words.data(), environ);
        error == ENOENT) {
        std::printf("no ffmpeg here; it makes the movie by: %s\n", shown.c_str());
        return;
    } else if (error != 0)
        throw Error(Fault::output, picture.movie + ": ffmpeg: " + std::strerror(error));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0)
        throw Error(Fault::output,
                    picture.movie + ": ffmpeg could not make it; its line: " + shown);
    if (options.verbosity() != Verbosity::quiet)
        std::printf("wrote %s\n", picture.movie.c_str());
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
        refuse_idle(options, {{true, "no-colour-bar", "contradicts --no-labels, which does it"}});
    refuse_idle(options, {{picture.view.follow.has_value(), "center", "contradicts --follow"},
                          {picture.movie.empty(), "rate", "needs --movie"}});
    require_png(picture.output.file);
    picture.data = {picture.data.file, picture.output.overwrite, "--data"};
    for (const std::string& file : picture.files)
        note_input(file);
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
    for (const std::string& file : picture.files)
        note_snapshot(file); // all of them, before anything is written
    const double azimuth = picture.view.azimuth;
    std::optional<Snapshot> snapshot;
    for (std::size_t k = 0; k < count; ++k) {
        if (k % turns == 0)
            snapshot = read_particles(picture.files[k / turns]);
        if (k == 0)
            options.take_units(unit_frame_of(*snapshot));
        if (count > 1 && k == 0)
            picture.view = complete_view(*snapshot, picture.view);
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
        make_movie(picture, options);
    return 0;
}

} // namespace chamomile::app
