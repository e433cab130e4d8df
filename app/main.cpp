/// \file  The program: finds the subcommand, turns what it throws into one line and an exit status.
#include <cstdio>
#include <cstring>
#include <exception>

#include "app/command.hpp"
#include "core/error.hpp"
#include "version.hpp"

namespace chamomile::app {

std::span<const Command> commands()
{
    return {};
}

} // namespace chamomile::app

int main(int argc, char** argv)
{
    using namespace chamomile;
    if (argc > 1 && std::strcmp(argv[1], "--version") == 0) {
        std::printf("chamomile %s\n", version);
        return 0;
    }
    std::fprintf(stderr, "usage: chamomile COMMAND [OPTION ...]\n");
    return int(Fault::usage);
}
