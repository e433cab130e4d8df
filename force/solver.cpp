// This file chooses a solver's components: device, key sorter, evaluator, sizes.
#include "chamomile/force/solver.hpp"

#include <algorithm>
#include <atomic>

#include "chamomile/core/error.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/lists/list_solver.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/periodic/long_range_field.hpp"
#include "chamomile/force/periodic/periodic_direct.hpp"
#include "chamomile/force/periodic/softening_cut.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"

namespace chamomile {
namespace {

Refusal periodic_refusal(const SolverOptions& o)
{
    const auto& [long_range, mesh, split, cut] = o.periodic;
    if (o.solver == SolverKind::tree && o.order > 2)
        return "{order}: " + std::to_string(o.order) + ": must be 0 or 2 in a periodic box";
    if (long_range == LongRangeKind::mesh && mesh > 0 && cut * split / mesh > max_of_periodic_box)
        return "{mesh}: " + std::to_string(mesh) + ": too few cells: the cut of " +
               number_text(cut * split) + " cells must be less than 0.45 of the box";
    return refuse_softening_in_box(o.softening.length, o.box);
}

/// Refuses a GPU that cannot build the tree. It asks no device.
Refusal tree_refusal(const SolverOptions& o)
{
    if (o.tree_built_by != TreeBuiltBy::gpu || o.solver != SolverKind::tree)
        return {};
    return o.device == "cpu" ? Refusal("{tree}: gpu: needs {device} gpu") : Refusal();
}

} // namespace

std::uint64_t GlobalCounts::new_arrangement()
{
    static std::atomic<std::uint64_t> last{0};
    return ++last << 32;
}

Refusal refusal(const SolverOptions& o)
{
    if (const Refusal line = refuse_values(force_options(), o))
        return line;
    if (o.decorrelate && o.solver != SolverKind::tree)
        return "{decorrelate}: needs {solver} tree";
    if (!o.type_softenings.empty() && !o.softening.per_particle)
        return "{eps}: several lengths: must be one, unless particles have several types";
    if (o.accuracy && o.accuracy->sample < 1)
        return "accuracy sample: 0: must be 1 or more";
    if (const Refusal line = tree_refusal(o))
        return line;
    return o.is_periodic() ? periodic_refusal(o) : Refusal{};
}

namespace {

/// Sets the sizes measured to be fastest near a tolerance of 0.001.
void choose_sizes(SolverOptions& o, bool gpu)
{
    const bool direct = o.solver == SolverKind::direct;
    if (direct && gpu && !o.is_periodic()) // in a box the processor sums
        o.group_size = direct_block_of_gpu;
    if (o.group_size == 0)
        o.group_size = direct ? 512 : 128;
    if (o.cluster_size == 0)
        o.cluster_size = gpu && !direct ? 32 : 8;
    if (direct)
        o.leaf_size = o.group_size; // cells are made for the groups' sake alone
    if (direct || o.is_periodic())
        o.local_order = 0;
    if (direct)
        return;
    if (o.leaf_size == 0)
        o.leaf_size = gpu ? 32 : 24;
}

} // namespace

SolverOptions resolved(const SolverOptions& options)
{
    require(refusal(options));
    SolverOptions chosen = options;
    const std::vector<int> gpus = choose_gpus(chosen.device);
    chosen.device = gpus.empty() ? "cpu" : name_of_gpus(gpus);
    if (gpus.empty() && chosen.tree_built_by == TreeBuiltBy::gpu &&
        chosen.solver == SolverKind::tree)
        throw Error(Fault::device, "tree: gpu: " + why_no_gpu());
    choose_sizes(chosen, !gpus.empty());
    if (gpus.empty() && chosen.instruction_set == "auto")
        chosen.instruction_set = instruction_sets().front();
    return chosen;
}

SolverParts make_parts(const SolverOptions& resolved, bool separate_targets)
{
    if (const int gpu = choose_gpu(resolved.device); gpu >= 0)
        return make_cuda_parts(gpu, resolved.precision, separate_targets, resolved.tree_built_by);
    return {make_host_tree_builder(),
            make_host_evaluator(resolved.precision, resolved.instruction_set),
            separate_targets ? make_host_tree_builder() : nullptr};
}

std::unique_ptr<DirectSolver> make_direct_solver(const SolverOptions& resolved)
{
    if (resolved.is_periodic())
        return make_periodic_direct_solver(resolved);
    const int gpu = choose_gpu(resolved.device);
    return gpu < 0 ? make_host_direct_solver(resolved) : make_cuda_direct_solver(gpu, resolved);
}

std::unique_ptr<Solver> make_solver(const SolverOptions& options)
{
    if (asks_ranks(options))
        return make_domain_solver(options);
    if (options.accuracy)
        return make_accurate_solver(options);
    const SolverOptions chosen = resolved(options);
    if (chosen.solver == SolverKind::direct)
        return make_direct_solver(chosen);
    return make_list_solver(chosen, make_parts(chosen, chosen.device == "cpu")); // for tracers
}

void require_whole(const Request& request)
{
    if (request.part)
        throw Error(Fault::usage, "particles: a part on one rank: must be all particles");
    if (request.count > 0 && !request.mass)
        throw Error(Fault::usage, "masses: missing: must be given, one per particle");
}

Request request_of_sources(Particles& particles)
{
    const std::size_t n = particles.size();
    Request request{.count = n,
                    .position = {},
                    .mass = view_of(std::span(particles.mass)),
                    .id = particles.id,
                    .acceleration = {}};
    if (!particles.softening.empty() && particles.softening.size() != n)
        throw Error(Fault::input,
                    "softening lengths: " + std::to_string(particles.softening.size()) +
                        ": must be none, or one per particle, " + std::to_string(n));
    if (!particles.softening.empty())
        request.softening = view_of(std::span(particles.softening));
    return request;
}

Request request_of(Particles& particles, Quantities quantities)
{
    Request request = request_of_sources(particles);
    const std::size_t n = request.count;
    particles.acceleration.resize(n);
    request.position = view_of(std::span(particles.position));
    request.acceleration = view_of(std::span(particles.acceleration));
    if (quantities == Quantities::acceleration_potential) {
        particles.potential.resize(n);
        request.potential = view_of(std::span(particles.potential));
    }
    return request;
}

void add(ForceStatistics& total, const ForceStatistics& one)
{
    total.particle_particle += one.particle_particle;
    total.particle_cell += one.particle_cell;
    total.expansions += one.expansions;
    total.bytes_to_device += one.bytes_to_device;
    total.bytes_from_device += one.bytes_from_device;
    total.device_busy += one.device_busy;
    total.device_span += one.device_span;
    total.device_wait += one.device_wait;
    total.targets += one.targets;
    total.groups += one.groups;
    total.batches += one.batches;
    total.cells += one.cells;
    total.cancelling += one.cancelling;
    if (one.ranks) {
        const RankStatistics before = total.ranks.value_or(RankStatistics{});
        total.ranks = RankStatistics{
            .ranks = one.ranks->ranks,
            .imported_particles = before.imported_particles + one.ranks->imported_particles,
            .imported_cells = before.imported_cells + one.ranks->imported_cells,
            .bytes = before.bytes + one.ranks->bytes,
            .exchanges = before.exchanges + one.ranks->exchanges,
            .collectives = before.collectives + one.ranks->collectives,
            .imbalance = std::max(before.imbalance, one.ranks->imbalance),
            .partners = std::max(before.partners, one.ranks->partners),
            .import_bytes = before.import_bytes + one.ranks->import_bytes,
            .max_import_bytes = std::max(before.max_import_bytes, one.ranks->max_import_bytes),
            .max_memory = std::max(before.max_memory, one.ranks->max_memory),
            .not_finite = before.not_finite + one.ranks->not_finite};
    }
    if (one.cancelling_part)
        total.cancelling_part = one.cancelling_part;
    if (one.softening_jump)
        total.softening_jump = one.softening_jump;
    if (one.measured_error)
        total.measured_error = one.measured_error;
    for (const Profile::Phase& phase : one.profile.phases())
        total.profile.add(phase.name, phase.seconds);
}

ForceStatistics Solver::solve(Particles& particles, Quantities quantities,
                              std::span<const Index> active)
{
    Request request = request_of(particles, quantities);
    request.active = active;
    request.number = calls_++;
    return evaluate(request);
}

} // namespace chamomile
