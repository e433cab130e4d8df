/// \file  Output files that several ranks write and rank 0 commits.
#pragma once

#include <cstddef>
#include <deque>
#include <filesystem>
#include <functional>
#include <vector>

#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/io/pending_file.hpp"

namespace chamomile {

/// Creates files on rank 0, which calls targets(), and opens files [begin, end) on each other rank.
/// Collective. `files` gets the opened files; all on rank 0. Returns false if a rank does not see
/// its files. Throws CollectiveError(output).
bool create_on_ranks(const std::function<std::vector<std::filesystem::path>()>& targets,
                     std::size_t begin, std::size_t end, Communicator& ranks,
                     std::deque<PendingFile>& files);

} // namespace chamomile
