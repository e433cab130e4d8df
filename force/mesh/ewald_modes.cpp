#include "chamomile/force/mesh/ewald_modes.hpp"

#include <algorithm>
#include <cmath>
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
        for (const ModeRow& row : rows_)
            for (int z = 0; z < row.waves; ++z)
                set_mode(row, z, sums[0][row.first + std::size_t(z)]);
    }

    void add(std::size_t n, const ArrayView& position, std::span<const std::uint32_t> active,
             double gravitational_constant, const ArrayView& acceleration,
             const ArrayView& potential, Profile& profile) const override
    {
        const TimedPhase phase(profile, "modes: field");
        const std::size_t targets = active.empty() ? n : active.size();
        const double slope = -gravitational_constant * 2 * M_PI / box_.side;
        FirstException first;
#pragma omp parallel if (targets > ModeBlock::size)
        {
            Work work(waves_);
            ModeBlock& block = work.block;
#pragma omp for schedule(dynamic)
            for (std::size_t t = 0; t < targets; t += ModeBlock::size)
                first.run([&] {
                    load(block, t, targets, active, position, {});
                    kernels_.sum_field(block, rows(), modes_.data());
                    for (int p = 0; p < ModeBlock::size && t + std::size_t(p) < targets; ++p) {
                        const std::size_t at = t + std::size_t(p),
                                          i = active.empty() ? at : active[at];
                        acceleration.store_vector(i, acceleration.load_vector(i) +
                                                         slope * Vec3<double>{block.slope[0][p],
                                                                              block.slope[1][p],
                                                                              block.slope[2][p]});
                        if (potential)
                            potential.store(i, 0,
                                            potential.load(i) +
                                                gravitational_constant * block.potential[p]);
                    }
                });
        }
        if (first.caught())
            first.rethrow();
    }

    double split_radius() const override
    {
        return split_;
    }

private:
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
    /// massless.
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
            block.mass[p] = is_present && mass ? mass.load(i) : 0;
        }
    }

    /// Sets phi_k = -4 pi / (V k^2) exp(-k^2 r_s^2) conj(S_k), for (x, y, z) and (x, y, -z) with
    /// their conjugates.
    void set_mode(const ModeRow& row, int z, const ModeSums& s)
    {
        const double unit = 2 * M_PI / box_.side;
        const double k2 = unit * unit * double(row.x * row.x + row.y * row.y + z * z);
        // z and -z are the same mode, or conjugates of each other.
        const bool counted_twice = z == 0 || (row.x == 0 && row.y == 0);
        const double green = k2 == 0 ? 0
                                     : -4 * M_PI * std::exp(-k2 * split_ * split_) /
                                           (k2 * std::pow(box_.side, 3)) * (counted_twice ? 1 : 2);
        // The coefficients are f + i g for +z, f' + i g' for -z, times exp(i k x).
        const double f = green * (s.rr - s.ii), g = -green * (s.ri + s.ir);
        const double f_down = green * (s.rr + s.ii), g_down = -green * (s.ir - s.ri);
        ModeCoefficients& m = modes_[row.first + std::size_t(z)];
        m = {f + f_down, -(g + g_down), g_down - g, f_down - f, 0, 0, 0, 0};
        m.za = z * m.a;
        m.zb = z * m.b;
        m.zc = z * m.c;
        m.zd = z * m.d;
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
