/// \file  The table of subcommands, in the order of `chamomile --help`.
#include "app/command.hpp"

namespace chamomile::app {

std::span<const Command> commands()
{
    return {};
}

} // namespace chamomile::app
