#include "chamomile/io/data_file.hpp"

#include "chamomile/io/hdf5/output.hpp"
#include "chamomile/io/pending_file.hpp"

namespace chamomile {
namespace {

/// Returns an upper estimate of the file size in bytes.
std::int64_t bytes_of(const std::vector<DataGroup>& groups)
{
    double bytes = 1 << 17;
    for (const DataGroup& group : groups) {
        bytes += 1024 + 256 * double(group.attributes.size());
        for (const auto& column : group.columns)
            bytes += 1024 + std::visit(
                                [](const auto& values) {
                                    return 1.01 * double(values.size() * sizeof values[0]);
                                },
                                column.second);
    }
    return std::int64_t(bytes);
}

} // namespace

void write_data_file(const std::filesystem::path& path, const std::vector<DataGroup>& groups)
{
    const Hdf5Quiet quiet;
    PendingFile file(path);
    file.require_space(bytes_of(groups));
    Hdf5Output out(file);
    for (const DataGroup& group : groups) {
        const Hdf5Handle handle = out.group(group.name);
        for (const auto& attribute : group.attributes)
            std::visit([&](const auto& value) { out.attribute(handle, attribute.first, value); },
                       attribute.second);
        for (const auto& column : group.columns)
            std::visit(
                [&](const auto& values) {
                    out.data(handle, column.first.c_str(), values.size(),
                             [&](std::size_t i) { return values[i]; });
                },
                column.second);
    }
    out.close();
    file.commit();
}

} // namespace chamomile
