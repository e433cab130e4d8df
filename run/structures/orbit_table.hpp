/// \file  Orbits of a snapshot's particles in external potentials, as a table.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chamomile/integrate/external/external_field.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

struct OrbitTableRequest {
    std::optional<double> duration; ///< time; none: ten radial periods
    std::uint64_t rows = 0;         ///< 0: one row for each particle; else of the path, 0 to rows
};

/// A table by columns. Missing values are NaN.
struct OrbitTable {
    std::vector<std::string> headings; ///< with units
    std::vector<std::vector<double>> columns;

    std::string csv() const;
};

/// Follows each particle as a massless body from the snapshot's time. Rows hold place and velocity,
/// potential, acceleration, circular and escape speed there, and the properties of the orbit or,
/// along paths, the time. Throws Error(usage) for a request of rows without duration, and like
/// follow_orbit().
OrbitTable orbit_table(const Snapshot& snapshot, const ExternalField& field,
                       const OrbitTableRequest& request);

} // namespace chamomile
