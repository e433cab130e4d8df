/// \file  Movies of numbered pictures, by the program ffmpeg.
#pragma once

#include <cstddef>
#include <string>

#include "app/options/options.hpp"

namespace chamomile::app {

/// A Movie says of which pictures it is made.
struct Movie {
    std::string file;
    std::string image;     ///< IMAGE.png stands for IMAGE_000.png and so on
    std::size_t count = 0; ///< pictures
    double rate = 16;      ///< pictures a second
};

/// Returns IMAGE_007.png for the seventh of several files after the first.
std::string numbered(const std::string& image, std::size_t k);

/// Runs ffmpeg, or tells its line where there is none. Throws Error(output) if it fails.
void make_movie(const Movie& movie, Verbosity verbosity);

} // namespace chamomile::app
