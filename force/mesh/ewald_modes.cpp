#include "chamomile/force/mesh/ewald_modes.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "chamomile/core/error.hpp"
#include "chamomile/core/first_exception.hpp"
#include "chamomile/core/instruction_sets.hpp"
#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/force/mesh/simd/mode_sums.hpp"

namespace chamomile {
namespace {

constexpr int max_waves = 128;

/// Sums over particles are split into at most max_parts parts. Each part is summed by one thread,
/// and parts are added in order. Surplus threads stay idle.
constexpr std::size_t max_parts = 64, min_part = 1024;

ModeKernels find_mode_kernels(const std::string& instruction_set)
{
    switch (find_instruction_set(instruction_set)) {
#ifdef CHAMOMILE_X86
    case 2:
        return avx512::mode_kernels();
    case 1:
        return avx2::mode_kernels();
#endif
    default:
        return baseline::mode_kernels();
    }
}

/// Sums the long range over Fourier modes.
class EwaldModes final : public LongRange {
public:
    EwaldModes(Periodicity box, double split_radius, int highest, ModeKernels kernels,
               Communicator* ranks)
        : box_(box), split_(split_radius), waves_(highest + 1), kernels_(kernels), ranks_(ranks)
    {
        std::size_t first = 0;
        for (int x = 0; x <= highest; ++x)
            for (int y = x == 0 ? 0 : -highest; y <= highest; ++y)
                if (const int left = highest * highest - x * x - y * y; left >= 0) {
                    const int waves = int(std::sqrt(double(left))) + 1;
                    rows_.push_back({x, y, waves, first});
                    first += std::size_t(waves);
                }
        modes_.resize(first);
    }

    void prepare(std::size_t n, const ArrayView& position, const ArrayView& mass,
                 Profile& profile) override
    {
        const TimedPhase phase(profile, "modes: structure");
        const std::vector<ModeSums> sums = structure(n, position, mass);
        for_each_wave([&](const ModeRow& row, int z, std::size_t m) {
            const auto [up, down] = conjugates(sums[m]);
            const double green = green_of(row, z);
            modes_[m] = coefficients(z, green * up, green * down);
        });
    }

    /// With S of the loss's mu and lambda, Psi has the structure S_mu - i k . S_lambda. The tidal
    /// field follows from the field's three derivatives, one after the other.
    void add_adjoint(const LongRangeLoss& loss, std::span<const std::uint32_t> active,
                     double gravitational_constant, const ArrayView& position,
                     const ArrayView& mass, Profile& profile) override
    {
        if (ranks_)
            throw Error(Fault::usage, "modes: need one rank for gradients");
        const double unit = 2 * M_PI / box_.side;
        std::vector<Wave> psi(modes_.size());
        std::vector<double> share(loss.n);
        for (int d = -1; d < 3; ++d) {
            const TimedPhase phase(profile, "modes: structure");
            const ArrayView& from = d < 0 ? loss.mu : loss.lambda;
            if (!from)
                continue;
            for (std::size_t i = 0; i < loss.n; ++i)
                share[i] = from.load(i, std::max(d, 0));
            const std::vector<ModeSums> sums =
                structure(loss.n, loss.position, view_of(std::span(share)));
            for_each_wave([&](const ModeRow& row, int z, std::size_t m) {
                Wave wave = conjugates(sums[m]);
                if (d >= 0)
                    wave = derivative(wave, row, z, d);
                const double green = green_of(row, z);
                psi[m].up += green * wave.up;
                psi[m].down += green * wave.down;
            });
        }
        const TimedPhase phase(profile, "modes: field");
        std::vector<ModeCoefficients> modes(modes_.size());
        for_each_wave([&](const ModeRow&, int z, std::size_t m) {
            modes[m] = coefficients(z, psi[m].up, psi[m].down);
        });
        const double G = gravitational_constant;
        sum_field(loss.n, loss.position, active, modes,
                  [&](std::size_t i, double value, const Vec3<double>& slope) {
                      if (mass)
                          mass.store(i, 0, mass.load(i) + G * value);
                      position.store_vector(i, position.load_vector(i) +
                                                   G * unit * loss.mass.load(i) * slope);
                  });
        for (int d = 0; d < 3; ++d) {
            for_each_wave([&](const ModeRow& row, int z, std::size_t m) {
                const Wave wave = derivative(waves_of(modes_[m]), row, z, d);
                modes[m] = coefficients(z, wave.up, wave.down);
            });
            sum_field(loss.n, loss.position, active, modes,
                      [&](std::size_t i, double value, const Vec3<double>& slope) {
                          const double lambda = loss.lambda ? loss.lambda.load(i, d) : 0,
                                       mu = loss.mu ? loss.mu.load(i) : 0;
                          Vec3<double> sum = position.load_vector(i) - G * unit * lambda * slope;
                          (&sum.x)[d] += G * mu * value;
                          position.store_vector(i, sum);
                      });
        }
    }

    void add(std::size_t n, const ArrayView& position, std::span<const std::uint32_t> active,
             double gravitational_constant, const ArrayView& acceleration,
             const ArrayView& potential, Profile& profile) const override
    {
        const TimedPhase phase(profile, "modes: field");
        const double slope = -gravitational_constant * 2 * M_PI / box_.side;
        sum_field(n, position, active, modes_,
                  [&](std::size_t i, double value, const Vec3<double>& of_mode) {
                      acceleration.store_vector(i, acceleration.load_vector(i) + slope * of_mode);
                      if (potential)
                          potential.store(i, 0, potential.load(i) + gravitational_constant * value);
                  });
    }

    double split_radius() const override { return split_; }

private:
    /// Coefficients of exp(i k x) for (x, y, z) and (x, y, -z); the field is the real part.
    struct Wave {
        std::complex<double> up, down;
    };

    /// Returns the particles' sums over all modes.
    std::vector<ModeSums> structure(std::size_t n, const ArrayView& position,
                                    const ArrayView& mass) const
    {
        const std::size_t parts = std::clamp(n / min_part, std::size_t(1), max_parts);
        std::vector<std::vector<ModeSums>> sums(parts);
        FirstException first;
#pragma omp parallel if (parts > 1)
        {
            Work work(waves_);
#pragma omp for schedule(dynamic)
            for (std::size_t part = 0; part < parts; ++part)
                first.run([&] {
                    sums[part].resize(modes_.size());
                    const std::size_t end = n * (part + 1) / parts;
                    for (std::size_t i = n * part / parts; i < end; i += ModeBlock::size) {
                        look_for_interruption();
                        load(work.block, i, end, {}, position, mass);
                        kernels_.add_sums(work.block, rows(), sums[part].data());
                    }
                });
        }
        if (first.caught())
            first.rethrow();
        for (std::size_t part = 1; part < parts; ++part)
            add_sums(sums[part], sums[0]);
        if (ranks_) {
            const std::vector<ModeSums> all =
                ranks_->all_gather(std::span<const ModeSums>(sums[0]));
            sums[0].assign(modes_.size(), {});
            for (std::size_t r = 0; r < std::size_t(ranks_->size()); ++r)
                add_sums(std::span(all).subspan(r * modes_.size(), modes_.size()), sums[0]);
        }
        return sums[0];
    }

    /// Calls use(i, potential, slope in units of side / (2 pi)) for each target.
    template <class Use>
    void sum_field(std::size_t n, const ArrayView& position, std::span<const std::uint32_t> active,
                   const std::vector<ModeCoefficients>& modes, const Use& use) const
    {
        const std::size_t targets = active.empty() ? n : active.size();
        FirstException first;
#pragma omp parallel if (targets > ModeBlock::size)
        {
            Work work(waves_);
            ModeBlock& block = work.block;
#pragma omp for schedule(dynamic)
            for (std::size_t t = 0; t < targets; t += ModeBlock::size)
                first.run([&] {
                    load(block, t, targets, active, position, {});
                    kernels_.sum_field(block, rows(), modes.data());
                    for (int p = 0; p < ModeBlock::size && t + std::size_t(p) < targets; ++p) {
                        const std::size_t at = t + std::size_t(p);
                        use(active.empty() ? at : active[at], block.potential[p],
                            {block.slope[0][p], block.slope[1][p], block.slope[2][p]});
                    }
                });
        }
        if (first.caught())
            first.rethrow();
    }

    static void add_sums(std::span<const ModeSums> more, std::span<ModeSums> sums)
    {
        for (std::size_t m = 0; m < sums.size(); ++m) {
            sums[m].rr += more[m].rr;
            sums[m].ii += more[m].ii;
            sums[m].ri += more[m].ri;
            sums[m].ir += more[m].ir;
        }
    }

    /// Memory for one thread.
    struct Work {
        explicit Work(int waves) : memory(ModeBlock::room(waves)) { block.waves = memory.data(); }
        std::vector<double> memory;
        ModeBlock block;
    };

    ModeRows rows() const
    {
        return {rows_.data(), rows_.size(), waves_};
    }

    /// Loads particles begin ... of `active`, or of all if empty; the rest of the block is
    /// massless. Without masses all are 1.
    void load(ModeBlock& block, std::size_t begin, std::size_t end,
              std::span<const std::uint32_t> active, const ArrayView& position,
              const ArrayView& mass) const
    {
        for (int p = 0; p < ModeBlock::size; ++p) {
            const std::size_t at = begin + std::size_t(p);
            const bool is_present = at < end;
            const std::size_t i = !is_present ? 0 : active.empty() ? at : active[at];
            for (int d = 0; d < 3; ++d) {
                const double x =
                    is_present ? 2 * M_PI / box_.side * box_.nearest(position.load(i, d)) : 0;
                block.cosine[d][p] = std::cos(x);
                block.sine[d][p] = std::sin(x);
            }
            block.mass[p] = !is_present ? 0 : mass ? mass.load(i) : 1;
        }
    }

    /// Calls use(row, z, mode) for all modes.
    template <class Use>
    void for_each_wave(const Use& use) const
    {
        for (const ModeRow& row : rows_)
            for (int z = 0; z < row.waves; ++z)
                use(row, z, row.first + std::size_t(z));
    }

    /// Returns -4 pi / (V k^2) exp(-k^2 r_s^2), for a mode with its conjugate.
    double green_of(const ModeRow& row, int z) const
    {
        const double unit = 2 * M_PI / box_.side;
        const double k2 = unit * unit * double(row.x * row.x + row.y * row.y + z * z);
        // z and -z are the same mode, or conjugates of each other.
        const bool counted_twice = z == 0 || (row.x == 0 && row.y == 0);
        return k2 == 0 ? 0
                       : -4 * M_PI * std::exp(-k2 * split_ * split_) /
                             (k2 * std::pow(box_.side, 3)) * (counted_twice ? 1 : 2);
    }

    /// Returns conj(S_k).
    static Wave conjugates(const ModeSums& s)
    {
        return {{s.rr - s.ii, -(s.ri + s.ir)}, {s.rr + s.ii, -(s.ir - s.ri)}};
    }

    /// Returns the derivative along dimension d.
    Wave derivative(const Wave& wave, const ModeRow& row, int z, int d) const
    {
        const double k = 2 * M_PI / box_.side * (d == 0 ? row.x : d == 1 ? row.y : z);
        const std::complex<double> up(0, k), down(0, d == 2 ? -k : k);
        return {up * wave.up, down * wave.down};
    }

    static ModeCoefficients coefficients(int z, const std::complex<double>& up,
                                         const std::complex<double>& down)
    {
        const double a = up.real() + down.real(), b = -(up.imag() + down.imag()),
                     c = down.imag() - up.imag(), d = down.real() - up.real();
        return {a, b, c, d, z * a, z * b, z * c, z * d};
    }

    static Wave waves_of(const ModeCoefficients& m)
    {
        return {{0.5 * (m.a - m.d), -0.5 * (m.b + m.c)}, {0.5 * (m.a + m.d), 0.5 * (m.c - m.b)}};
    }

    Periodicity box_;
    double split_;
    int waves_;
    ModeKernels kernels_;
    Communicator* ranks_; ///< null: one rank
    std::vector<ModeRow> rows_;
    std::vector<ModeCoefficients> modes_;
};

} // namespace

std::unique_ptr<LongRange> make_ewald_modes(Periodicity box, double split_radius, double tolerance,
                                            const std::string& instruction_set, Communicator* ranks)
{
    const auto refuse = [](const std::string& line) { throw Error(Fault::usage, line); };
    if (!(box.side > 0) || !std::isfinite(box.side))
        refuse("box: " + std::to_string(box.side) + ": must be above 0");
    if (!(split_radius > 0) || !(split_radius <= box.side / 4))
        refuse("split radius: " + std::to_string(split_radius) +
               ": must be above 0 and at most a quarter of the box");
    if (!(tolerance > 0) || !(tolerance < 1))
        refuse("tolerance: " + std::to_string(tolerance) + ": must be between 0 and 1");
    const double highest =
        std::ceil(box.side / (2 * M_PI * split_radius) * std::sqrt(-std::log(tolerance)));
    if (highest > max_waves)
        refuse("split radius: " + std::to_string(split_radius) + ": needs more than " +
               std::to_string(max_waves) + " waves along the box; use a mesh");
    return std::make_unique<EwaldModes>(box, split_radius, int(highest),
                                        find_mode_kernels(instruction_set), ranks);
}

} // namespace chamomile
