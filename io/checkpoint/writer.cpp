#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <vector>

#include <zlib.h>

#include "chamomile/io/checkpoint/checkpoint_file.hpp"

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

/// A Writer is an archive that stores values in a checkpoint.
class Writer final : public Archive {
public:
    explicit Writer(PendingFile& file) : file_(file)
    {
        Header header{};
        std::memcpy(header.magic, magic, sizeof magic);
        header.major_version = major_version;
        header.minor_version = minor_version;
        header.byte_order = byte_order;
        header.sum = record_sum(header);
        file_.write_value(header);
        bytes_ = sizeof header;
    }

    bool is_reading() const override { return false; }

    void end()
    {
        std::array<std::uint64_t, 2> totals{blocks_, bytes_};
        exchange(end_name, {'u', 8}, std::as_writable_bytes(std::span(totals)));
    }

private:
    std::uint64_t size(const std::string&, Format) override { return 0; }

    void exchange(const std::string& name, Format format, std::span<std::byte> bytes) override
    {
        BlockHead head = head_of(name, format, bytes.size());
        head.content_sum = check_sum(bytes);
        head.sum = record_sum(head);
        file_.write_value(head);
        file_.write(bytes);
        add(bytes.size());
    }

    /// Writes a preliminary head, then all parts, then the final head with the check sum.
    void keep_parts(const std::string& name, Format format, std::uint64_t bytes,
                    const NextPart& next) override
    {
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
        add(bytes);
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

    void add(std::uint64_t bytes)
    {
        ++blocks_;
        bytes_ += sizeof(BlockHead) + bytes;
    }

    PendingFile& file_;
    std::uint64_t blocks_ = 0, bytes_ = 0; ///< written so far
};

} // namespace

std::uint64_t write_checkpoint(const std::filesystem::path& path,
                               const std::function<void(Archive&)>& exchange)
{
    ArchiveSize size;
    exchange(size);
    const std::uint64_t bytes =
        size.bytes() + sizeof(Header) + (size.blocks() + 1) * sizeof(BlockHead) + 16;
    PendingFile file(path);
    file.require_space(std::int64_t(bytes));
    Writer writer(file);
    exchange(writer);
    writer.end();
    file.commit([](const std::filesystem::path& written) { CheckpointReader whole(written); });
    return bytes;
}

} // namespace chamomile
