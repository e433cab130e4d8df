// Rank 0 has the particles of its caller. Each rank gets an equal range, all ranks evaluate
// together, and rank 0 gathers the sums.
#include "chamomile/force/ranks/domain_solver.hpp"

#include <algorithm>
#include <cstring>
#include <mutex>
#include <set>

#include "chamomile/core/error.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/ranks/scattering_solver.hpp"
#include "chamomile/force/threads.hpp"

namespace chamomile {
namespace {

/// OwnRanks are threads in this process. They execute commands from rank 0 until destruction.
class OwnRanks {
public:
    OwnRanks(int ranks, double time_limit, const ServeRank& serve)
        : ranks_(ranks, serve, {.time_limit = time_limit})
    {}
    ~OwnRanks()
    {
        try {
            end_serving(ranks_.first());
        } catch (const Error&) { // a failure ends the threads too
        }
    }
    OwnRanks(const OwnRanks&) = delete;
    OwnRanks& operator=(const OwnRanks&) = delete;

    Communicator& first() { return ranks_.first(); }

private:
    ThreadRanks ranks_;
};

/// Broadcasts an order of rank 0, followed by a message to services or by the numbers of live
/// solvers. Returns the number of threads per rank.
int send(ForceCommand order, std::span<const std::byte> rest, Communicator& ranks)
{
    order.threads = ranks.share_of_threads(thread_count());
    order.time_limit = ranks.time_limit();
    std::vector<std::byte> bytes(sizeof order + rest.size());
    std::memcpy(bytes.data(), &order, sizeof order);
    std::copy(rest.begin(), rest.end(), bytes.begin() + sizeof order);
    ranks.run_or_fail([&] { ranks.broadcast(bytes); });
    return order.threads;
}

/// Identifies a live solver of rank 0. The other ranks find their solver by this number.
class SolverNumber {
public:
    SolverNumber()
    {
        const std::lock_guard lock(numbers().mutex);
        number_ = ++numbers().last;
        numbers().live.insert(number_);
    }
    ~SolverNumber()
    {
        const std::lock_guard lock(numbers().mutex);
        numbers().live.erase(number_);
    }
    SolverNumber(const SolverNumber&) = delete;

    std::uint64_t value() const { return number_; }
    /// Returns the numbers of all live solvers, ascending.
    static std::vector<std::uint64_t> live()
    {
        const std::lock_guard lock(numbers().mutex);
        return {numbers().live.begin(), numbers().live.end()};
    }

private:
    struct Numbers {
        std::mutex mutex;
        std::set<std::uint64_t> live;
        std::uint64_t last = 0;
    };
    static Numbers& numbers()
    {
        static Numbers numbers;
        return numbers;
    }

    std::uint64_t number_ = 0;
};

class DomainSolver final : public AdjustableSolver {
public:
    /// `devices`: cpu, or a word for choose_gpus() on each machine.
    DomainSolver(const SolverOptions& resolved, const std::string& devices, Communicator& ranks,
                 std::shared_ptr<const void> own)
        : own_(std::move(own)), options_(resolved), devices_(devices), ranks_(ranks), here_(ranks)
    {
        ranks_.set_time_limit(options_.peer_timeout);
        give(order(), nullptr); // refuses early
    }

    ForceStatistics evaluate(const Request& request) override
    {
        require_whole(request);
        refuse_arrays(request);
        check_number(request.count);
        if (request.long_range != LongRangePart::added)
            throw Error(Fault::usage, "ranks: long range apart: needs particles on all ranks");
        ForceCommand order = this->order();
        order.task = ForceCommand::Task::evaluate;
        order.take(request, options_);
        order.shared = ranks_.shares_memory() ? &request : nullptr;
        const ForceStatistics statistics = give(order, &request);
        options_.periodic = here_.options().periodic; // with the mesh chosen
        return statistics;
    }

    std::string device() const override
    {
        const bool on_host = devices_ == "cpu";
        return (on_host ? "CPU, " + options_.instruction_set : here_.device()) + ", " +
               std::to_string(ranks_.size()) + " ranks of " +
               std::to_string(ranks_.share_of_threads(thread_count())) + " threads" +
               (on_host              ? ""
                : options_.share_gpu ? ", GPUs may be shared"
                                     : ", one GPU each");
    }
    void adjust(const SolverOptions& resolved) override
    {
        options_ = resolved;
        ++adjustments_;
    }
    const SolverOptions& options() const override { return options_; }

private:
    ForceCommand order() const
    {
        ForceCommand order;
        order.options = SentOptions::of(options_, devices_);
        order.solver_number = number_.value();
        order.adjustments = adjustments_;
        return order;
    }

    /// Executes an order on all ranks.
    ForceStatistics give(const ForceCommand& order, const Request* request)
    {
        try {
            const std::vector<std::uint64_t> live = SolverNumber::live();
            const ThreadsInUse threads(send(order, std::as_bytes(std::span(live)), ranks_));
            return here_.carry_out(order, request);
        } catch (const PeerFailed&) {
            if (order.shared)
                ranks_.wait_for_ends(); // other ranks use the request's arrays
            throw;
        }
    }

    std::shared_ptr<const void> own_; // thread ranks; first, to outlive the members below
    SolverOptions options_;
    std::string devices_;
    Communicator& ranks_;
    ScatteringSolver here_;
    SolverNumber number_;
    std::uint64_t adjustments_ = 0;
};

/// Returns whether the device names several GPUs.
bool names_gpus(const SolverOptions& o)
{
    return o.device.find(',') != std::string::npos ||
           (o.device == "gpu:all" && list_gpus().size() > 1);
}

/// Returns own_ranks(o). Throws Error(usage) if `gpus` are too few, or if a named GPU would be
/// idle.
int number_of_ranks(const SolverOptions& o, const std::vector<int>& gpus)
{
    const int count = int(gpus.size()), ranks = own_ranks(o);
    const auto refuse = [&](const std::string& what) {
        throw Error(Fault::usage, "{ranks}: " + std::to_string(ranks) + ": " + what +
                                      std::to_string(count) + " ({device} " + o.device + ")");
    };
    if (count > 0 && ranks > count && !o.share_gpu)
        refuse("must be at most the number of GPUs without {share-gpu}, ");
    if (ranks < count && names_gpus(o))
        refuse("must be at least the number of GPUs, ");
    return ranks;
}

} // namespace

bool asks_ranks(const SolverOptions& o)
{
    return o.ranks || o.own_ranks > 0 || names_gpus(o);
}

int own_ranks(const SolverOptions& o)
{
    return o.ranks           ? 0
           : o.own_ranks > 0 ? o.own_ranks
           : names_gpus(o)   ? int(choose_gpus(o.device).size())
                             : 0;
}

SolverOptions of_first_rank(const SolverOptions& options)
{
    SolverOptions one = options;
    if (!asks_ranks(options))
        return one;
    if (one.device == "auto")
        one.device = "cpu";
    if (const int gpu = first_gpu(one.device); gpu >= 0)
        one.device = name_of_gpus({gpu});
    one.ranks = nullptr;
    one.own_ranks = 0;
    return one;
}

std::shared_ptr<const void> make_own_ranks(SolverOptions& options, const ServeRank& serve)
{
    if (options.ranks || !asks_ranks(options))
        return {};
    const std::string devices = devices_of_ranks(options, of_first_rank(options));
    auto own = std::make_shared<OwnRanks>(number_of_ranks(options, choose_gpus(devices)),
                                          options.peer_timeout, serve);
    options.own_ranks = 0;
    options.ranks = &own->first();
    return own;
}

std::unique_ptr<Solver> make_domain_solver(const SolverOptions& options)
{
    SolverOptions given = options;
    auto own = make_own_ranks(given, [](Communicator& ranks) { serve_solver(ranks); });
    if (given.accuracy)
        return make_accurate_solver(given, std::move(own));
    const SolverOptions one = resolved(of_first_rank(given));
    return std::make_unique<DomainSolver>(one, devices_of_ranks(given, one), *given.ranks,
                                          std::move(own));
}

std::unique_ptr<AdjustableSolver> make_adjustable_domain_solver(const SolverOptions& resolved,
                                                                const Platform& platform)
{
    return std::make_unique<DomainSolver>(resolved, devices_of_ranks(platform, resolved),
                                          *platform.ranks, nullptr);
}

std::string devices_of_ranks(const Platform& platform, const Platform& first)
{
    return first.device == "cpu" ? "cpu" : platform.device == "gpu" ? "gpu:all" : platform.device;
}

RankDispatcher::RankDispatcher(Communicator& ranks, RankService* service)
    : ranks_(ranks), service_(service)
{}

RankDispatcher::~RankDispatcher() = default;

/// Returns this rank's solver for an order. Drops solvers that rank 0 no longer has.
ScatteringSolver& RankDispatcher::solver_of(const ForceCommand& order,
                                            std::span<const std::uint64_t> live)
{
    std::erase_if(solvers_,
                  [&](const auto& held) { return !std::ranges::binary_search(live, held.first); });
    std::unique_ptr<ScatteringSolver>& solver = solvers_[order.solver_number];
    if (!solver)
        solver = std::make_unique<ScatteringSolver>(ranks_);
    return *solver;
}

void RankDispatcher::serve()
{
    ranks_.run_or_fail([&] {
        while (carry_out()) {
        }
    });
}

/// Executes the next command. Returns false after the last one.
bool RankDispatcher::carry_out()
{
    const Inbox inbox = ranks_.broadcast({}, Timeout::endless);
    const std::span<const std::byte> bytes = inbox.from<std::byte>(0);
    const ForceCommand& order = *reinterpret_cast<const ForceCommand*>(bytes.data());
    if (order.task == ForceCommand::Task::end)
        return false;
    use_threads(order.threads);
    ranks_.set_time_limit(order.time_limit);
    if (!service_ && order.task == ForceCommand::Task::service)
        throw Error(Fault::usage,
                    "this rank runs serve_solver(): call serve_particles() to serve a time loop");
    const std::span<const std::byte> rest = bytes.subspan(sizeof order);
    try {
        if (order.task == ForceCommand::Task::service)
            service_->carry_out(rest);
        else
            solver_of(order, {reinterpret_cast<const std::uint64_t*>(rest.data()),
                              rest.size() / sizeof(std::uint64_t)})
                .carry_out(order, nullptr);
    } catch (const PeerFailed&) {
        throw;
    } catch (const Error&) { // all ranks know the error, and rank 0 reports it
    }
    return true;
}

void serve_solver(Communicator& ranks, RankService* service)
{
    RankDispatcher(ranks, service).serve();
}

void lead_services(Communicator& ranks, std::span<const std::byte> message, RankService& own,
                   bool keeps_threads)
{
    ForceCommand order;
    order.task = ForceCommand::Task::service;
    const int share = send(order, message, ranks);
    const ThreadsInUse threads(keeps_threads ? 0 : share);
    own.carry_out(message);
}

void end_serving(Communicator& ranks)
{
    ForceCommand order;
    order.task = ForceCommand::Task::end;
    if (ranks.size() > 1 && !ranks.has_failed())
        ranks.run_or_fail([&] { ranks.broadcast(std::as_bytes(std::span(&order, 1))); });
}

} // namespace chamomile
