/// \file  Rows of files, gathered from their home ranks by the rank that writes them.
#pragma once

#include <array>
#include <vector>

#include "chamomile/core/particle_reader.hpp"
#include "chamomile/core/particles.hpp"
#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/io/rows_by_type.hpp"
#include "chamomile/io/type_order.hpp"

namespace chamomile {

/// HomeRows gives each rank rows of all ranks' particles, in the order of the file. Each request is
/// a round in which every rank may ask for other rows. A rank without requests answers in finish().
/// Rounds need one block of rows, and what other ranks ask of this one.
class HomeRows final : public RowsByType {
public:
    /// Keeps references. `home`: the home rows of this rank with types, without extra columns.
    /// Multiplies velocities by the factor.
    HomeRows(const Particles& home, double velocity_factor, Communicator& ranks);

    std::size_t max() const override { return rows_of_file_block; }
    void finish() override;

private:
    std::span<const std::byte> read_bytes_of(const RowRange& rows) override;
    bool exchange(const RowRange& mine);
    template <class Visit>
    void visit(const RowRange& rows, const Visit& visit) const;
    template <class T>
    static void copy(const std::vector<T>& values, std::span<const Index> places, double factor,
                     std::byte* to);

    const Particles& home_;
    double velocity_factor_;
    Communicator& ranks_;
    TypeOrder types_;                    ///< of the home rows
    std::array<std::uint64_t, 6> first_; ///< rows per type on lower ranks
    Inbox leaving_, arriving_;
};

} // namespace chamomile
