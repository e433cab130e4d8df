// Forces of particles on the processes of a communicator: the calls of C.
#include "chamomile/clients/mpi/chamomile_mpi.h"

#include <exception>
#include <memory>
#include <optional>
#include <string>

#include "chamomile/clients/c/options.hpp"
#include "chamomile/clients/c/views.hpp"
#include "chamomile/force/ranks/distributed_solver.hpp"
#include "chamomile/force/threads.hpp"
#include "chamomile/parallel/mpi/mpi_communicator.hpp"

using namespace chamomile;

struct chm_mpi_forces {
    std::unique_ptr<Communicator> ranks;
    c::FieldOptions options;
    std::optional<DistributedSolver> solver; ///< none: to be made from the options
    std::string line;                        ///< of the last fault
};

namespace {

int status_of(const Error& error)
{
    return int(error.fault());
}

/// Runs a call; returns its status.
template <class Call>
int guarded(chm_mpi_forces* forces, const Call& call) noexcept
{
    if (!forces)
        return CHM_USAGE;
    try {
        try {
            call();
            return CHM_OK;
        } catch (const Error& error) {
            forces->line = c::numbered_from(forces->options.first_number, error.what());
            return status_of(error);
        } catch (...) {
            const Error error = error_of(std::current_exception());
            forces->ranks->fail(error); // the others wait for this process
            forces->line = error.what();
            return CHM_NUMERIC;
        }
    } catch (...) { // no memory for the line
        return CHM_NUMERIC;
    }
}

} // namespace

extern "C" {

int chm_mpi_create(MPI_Comm communicator, chm_mpi_forces** forces)
{
    if (!forces)
        return CHM_USAGE;
    *forces = nullptr;
    try {
        auto made = std::make_unique<chm_mpi_forces>();
        made->ranks = make_mpi_communicator(communicator);
        *forces = made.release();
        return CHM_OK;
    } catch (const Error& error) {
        return status_of(error);
    } catch (...) {
        return CHM_NUMERIC;
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
    return forces ? forces->line.c_str()
                  : "forces: NULL: chm_mpi_create() makes them after MPI_Init()";
}

int chm_mpi_set_option(chm_mpi_forces* forces, const char* key, const char* value)
{
    return guarded(forces, [&] {
        if (!key || !value)
            throw Error(Fault::usage, "option: NULL: key and value are needed");
        c::set_option(forces->options, key, value);
        forces->solver.reset();
    });
}

int chm_mpi_evaluate(chm_mpi_forces* forces, int64_t n, chm_view position, chm_view mass,
                     chm_view acceleration, chm_view potential)
{
    return guarded(forces, [&] {
        Request request;
        // What one process gives wrong ends the call on all.
        forces->ranks->together([&] {
            if (n < 0)
                throw Error(Fault::usage,
                            "n: " + std::to_string(n) + ": must be 0 or more");
            request.count = std::size_t(n);
            request.position = c::input("position", request.count, position, 3);
            request.mass = c::input("mass", request.count, mass, 1, c::Need::optional);
            request.acceleration = c::input("acceleration", request.count, acceleration, 3);
            request.potential = c::input("potential", request.count, potential, 1, c::Need::optional);
            c::Overlaps overlaps;
            overlaps.reads("position", request.count, request.position);
            overlaps.reads("mass", request.count, request.mass);
            overlaps.writes("acceleration", request.count, request.acceleration);
            overlaps.writes("potential", request.count, request.potential);
            if (forces->options.threads > 0)
                use_threads(forces->options.threads);
        });
        if (!forces->solver)
            forces->solver.emplace(c::solver_options(forces->options), *forces->ranks);
        forces->solver->evaluate(request);
    });
}

} // extern "C"
