/// \file  Pictures in memory and PNG files.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace chamomile {

using Colour = std::array<std::uint8_t, 3>; ///< red, green, blue in sRGB

/// An Image has width x height pixels, rows from top to bottom, initially black.
class Image {
public:
    Image(int width, int height)
        : width_(width), height_(height), pixels_(std::size_t(width) * std::size_t(height))
    {}
    int width() const { return width_; }
    int height() const { return height_; }
    Colour& at(int x, int y)
    {
        return pixels_[std::size_t(y) * std::size_t(width_) + std::size_t(x)];
    }
    const Colour& at(int x, int y) const
    {
        return pixels_[std::size_t(y) * std::size_t(width_) + std::size_t(x)];
    }

    /// Keys and values of the PNG text chunks.
    std::vector<std::pair<std::string, std::string>> texts;

private:
    int width_, height_;
    std::vector<Colour> pixels_;
};

/// Writes an 8-bit RGB PNG with the texts. The file appears only when complete, and replaces an
/// older one. Throws Error(output) on failure, and then leaves no file behind.
void write_png(const Image& image, const std::filesystem::path& path);

} // namespace chamomile
