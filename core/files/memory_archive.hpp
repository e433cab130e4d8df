/// \file  An archive in memory, to which a run can go back.
#pragma once

#include <algorithm>
#include <map>

#include "chamomile/core/files/archive.hpp"

namespace chamomile {

/// A MemoryArchive keeps values in memory, and gives them back after rewind().
class MemoryArchive final : public Archive {
public:
    bool is_reading() const override { return is_reading_; }
    void rewind() { is_reading_ = true; }

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
