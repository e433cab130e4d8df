/// \file  Broadcasts calls from rank 0 to all ranks.
#pragma once

#include <any>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "chamomile/analysis/halos/rank_halos.hpp"
#include "chamomile/analysis/power_spectrum.hpp"
#include "chamomile/core/bytes.hpp"
#include "chamomile/core/pictures/picture_sums.hpp"
#include "chamomile/force/ranks/distributed_solver.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/initial/cosmology/initial_plan.hpp"
#include "chamomile/integrate/comoving_clock.hpp"
#include "chamomile/integrate/leapfrog.hpp"
#include "chamomile/integrate/measures/radial_bins.hpp"
#include "chamomile/io/checkpoint/checkpoint_file.hpp"

namespace chamomile {

using RankSteps = std::variant<TimeStep, BlockSteps>;

class RankRun;

/// A member function of RankRun or Leapfrog. Leapfrog's may take particles first.
template <class Call>
struct RankCall;
template <class R, class... Parameter>
struct RankCall<R (RankRun::*)(Parameter...)> {
    using Result = R;
    using Arguments = std::tuple<Parameter...>;
};
template <class R, class... Parameter>
struct RankCall<R (Leapfrog::*)(Parameter...)> {
    using Result = R;
    using Arguments = std::tuple<Parameter...>;
};
template <class R, class... Parameter>
struct RankCall<R (Leapfrog::*)(Particles&, Parameter...)> {
    using Result = R;
    using Arguments = std::tuple<Parameter...>;
};

/// A RankRun executes calls of rank 0 (RankCalls) on each rank: its own functions, or those of a
/// leapfrog of the local particles. Home rows are runs of equal length of rank 0's particles.
class RankRun final : public RankService {
public:
    using Bytes = std::span<const std::byte>;

    explicit RankRun(Communicator& ranks) : ranks_(ranks) {}

    /// Executes a message of RankCalls.
    void carry_out(Bytes message) override;

    Bytes distributed = {};          ///< on rank 0: values for take()
    std::span<std::byte> asked = {}; ///< on rank 0: results of fetch() and gather()
    std::any result;                 ///< of the last call
    Leapfrog& leapfrog() { return *leapfrog_; }
    const Leapfrog& leapfrog() const { return *leapfrog_; }

    void make_solver(SentOptions forces);
    /// Sums the forces of the home rows.
    void solve(Quantities quantities);
    /// Makes the solver and the leapfrog; `comoving`, if any, sets its clock.
    void make(SentOptions forces, RankSteps steps, std::optional<ComovingOptions> comoving);
    void put_into(); ///< an external field, packed in the message
    /// Starts to scatter columns of `count` particles, numbered from `first` on.
    void begin(std::uint64_t count, GlobalIndex first);
    /// Scatters values of a column, from this row on.
    void take(Column column, std::uint64_t row);
    /// Makes initial conditions at home, from the facts and the rest of their plan in the message.
    void make_particles(InitialFacts facts);
    void resume(); ///< from columns and the message: Leapfrog::exchange_counts()
    /// Gather rows or points on rank 0: of a range, or of the numbers in the message.
    void fetch(Column column, GlobalIndex first, GlobalIndex end);
    void gather();
    /// Measure the particles of all ranks, at home or in the leapfrog. Spectra are of the types
    /// whose bits are set. Halos take densities from the message; rank 0 returns them.
    PowerSpectrum power_spectrum(PowerSpectrumOptions options, Periodicity box, std::uint8_t types);
    RankHalos halos(RankHaloRequest request);
    SampledErrors sample_errors(std::uint64_t targets, Quantities quantities, double time);
    std::vector<double> picture_sum(PictureRequest request);
    RadialBins radial_bins(ProfileRequest request);
    /// Writes a snapshot as chamomile::write_pieces(), with velocities multiplied by the factor.
    /// The message holds the path and the rest of the snapshot.
    bool write_pieces(std::int32_t pieces, double velocity_factor);
    /// Writes the home rows as parts of the checkpoint whose path is in the message.
    std::optional<CheckpointParts> write_checkpoint_parts();
    /// Reads home rows of columns from a checkpoint with this CheckpointReader::sum(). The message
    /// holds its path and the columns. Returns false, having read nothing, if a rank does not see
    /// the file.
    bool read_checkpoint(std::uint32_t sum);
    /// Reads home rows of the FileRows packed in the message. Returns the box around all positions;
    /// empty, with nothing changed, if a rank cannot read its rows or a value is not finite.
    std::optional<Box> read_file(bool has_velocities);
    /// Returns the crossings of all ranks, on rank 0.
    std::vector<Crossing> gather_crossings();

    /// Executes a call with arguments from a message. The call may read the rest of the message.
    template <auto Call>
    void make_call(Bytes message)
    {
        typename RankCall<decltype(Call)>::Arguments arguments;
        std::apply([&](auto&... each) { (read_bytes(message, &each), ...); }, arguments);
        given_ = message;
        const auto made = [&](auto&... each) {
            if constexpr (std::is_invocable_v<decltype(Call), RankRun&, decltype(each)...>)
                return std::invoke(Call, *this, each...);
            else if constexpr (std::is_invocable_v<decltype(Call), Leapfrog&, decltype(each)...>)
                return std::invoke(Call, *leapfrog_, each...);
            else {
                steps_.reset();
                return std::invoke(Call, *leapfrog_, home_, each...);
            }
        };
        if constexpr (std::is_void_v<typename RankCall<decltype(Call)>::Result>)
            std::apply(made, arguments);
        else
            result = std::apply(made, arguments);
    }

private:
    void update_home()
    {
        if (leapfrog_)
            leapfrog_->fetch(home_);
    }
    void update_steps()
    {
        if (!steps_)
            steps_ = leapfrog_->columns();
    }
    /// Divides `count` particles into home rows, numbered from `first` on.
    void divide(std::uint64_t count, GlobalIndex first);
    std::uint64_t count() const { return homes_.back() - homes_[0]; }
    GlobalIndex home() const { return homes_[std::size_t(ranks_.rank())]; }
    GlobalIndex home_end() const { return homes_[std::size_t(ranks_.rank()) + 1]; }
    /// Returns the home rows as rows of a file.
    RowSelection rows_of_file() const { return {home() - homes_[0], home_end() - homes_[0]}; }
    template <class T>
    void answer(GlobalIndex first, GlobalIndex end, std::span<const T> values);
    template <class T, class Value>
    void answer(const Value& value);

    Communicator& ranks_;
    Bytes given_ = {};               ///< rest of the message
    std::vector<GlobalIndex> homes_; ///< number of each rank's first home row, and the end
    Particles home_;
    std::optional<StepColumns> steps_; ///< at home; empty: not current
    Inbox inbox_;                      ///< for blocks of rows
    std::unique_ptr<DistributedSolver> solver_;
    std::optional<ComovingClock> clock_; ///< empty: Newton's
    std::unique_ptr<Leapfrog> leapfrog_;
};

/// CallList numbers calls. A message holds a number, arguments and further bytes.
template <auto... Call>
struct CallList {
    template <auto Asked, class... Argument>
    static std::vector<std::byte> message(RankRun::Bytes given, const Argument&... arguments)
    {
        static_assert(
            std::is_same_v<typename RankCall<decltype(Asked)>::Arguments, std::tuple<Argument...>>);
        static_assert((std::is_same_v<Constant<Asked>, Constant<Call>> || ...),
                      "a call of the list");
        std::uint32_t number = 0, k = 0;
        ((std::is_same_v<Constant<Asked>, Constant<Call>> ? number = k : 0, ++k), ...);
        std::vector<std::byte> bytes;
        put_bytes(bytes, &number);
        (put_bytes(bytes, &arguments), ...);
        put_bytes(bytes, given.data(), given.size());
        return bytes;
    }
    static void make(RankRun& run, RankRun::Bytes message)
    {
        std::uint32_t number = 0, k = 0;
        read_bytes(message, &number);
        ((k++ == number ? run.make_call<Call>(message) : void()), ...);
    }

private:
    template <auto>
    struct Constant {};
};

using RankCalls =
    CallList<&RankRun::make_solver, &RankRun::solve, &RankRun::make, &RankRun::put_into,
             &RankRun::begin, &RankRun::take, &RankRun::make_particles, &RankRun::resume,
             &RankRun::fetch, &RankRun::gather, &RankRun::gather_crossings,
             &RankRun::power_spectrum, &RankRun::halos, &RankRun::sample_errors,
             &RankRun::picture_sum, &RankRun::radial_bins, &RankRun::write_pieces,
             &RankRun::write_checkpoint_parts, &RankRun::read_checkpoint, &RankRun::read_file,
             &Leapfrog::start, &Leapfrog::step, &Leapfrog::evaluate, &Leapfrog::next_step,
             &Leapfrog::diagnose, &Leapfrog::record_crossings>;

/// Serves solvers and runs of rank 0, like serve_solver(), until rank 0 calls end_serving().
void serve_particles(Communicator& ranks);

} // namespace chamomile
