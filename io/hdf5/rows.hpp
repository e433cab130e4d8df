/// \file  What moves of particles in an HDF5 snapshot, read when it is asked for.
#pragma once

#include <vector>

#include "chamomile/io/file_rows.hpp"
#include "chamomile/io/hdf5/piece.hpp"

namespace chamomile {

/// Hdf5Rows are the particles of all pieces, one piece after the other, each by type.
class Hdf5Rows final : public FileRows {
public:
    /// The pieces have passed check_data().
    explicit Hdf5Rows(std::vector<Hdf5Piece> pieces) : pieces_(std::move(pieces)) {}

    ~Hdf5Rows() override;

    const std::vector<Hdf5Piece>& pieces() const { return pieces_; }

private:
    void read_numbers(Column value, std::size_t begin, std::span<double> numbers) override;

    /// A Source is a data set of a type in a piece.
    struct Source {
        const Hdf5Piece* piece = nullptr;
        std::size_t type = 0;
        Column value = {};
        bool operator==(const Source&) const = default;
    };
    void read(const Source& source, std::size_t begin, std::span<double> numbers);

    std::vector<Hdf5Piece> pieces_;
    Source source_;   ///< that was read last
    Hdf5Handle data_; ///< open: blocks follow each other
};

} // namespace chamomile
