#include "chamomile/force/mesh/mesh_gravity.hpp"

#include <cmath>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/threads.hpp"
#include "chamomile/force/mesh/green_function.hpp"
#include "chamomile/force/mesh/mesh_field.hpp"
#include "chamomile/force/mesh/rank_assignment.hpp"

namespace chamomile {
namespace {

/// Computes the long range on a mesh with values of type T.
template <class T>
class MeshGravity final : public LongRange {
public:
    MeshGravity(Periodicity box, const MeshOptions& options, Communicator* ranks)
        : box_(box), options_(options), ranks_(ranks), split_(checked_split_radius(box, options)),
          assignment_(options.kernel, box, options.cells), fourier_(options.cells, ranks),
          rows_(green_rows(options.cells, box.side, split_, int(options.kernel), four_point())),
          potential_(options.cells)
    {
        if (!four_point())
            for (int d = 0; d < 3; ++d)
                component_.emplace_back(options.cells);
    }

    void prepare(std::size_t n, const ArrayView& position, const ArrayView& mass,
                 Profile& profile) override
    {
        {
            const TimedPhase phase(profile, "mesh: assign");
            assign(n, position, mass);
        }
        const TimedPhase phase(profile, "mesh: potential");
        fourier_.forward(potential_);
        multiply();
        is_potential_ = four_point();
        if (is_potential_)
            fourier_.backward(potential_);
        for (Grid<T>& component : component_)
            fourier_.backward(component);
    }

    void add(std::size_t n, const ArrayView& position, std::span<const std::uint32_t> active,
             double gravitational_constant, const ArrayView& acceleration,
             const ArrayView& potential, Profile& profile) const override
    {
        if (potential)
            prepare_potential(profile);
        const TimedPhase phase(profile, "mesh: interpolate");
        const std::span<const std::uint32_t> order =
            active.empty() && assignment_.order().size() == n ? assignment_.order() : active;
        switch (options_.kernel) {
        case Assignment::cloud_in_cell:
            return add_at<2>(n, position, order, gravitational_constant, acceleration, potential);
        case Assignment::triangular:
            return add_at<3>(n, position, order, gravitational_constant, acceleration, potential);
        case Assignment::piecewise_cubic:
            return add_at<4>(n, position, order, gravitational_constant, acceleration, potential);
        default:
            return add_at<1>(n, position, order, gravitational_constant, acceleration, potential);
        }
    }

    void prepare_potential(Profile& profile) const override
    {
        const TimedPhase phase(profile, "mesh: potential");
        if (!std::exchange(is_potential_, true))
            fourier_.backward(potential_);
    }

    double split_radius() const override { return split_; }

private:
    bool four_point() const { return options_.differentiation == Differentiation::four_point; }

    void assign(std::size_t n, const ArrayView& position, const ArrayView& mass)
    {
        if constexpr (std::is_same_v<T, float>)
            assignment_.assign(n, position, mass, potential_);
        else
            assign_of_ranks(assignment_, n, position, mass, scale_of_masses(n, mass, ranks_),
                            fourier_, potential_);
    }

    /// Turns the mass spectrum into the spectra of the potential and the acceleration, at this
    /// rank's rows.
    void multiply()
    {
        const GreenFunction green{box_.side, four_point()};
        const double *wave = rows_.wave.data(), *factor = rows_.factor.data(),
                     *gradient = rows_.gradient.data();
        const int n = options_.cells;
        const MeshRange rows = fourier_.own();
#pragma omp parallel for collapse(2) schedule(static)
        for (int i = 0; i < n; ++i)
            for (int j = rows.begin; j < rows.end; ++j)
                for (int k = 0; k <= n / 2; ++k) {
                    std::complex<T>& mode = potential_.mode(i, j, k);
                    mode *= T(green(wave, factor, gradient, i, j, k));
                    if (component_.empty())
                        continue;
                    const std::complex<T> turned(mode.imag(), -mode.real()); // -i times
                    component_[0].mode(i, j, k) = T(gradient[i]) * turned;
                    component_[1].mode(i, j, k) = T(gradient[j]) * turned;
                    component_[2].mode(i, j, k) = T(gradient[k]) * turned;
                }
    }

    template <int points>
    void add_at(std::size_t n, const ArrayView& position, std::span<const std::uint32_t> order,
                double gravitational_constant, const ArrayView& acceleration,
                const ArrayView& potential) const
    {
        const std::size_t targets = order.empty() ? n : order.size();
        const auto view = [](const Grid<T>& grid) {
            return MeshView<T>{grid.data(), grid.side(), grid.row()};
        };
        MeshField<T> field{};
        field.cells_per_length = options_.cells / box_.side;
        if (potential || four_point())
            field.potential = view(potential_);
        for (std::size_t d = 0; d < component_.size(); ++d)
            field.component[d] = view(component_[d]);
#pragma omp parallel for schedule(dynamic, 1024) if (targets >= worth_threads)
        for (std::size_t t = 0; t < targets; ++t) {
            const std::size_t i = order.empty() ? t : order[t];
            const FieldAt at =
                field_at<points>(position.load_vector(i), assignment_.frame(), field);
            acceleration.store_vector(i, acceleration.load_vector(i) +
                                             gravitational_constant * at.acceleration);
            if (potential)
                potential.store(i, 0, potential.load(i) + gravitational_constant * at.potential);
        }
    }

    Periodicity box_;
    MeshOptions options_;
    Communicator* ranks_; ///< null: one rank
    double split_;
    MassAssignment assignment_;
    mutable SlabFourier<T> fourier_;
    GreenRows rows_;
    mutable Grid<T> potential_; ///< with component_: a spectrum until add() needs the potential
    mutable bool is_potential_ = false;
    std::vector<Grid<T>> component_; ///< of the acceleration; empty with differences
};

} // namespace

double checked_split_radius(Periodicity box, const MeshOptions& options)
{
    const auto refuse = [](const std::string& line) { throw Error(Fault::usage, line); };
    if (!(box.side > 0) || !std::isfinite(box.side))
        refuse("box: " + std::to_string(box.side) + ": must be above 0");
    if (options.cells < 8 || options.cells > 32768)
        refuse("mesh: " + std::to_string(options.cells) + ": must be 8 to 32768");
    if (!(options.split >= 0.5 && options.split <= options.cells))
        refuse("split: " + std::to_string(options.split) + ": must be 0.5 cells or more");
    return options.split * box.side / options.cells;
}

std::unique_ptr<LongRange> make_mesh_gravity(Periodicity box, const MeshOptions& options,
                                             Communicator* ranks)
{
    if (options.scalar == Scalar::float32 && ranks)
        throw Error(Fault::usage, "mesh: float: needs a single rank");
    if (options.scalar == Scalar::float32)
        return std::make_unique<MeshGravity<float>>(box, options, ranks);
    return std::make_unique<MeshGravity<double>>(box, options, ranks);
}

} // namespace chamomile
