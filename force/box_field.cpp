#include "chamomile/force/box_field.hpp"

#include <cmath>

#include "chamomile/core/error.hpp"
#include "chamomile/force/gpu.hpp"

namespace chamomile {
namespace {

[[noreturn]] void refuse(const char* what)
{
    throw Error(Fault::usage, std::string(what) + " of isolated sources; in a periodic box there "
                                                  "are accelerations and potentials at the "
                                                  "sources");
}

class BoxField final : public FieldSolver {
public:
    explicit BoxField(const SolverOptions& options) : solver_(make_solver(options)) {}

    void build(const FieldSources& sources) override
    {
        if (sources.position.on_device || sources.mass.on_device)
            throw Error(Fault::usage, "sources: must be on the host in a periodic box");
        Particles taken;
        taken.resize(sources.count);
        for (std::size_t i = 0; i < sources.count; ++i) {
            taken.position[i] = sources.position.load_vector(i);
            taken.mass[i] = sources.mass.load(i);
            const Vec3<double>& x = taken.position[i];
            if (!std::isfinite(x.x + x.y + x.z) || !std::isfinite(taken.mass[i]))
                throw Error(Fault::input, "particle " + std::to_string(i) +
                                              ": position and mass: must be finite");
            if (sources.velocity)
                taken.velocity[i] = sources.velocity.load_vector(i);
        }
        has_velocities_ = bool(sources.velocity);
        sources_ = std::move(taken);
    }

    void refit(const FieldSources& sources) override
    {
        if (sources.count != size())
            throw Error(Fault::input,
                        "refit: sources: " + std::to_string(sources.count) +
                            ": must be as many as were built: " + std::to_string(size()));
        build(sources);
    }

    std::size_t size() const override { return sources_.size(); }

    FieldCopy copy_of_sources() override
    {
        return {sources_.position,
                has_velocities_ ? sources_.velocity : std::vector<Vec3<double>>(), sources_.mass};
    }

    ForceStatistics evaluate(const FieldTargets&, const FieldResults&) override
    {
        refuse("targets: are places in the field");
    }

    ForceStatistics evaluate_sources(std::span<const Index> active,
                                     const FieldResults& results) override
    {
        if (results.tidal || results.jerk)
            refuse("tidal tensor and jerk: are");
        const ForceStatistics statistics = solver_->solve(
            sources_,
            results.potential ? Quantities::acceleration_potential : Quantities::acceleration,
            active);
        const std::size_t n = active.empty() ? size() : active.size();
        std::vector<double> vectors(results.acceleration ? 3 * n : 0),
            numbers(results.potential ? n : 0);
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t i = active.empty() ? k : active[k];
            for (std::size_t c = 0; c < 3 && results.acceleration; ++c)
                vectors[3 * k + c] = (&sources_.acceleration[i].x)[c];
            if (results.potential)
                numbers[k] = sources_.potential[i];
        }
        write(vectors, n, results.acceleration);
        write(numbers, n, results.potential);
        return statistics;
    }

    void neighbours(const FieldTargets&, const ArrayView&, std::size_t, std::span<std::int64_t>,
                    std::span<std::int64_t>) override
    {
        refuse("neighbours: are");
    }

    std::string device() const override { return solver_->device(); }
    const SolverOptions& options() const override { return solver_->options(); }

private:
    void write(const std::vector<double>& rows, std::size_t n, const ArrayView& view) const
    {
        if (view && view.on_device)
            return write_to_device(choose_gpu(options().device), rows.data(), n, view);
        const std::size_t components = n > 0 ? rows.size() / n : 0;
        for (std::size_t k = 0; k < rows.size(); ++k)
            view.store(k / components, int(k % components), rows[k]);
    }

    std::unique_ptr<Solver> solver_;
    Particles sources_;
    bool has_velocities_ = false;
};

} // namespace

std::unique_ptr<FieldSolver> make_box_field(const SolverOptions& options)
{
    return std::make_unique<BoxField>(options);
}

} // namespace chamomile
