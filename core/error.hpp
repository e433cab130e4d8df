/// \file  The exceptions of the library: one clear line and a kind of fault.
#pragma once

#include <stdexcept>
#include <string>

#include "chamomile/core/text/spelling.hpp"

namespace chamomile {

/// The kind of an error. Its value is the program's exit status.
enum class Fault { usage = 2, input = 3, output = 4, device = 5, numeric = 6, restart = 7 };

/// An error in one line: `<file or option>: <field>: <value>: <what is allowed>`.
class Error : public std::runtime_error {
public:
    Error(Fault fault, const std::string& line)
        : std::runtime_error(spelled(line)), fault_(fault), line_(line)
    {}
    Fault fault() const { return fault_; }
    /// Returns the line with marks for options and items, which spelled() replaces; what() has
    /// replaced them with the default Spelling.
    const char* line() const { return line_.what(); }

private:
    Fault fault_;
    std::runtime_error line_; // unlike std::string, copies without exceptions
};

/// Returns the line of an Error with its marks; what() for other exceptions.
inline const char* line_of(const std::exception& failure)
{
    const auto* const error = dynamic_cast<const Error*>(&failure);
    return error ? error->line() : failure.what();
}

/// An allocation on a device failed. The device still works, hence a smaller problem may succeed.
class OutOfDeviceMemory : public Error {
public:
    explicit OutOfDeviceMemory(const std::string& line) : Error(Fault::device, line) {}
};

} // namespace chamomile
