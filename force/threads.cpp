#include "chamomile/force/threads.hpp"

#include <algorithm>
#include <future>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include <omp.h>
#include <unistd.h>

#include "chamomile/core/error.hpp"

namespace chamomile {

void use_threads(int n)
{
    if (n < 1 || n > max_threads)
        throw Error(Fault::usage, "threads: " + std::to_string(n) + ": must be 1 to " +
                                      std::to_string(max_threads));
    omp_set_num_threads(n);
}

void start_threads()
{
    const int n = thread_count();
    std::promise<void> end;
    const std::shared_future<void> ended = end.get_future();
    std::vector<std::thread> trial; // all at the same time
    std::string fault;
    try {
        for (int k = 1; k < n; ++k)
            trial.emplace_back([ended] { ended.wait(); });
    } catch (const std::system_error& error) {
        fault = error.code().message();
    }
    end.set_value();
    for (std::thread& thread : trial)
        thread.join();
    if (!fault.empty())
        throw Error(Fault::input, std::to_string(n) + " threads: cannot be started: " + fault +
                                      ": use fewer threads ({threads}) or free memory");
#pragma omp parallel
    {} // OpenMP keeps them
}

int thread_count()
{
    return omp_get_max_threads();
}

int threads_of_process(int processes)
{
    const int threads = thread_count();
    const bool is_bound = threads < int(::sysconf(_SC_NPROCESSORS_ONLN));
    return is_bound ? threads : std::max(1, threads / processes);
}

ThreadsInUse::ThreadsInUse(int n) : before_(n > 0 ? thread_count() : 0)
{
    if (n > 0)
        use_threads(n);
}

ThreadsInUse::~ThreadsInUse()
{
    if (before_ > 0)
        use_threads(std::min(before_, max_threads));
}

} // namespace chamomile
