/// \file  Writing and reading checkpoint files.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/io/checkpoint/layout.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/pending_file.hpp"

namespace chamomile {

/// Writes the state that `exchange` passes to the archive. The file is synced to disk and read back
/// before it gets its name. Returns the file size in bytes. Throws Error(output).
std::uint64_t write_checkpoint(const std::filesystem::path& file,
                               const std::function<void(Archive&)>& exchange);

/// CheckSums selects the check sums to verify when opening a checkpoint: all, or only those of the
/// block heads.
enum class CheckSums { all, heads };

/// A CheckpointReader is an archive that restores the content of a checkpoint.
class CheckpointReader final : public Archive {
public:
    /// Opens the file and verifies check sums. CheckSums::all reads the whole file,
    /// CheckSums::heads only the block heads. Throws Error(restart) for invalid content,
    /// Error(input) if reading fails.
    explicit CheckpointReader(const std::filesystem::path& file,
                              CheckSums compared = CheckSums::all);

    bool is_reading() const override { return true; }
    bool has(const std::string& name) const override { return blocks_.contains(name); }
    const std::filesystem::path& path() const { return file_.path(); }
    std::int64_t bytes() const { return file_.size(); }
    /// Returns whether both checkpoints hold the same content under `name`.
    bool agrees(const CheckpointReader& other, const std::string& name) const;

private:
    struct Block {
        std::int64_t offset;
        std::uint64_t bytes;
        Format format;
        std::uint32_t sum;
        std::uint64_t given = 0;     ///< bytes restored in parts, in order
        std::uint32_t given_sum = 0; ///< CRC-32 of these bytes
    };

    Error bad(const std::string& field, const std::string& value, const std::string& allowed) const;
    void read_header() const;
    /// Records the block at `offset` and returns the offset of the next block.
    std::int64_t read_block(std::int64_t offset, CheckSums compared);
    Block& find(const std::string& name, Format format);
    void require_sum(const std::string& name, const Block& block, std::uint32_t sum) const;
    std::uint64_t size(const std::string& name, Format format) override;
    void exchange(const std::string& name, Format format, std::span<std::byte> bytes) override;
    void give_part(const std::string& name, Format format, std::uint64_t begin,
                   std::span<std::byte> bytes) override;

    InputFile file_;
    std::map<std::string, Block> blocks_;
};

} // namespace chamomile
