/// \file  Work in a fork of the test's process.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

namespace chamomile::tests {

/// Returns the status of a child that makes a fork of this process do something, which may not
/// hang.
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
