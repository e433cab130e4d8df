/// \file  Faults as Python's exceptions, and who may call what when.
#pragma once

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

#include <nanobind/nanobind.h>

namespace chamomile::python {

namespace nb = nanobind;

/// A call that the object or process is in no state for: chamomile.StateError.
struct StateError : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// Makes Error and StateError the classes of chamomile.errors.
void translate_faults();

/// Throws StateError in a process that was forked after another call of this function: the host
/// threads of the parent are not there, and waiting for them would never end.
void require_own_threads();

/// One call at a time on one object: throws StateError where another thread is within one, and
/// whatever require_own_threads() does.
class Turn {
public:
    class Flag {
        std::atomic<bool> taken_ = false;
        friend class Turn;
    };

    /// `what` such as "Solver".
    Turn(Flag& flag, const char* what);
    Turn(const Turn&) = delete;
    ~Turn();

private:
    Flag& flag_;
};

} // namespace chamomile::python
