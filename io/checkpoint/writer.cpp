#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include <zlib.h>

#include "chamomile/core/text/table.hpp"
#include "chamomile/io/checkpoint/checkpoint_file.hpp"
#include "chamomile/io/shared_files.hpp"

namespace chamomile {

using namespace checkpoint_layout;

std::uint32_t checkpoint_layout::check_sum(std::span<const std::byte> bytes, std::uint32_t before)
{
    constexpr std::size_t part = 1 << 18; // bytes per thread and step
    const auto sum_of = [](std::span<const std::byte> some) {
        return crc32_z(0, reinterpret_cast<const unsigned char*>(some.data()), some.size());
    };
    const auto part_of = [bytes, part](std::size_t k) {
        return bytes.subspan(k * part, std::min(part, bytes.size() - k * part));
    };
    std::vector<uLong> sums((bytes.size() + part - 1) / part);
#pragma omp parallel for if (sums.size() > 1) schedule(dynamic)
    for (std::size_t k = 0; k < sums.size(); ++k)
        sums[k] = sum_of(part_of(k));
    uLong sum = before;
    for (std::size_t k = 0; k < sums.size(); ++k)
        sum = crc32_combine(sum, sums[k], z_off_t(part_of(k).size()));
    return std::uint32_t(sum);
}

namespace {

using Exchange = std::function<void(Archive&)>;
using Names = std::set<std::string>;

/// A Writer is an archive that stores values in a checkpoint, except the blocks in parts.
class Writer final : public Archive {
public:
    Writer(PendingFile& file, const Names& in_parts) : file_(file), in_parts_(in_parts)
    {
        Header header{};
        std::memcpy(header.magic, magic, sizeof magic);
        header.major_version = in_parts.empty() ? major_version : major_version_with_parts;
        header.minor_version = minor_version;
        header.byte_order = byte_order;
        header.sum = record_sum(header);
        file_.write_value(header);
        bytes_ = sizeof header;
    }

    bool is_reading() const override { return false; }

    void end()
    {
        std::array<std::uint64_t, 2> totals{names_.size(), bytes_};
        exchange(end_name, {'u', 8}, std::as_writable_bytes(std::span(totals)));
        names_.erase(end_name);
    }

    const Names& names() const { return names_; } ///< of the blocks
    std::uint32_t sum() const { return sum_; }    ///< CRC-32 of their heads

private:
    std::uint64_t size(const std::string&, Format) override { return 0; }

    void exchange(const std::string& name, Format format, std::span<std::byte> bytes) override
    {
        if (in_parts_.contains(name))
            return;
        BlockHead head = head_of(name, format, bytes.size());
        head.content_sum = check_sum(bytes);
        head.sum = record_sum(head);
        file_.write_value(head);
        file_.write(bytes);
        add(head);
    }

    /// Writes a preliminary head, then all parts, then the final head with the check sum.
    void keep_parts(const std::string& name, Format format, std::uint64_t bytes,
                    const NextPart& next) override
    {
        if (in_parts_.contains(name))
            return;
        BlockHead head = head_of(name, format, bytes);
        file_.write_value(head);
        for (std::uint64_t done = 0; done < bytes;) {
            const std::span<const std::byte> part = next();
            head.content_sum = check_sum(part, head.content_sum);
            file_.write(part);
            done += part.size();
        }
        head.sum = record_sum(head);
        file_.rewrite(std::int64_t(bytes_), std::as_bytes(std::span(&head, 1)));
        add(head);
    }

    BlockHead head_of(const std::string& name, Format format, std::uint64_t bytes) const
    {
        BlockHead head{};
        if (name.size() >= sizeof head.name)
            throw bad_output(file_.target(), "name", name, "must be at most 39 characters");
        std::copy(name.begin(), name.end(), head.name);
        head.kind = format.kind;
        head.width = format.width;
        head.bytes = bytes;
        return head;
    }

    void add(const BlockHead& head)
    {
        names_.insert(head.name);
        bytes_ += sizeof(BlockHead) + head.bytes;
        sum_ = record_sum(head, sum_);
    }

    PendingFile& file_;
    const Names& in_parts_;
    Names names_;
    std::uint64_t bytes_ = 0; ///< written so far
    std::uint32_t sum_ = 0;
};

std::uint64_t bytes_of(const Exchange& exchange, const Names& in_parts)
{
    ArchiveSize size(in_parts);
    exchange(size);
    return size.bytes() + sizeof(Header) + (size.blocks() + 1) * sizeof(BlockHead) + 16;
}

/// Returns new names for the parts of a checkpoint: NAME.chk.G.K, with the first G that is free.
std::vector<std::filesystem::path> new_parts(const std::filesystem::path& checkpoint, int count)
{
    Names names;
    const std::filesystem::path folder = checkpoint.parent_path();
    std::error_code absent;
    for (const auto& entry :
         std::filesystem::directory_iterator(folder.empty() ? "." : folder, absent))
        names.insert(entry.path().filename().string());
    std::string start;
    for (int generation = 0; start.empty(); ++generation) {
        start = checkpoint.filename().string() + formatted(".%d.", generation);
        const auto next = names.lower_bound(start);
        if (next != names.end() && next->starts_with(start))
            start.clear();
    }
    std::vector<std::filesystem::path> parts;
    for (int k = 0; k < count; ++k)
        parts.push_back(folder / (start + std::to_string(k)));
    return parts;
}

} // namespace

std::uint64_t write_checkpoint(const std::filesystem::path& path, const Exchange& exchange,
                               const CheckpointParts& parts)
{
    const Exchange whole = [&](Archive& archive) {
        if (CheckpointParts named = parts; !named.names.empty()) {
            archive(part_names, named.names);
            archive(part_sums, named.sums);
        }
        exchange(archive);
    };
    const std::uint64_t bytes = bytes_of(whole, parts.blocks);
    PendingFile file(path);
    file.require_space(std::int64_t(bytes));
    Writer writer(file, parts.blocks);
    whole(writer);
    writer.end();
    file.commit(
        [&](const std::filesystem::path& written) { CheckpointReader(written, CheckSums::own); });
    return bytes;
}

std::optional<CheckpointParts> write_checkpoint_parts(const std::filesystem::path& checkpoint,
                                                      const Exchange& exchange, Communicator& ranks)
{
    const int rank = ranks.rank();
    std::deque<PendingFile> files; // all parts on rank 0, else the own
    if (!create_on_ranks([&] { return new_parts(checkpoint, ranks.size()); }, std::size_t(rank),
                         std::size_t(rank) + 1, ranks, files))
        return {};
    PendingFile& own = files.front();
    ranks.run_and_agree([&] { own.reserve_space(std::int64_t(bytes_of(exchange, {}))); });
    CheckpointParts parts;
    std::uint32_t sum = 0;
    const auto write = [&] {
        const Names none;
        Writer writer(own, none);
        exchange(writer);
        writer.end();
        own.finish([](const std::filesystem::path& written) { CheckpointReader whole(written); });
        parts.blocks = writer.names();
        sum = writer.sum();
    };
    ranks.run_and_agree(write, Timeout::endless); // a slow disk is no failure
    parts.sums = ranks.all_gather(sum);
    ranks.run_and_agree([&] {
        if (rank > 0)
            return;
        for (const PendingFile& file : files)
            parts.names.push_back(file.target().filename().string());
        commit_together(files, false);
    });
    return parts;
}

} // namespace chamomile
