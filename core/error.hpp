/// \file  What the library throws: one clear line, and the kind of fault behind it.
#pragma once

#include <stdexcept>
#include <string>

namespace chamomile {

/// The kind of a fault; the program's exit status is its value.
enum class Fault { usage = 2, input = 3, output = 4, device = 5, numeric = 6, restart = 7 };

/// A fault with its one line: `<file or option>: <field>: <value>: <what is allowed>`.
class Error : public std::runtime_error {
public:
    Error(Fault fault, const std::string& line) : std::runtime_error(line), fault_(fault) {}
    Fault fault() const { return fault_; }

private:
    Fault fault_;
};

/// No room on a device, which goes on to work: less at a time may do.
class OutOfDeviceMemory : public Error {
public:
    explicit OutOfDeviceMemory(const std::string& line) : Error(Fault::device, line) {}
};

} // namespace chamomile
