/// \file  An archive in memory, for returning to an earlier state of a run.
#pragma once

#include <algorithm>
#include <map>

#include "chamomile/core/bytes.hpp"
#include "chamomile/core/files/archive.hpp"

namespace chamomile {

/// Saves values in memory, and restores them after rewind().
class MemoryArchive final : public Archive {
public:
    MemoryArchive() = default;
    /// Makes a reading archive from bytes().
    explicit MemoryArchive(std::span<const std::byte> bytes) : is_reading_(true)
    {
        for (std::string name; !bytes.empty();) {
            read_sized(bytes, name);
            read_bytes(bytes, &blocks_[name].format);
            read_sized(bytes, blocks_[name].bytes);
        }
    }

    bool is_reading() const override { return is_reading_; }
    void rewind() { is_reading_ = true; }
    std::vector<std::byte> bytes() const
    {
        std::vector<std::byte> bytes;
        for (const auto& [name, block] : blocks_) {
            put_sized(bytes, name);
            put_bytes(bytes, &block.format);
            put_sized(bytes, block.bytes);
        }
        return bytes;
    }

private:
    struct Block {
        Format format;
        std::vector<std::byte> bytes;
    };

    std::uint64_t size(const std::string& name, Format format) override
    {
        return block(name, format).bytes.size() / format.width;
    }

    void exchange(const std::string& name, Format format, std::span<std::byte> bytes) override
    {
        if (!is_reading_) {
            blocks_[name] = {format, {bytes.begin(), bytes.end()}};
            return;
        }
        const std::vector<std::byte>& kept = block(name, format).bytes;
        std::copy(kept.begin(), kept.end(), bytes.begin());
    }

    const Block& block(const std::string& name, Format format) const
    {
        const auto found = blocks_.find(name);
        if (found == blocks_.end() || found->second.format != format)
            throw Error(Fault::restart, name + ": was not kept, or as another type");
        return found->second;
    }

    bool is_reading_ = false;
    std::map<std::string, Block> blocks_;
};

} // namespace chamomile
