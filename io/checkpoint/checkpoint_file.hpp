/// \file  Archives in files.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>

#include "chamomile/core/archive.hpp"
#include "chamomile/io/checkpoint/layout.hpp"
#include "chamomile/io/input_file.hpp"
#include "chamomile/io/pending_file.hpp"

namespace chamomile {

/// Keeps the state that `exchange` hands over in a checkpoint of that name: complete, read back and
/// on the disk before it takes the name, or not at all. Returns its bytes. Throws Error(output).
std::uint64_t write_checkpoint(const std::filesystem::path& file,
                               const std::function<void(Archive&)>& exchange);

/// What of a checkpoint is compared with its check sums when it is opened.
enum class CheckSums { all, heads };

/// A checkpoint that is whole, or whose heads are.
class CheckpointReader final : public Archive {
public:
    /// Reads it through once and compares all check sums, or looks at the heads of its blocks
    /// alone, which takes no time. Throws Error(restart) with what is wrong, Error(input) for what
    /// is no readable file.
    explicit CheckpointReader(const std::filesystem::path& file,
                              CheckSums compared = CheckSums::all);

    bool is_reading() const override { return true; }
    bool has(const std::string& name) const { return blocks_.contains(name); }
    const std::filesystem::path& path() const { return file_.path(); }
    std::int64_t bytes() const { return file_.size(); }
    /// Whether it and another keep the same under that name.
    bool agrees(const CheckpointReader& other, const std::string& name) const;

private:
    struct Block {
        std::int64_t offset;
        std::uint64_t bytes;
        Format format;
        std::uint32_t sum;
    };

    Error bad(const std::string& field, const std::string& value, const std::string& allowed) const;
    void read_header() const;
    /// Notes the block at the offset and returns where the next one begins.
    std::int64_t read_block(std::int64_t offset, CheckSums compared);
    const Block& find(const std::string& name, Format format) const;
    std::uint64_t size(const std::string& name, Format format) override;
    void exchange(const std::string& name, Format format, std::span<std::byte> bytes) override;

    InputFile file_;
    std::map<std::string, Block> blocks_;
};

} // namespace chamomile
