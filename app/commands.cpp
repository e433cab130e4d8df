/// \file  The table of subcommands, in the order of `chamomile --help`.
#include "app/command.hpp"

namespace chamomile::app {

std::span<const Command> commands()
{
    static constexpr Command table[] = {
        {"model", "write initial conditions: spheres, galaxies, encounters", model},
        {"force", "accelerations and potentials of a snapshot's particles", force},
        {"render", "make pictures of snapshots", render},
        {"info", "tells what is in a snapshot", info},
        {"convert", "rewrites a snapshot in another format", convert},
        {"accuracy", "the tree's errors against the direct sum in double precision", accuracy},
        {"bench", "time per phase and pairs per second", bench},
        {"devices", "list what can evaluate forces here", devices},
    };
    return table;
}

} // namespace chamomile::app
