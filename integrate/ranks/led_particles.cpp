#include "chamomile/integrate/ranks/led_particles.hpp"

#include "chamomile/core/files/memory_archive.hpp"
#include "chamomile/io/file_rows.hpp"
#include "chamomile/io/hdf5/pieces.hpp"

namespace chamomile {

std::vector<std::uint64_t> LedParticles::ids_of(std::span<const GlobalIndex> numbers)
{
    std::vector<std::uint64_t> ids(numbers.size());
    for_blocks(ids.size(), [&](std::size_t begin, std::size_t end) {
        run_.asked = std::as_writable_bytes(std::span(ids).subspan(begin, end - begin));
        lead<&RankRun::fetch, true>(std::as_bytes(numbers.subspan(begin, end - begin)), Column::id,
                                    GlobalIndex(0), GlobalIndex(0));
    });
    return ids;
}

void LedParticles::scatter_lasting(const Particles& particles)
{
    begin(particles.size());
    for_each_column(
        [&](Column column, const std::string&, const auto& values) {
            if (column == Column::mass || column == Column::id || column == Column::softening)
                scatter(column, std::span(values));
        },
        particles);
}

bool LedParticles::read(FileRows& rows, bool has_velocities)
{
    const std::vector<std::byte> packed = rows.packed();
    if (packed.empty())
        return false;
    const std::optional<Box> bounds = lead<&RankRun::read_file>(packed, has_velocities);
    if (bounds)
        rows.set_bounds(*bounds);
    return bounds.has_value();
}

void LedParticles::write(const Snapshot& snapshot, ParticleReader& rows, double velocity_factor,
                         const std::filesystem::path& path, int pieces)
{
    if (snapshot.particles.extra.empty()) {
        scatter_types(snapshot.particles.type);
        MemoryArchive archive;
        WholeSnapshot(snapshot).exchange(archive);
        std::vector<std::byte> given;
        put_sized(given, path.string());
        const std::vector<std::byte> rest = archive.bytes();
        put_bytes(given, rest.data(), rest.size());
        if (lead<&RankRun::write_pieces>(given, std::int32_t(pieces), velocity_factor))
            return;
    }
    write_snapshot(snapshot, rows, path, pieces);
}

CheckpointParts LedParticles::write_checkpoint_parts(std::span<const std::uint8_t> types,
                                                     const std::filesystem::path& checkpoint)
{
    if (ranks_.size() == 1)
        return {};
    scatter_types(types);
    std::vector<std::byte> given;
    put_sized(given, checkpoint.string());
    return lead<&RankRun::write_checkpoint_parts>(given).value_or(CheckpointParts());
}

bool LedParticles::read(const CheckpointReader& checkpoint, std::span<const Column> columns)
{
    std::vector<std::byte> given;
    put_sized(given, checkpoint.path().string());
    put_bytes(given, columns.data(), columns.size());
    return lead<&RankRun::read_checkpoint>(given, checkpoint.sum());
}

} // namespace chamomile
