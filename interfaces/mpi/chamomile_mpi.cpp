// Forces on particles distributed over the processes of a communicator: the C functions.
#include "chamomile/interfaces/mpi/chamomile_mpi.h"

#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "chamomile/core/ranks/mpi/mpi_communicator.hpp"
#include "chamomile/force/ranks/distributed_solver.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/interfaces/c/options.hpp"
#include "chamomile/interfaces/c/views.hpp"

using namespace chamomile;

struct chm_mpi_forces {
    std::unique_ptr<Communicator> ranks;
    c::FieldOptions options;
    std::optional<DistributedSolver> solver; ///< none: not yet made from the options
    chm_view softening = {};                 ///< of this process's particles
    bool has_softenings = false;             ///< any process has some
    std::uint64_t evaluations = 0;
    std::string device, line; ///< `line`: last error message
};

namespace {

thread_local std::string line_of_create; // message of the last failed chm_mpi_create()

/// A Call identifies a collective call.
enum class Call : char { create, set_option, set_softenings, evaluate };

const char* name_of(Call call)
{
    switch (call) {
    case Call::create:
        return "chm_mpi_create()";
    case Call::set_option:
        return "chm_mpi_set_option()";
    case Call::set_softenings:
        return "chm_mpi_set_softenings()";
    default:
        return "chm_mpi_evaluate()";
    }
}

/// Waits until all processes have entered the same call, without a timeout.
void meet(Communicator& ranks, Call call)
{
    Inbox calls;
    ranks.gather(std::as_bytes(std::span(&call, 1)), Communicator::Sizes::equal, calls,
                 Timeout::endless);
    const Call first = calls.from<Call>(0)[0];
    for (int r = 1; r < ranks.size(); ++r)
        if (const Call other = calls.from<Call>(r)[0]; other != first)
            throw of_rank(r, ranks.size(),
                          Error(Fault::usage, std::string(name_of(other)) +
                                                  ": must be the call of rank 0, " +
                                                  name_of(first)));
}

/// Returns the common error of a collective call: an Error known to all processes, or the failure
/// of one process, reported to all.
Error error_of_all(Communicator& ranks, const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        return error;
    } catch (...) {
        const Error error = error_of(failure);
        ranks.fail(error);
        return of_rank(ranks.rank(), ranks.size(), error);
    }
}

/// Returns the options in addition to those of a context.
const c::ContextRows& process_options()
{
    static const c::ContextRows rows = [] {
        OptionRows<c::FieldOptions> t;
        t.number(
            "peer-timeout",
            [](c::FieldOptions & o) -> auto& { return o.forces.options.peer_timeout; },
            ranges::positive, "timeout for other processes within a call, in seconds");
        t.flag(
            "share-gpu", [](c::FieldOptions & o) -> auto& { return o.forces.options.share_gpu; },
            "allow several processes to use one GPU");
        return t.take();
    }();
    return rows;
}

/// Runs a collective call. Returns its status.
template <class Work>
int run_and_agree(chm_mpi_forces* forces, Call call, const Work& work) noexcept
{
    if (!forces)
        return CHM_USAGE;
    int status = CHM_NUMERIC;
    try {
        try {
            meet(*forces->ranks, call);
            work();
            return CHM_OK;
        } catch (...) {
            const Error error = error_of_all(*forces->ranks, std::current_exception());
            status = int(error.fault());
            forces->line = error.what();
            forces->line = spelled(error.line(), c::spelling_from(forces->options.first_number));
        }
    } catch (...) { // no memory for the message
    }
    return status;
}

/// Returns solver options. Throws Error(usage) for contradicting or unused options.
SolverOptions options_of(const chm_mpi_forces& forces)
{
    const SolverOptions options = c::solver_options(forces.options, forces.has_softenings);
    if (options.share_gpu && !options.device.starts_with("gpu"))
        throw Error(Fault::usage, "share_gpu: needs device gpu");
    return options;
}

Request request_of(const chm_mpi_forces& forces, int64_t n, const chm_view& position,
                   const chm_view& mass, const chm_view& acceleration, const chm_view& potential)
{
    if (n < 0)
        throw Error(Fault::usage, "n: " + std::to_string(n) + ": must be 0 or more");
    Request request;
    request.count = std::size_t(n);
    request.position = c::input("position", request.count, position, 3);
    request.mass = c::input("mass", request.count, mass, 1, c::Need::optional);
    if (forces.has_softenings)
        request.softening = c::input("softening", request.count, forces.softening, 1);
    request.acceleration = c::input("acceleration", request.count, acceleration, 3);
    request.potential = c::input("potential", request.count, potential, 1, c::Need::optional);
    request.number = forces.evaluations;
    c::Overlaps overlaps;
    overlaps.reads("position", request.count, request.position);
    overlaps.reads("mass", request.count, request.mass);
    overlaps.reads("softening", request.count, request.softening);
    overlaps.writes("acceleration", request.count, request.acceleration);
    overlaps.writes("potential", request.count, request.potential);
    return request;
}

} // namespace

extern "C" {

int chm_mpi_create(MPI_Comm communicator, chm_mpi_forces** forces)
{
    if (forces)
        *forces = nullptr;
    try {
        auto made = std::make_unique<chm_mpi_forces>();
        made->ranks = make_mpi_communicator(communicator);
        const int status = run_and_agree(made.get(), Call::create, [&] {
            made->ranks->run_and_agree([&] {
                if (!forces)
                    throw Error(Fault::usage, "forces: must not be NULL");
            });
        });
        if (status == CHM_OK)
            *forces = made.release();
        else
            line_of_create = made->line;
        return status;
    } catch (...) {
        const Error error = error_of(std::current_exception());
        line_of_create = error.what();
        return int(error.fault());
    }
}

int chm_mpi_create_f(MPI_Fint communicator, chm_mpi_forces** forces)
{
    return chm_mpi_create(MPI_Comm_f2c(communicator), forces);
}

void chm_mpi_destroy(chm_mpi_forces* forces)
{
    delete forces;
}

const char* chm_mpi_last_error(const chm_mpi_forces* forces)
{
    return forces                   ? forces->line.c_str()
           : line_of_create.empty() ? "forces: NULL: must be a handle from chm_mpi_create()"
                                    : line_of_create.c_str();
}

const char* chm_mpi_device(const chm_mpi_forces* forces)
{
    return forces ? forces->device.c_str() : "";
}

int chm_mpi_set_option(chm_mpi_forces* forces, const char* key, const char* value)
{
    return run_and_agree(forces, Call::set_option, [&] {
        c::FieldOptions changed = forces->options;
        forces->ranks->run_and_agree([&] {
            if (!key || !value)
                throw Error(Fault::usage, "option: key or value: must not be NULL");
            c::set_option(changed, key, value, process_options());
        });
        forces->options = changed;
        forces->solver.reset();
    });
}

int chm_mpi_set_softenings(chm_mpi_forces* forces, chm_view softening)
{
    return run_and_agree(forces, Call::set_softenings, [&] {
        std::uint64_t given = softening.component[0] != nullptr;
        forces->ranks->sum(std::span(&given, 1));
        forces->softening = softening;
        forces->has_softenings = given > 0;
        forces->solver.reset();
    });
}

int chm_mpi_evaluate(chm_mpi_forces* forces, int64_t n, chm_view position, chm_view mass,
                     chm_view acceleration, chm_view potential)
{
    return run_and_agree(forces, Call::evaluate, [&] {
        Communicator& ranks = *forces->ranks;
        const int threads = forces->options.threads;
        const ThreadsInUse in_use(threads > 0 ? threads
                                              : threads_of_process(ranks.ranks_on_host()));
        Request request;
        SolverOptions options;
        ranks.run_and_agree([&] {
            request = request_of(*forces, n, position, mass, acceleration, potential);
            options = options_of(*forces);
        });
        if (!forces->solver) {
            forces->solver.emplace(options, ranks);
            forces->device =
                forces->solver->device() + ", " + std::to_string(thread_count()) + " threads";
        }
        forces->solver->evaluate(request);
        ++forces->evaluations;
    });
}

int chm_mpi_refuse(chm_mpi_forces* forces, const char* line)
{
    return run_and_agree(forces, Call::evaluate, [&] {
        forces->ranks->run_and_agree(
            [&] { throw Error(Fault::usage, line ? line : "line: must not be NULL"); });
    });
}

} // extern "C"
