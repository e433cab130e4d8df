/// \file  An archive in memory, to which a run can go back.
#pragma once

#include <algorithm>
#include <map>

#include "chamomile/core/files/archive.hpp"

namespace chamomile {

/// A MemoryArchive keeps values in memory, and gives them back after rewind().
class MemoryArchive final : public Archive {
public:
    MemoryArchive() = default;
    /// Makes an archive that gives back what another one of this version had, as bytes().
    explicit MemoryArchive(std::span<const std::byte> bytes) : is_reading_(true)
    {
        const auto take = [&bytes](void* into, std::size_t size) {
            std::copy_n(bytes.begin(), size, static_cast<std::byte*>(into));
            bytes = bytes.subspan(size);
        };
        while (!bytes.empty()) {
            std::size_t size = 0;
            take(&size, sizeof size);
            std::string name(size, ' ');
            take(name.data(), size);
            Block& block = blocks_[name];
            take(&block.format, sizeof block.format);
            take(&size, sizeof size);
            block.bytes.resize(size);
            take(block.bytes.data(), size);
        }
    }

    bool is_reading() const override { return is_reading_; }
    void rewind() { is_reading_ = true; }
    std::vector<std::byte> bytes() const
    {
        std::vector<std::byte> bytes;
        const auto put = [&bytes](const void* from, std::size_t size) {
            const auto* begin = static_cast<const std::byte*>(from);
            bytes.insert(bytes.end(), begin, begin + size);
        };
        for (const auto& [name, block] : blocks_) {
            const std::size_t sizes[] = {name.size(), block.bytes.size()};
            put(&sizes[0], sizeof sizes[0]);
            put(name.data(), sizes[0]);
            put(&block.format, sizeof block.format);
            put(&sizes[1], sizeof sizes[1]);
            put(block.bytes.data(), sizes[1]);
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
