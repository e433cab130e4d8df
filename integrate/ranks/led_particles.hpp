/// \file  Particles on all ranks for a caller on rank 0.
#pragma once

#include <array>
#include <filesystem>

#include "chamomile/core/particle_reader.hpp"
#include "chamomile/integrate/ranks/rank_run.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// LedParticles executes calls of rank 0 on all ranks; the other ranks run serve_particles(). Each
/// rank holds a run of nearly equal length of the particles, its home rows. It reads these rows.
class LedParticles final : public ParticleReader {
public:
    /// Keeps a reference.
    explicit LedParticles(Communicator& ranks) : ranks_(ranks), run_(ranks) {}

    Communicator& ranks() const { return ranks_; }
    RankRun& run() { return run_; }
    const RankRun& run() const { return run_; }

    /// Executes a call on all ranks; returns rank 0's result. `keeps_threads`: rank 0 keeps its
    /// number of threads. A change ends and starts threads, which takes longer than to copy a block
    /// of rows.
    template <auto Call, bool keeps_threads = false, class... Argument>
    auto lead(RankRun::Bytes given, const Argument&... arguments)
    {
        using Result = typename RankCall<decltype(Call)>::Result;
        lead_services(ranks_, RankCalls::message<Call>(given, arguments...), run_, keeps_threads);
        if constexpr (!std::is_void_v<Result>)
            return std::any_cast<Result>(std::move(run_.result));
    }

    bool is_on_host() const override { return false; }
    std::size_t max() const override { return rows_of_file_block; }
    std::span<const Vec3<double>> read_vectors(Column column, const RowSelection& rows) override
    {
        return fetch(column, rows, vectors_[std::size_t(column)]);
    }
    std::span<const double> read_scalars(Column column, const RowSelection& rows) override
    {
        return fetch(column, rows, reals_[std::size_t(column)]);
    }
    std::span<const std::uint64_t> read_ids(const RowSelection& rows) override
    {
        return fetch(Column::id, rows, ids_);
    }
    /// Returns the ids of the particles with these numbers, fetched in blocks.
    std::vector<std::uint64_t> ids_of(std::span<const GlobalIndex> numbers);
    /// Gathers rows of all ranks on rank 0.
    template <class T>
    std::span<const T> fetch(Column column, const RowSelection& rows, std::vector<T>& into)
    {
        const std::vector<GlobalIndex> numbers(rows.list.begin(), rows.list.end());
        into.resize(rows.size());
        run_.asked = std::as_writable_bytes(std::span(into));
        lead<&RankRun::fetch, true>(std::as_bytes(std::span(numbers)), column,
                                    GlobalIndex(rows.begin), GlobalIndex(rows.end));
        return into;
    }

    /// Makes initial conditions, each rank its home rows.
    void make_particles(const InitialPlan& plan)
    {
        std::vector<std::byte> rest;
        put_sized(rest, plan.rms);
        put_sized(rest, plan.glass);
        lead<&RankRun::make_particles>(rest, plan.facts);
        has_types_ = true;
    }

    /// Starts to scatter columns of `count` particles, numbered from `first` on. Tests give numbers
    /// beyond 32 bits.
    void begin(std::size_t count, GlobalIndex first = 0)
    {
        has_types_ = false;
        lead<&RankRun::begin>({}, std::uint64_t(count), first);
    }
    /// Scatters values of a column, from row `begin` on.
    template <class T>
    void scatter(Column column, std::size_t begin, std::span<const T> values)
    {
        run_.distributed = std::as_bytes(values);
        lead<&RankRun::take, true>({}, column, std::uint64_t(begin));
    }
    /// Scatter a column in blocks.
    template <class T>
    void scatter(Column column, std::span<const T> values)
    {
        constexpr std::size_t block = 16 * rows_of_block; // each call costs a wait for all ranks
        for (std::size_t begin = 0; begin < values.size(); begin += block)
            scatter(column, begin, values.subspan(begin, std::min(block, values.size() - begin)));
    }
    void scatter(Column column, ParticleReader& rows, std::size_t count)
    {
        rows.for_blocks(count, [&](std::size_t begin, std::size_t end) {
            if (is_vector(column))
                scatter(column, begin, rows.read_vectors(column, {begin, end}));
            else
                scatter(column, begin, rows.read_scalars(column, {begin, end}));
        });
    }

    /// Reads positions and optionally velocities on each rank, after begin(). Returns false and
    /// changes nothing if a rank does not see the files, or finds an unreadable or non-finite
    /// value: then rank 0 reads, and names the fault.
    bool read(FileRows& rows, bool has_velocities);

    /// Starts to scatter columns with the fixed columns that forces need.
    void scatter_lasting(const Particles& particles);

    /// Scatters types once; other columns of ranks do not include them.
    void scatter_types(std::span<const std::uint8_t> types)
    {
        if (!has_types_)
            scatter(Column::type, types);
        has_types_ = true;
    }

    /// Returns power_spectrum() of the particles of some types, bit t for type t. Needs their types
    /// unless all are chosen.
    PowerSpectrum power_spectrum(const PowerSpectrumOptions& options, const Periodicity& box,
                                 std::uint8_t types)
    {
        return lead<&RankRun::power_spectrum>({}, options, box, types);
    }

    /// Returns halos_of_ranks() of all particles. `types`: one per particle.
    RankHalos halos(const RankHaloRequest& request, std::span<const double> densities,
                    std::span<const std::uint8_t> types)
    {
        scatter_types(types);
        return lead<&RankRun::halos>(std::as_bytes(densities), request);
    }

    /// Returns picture_sum() of all particles. `types`: one per particle.
    std::vector<double> picture_sum(const PictureRequest& request,
                                    std::span<const std::uint8_t> types)
    {
        scatter_types(types);
        return lead<&RankRun::picture_sum>({}, request);
    }

    /// Returns radial_bins() of all particles. `types`: one per particle.
    RadialBins radial_bins(const ProfileRequest& request, std::span<const std::uint8_t> types)
    {
        scatter_types(types);
        return lead<&RankRun::radial_bins>({}, request);
    }

    /// Writes a snapshot of these particles, each piece by a rank. Velocities are multiplied by the
    /// factor. Rank 0 writes all files, from `rows`, if another rank does not see them, or if it
    /// alone has columns. Throws Error(output).
    void write(const Snapshot& snapshot, ParticleReader& rows, double velocity_factor,
               const std::filesystem::path& path, int pieces);

    /// Writes the parts of a checkpoint, each rank its rows, with their types. Returns no parts on
    /// one rank, or if a rank does not see the folder. Throws Error(output).
    CheckpointParts write_checkpoint_parts(std::span<const std::uint8_t> types,
                                           const std::filesystem::path& checkpoint);
    /// Reads columns of a checkpoint, each rank its rows, after begin(). Returns false if a rank
    /// does not see the file.
    bool read(const CheckpointReader& checkpoint, std::span<const Column> columns);

private:
    Communicator& ranks_;
    RankRun run_;
    bool has_types_ = false;                                        ///< types have been scattered
    std::array<std::vector<Vec3<double>>, moving_columns> vectors_; ///< rows of the last request
    std::array<std::vector<double>, moving_columns> reals_;         ///< "
    std::vector<std::uint64_t> ids_;                                ///< "
};

} // namespace chamomile
