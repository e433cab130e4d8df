/// \file  Runs one snapshot reader as a fuzz target.
#pragma once

#include <cmath>

#include "chamomile/io/formats.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/multi_file.hpp"
#include "chamomile/io/particle_check.hpp"
#include "tests/fuzz/input.hpp"

namespace chamomile::tests {

/// Checks properties of every snapshot read from `bytes` bytes by any reader.
inline void require_whole(const Snapshot& snapshot, std::size_t bytes)
{
    const Particles& p = snapshot.particles;
    if (p.size() > bytes || p.position.size() != p.size() || p.id.size() != p.size())
        std::abort(); // at least one byte per particle
    for (const auto& x : p.position)
        if (!std::isfinite(x.x + x.y + x.z))
            std::abort();
}

/// Returns the snapshot with all rows loaded from its file.
inline Snapshot brought(Snapshot snapshot)
{
    load_deferred(snapshot);
    return snapshot;
}

/// Writes the bytes to a file and calls `read` with its path.
template <class Read>
int read_with(const Read& read, const std::uint8_t* data, std::size_t size)
{
    static InputOfFuzzer input;
    expect_no_more_than_errors([&] {
        const std::string& path = input.path_of(data, size);
        const Snapshot snapshot = read(path);
        check_particles(snapshot.particles, path);
        require_whole(snapshot, size);
    });
    return 0;
}

} // namespace chamomile::tests
