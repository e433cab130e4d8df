/// \file  Ranks of a command that measures or makes a snapshot.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/options/options.hpp"
#include "chamomile/integrate/ranks/led_particles.hpp"
#include "chamomile/run/structures/analysed.hpp"

namespace chamomile::app {

/// CommandRanks are the processes of a launcher, or threads by --ranks. Without either a command
/// has all particles.
class CommandRanks {
public:
    /// Adds rank_options().
    void add(Options& options);
    /// Chooses the ranks. Throws Error(usage) if options contradict each other. `device`: of the
    /// command, for all ranks.
    void resolve(const Options& options, const std::string& device);

    /// Starts the ranks, to make particles there; null without ranks.
    LedParticles* start();

    /// Calls read_particles(). With ranks, each reads its rows of HDF5 and GADGET-2 files, which
    /// then leave positions and velocities in Snapshot::deferred; else rank 0 reads and scatters
    /// them. Rank 0 keeps no ids. Ranks keep velocities and ids only if `needs_all`.
    Snapshot read(const std::string& file, bool needs_all);

    /// Returns the particles of these types on ranks (empty: all), or null.
    const MatterOnRanks* matter(const std::vector<int>& types)
    {
        if (!led_)
            return nullptr;
        return &matter_.emplace(*led_, types);
    }

private:
    SolverOptions solver_;
    std::shared_ptr<const void> own_;
    std::unique_ptr<LedParticles> led_;
    std::optional<MatterOnRanks> matter_;
};

} // namespace chamomile::app
