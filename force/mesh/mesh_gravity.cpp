#include "chamomile/force/mesh/mesh_gravity.hpp"

#include <algorithm>
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
        : box_(box), options_(options), split_(checked_split_radius(box, options)),
          assignment_(options.kernel, box, options.cells), fourier_(options.cells, ranks),
          rows_(green_rows(options.cells, box.side, split_, int(options.kernel), four_point())),
          potential_(fourier_.field())
    {
        if (!four_point())
            for (int d = 0; d < 3; ++d)
                component_.push_back(fourier_.field());
    }

    void prepare(std::size_t n, const ArrayView& position, const ArrayView& mass,
                 Profile& profile) override
    {
        {
            const TimedPhase phase(profile, "mesh: assign");
            assign(n, position, mass, potential_);
        }
        const TimedPhase phase(profile, "mesh: potential");
        fourier_.forward(potential_);
        multiply();
        fourier_.columns_backward(potential_);
        is_potential_ = four_point();
        if (is_potential_)
            return to_field(potential_);
        fourier_.columns_backward(component_[0]);
        differentiate_planes();
        for (Grid<T>& component : component_)
            to_field(component);
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
            to_field(potential_);
    }

    void cover(std::size_t n, const ArrayView& position) override
    {
        if (!fourier_.ranks())
            return;
        mark_rows(assignment_, n, position, *marked_);
        fourier_.cover(*marked_);
        fourier_.ranks()->run_and_agree([&] {
            potential_.extend_rows(fourier_.covered());
            for (Grid<T>& component : component_)
                component.extend_rows(fourier_.covered());
        });
        if (is_potential_)
            fourier_.share(potential_);
        for (Grid<T>& component : component_)
            fourier_.share(component);
    }

    /// The transposed operations: with the loss's mu and lambda on the mesh, Psi follows by Green's
    /// function as the potential from masses, where accelerations change sign. Particles get Psi
    /// with their cloud's weights, and the fields' gradients with its slopes.
    void add_adjoint(const LongRangeLoss& loss, std::span<const std::uint32_t> active,
                     double gravitational_constant, const ArrayView& position,
                     const ArrayView& mass, Profile& profile) override
    {
        require_gradients(options_, fourier_.ranks());
        Grid<T> psi(options_.cells), charge(options_.cells);
        std::vector<double> share(loss.n);
        for (int d = 0; d < 4; ++d) { // mu and the components of lambda
            const ArrayView& from = d == 0 ? loss.mu : loss.lambda;
            if (!from)
                continue;
            {
                const TimedPhase phase(profile, "mesh: assign");
                for (std::size_t i = 0; i < loss.n; ++i)
                    share[i] = from.load(i, std::max(d - 1, 0));
                assign(loss.n, loss.position, view_of(std::span(share)), charge);
            }
            const TimedPhase phase(profile, "mesh: potential");
            fourier_.forward(charge);
            add_spectrum(charge, d - 1, psi);
        }
        if (loss.mu)
            prepare_potential(profile);
        {
            const TimedPhase phase(profile, "mesh: potential");
            fourier_.backward(psi);
        }
        const TimedPhase phase(profile, "mesh: interpolate");
        const std::span<const std::uint32_t> order = active.empty() ? assignment_.order() : active;
        with_points(options_.kernel, [&](auto points) {
            add_gradients<points>(loss, order, gravitational_constant, psi, position, mass);
        });
    }

    double split_radius() const override { return split_; }

private:
    bool four_point() const { return options_.differentiation == Differentiation::four_point; }

    /// Transforms this rank's planes.
    void to_field(Grid<T>& planes) const
    {
        fourier_.planes_backward(planes);
        fourier_.share(planes);
    }

    MeshField<T> field(bool has_potential) const
    {
        MeshField<T> field{.rows = fourier_.rows(),
                           .potential = has_potential ? potential_.data() : nullptr,
                           .cells_per_length = options_.cells / box_.side};
        for (std::size_t d = 0; d < component_.size(); ++d)
            field.component[d] = component_[d].data();
        return field;
    }

    /// Returns the number of points along an axis that a particle may read, and one more on each
    /// side: images of a place may differ by rounding.
    int width() const { return int(options_.kernel) + 2 * (four_point() ? 3 : 1); }

    void assign(std::size_t n, const ArrayView& position, const ArrayView& mass, Grid<T>& grid)
    {
        if constexpr (std::is_same_v<T, float>) {
            assignment_.assign(n, position, mass, grid);
        } else {
            const bool is_shared = fourier_.ranks();
            marked_.emplace(RowMarks{is_shared ? options_.cells : 0, width()});
            if (is_shared)
                mark_rows(assignment_, n, position, *marked_);
            assign_of_ranks(assignment_, n, position, mass,
                            scale_of_masses(n, mass, fourier_.ranks()), fourier_, grid, *marked_,
                            component_);
        }
    }

    /// Adds the spectrum of Psi by charges (d = -1), or by component d of lambda.
    void add_spectrum(Grid<T>& charge, int d, Grid<T>& psi)
    {
        const GreenFunction green{box_.side, four_point()};
        const double *wave = rows_.wave.data(), *factor = rows_.factor.data(),
                     *gradient = rows_.gradient.data();
        const int n = options_.cells;
#pragma omp parallel for collapse(2) schedule(static)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k <= n / 2; ++k) {
                    const std::complex<T> mode =
                        T(green(wave, factor, gradient, i, j, k)) * charge.mode(i, j, k);
                    const T slope = T(gradient[d == 0 ? i : d == 1 ? j : k]);
                    psi.mode(i, j, k) +=
                        d < 0 ? mode : slope * std::complex<T>(-mode.imag(), mode.real());
                }
    }

    template <int points>
    void add_gradients(const LongRangeLoss& loss, std::span<const std::uint32_t> order, double G,
                       const Grid<T>& psi, const ArrayView& position, const ArrayView& mass) const
    {
        const MeshField<T> field = this->field(bool(loss.mu));
#pragma omp parallel for schedule(dynamic, 1024) if (order.size() >= worth_threads)
        for (std::size_t t = 0; t < order.size(); ++t) {
            const std::size_t i = order[t];
            const SourceOfLoss own{loss.position.load_vector(i), loss.mass.load(i),
                                   loss.lambda ? loss.lambda.load_vector(i) : Vec3<double>{},
                                   loss.mu ? loss.mu.load(i) : 0};
            const GradientAt at = gradient_at<points>(own, assignment_.frame(), field, psi.data());
            position.store_vector(i, position.load_vector(i) + G * at.position);
            if (mass)
                mass.store(i, 0, mass.load(i) + G * at.mass);
        }
    }

    /// Turns the mass spectrum into the spectra of the potential and of the first component, at
    /// this rank's rows.
    void multiply()
    {
        if (!component_.empty())
            component_[0].reshape(potential_.planes(), potential_.rows());
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
                    if (!component_.empty())
                        component_[0].mode(i, j, k) = T(gradient[i]) * turned(mode);
                }
    }

    /// Differentiates along the second and third index, at planes in space along the first: these
    /// two components need no transform along it, and on ranks no transposition.
    void differentiate_planes()
    {
        const MeshRange planes = fourier_.own();
        const int n = options_.cells;
#pragma omp parallel for collapse(2) schedule(static)
        for (int i = planes.begin; i < planes.end; ++i)
            for (int j = 0; j < n; ++j)
                for (int k = 0; k <= n / 2; ++k) {
                    const std::complex<T> mode = turned(potential_.mode(i, j, k));
                    component_[1].mode(i, j, k) = T(rows_.gradient[std::size_t(j)]) * mode;
                    component_[2].mode(i, j, k) = T(rows_.gradient[std::size_t(k)]) * mode;
                }
    }

    /// Returns -i times a mode.
    static std::complex<T> turned(const std::complex<T>& mode)
    {
        return {mode.imag(), -mode.real()};
    }

    template <int points>
    void add_at(std::size_t n, const ArrayView& position, std::span<const std::uint32_t> order,
                double gravitational_constant, const ArrayView& acceleration,
                const ArrayView& potential) const
    {
        const std::size_t targets = order.empty() ? n : order.size();
        const MeshField<T> field = this->field(potential || four_point());
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
    double split_;
    MassAssignment assignment_;
    mutable SlabFourier<T> fourier_;
    GreenRows rows_;
    mutable Grid<T> potential_; ///< with component_: planes to transform until add() needs it
    mutable bool is_potential_ = false;
    std::vector<Grid<T>> component_;   ///< of the acceleration; empty with differences
    std::optional<MarkedRows> marked_; ///< near the particles of this rank
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

void require_gradients(const MeshOptions& options, const Communicator* ranks)
{
    if (options.differentiation == Differentiation::four_point || ranks)
        throw Error(Fault::usage, "mesh: needs spectral differences and one rank for gradients");
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
