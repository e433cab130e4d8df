/// \file  External potentials on the command line.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/options/options.hpp"
#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile::app {

/// Returns --potential NAME,PARAMETER=X,...
OptionRow<std::vector<std::string>> potential_row(const std::string& group);

/// Throws Error(usage) for any error in the texts, except in quantities.
void check_potentials(const std::vector<std::string>& texts);

/// Reads the texts in the units of the snapshot, and records their files as inputs. Null without
/// texts. Throws Error(usage) and Error(input), also for periodic and comoving snapshots.
std::shared_ptr<const ExternalField> field_for(const Snapshot& snapshot,
                                               const std::vector<std::string>& texts,
                                               double gravitational_constant);

/// Prints the potentials with units, unless --quiet.
void print_field(const Options& options, const ExternalField& field);

} // namespace chamomile::app
