/// \file  Lists of particle ids in text files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "chamomile/core/particles.hpp"

namespace chamomile {

/// Reads whole numbers separated by blanks, commas or line ends; '#' begins a comment. Returns them
/// ascending, each once. Throws Error(input) for other words and a file without ids.
std::vector<std::uint64_t> read_ids(const std::filesystem::path& file);

/// Returns the places of the particles with the ids in the file, ascending. Throws Error(input) for
/// an id that no particle has, and like read_ids().
std::vector<Index> places_of_ids(const Particles& particles, const std::filesystem::path& file);

/// Returns one id per line.
std::string ids_text(std::span<const std::uint64_t> ids);

} // namespace chamomile
