/// \file  How a command says that a result cannot be trusted.
#pragma once

#include <stdexcept>
#include <string>

namespace chamomile::app {

/// A line on standard error, with --quiet too.
void warn(const std::string& line);

/// The results are there, but less accurate than was asked: ends the program with that line and an
/// exit status of its own.
class Inaccurate : public std::runtime_error {
public:
    static constexpr int status = 8;
    explicit Inaccurate(const std::string& line) : std::runtime_error(line) {}
};

} // namespace chamomile::app
