/// \file  Errors as Python exceptions, and guards against calls from other threads or processes.
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

/// A StateError is a call not allowed in the present state: chamomile.StateError in Python.
struct StateError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Translates Error and StateError to the classes of chamomile.errors.
void translate_faults();

/// A RaisedAs is an exception in Python's terms: class name and message.
struct RaisedAs {
    std::string kind, line;
};

/// Returns class name and message of the Python exception for `thrown`.
RaisedAs raised_as(const std::exception_ptr& thrown);

/// Throws the exception described by `raised`, from chamomile.errors or builtins.
[[noreturn]] void raise_as(const RaisedAs& raised);

/// Issues a RuntimeWarning in Python. Filters may turn it into an exception.
void warn_in_python(const std::string& line);

/// Defers Ctrl-C to the next look_at_signals(), because an exception now would leave messages in
/// flight. Returns whether this is the first one since the last look_at_signals().
bool remember_interrupt();

/// Runs Python's handlers for pending signals. Throws the exceptions they raise, such as
/// KeyboardInterrupt.
void look_at_signals();

/// A Released lets other Python threads run during its lifetime. Ctrl-C then interrupts long loops,
/// but not with several processes, since none may stop alone.
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

/// Throws StateError in a process that was forked after an earlier call. The host threads of the
/// parent do not exist in it, and waiting for them would never end.
void require_own_threads();

/// An ExclusiveCall allows only one call at a time on an object. Throws StateError if another
/// thread is inside a call, and calls require_own_threads().
class ExclusiveCall {
public:
    class Flag {
        std::atomic<bool> taken_ = false;
        friend class ExclusiveCall;
    };

    /// `what`: object name for messages, such as "Solver".
    ExclusiveCall(Flag& flag, const char* what);
    ExclusiveCall(const ExclusiveCall&) = delete;
    ~ExclusiveCall();

private:
    Flag& flag_;
};

} // namespace chamomile::python
