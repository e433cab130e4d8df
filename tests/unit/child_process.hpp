/// \file  Runs work in a forked test process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace chamomile::tests {

/// Forks this process, calls `work` in the child, and returns the child's status. Kills a child
/// that hangs.
template <class Work>
int status_of_child(Work work)
{
    const pid_t child = fork();
    if (child == 0) {
        alarm(60);
        _exit(work());
    }
    int status = -1;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

} // namespace chamomile::tests
