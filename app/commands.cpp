/// \file  The table of subcommands, in the order of `chamomile --help`.
#include "app/command.hpp"

namespace chamomile::app {

std::span<const Command> commands()
{
    static constexpr Command table[] = {
        {"info", "tells what is in a snapshot", info},
        {"convert", "rewrites a snapshot in another format", convert},
        {"model", "write initial conditions: spheres, galaxies, encounters", model},
        {"render", "make pictures of snapshots", render},
    };
    return table;
}

} // namespace chamomile::app
