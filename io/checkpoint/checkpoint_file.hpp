/// \file  Writing and reading checkpoint files.
#pragma once

#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/io/checkpoint/layout.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/pending_file.hpp"

namespace chamomile {

/// The parts of a checkpoint: files in its folder, each with the rows of one rank.
struct CheckpointParts {
    std::vector<std::string> names;  ///< of the files
    std::vector<std::uint32_t> sums; ///< CRC-32 of each file's block heads
    std::set<std::string> blocks;    ///< names of the blocks in each part
};

/// Writes the state that `exchange` passes to the archive, except the blocks of the parts. The file
/// is synced to disk and read back before it gets its name. Returns the file size in bytes. Throws
/// Error(output).
std::uint64_t write_checkpoint(const std::filesystem::path& file,
                               const std::function<void(Archive&)>& exchange,
                               const CheckpointParts& parts = {});

/// Writes the parts of a checkpoint, which write_checkpoint() completes. Collective: each rank
/// writes the state that its `exchange`, which must not communicate, passes. Parts get new names,
/// all or none. Returns nothing, without files, if a rank does not see the folder. The result is
/// complete on rank 0 only. Throws CollectiveError(output).
std::optional<CheckpointParts> write_checkpoint_parts(const std::filesystem::path& checkpoint,
                                                      const std::function<void(Archive&)>& exchange,
                                                      Communicator& ranks);

/// CheckSums selects the check sums to verify when opening a checkpoint: all, those of its own file
/// but not of rows in parts, or only those of the block heads.
enum class CheckSums { all, own, heads };

/// A CheckpointReader is an archive that restores the content of a checkpoint and its parts.
class CheckpointReader final : public Archive {
public:
    /// Opens the files and verifies check sums. Throws Error(restart) for invalid content,
    /// Error(input) if reading fails.
    explicit CheckpointReader(const std::filesystem::path& file,
                              CheckSums compared = CheckSums::all);

    bool is_reading() const override { return true; }
    bool has(const std::string& name) const override { return blocks_.contains(name); }
    const std::filesystem::path& path() const { return files_.front().path(); }
    /// Returns the CRC-32 of the block heads, which identifies the content.
    std::uint32_t sum() const { return sum_; }
    /// Returns whether both checkpoints hold the same content under `name`.
    bool agrees(const CheckpointReader& other, const std::string& name) const;

private:
    /// The bytes of a block in one file.
    struct Extent {
        const InputFile* file;
        std::int64_t offset;
        std::uint64_t bytes;
        std::uint32_t sum;
        std::uint64_t given = 0;     ///< bytes restored in order
        std::uint32_t given_sum = 0; ///< CRC-32 of these bytes
    };
    struct Block {
        Format format;
        std::uint64_t bytes;
        std::uint32_t sum;
        std::vector<Extent> extents; ///< one per part
    };
    using Blocks = std::map<std::string, Block>;

    /// Records the blocks of a file. Returns the CRC-32 of their heads.
    std::uint32_t read_file(const InputFile& file, bool compares, Blocks& blocks);
    void read_parts(CheckSums compared);
    /// Records the block at `offset` and returns the offset of the next block.
    std::int64_t read_block(const InputFile& file, std::int64_t offset, bool compares,
                            Blocks& blocks, std::uint32_t& sum);
    Block& find(const std::string& name, Format format);
    std::uint64_t size(const std::string& name, Format format) override;
    void exchange(const std::string& name, Format format, std::span<std::byte> bytes) override;
    void give_part(const std::string& name, Format format, std::uint64_t begin,
                   std::span<std::byte> bytes) override;
    static void read_extent(const std::string& name, Extent& extent, std::uint64_t begin,
                            std::span<std::byte> bytes);

    std::deque<InputFile> files_; ///< the checkpoint and its parts
    Blocks blocks_;
    std::uint32_t sum_ = 0;
};

} // namespace chamomile
