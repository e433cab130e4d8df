/// \file  The processes of an mpi4py communicator, as ranks.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include <nanobind/nanobind.h>

#include "chamomile/force/settings.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/parallel/communicator.hpp"

namespace chamomile::python {

namespace nb = nanobind;

/// Processes are the members of a communicator. All of them make the same calls on a shared object.
/// Each call begins with a collective exchange (meet), without timeout.
class Processes {
public:
    /// `carrier` is a chamomile._processes.Carrier. Throws Error(usage) for an invalid timeout.
    Processes(nb::object carrier, double peer_timeout, bool share_gpu);

    Communicator& ranks() { return *ranks_; }
    /// Returns the number of threads for this process on its host.
    int threads() const { return threads_of_process(ranks_->ranks_on_host()); }
    /// Configures the options for a solver over all processes. Throws Error(usage).
    void join(SolverOptions& options) const;

    /// Names the call of this process, which meet() compares between processes. has_met() is false
    /// until then.
    void begin(const std::string& call);
    bool has_met() const { return has_met_; }
    /// Returns whether the processes were in different calls at the last exchange.
    bool have_differed() const { return have_differed_; }

    /// Runs `work` on this process only and exchanges its result with all processes. If any process
    /// throws, all throw an exception of its class. Throws UsageError if calls or results differ
    /// between processes.
    void meet(const std::function<std::string()>& work);
    /// Like meet(), with an exception of class `kind` instead of a result.
    void refuse(const std::string& kind, const std::string& line);

    /// Runs collective work with this process's share of the threads. Any exception other than
    /// Error makes later calls of all processes fail.
    template <class Work>
    auto run_and_agree(const Work& work) -> decltype(work())
    {
        const ThreadsInUse in_use(threads());
        try {
            return work();
        } catch (const Error&) { // raised on all processes
            throw;
        } catch (...) {
            const Error error = error_of(std::current_exception());
            ranks_->fail(error);
            throw of_rank(ranks_->rank(), ranks_->size(), error);
        }
    }

private:
    void meet(const std::string& kind, const std::string& line, const std::string& alike);

    std::unique_ptr<Communicator> ranks_;
    double peer_timeout_;
    bool share_gpu_;
    std::string call_;
    bool has_met_ = true, have_differed_ = false;
};

} // namespace chamomile::python
