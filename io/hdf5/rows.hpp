/// \file  Moving columns of particles in an HDF5 snapshot, read on demand.
#pragma once

#include <vector>

#include "chamomile/io/file_rows.hpp"
#include "chamomile/io/hdf5/piece.hpp"

namespace chamomile {

/// Hdf5Rows reads the particles of all pieces, type by type, each type in the order of the pieces.
class Hdf5Rows final : public FileRows {
public:
    /// The pieces must have passed check_data().
    explicit Hdf5Rows(std::vector<Hdf5Piece> pieces) : pieces_(std::move(pieces)) {}

    ~Hdf5Rows() override;

    const std::vector<Hdf5Piece>& pieces() const { return pieces_; }

private:
    std::vector<const UnchangedFile*> files() const override;
    void read_numbers(Column value, std::size_t begin, std::span<double> numbers) override;

    /// A Source is the data set of a column for one type in one piece.
    struct Source {
        const Hdf5Piece* piece = nullptr;
        std::size_t type = 0;
        Column value = {};
        bool operator==(const Source&) const = default;
    };
    void read(const Source& source, std::size_t begin, std::span<double> numbers);

    std::vector<Hdf5Piece> pieces_;
    Source source_;   ///< last one read
    Hdf5Handle data_; ///< stays open for the next block of `source_`
};

} // namespace chamomile
