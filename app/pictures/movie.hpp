/// \file  Movies from numbered pictures, made with ffmpeg.
#pragma once

#include <cstddef>
#include <string>

#include "app/options/options.hpp"

namespace chamomile::app {

/// A Movie holds the pictures and settings for ffmpeg.
struct Movie {
    std::string file;
    std::string image;     ///< IMAGE.png means IMAGE_000.png and following
    std::size_t count = 0; ///< pictures
    double rate = 16;      ///< pictures a second
};

/// Returns IMAGE_007.png for the seventh of several files after the first.
std::string numbered(const std::string& image, std::size_t k);

/// Runs ffmpeg, or prints its command line if ffmpeg is missing. Throws Error(output) if it fails.
void make_movie(const Movie& movie, Verbosity verbosity);

} // namespace chamomile::app
