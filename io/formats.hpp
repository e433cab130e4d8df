/// \file  The readers and writers behind read_snapshot() and write_snapshot().
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "chamomile/io/snapshot.hpp"

namespace chamomile {

class InputFile;
class PendingFile;

// These two leave what moves in the file.
Snapshot read_hdf5(const std::filesystem::path& path);
Snapshot read_gadget2(const std::filesystem::path& path);
Snapshot read_nemo(const InputFile& file);
Snapshot read_tipsy(const InputFile& file);
Snapshot read_text(const InputFile& file);

/// Gives the particles of a file that lacks ids 1 to N, and notes what is `missing`.
void number_particles(Snapshot& snapshot, const std::string& missing);

// These return all files of a snapshot of which one is named, as its header states them.
std::vector<std::filesystem::path> hdf5_pieces(const std::filesystem::path& path);
std::vector<std::filesystem::path> gadget2_pieces(const std::filesystem::path& path);

void write_hdf5(const Snapshot& snapshot, PendingFile& file);
void write_hdf5(const Snapshot& snapshot, ParticleRows& rows, PendingFile& file);
void write_gadget2(const Snapshot& snapshot, PendingFile& file);
void write_tipsy(const Snapshot& snapshot, PendingFile& file);
void write_text(const Snapshot& snapshot, PendingFile& file);

// These return what of the snapshot each format cannot hold.
std::vector<std::string> left_out_of_hdf5(const Snapshot& snapshot);
std::vector<std::string> left_out_of_gadget2(const Snapshot& snapshot);
std::vector<std::string> left_out_of_tipsy(const Snapshot& snapshot);
std::vector<std::string> left_out_of_text(const Snapshot& snapshot);

} // namespace chamomile
