/// \file  Faults as Python's exceptions, and guards against calls from other threads or processes.
#pragma once

#include <atomic>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>

#include <nanobind/nanobind.h>

#include "chamomile/core/interruption.hpp"

namespace chamomile::python {

namespace nb = nanobind;

/// A StateError is a call that the state of the object or process forbids: chamomile.StateError.
struct StateError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Turns Error and StateError into the classes of chamomile.errors.
void translate_faults();

/// A RaisedAs is an exception as Python sees it: the name of its class and its line.
struct RaisedAs {
    std::string kind, line;
};

/// Tells as what an exception is raised.
RaisedAs raised_as(const std::exception_ptr& thrown);

/// Throws an exception that is raised so: of chamomile.errors or of Python's own.
[[noreturn]] void raise_as(const RaisedAs& raised);

/// Issues a RuntimeWarning in Python, which may be an exception there.
void warn_in_python(const std::string& line);

/// Keeps Ctrl-C for the next look_at_signals(), where an exception would leave messages under way.
/// Returns whether it is the first since the last of these.
bool remember_interrupt();

/// Has Python's handlers see the signals that have come. Throws what they raise, such as
/// KeyboardInterrupt.
void look_at_signals();

/// While a Released lives, other Python threads run, and Ctrl-C ends long loops. Of several
/// processes none ends alone.
class Released {
public:
    explicit Released(bool has_processes = false)
    {
        if (!has_processes)
            interruption_.emplace(look_at_signals);
    }

private:
    nb::gil_scoped_release released_;
    std::optional<Interruption> interruption_;
};

/// Throws StateError in a process that was forked after another call of this function: the host
/// threads of the parent do not exist there, and waiting for them would never end.
void require_own_threads();

/// A Turn allows one call at a time on one object. It throws StateError while another thread is
/// within a call, and calls require_own_threads().
class ExclusiveCall {
public:
    class Flag {
        std::atomic<bool> taken_ = false;
        friend class ExclusiveCall;
    };

    /// Begins a call on an object named `what`, such as "Solver".
    ExclusiveCall(Flag& flag, const char* what);
    ExclusiveCall(const ExclusiveCall&) = delete;
    ~ExclusiveCall();

private:
    Flag& flag_;
};

} // namespace chamomile::python
