/// \file  The table of subcommands, in the order of `chamomile --help`.
#include "app/command.hpp"

namespace chamomile::app {

std::span<const Command> commands()
{
    static constexpr Command table[] = {
        {"model", "writes initial conditions: spheres, galaxies, encounters", model},
        {"run", "evolves particles; writes snapshots, energies, pictures", run},
        {"render", "makes pictures of snapshots", render},
        {"info", "tells what is in a snapshot", info},
        {"convert", "rewrites a snapshot in another format", convert},
    };
    return table;
}

} // namespace chamomile::app
