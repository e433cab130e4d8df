/// \file  Particles on all ranks for a caller on rank 0.
#pragma once

#include "chamomile/core/particle_reader.hpp"
#include "chamomile/integrate/ranks/rank_run.hpp"

namespace chamomile {

/// LedParticles executes calls of rank 0 on all ranks; the other ranks run serve_particles(). Each
/// rank holds a run of nearly equal length of the particles, its home rows.
class LedParticles {
public:
    /// Keeps a reference.
    explicit LedParticles(Communicator& ranks) : ranks_(ranks), run_(ranks) {}

    Communicator& ranks() const { return ranks_; }
    RankRun& run() { return run_; }
    const RankRun& run() const { return run_; }

    /// Executes a call on all ranks; returns rank 0's result.
    template <auto Call, class... Argument>
    auto lead(RankRun::Bytes given, const Argument&... arguments)
    {
        using Result = typename RankCall<decltype(Call)>::Result;
        lead_services(ranks_, RankCalls::message<Call>(given, arguments...), run_);
        if constexpr (!std::is_void_v<Result>)
            return std::any_cast<Result>(std::move(run_.result));
    }

    /// Starts to scatter columns of `count` particles.
    void begin(std::size_t count)
    {
        has_types_ = false;
        lead<&RankRun::begin>({}, std::uint64_t(count));
    }
    /// Scatters values of a column, from particle `first` on.
    template <class T>
    void scatter(Column column, std::size_t first, std::span<const T> values)
    {
        run_.distributed = std::as_bytes(values);
        lead<&RankRun::take>({}, column, std::uint64_t(first));
    }
    /// Scatter a column in blocks.
    template <class T>
    void scatter(Column column, std::span<const T> values)
    {
        for (std::size_t begin = 0; begin < values.size(); begin += rows_of_block)
            scatter(column, begin,
                    values.subspan(begin, std::min(rows_of_block, values.size() - begin)));
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

    /// Returns halos_of_ranks() of all particles, with their types.
    RankHalos halos(const RankHaloRequest& request, std::span<const double> densities,
                    std::span<const std::uint8_t> types)
    {
        scatter_types(types);
        return lead<&RankRun::halos>(std::as_bytes(densities), request);
    }

private:
    Communicator& ranks_;
    RankRun run_;
    bool has_types_ = false; ///< types have been scattered
};

} // namespace chamomile
