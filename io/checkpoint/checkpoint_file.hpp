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

/// A checkpoint that is whole.
class CheckpointReader final : public Archive {
public:
    /// Reads it through once and compares all check sums. Throws Error(restart) with what is wrong,
    /// Error(input) for what is no readable file.
    explicit CheckpointReader(const std::filesystem::path& file);

    bool is_reading() const override { return true; }
    bool has(const std::string& name) const { return blocks_.contains(name); }
    const std::filesystem::path& path() const { return file_.path(); }
    std::int64_t bytes() const { return file_.size(); }

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
    std::int64_t read_block(std::int64_t offset);
    const Block& find(const std::string& name, Format format) const;
    std::uint64_t size(const std::string& name, Format format) override;
    void exchange(const std::string& name, Format format, std::span<std::byte> bytes) override;

    InputFile file_;
    std::map<std::string, Block> blocks_;
};

} // namespace chamomile
