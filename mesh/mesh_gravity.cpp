#include "mesh/mesh_gravity.hpp"

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/threads.hpp"
#include "mesh/assignment.hpp"
#include "mesh/fourier.hpp"
#include "mesh/green_function.hpp"

namespace chamomile {
namespace {

struct FieldAt {
    Vec3<double> acceleration;
    double potential = 0;
};

template <int points>
struct CloudInSpace {
    WrappedCloud<points> x, y, z;
};

/// The field on grids of accelerations, by the assignment's own kernel.
template <int points, class T>
FieldAt interpolated(const CloudInSpace<points>& cloud, const Grid<T>* const (&component)[3],
                     const Grid<T>* potential)
{
    FieldAt field;
    double sum[4] = {};
    for (int a = 0; a < points; ++a)
        for (int b = 0; b < points; ++b) {
            const int i = cloud.x.point[a], j = cloud.y.point[b];
            const T* row[3] = {&(*component[0])(i, j, 0), &(*component[1])(i, j, 0),
                               &(*component[2])(i, j, 0)};
            const double w = cloud.x.weight[a] * cloud.y.weight[b];
            for (int c = 0; c < points; ++c) {
                const double weight = w * cloud.z.weight[c];
                for (int d = 0; d < 3; ++d)
                    sum[d] += weight * double(row[d][cloud.z.point[c]]);
                if (potential)
                    sum[3] += weight * double((*potential)(i, j, cloud.z.point[c]));
            }
        }
    return {{sum[0], sum[1], sum[2]}, sum[3]};
}

/// Points and weights of a cloud and two more points on either side: of the field itself (0 at the
/// outer points), and of its differences over 4 points, in inverse cells.
template <int points>
struct Stencil {
    int point[points + 4];
    double weight[points + 4] = {}, slope[points + 4] = {};

    Stencil(const WrappedCloud<points>& cloud, int n)
    {
        for (int p = 0; p < points + 4; ++p) {
            const int i = cloud.point[0] + p - 2;
            point[p] = i < 0 ? i + n : i >= n ? i - n : i;
        }
        for (int p = 0; p < points; ++p) {
            const double w = cloud.weight[p];
            weight[p + 2] = w;
            slope[p + 3] += w * (2 / 3.);
            slope[p + 1] -= w * (2 / 3.);
            slope[p + 4] -= w * (1 / 12.);
            slope[p] += w * (1 / 12.);
        }
    }
    static bool inside(int p) { return p >= 2 && p < points + 2; }
};

/// The potential and minus its differences.
template <int points, class T>
FieldAt differentiated(const CloudInSpace<points>& cloud, const Grid<T>& potential,
                       double cells_per_length)
{
    const int n = potential.side();
    const Stencil<points> x(cloud.x, n), y(cloud.y, n), z(cloud.z, n);
    Vec3<double> slope;
    double value = 0;
    for (int a = 0; a < points + 4; ++a)
        for (int b = 0; b < points + 4; ++b) {
            const bool in_x = x.inside(a), in_y = y.inside(b);
            if (!in_x && !in_y)
                continue;
            const T* row = &potential(x.point[a], y.point[b], 0);
            double along = 0, along_slope = 0;
            for (int c = 2; c < points + 2; ++c)
                along += z.weight[c] * double(row[z.point[c]]);
            slope.x += x.slope[a] * y.weight[b] * along;
            slope.y += x.weight[a] * y.slope[b] * along;
            if (in_x && in_y) {
                for (int c = 0; c < points + 4; ++c)
                    along_slope += z.slope[c] * double(row[z.point[c]]);
                slope.z += x.weight[a] * y.weight[b] * along_slope;
                value += x.weight[a] * y.weight[b] * along;
            }
        }
    return {-cells_per_length * slope, value};
}

template <class T>
class MeshGravity final : public LongRange {
public:
    MeshGravity(Periodicity box, const MeshOptions& options)
        : box_(box), options_(options), assignment_(options.kernel, box, options.cells),
          fourier_(options.cells), split_(options.split * box.side / options.cells),
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
            assignment_.assign(n, position, mass, potential_);
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
        if (potential && !is_potential_) {
            const TimedPhase phase(profile, "mesh: potential");
            fourier_.backward(potential_);
            is_potential_ = true;
        }
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

    double split_radius() const override { return split_; }

private:
    bool four_point() const { return options_.differentiation == Differentiation::four_point; }

    /// The spectrum of mass becomes that of the potential, and of its slopes.
    void multiply()
    {
        const GreenFunction green{box_.side, four_point()};
        const double *wave = rows_.wave.data(), *factor = rows_.factor.data(),
                     *gradient = rows_.gradient.data();
        const int n = options_.cells;
#pragma omp parallel for collapse(2) schedule(static)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
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
        const int cells = options_.cells;
#pragma omp parallel for schedule(dynamic, 1024) if (targets >= worth_threads)
        for (std::size_t t = 0; t < targets; ++t) {
            const std::size_t i = order.empty() ? t : order[t];
            const auto along = [&](int c) {
                return wrapped_cloud_at<points>(assignment_.in_cells(position.load(i, c)), cells);
            };
            const CloudInSpace<points> cloud{along(0), along(1), along(2)};
            FieldAt field;
            if (four_point()) {
                field = differentiated(cloud, potential_, cells / box_.side);
            } else {
                const Grid<T>* const component[] = {&component_[0], &component_[1], &component_[2]};
                field = interpolated(cloud, component, potential ? &potential_ : nullptr);
            }
            acceleration.store_vector(i, acceleration.load_vector(i) +
                                             gravitational_constant * field.acceleration);
            if (potential)
                potential.store(i, 0, potential.load(i) + gravitational_constant * field.potential);
        }
    }

    Periodicity box_;
    MeshOptions options_;
    MassAssignment assignment_;
    Fourier<T> fourier_;
    double split_;
    GreenRows rows_;
    mutable Grid<T> potential_; ///< with component_, its spectrum until it is asked for
    mutable bool is_potential_ = false;
    std::vector<Grid<T>> component_; ///< of the acceleration; none with differences
};

} // namespace

std::unique_ptr<LongRange> make_mesh_gravity(Periodicity box, const MeshOptions& options)
{
    const auto refuse = [](const std::string& line) { throw Error(Fault::usage, line); };
    if (options.cells < 8 || options.cells > 32768)
        refuse("mesh: " + std::to_string(options.cells) + ": must be 8 to 32768");
    if (!(options.split >= 0.5 && options.split <= options.cells))
        refuse("split: " + std::to_string(options.split) + ": must be 0.5 cells or more");
    if (options.scalar == Scalar::float32)
        return std::make_unique<MeshGravity<float>>(box, options);
    return std::make_unique<MeshGravity<double>>(box, options);
}

} // namespace chamomile
