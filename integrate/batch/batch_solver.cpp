// Direct sums and steps of small systems, by block-diagonal sums over pairs.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "chamomile/core/error.hpp"
#include "chamomile/core/interruption.hpp"
#include "chamomile/force/gpu.hpp"
#include "chamomile/force/lists/strided_io.hpp"
#include "chamomile/force/option_table.hpp"
#include "chamomile/force/pairs/field_laws.hpp"
#include "chamomile/force/ranks/domain_solver.hpp"
#include "chamomile/force/repairs/singular_pairs.hpp"
#include "chamomile/force/scale.hpp"
#include "chamomile/integrate/batch/batch_rows.hpp"

namespace chamomile {
namespace {

SolverOptions exact(SolverOptions options)
{
    options.precision = Precision::double_precision;
    options.device = "cpu";
    return options;
}

void require_place(std::initializer_list<ArrayView> views, const SolverOptions& options)
{
    for (const ArrayView& view : views)
        if (view.on_device && options.device == "cpu")
            throw Error(Fault::usage, "arrays: on a GPU: must be on the host, like the solver");
}

void check(const Batch& batch, const SolverOptions& options)
{
    const std::span<const std::uint64_t> offsets = batch.offsets;
    const auto refuse = [](const std::string& line) { throw Error(Fault::input, line); };
    if (offsets.size() < 2)
        refuse("offsets: " + std::to_string(offsets.size()) +
               ": must be 2 or more: the first body of each system, and the end");
    if (offsets.front() != 0)
        refuse("offsets: " + std::to_string(offsets.front()) + ": must begin with 0");
    for (std::size_t b = 0; b < batch.systems(); ++b) {
        if (offsets[b + 1] < offsets[b])
            refuse("offsets: " + std::to_string(offsets[b + 1]) + " after " +
                   std::to_string(offsets[b]) + ": must not decrease");
        if (offsets[b + 1] == offsets[b])
            refuse("offsets: system " + item(b) + ": empty: must have one body or more");
    }
    if (batch.bodies() > (std::size_t(1) << 32) - pair_tile)
        refuse("bodies: " + std::to_string(batch.bodies()) + ": must be below 2^32");
    if (!batch.position || !batch.mass)
        throw Error(Fault::usage, "positions or masses: missing");
    require_place({batch.position, batch.velocity, batch.mass, batch.softening}, options);
    if (bool(batch.softening) != options.softening.per_particle)
        throw Error(Fault::usage,
                    batch.softening ? "softenings: need a solver with per-particle softening"
                                    : "softenings: missing: the solver has per-particle softening");
}

/// Returns systems first .. last - 1 of a batch. `offsets`: memory.
Batch part_of(const Batch& all, std::size_t first, std::size_t last,
              std::vector<std::uint64_t>& offsets)
{
    const std::uint64_t begin = all.offsets[first];
    offsets.clear();
    for (std::size_t b = first; b <= last; ++b)
        offsets.push_back(all.offsets[b] - begin);
    return {offsets, all.position.from(begin), all.velocity.from(begin), all.mass.from(begin),
            all.softening.from(begin)};
}

/// Calls work(part, first system) for the whole batch, or for halves if a GPU lacks the memory.
template <class Work>
void in_parts(const Batch& batch, std::size_t first, const Work& work)
{
    try {
        return work(batch, first);
    } catch (const OutOfDeviceMemory&) {
        if (batch.systems() < 2)
            throw;
    }
    const std::size_t middle = batch.systems() / 2;
    std::vector<std::uint64_t> offsets;
    in_parts(part_of(batch, 0, middle, offsets), first, work);
    in_parts(part_of(batch, middle, batch.systems(), offsets), first + middle, work);
}

} // namespace

std::optional<std::string> batch_refusal(const SolverOptions& options)
{
    if (options.solver != SolverKind::direct)
        return "{solver} tree: must be direct for a batch";
    if (options.box != 0)
        return "{box}: must be 0 for a batch";
    if (options.accuracy)
        return "{accuracy}: needs the tree solver; a batch uses direct sums";
    if (!options.type_softenings.empty())
        return "{eps}: must be one length for a batch, or a length for each body";
    if (const std::optional<std::string> line = refusal(options))
        return line;
    if (asks_ranks(options))
        return "{device}: must be one device for a batch";
    return {};
}

struct BatchSolver::Laws {
    FieldLaws laws, exact;

    PairSolver& solver(bool jerks) { return jerks ? laws.jerk() : laws.field(); }
};

BatchSolver::BatchSolver(const SolverOptions& options)
{
    require(batch_refusal(options));
    options_ = resolved(options);
    gpu_ = choose_gpu(options_.device);
    laws_.reset(new Laws{FieldLaws(options_), FieldLaws(exact(options_))});
    for (FieldLaws* laws : {&laws_->laws, &laws_->exact})
        laws->take(options_.softening, options_.softening.per_particle);
    rows_ = gpu_ < 0 ? make_host_batch_rows() : make_cuda_batch_rows(gpu_);
}

BatchSolver::~BatchSolver() = default;

std::string BatchSolver::device()
{
    return laws_->laws.field().device();
}

ForceStatistics BatchSolver::evaluate(const Batch& batch, const FieldResults& results)
{
    check(batch, options_);
    require_place({results.acceleration, results.potential, results.jerk}, options_);
    if (results.tidal)
        throw Error(Fault::usage, "tidal tensor: not for a batch: must be acceleration, potential "
                                  "or jerk");
    if (results.jerk && !batch.velocity)
        throw Error(Fault::usage, "velocities: missing: needed for jerks");
    ForceStatistics statistics;
    in_parts(batch, 0, [&](const Batch& part, std::size_t first) {
        const std::uint64_t body = batch.offsets[first];
        const FieldResults to{results.acceleration.from(body),
                              results.potential.from(body),
                              {},
                              results.jerk.from(body)};
        begin(part, bool(results.jerk), false, to);
        const double unit = unit_ * options_.gravitational_constant;
        sum(statistics);
        if (!rows_->store(results_, unit)) {
            repair();
            if (!rows_->store(results_, unit))
                throw Error(Fault::numeric, "results: not finite");
        }
        write_back(to.acceleration, results_.acceleration);
        write_back(to.potential, results_.potential);
        write_back(to.jerk, results_.jerk);
    });
    return statistics;
}

ForceStatistics BatchSolver::advance(const Batch& batch, const BatchSteps& steps)
{
    check(batch, options_);
    if (!batch.velocity)
        throw Error(Fault::usage, "velocities: missing: needed for steps");
    if (steps.length.size() != 1 && steps.length.size() != batch.systems())
        throw Error(Fault::input, "step: " + std::to_string(steps.length.size()) +
                                      " lengths: must be one, or one per system, " +
                                      std::to_string(batch.systems()));
    for (const double length : steps.length)
        if (!std::isfinite(length))
            throw Error(Fault::input, "step: " + std::to_string(length) + ": must be finite");
    const bool hermite = steps.scheme == BatchScheme::hermite;
    ForceStatistics statistics;
    in_parts(batch, 0, [&](const Batch& part, std::size_t first) {
        begin(part, hermite, true, {});
        rows_->set_steps(steps.length.size() == 1 ? steps.length
                                                  : steps.length.subspan(first, part.systems()),
                         unit_ * options_.gravitational_constant);
        const auto evaluate = [&] {
            sum(statistics);
            if (!rows_->sums_are_finite())
                repair();
        };
        if (steps.count > 0)
            evaluate();
        if (steps.count > 0 && hermite)
            rows_->move(BatchMove::start);
        for (std::uint64_t k = 0; k < steps.count; ++k) {
            look_for_interruption();
            rows_->move(hermite ? BatchMove::predict : BatchMove::kick_drift);
            evaluate();
            rows_->move(hermite ? BatchMove::correct : BatchMove::kick);
        }
        if (!rows_->store_motion(batch_))
            throw Error(Fault::numeric, "positions or velocities: not finite after the steps; try "
                                        "shorter steps or more softening");
        write_back(part.position, batch_.position);
        write_back(part.velocity, batch_.velocity);
    });
    return statistics;
}

/// Makes the rows of a batch.
void BatchSolver::begin(const Batch& batch, bool with_jerks, bool moves,
                        const FieldResults& results)
{
    look_for_interruption();
    with_jerks_ = with_jerks;
    laws_->solver(with_jerks); // throws for jerks of splines
    batch_ = batch;
    batch_.position = mirrored(batch.position, 0, true);
    batch_.velocity = with_jerks || moves ? mirrored(batch.velocity, 1, true) : ArrayView{};
    batch_.mass = mirrored(batch.mass, 2, true);
    batch_.softening = mirrored(batch.softening, 3, true);
    results_ = {mirrored(results.acceleration, 4, false),
                mirrored(results.potential, 5, false),
                {},
                mirrored(results.jerk, 6, false)};
    const double mass = rows_->largest_mass(batch_);
    unit_ = InternalScale::of(0, 0, mass).mass;
    extent_ = rows_->load(batch_, {with_jerks, bool(batch.softening), moves}, unit_);
    if (!std::isfinite(mass + extent_))
        refuse_values(batch);
}

void BatchSolver::sum(ForceStatistics& statistics)
{
    const PairStatistics pairs =
        laws_->solver(with_jerks_).sum(rows_->task(extent_), rows_->sums());
    statistics.particle_particle += pairs.pairs;
    statistics.targets = pairs.targets;
    statistics.groups = pairs.groups;
    statistics.device_busy += pairs.device_busy;
    for (const Profile::Phase& phase : pairs.profile.phases())
        statistics.profile.add(phase.name, phase.seconds);
}

/// Repeats the sums of systems with sums that are not finite, in double on the host.
void BatchSolver::repair()
{
    const std::vector<double> sources = rows_->host_sources();
    std::vector<double> sums = rows_->host_sums();
    const std::size_t width = sources.size() / batch_.bodies(),
                      values = sums.size() / batch_.bodies();
    PairSolver& solver = with_jerks_ ? laws_->exact.jerk() : laws_->exact.field();
    for (std::size_t b = 0; b < batch_.systems(); ++b) {
        const std::uint64_t begin = batch_.offsets[b], n = batch_.offsets[b + 1] - begin;
        const std::span<double> own = std::span(sums).subspan(begin * values, n * values);
        const auto first_wrong = [&] {
            return std::find_if(own.begin(), own.end(), [](double s) { return !std::isfinite(s); });
        };
        if (first_wrong() == own.end())
            continue;
        const std::uint64_t offsets[] = {0, n};
        PairTask task;
        task.sources = std::span(sources).subspan(begin * width, n * width);
        task.systems = {.offsets = offsets, .left_out = with_jerks_ ? 6 : 3};
        for (const double value : task.sources) // of a run that has failed
            if (!std::isfinite(value))
                throw Error(Fault::numeric, "system " + item(b) +
                                                ": positions or velocities: not finite; try "
                                                "shorter steps or more softening");
        solver.sum(task, own);
        if (const auto wrong = first_wrong(); wrong != own.end())
            refuse_sum(b, std::size_t(wrong - own.begin()) / values, task.sources, width);
    }
    rows_->set_sums(sums);
}

/// Throws for a body whose sum is not finite in double.
void BatchSolver::refuse_sum(std::size_t system, std::size_t body, std::span<const double> rows,
                             std::size_t width) const
{
    Particles particles;
    particles.resize(rows.size() / width);
    for (std::size_t i = 0; i < particles.size(); ++i) {
        const double* row = rows.data() + i * width;
        particles.position[i] = {row[0], row[1], row[2]};
        if (options_.softening.per_particle)
            particles.softening.push_back(std::sqrt(row[width - 1]));
    }
    try {
        refuse_singular_target(particles, Index(body), options_.softening);
    } catch (const Error& error) {
        throw Error(error.fault(), "system " + item(system) + ": " + error.line());
    }
}

/// Throws for the first value that is not allowed.
void BatchSolver::refuse_values(const Batch& batch) const
{
    struct Values {
        const char* name;
        const ArrayView& view;
        int components;
    };
    for (const Values& array :
         {Values{"position", batch.position, 3},
          Values{"velocity", batch_.velocity ? batch.velocity : ArrayView{}, 3},
          Values{"mass", batch.mass, 1}, Values{"softening length", batch.softening, 1}}) {
        const std::vector<double> rows =
            read_rows(array.view, batch.bodies(), array.components, options_.device);
        const bool is_length = array.name[0] == 's';
        for (std::size_t k = 0; k < rows.size(); ++k)
            if (!std::isfinite(rows[k]) || (is_length && rows[k] < 0))
                throw Error(Fault::input, "particle " + item(k / std::size_t(array.components)) +
                                              ": " + array.name + ": " + std::to_string(rows[k]) +
                                              ": must be " + (is_length ? "0 or more" : "finite"));
    }
    throw Error(Fault::input, "positions or masses: must be finite");
}

/// Returns an array in memory of the solver's device: `view`, or a copy of it.
ArrayView BatchSolver::mirrored(const ArrayView& view, std::size_t slot, bool is_read)
{
    if (!view || gpu_ < 0 || view.on_device)
        return view;
    const std::size_t n = batch_.bodies(), components = std::size_t(view.components()),
                      bytes = n * components * sizeof(double);
    mirrors_.resize(std::max(mirrors_.size(), slot + 1));
    mirror_bytes_.resize(mirrors_.size());
    if (mirror_bytes_[slot] < bytes) {
        mirror_bytes_[slot] = 0;
        mirrors_[slot] = device_memory(gpu_, bytes);
        mirror_bytes_[slot] = bytes;
    }
    auto* const memory = reinterpret_cast<double*>(mirrors_[slot].get());
    const auto stride = std::ptrdiff_t(components * sizeof(double));
    ArrayView mirror = components == 3 ? vectors_at(memory, stride) : numbers_at(memory, stride);
    mirror.on_device = true;
    if (is_read)
        write_to_device(gpu_, read_rows(view, n, int(components), options_.device).data(), n,
                        mirror);
    return mirror;
}

/// Copies a mirrored result to the caller's array.
void BatchSolver::write_back(const ArrayView& to, const ArrayView& from) const
{
    if (to && gpu_ >= 0 && !to.on_device)
        write_rows(read_rows(from, batch_.bodies(), to.components(), options_.device),
                   batch_.bodies(), to, options_.device);
}

} // namespace chamomile
