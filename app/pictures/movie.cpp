#include "app/pictures/movie.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"
#include "chamomile/core/text/table.hpp"

namespace chamomile::app {
namespace {

/// Returns ffmpeg's command line. Rounds width and height to even numbers, as the format requires.
std::vector<std::string> line_of(const Movie& movie)
{
    const std::filesystem::path image = movie.image;
    std::string pattern;
    for (const char c : (image.parent_path() / image.stem()).string())
        pattern.append(c == '%' ? 2 : 1, c);
    pattern += "_%03d" + image.extension().string();
    return {"ffmpeg",
            "-nostdin",
            "-loglevel",
            "error",
            "-y",
            "-framerate",
            number_text(movie.rate),
            "-i",
            pattern,
            "-frames:v", // excludes pictures from an earlier call
            std::to_string(movie.count),
            "-vf",
            "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p",
            "-c:v",
            "libx264",
            "-crf",
            "18",
            "-movflags",
            "+faststart",
            movie.file};
}

} // namespace

std::string numbered(const std::string& image, std::size_t k)
{
    std::filesystem::path path = image;
    const std::string name =
        path.stem().string() + formatted("_%03zu", k) + path.extension().string();
    return path.replace_filename(name).string();
}

void make_movie(const Movie& movie, Verbosity verbosity)
{
    const std::vector<std::string> line = line_of(movie);
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
        throw Error(Fault::output, movie.file + ": ffmpeg: " + std::strerror(error));
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (status != 0)
        throw Error(Fault::output, movie.file + ": ffmpeg could not make it; its line: " + shown);
    if (verbosity != Verbosity::quiet)
        std::printf("wrote %s\n", movie.file.c_str());
}

} // namespace chamomile::app
