/// \file  What each rank does of a run that rank 0 leads.
#pragma once

#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <tuple>
#include <type_traits>
#include <variant>
#include <vector>

#include "chamomile/force/ranks/distributed_solver.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/integrate/leapfrog.hpp"

namespace chamomile {

using RankSteps = std::variant<TimeStep, BlockSteps>;

/// A RankRun is a leapfrog on each rank, all of which make the same calls: those of an Integrator,
/// for runs of equal length of the particles that rank 0 has been given. It alone has what moves of
/// them. `given` are bytes that rank 0 gives beside arguments.
class RankRun final : public RankGuest {
public:
    using Bytes = std::span<const std::byte>;

    explicit RankRun(Communicator& ranks) : ranks_(ranks) {}

    /// Makes a call of rank 0 (RankCalls).
    void carry_out(Bytes message) override;

    Bytes given = {};
    std::span<std::byte> asked = {}; ///< on rank 0: where bring() and gather() put what they find
    Leapfrog& leapfrog() { return *leapfrog_; }
    const Leapfrog& leapfrog() const { return *leapfrog_; }

    /// Makes the leapfrog, for the options of an order and those that it lacks.
    void make(Order forces, std::optional<std::uint64_t> decorrelate, RankSteps steps);
    void put_into(); ///< the field that is given
    /// Begins to take columns of so many particles; takes values of a column, which rank 0 has,
    /// from the first on.
    void begin(std::uint64_t count);
    void take(Column column, std::uint64_t first);
    void resume(); ///< with what is given of Leapfrog::exchange_counts()
    /// Bring values of a range of particles, or of the numbers that are given, and their points.
    void bring(Column column, std::uint64_t first, std::uint64_t end);
    void gather(Vec3<double> origin);

    ForceStatistics start(Quantities quantities, Moment now)
    {
        steps_.reset();
        return leapfrog_->start(home_, quantities, now);
    }
    Integrator::NextStep next_step(Moment now) { return leapfrog_->next_step(now); }
    ForceStatistics step(double length, Quantities quantities, Moment now)
    {
        steps_.reset();
        return leapfrog_->step(home_, length, quantities, now);
    }
    ForceStatistics evaluate(Quantities quantities, Moment now)
    {
        return leapfrog_->evaluate(home_, quantities, now);
    }
    Diagnostics diagnose(LagrangianRadii which, double time)
    {
        return leapfrog_->diagnose(home_, which, time);
    }

private:
    template <class T, class Value>
    void answer(std::uint64_t first, std::uint64_t end, const Value& value);

    Communicator& ranks_;
    std::uint64_t count_ = 0; ///< of all ranks
    Particles home_;
    std::optional<StepColumns> steps_; ///< of home, while they are taken or asked for
    std::unique_ptr<DistributedSolver> solver_;
    std::unique_ptr<Leapfrog> leapfrog_;
};

/// A CallList numbers the calls of RankRun that rank 0 has all ranks make. A message holds the
/// number of one, its arguments and what else is given.
template <auto... Call>
struct CallList {
    template <auto Asked, class... Argument>
    static std::vector<std::byte> message(RankRun::Bytes given, const Argument&... arguments)
    {
        std::vector<std::byte> bytes;
        const auto put = [&bytes](const auto& value) {
            static_assert(std::is_trivially_copyable_v<std::remove_cvref_t<decltype(value)>>);
            const auto raw = std::as_bytes(std::span(&value, 1));
            bytes.insert(bytes.end(), raw.begin(), raw.end());
        };
        std::uint32_t number = 0, k = 0;
        ((std::is_same_v<Constant<Asked>, Constant<Call>> ? number = k : 0, ++k), ...);
        put(number);
        (put(arguments), ...);
        bytes.insert(bytes.end(), given.begin(), given.end());
        return bytes;
    }
    static void make(RankRun& run, RankRun::Bytes message)
    {
        std::uint32_t number = 0, k = 0;
        take(message, number);
        ((k++ == number ? apply(run, Call, message) : void()), ...);
    }

private:
    template <auto>
    struct Constant {};

    template <class T>
    static void take(RankRun::Bytes& bytes, T& value)
    {
        std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof value);
        bytes = bytes.subspan(sizeof value);
    }
    template <class Result, class... Parameter>
    static void apply(RankRun& run, Result (RankRun::*call)(Parameter...), RankRun::Bytes bytes)
    {
        std::tuple<Parameter...> arguments;
        std::apply(
            [&](Parameter&... each) {
                (take(bytes, each), ...);
                run.given = bytes;
                (run.*call)(each...);
            },
            arguments);
    }
};

using RankCalls =
    CallList<&RankRun::make, &RankRun::put_into, &RankRun::begin, &RankRun::take, &RankRun::resume,
             &RankRun::bring, &RankRun::gather, &RankRun::start, &RankRun::next_step,
             &RankRun::step, &RankRun::evaluate, &RankRun::diagnose>;

/// Serves the solvers and runs of rank 0 until end_serving() is called there, as serve_solver()
/// does.
void serve_particles(Communicator& ranks);

} // namespace chamomile
