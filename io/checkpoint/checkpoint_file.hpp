/// \file  Checkpoints: archives in files.
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

/// Writes the state that `exchange` hands over to a checkpoint of that name. The file is complete,
/// read back and on the disk before it takes the name, or it does not appear. Returns its size in
/// bytes. Throws Error(output).
std::uint64_t write_checkpoint(const std::filesystem::path& file,
                               const std::function<void(Archive&)>& exchange);

/// CheckSums chooses whether all check sums are compared when a checkpoint is opened, or those of
/// the blocks' heads alone.
enum class CheckSums { all, heads };

/// A CheckpointReader is an archive that gives back what a checkpoint holds.
class CheckpointReader final : public Archive {
public:
    /// Reads the file once and compares all check sums, or those of the blocks' heads alone, which
    /// takes no time. Throws Error(restart) with what is wrong, and Error(input) if the file cannot
    /// be read.
    explicit CheckpointReader(const std::filesystem::path& file,
                              CheckSums compared = CheckSums::all);

    bool is_reading() const override { return true; }
    bool has(const std::string& name) const override { return blocks_.contains(name); }
    const std::filesystem::path& path() const { return file_.path(); }
    std::int64_t bytes() const { return file_.size(); }
    /// Returns whether it and another hold the same under that name.
    bool agrees(const CheckpointReader& other, const std::string& name) const;

private:
    struct Block {
        std::int64_t offset;
        std::uint64_t bytes;
        Format format;
        std::uint32_t sum;
        std::uint64_t given = 0;     ///< bytes that were given in parts, in order
        std::uint32_t given_sum = 0; ///< of these
    };

    Error bad(const std::string& field, const std::string& value, const std::string& allowed) const;
    void read_header() const;
    /// Records the block at the offset and returns where the next one begins.
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
