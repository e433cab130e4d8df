/// \file  Declares the subcommands; app/NAME.cpp defines NAME.
#pragma once

#include <string>
#include <vector>

namespace chamomile::app {

/// Each takes the arguments after its name and returns the exit status. Failures throw Error.
int accuracy(const std::vector<std::string>& arguments);
int bench(const std::vector<std::string>& arguments);
int bound(const std::vector<std::string>& arguments);
int cite(const std::vector<std::string>& arguments);
int completion(const std::vector<std::string>& arguments);
int convert(const std::vector<std::string>& arguments);
int devices(const std::vector<std::string>& arguments);
int doctor(const std::vector<std::string>& arguments);
int force(const std::vector<std::string>& arguments);
int halos(const std::vector<std::string>& arguments);
int info(const std::vector<std::string>& arguments);
int join(const std::vector<std::string>& arguments);
int manual(const std::vector<std::string>& arguments);
int model(const std::vector<std::string>& arguments);
int orbit(const std::vector<std::string>& arguments);
int pairs(const std::vector<std::string>& arguments);
int plot(const std::vector<std::string>& arguments);
int power(const std::vector<std::string>& arguments);
int profile(const std::vector<std::string>& arguments);
int render(const std::vector<std::string>& arguments);
int run(const std::vector<std::string>& arguments);
int view(const std::vector<std::string>& arguments);

} // namespace chamomile::app
