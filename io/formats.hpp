/// \file  The readers and writers behind read_snapshot() and write_snapshot().
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

class InputFile;
class PendingFile;

// read_hdf5() and read_gadget2() leave the moving columns in the file (Snapshot::deferred).
// They refuse more than `max` particles before they allocate arrays.
Snapshot read_hdf5(const std::filesystem::path& path, std::int64_t max);
Snapshot read_gadget2(const std::filesystem::path& path, std::int64_t max);
/// Open only the moving columns. Throw Error(input) for other formats.
std::shared_ptr<FileRows> open_rows(const std::filesystem::path& path);
std::shared_ptr<FileRows> open_hdf5_rows(const std::filesystem::path& path);
std::shared_ptr<FileRows> open_gadget2_rows(const std::filesystem::path& path);
Snapshot read_nemo(const InputFile& file);
Snapshot read_tipsy(const InputFile& file);
Snapshot read_text(const InputFile& file);

/// Sets ids to 1 to N for a file without ids, and adds a note that names `missing`.
void number_particles(Snapshot& snapshot, const std::string& missing);

// Return all files of a snapshot, given one piece. The number of pieces comes from its header.
std::vector<std::filesystem::path> hdf5_pieces(const std::filesystem::path& path);
std::vector<std::filesystem::path> gadget2_pieces(const std::filesystem::path& path);

/// Writes and commits one file, or `pieces` files and their master. Reads the moving columns from
/// `rows` in blocks.
void write_hdf5(const Snapshot& snapshot, ParticleReader& rows, const std::filesystem::path& path,
                int pieces);
void write_gadget2(const Snapshot& snapshot, PendingFile& file);
void write_tipsy(const Snapshot& snapshot, PendingFile& file);
void write_text(const Snapshot& snapshot, PendingFile& file);

// Return one phrase for each property of the snapshot that the format cannot hold.
std::vector<std::string> left_out_of_hdf5(const Snapshot& snapshot);
std::vector<std::string> left_out_of_gadget2(const Snapshot& snapshot);
std::vector<std::string> left_out_of_tipsy(const Snapshot& snapshot);
std::vector<std::string> left_out_of_text(const Snapshot& snapshot);

} // namespace chamomile
