/// \file  The exchange of particles between ranks by domain, before a tree is built.
#pragma once

#include <span>
#include <vector>

#include "chamomile/core/particles.hpp"
#include "chamomile/core/ranks/communicator.hpp"

namespace chamomile {

/// A Migration sends each particle to the rank of its domain.
struct Migration {
    std::vector<Index> leaving;      ///< rows, ordered by receiving rank
    std::vector<std::size_t> begins; ///< first entry per receiving rank, and the end
    std::vector<Index> arriving;     ///< received particles in tree order
};

/// Divides the particles of all ranks into domains with equal numbers of particles, up to 1/64 of a
/// domain: their work is not known yet. Collective. Throws like common_cube().
Migration first_migration(std::span<const Vec3<double>> position, std::span<const double> mass,
                          Communicator& ranks);

} // namespace chamomile
