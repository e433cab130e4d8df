/// \file  The processes of a communicator of mpi4py, as ranks.
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

/// Processes are those of a communicator, which all make the same calls of an object that they
/// share. A call begins with a meeting, to which each may come at any time.
class Processes {
public:
    /// The carrier is a chamomile._processes.Carrier. Throws Error(usage) for values that are not
    /// allowed.
    Processes(nb::object carrier, double peer_timeout, bool share_gpu);

    Communicator& ranks() { return *ranks_; }
    /// Returns how many threads of its machine this process has.
    int threads() const { return threads_of_process(ranks_->ranks_on_host()); }
    /// Has a solver of these options be one of all processes. Throws Error(usage).
    void take_part(SolverOptions& options) const;

    /// Says which call this process is in, until it has met the others.
    void begin(const std::string& call);
    bool has_met() const { return has_met_; }
    /// Tells whether at the last meeting some were in another call.
    bool have_differed() const { return have_differed_; }

    /// Does work of this process alone, which returns what must be the same on all, and meets the
    /// others. What work throws on any is thrown on all, as a new exception of its class, and
    /// UsageError where one is in another call or has other arguments.
    void meet(const std::function<std::string()>& work);
    /// Meets the others with an exception of that class instead.
    void refuse(const std::string& kind, const std::string& line);

    /// Returns what work returns that all do together, with this process's part of the threads. An
    /// exception that is no Error ends the processes' calls for good.
    template <class Work>
    auto together(const Work& work) -> decltype(work())
    {
        const ThreadsInUse in_use(threads());
        try {
            return work();
        } catch (const Error&) { // of which all know
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
