#include "chamomile/analysis/power_spectrum.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <optional>
#include <string>

#include "chamomile/core/error.hpp"
#include "chamomile/core/exact_sum.hpp"
#include "chamomile/core/number_text.hpp"
#include "chamomile/force/mesh/rank_assignment.hpp"

namespace chamomile {
namespace {

using std::numbers::pi;

/// Rows of modes that a thread sums together; they are adjacent in memory.
constexpr int adjacent_rows = 8;

/// Bins of a folded box start at this fraction of the previous Nyquist wave number.
constexpr double joint = 0.75;

void check(const PowerSpectrumOptions& o, const Periodicity& box)
{
    const auto refuse = [](const char* name, double value, const char* allowed) {
        throw Error(Fault::usage, std::string(name) + ": " + number_text(value) + ": " + allowed);
    };
    if (!(box.side > 0) || !std::isfinite(box.side))
        refuse("box", box.side, "must be above 0: a power spectrum needs a periodic box");
    if (o.mesh < 8 || o.mesh > 8192 || o.mesh % 2 != 0)
        refuse("mesh", o.mesh, "must be even, from 8 to 8192");
    if (o.foldings < 0 || o.foldings > 8)
        refuse("foldings", o.foldings, "must be 0 to 8");
    if (o.fold_factor < 2 || o.fold_factor > 16)
        refuse("fold factor", o.fold_factor, "must be 2 to 16");
    if (!(o.bins_per_decade >= 1 && o.bins_per_decade <= 1000))
        refuse("bins per decade", o.bins_per_decade, "must be 1 to 1000");
}

/// ModeFactors holds one-dimensional factors of modes with wave number k: the assignment window,
/// sums of its square over the aliases k + n a (plain and with alternating signs), and the phase of
/// a shift by half a cell. A three-dimensional mode has the product of three ModeFactors.
struct ModeFactors {
    double window = 1, all = 1, alternating = 1;
    std::complex<double> phase = 1;

    ModeFactors() = default;
    ModeFactors(Assignment kernel, int k, int n) : phase(std::polar(1.0, pi * k / n))
    {
        const int p = int(kernel);
        const double x = pi * k / n;
        window = std::pow(k == 0 ? 1 : std::sin(x) / x, p);
        all = alternating = 0;
        for (int a = -400; a <= 400; ++a) {
            const double u = x + pi * a;
            const double w = std::pow(u == 0 ? 1 : std::sin(u) / u, 2 * p);
            all += w;
            alternating += a % 2 == 0 ? w : -w;
        }
        if (p == 1)
            all = 1; // limit of a slowly converging sum
    }
    friend ModeFactors operator*(const ModeFactors& a, const ModeFactors& b)
    {
        ModeFactors product;
        product.window = a.window * b.window;
        product.all = a.all * b.all;
        product.alternating = a.alternating * b.alternating;
        product.phase = a.phase * b.phase;
        return product;
    }
};

/// A ModeSum adds up the modes of a bin.
struct ModeSum {
    double k = 0, power = 0, noise = 0; ///< noise: for unit shot noise, including aliases
    std::uint64_t modes = 0;

    void operator+=(const ModeSum& other)
    {
        k += other.k;
        power += other.power;
        noise += other.noise;
        modes += other.modes;
    }
};

struct MassSums {
    double total, squares;
};

/// Returns the bin edges in units of 2 pi / side, from 1/2 to the Nyquist wave number of the last
/// folding.
std::vector<double> bin_edges(const PowerSpectrumOptions& o)
{
    const double max = 0.5 * o.mesh * std::pow(o.fold_factor, o.foldings);
    const double ratio = o.bins == PowerBins::linear ? 1 : std::pow(10, 1 / o.bins_per_decade);
    std::vector<double> edges{0.5};
    while (edges.back() < max)
        edges.push_back(std::min(max, std::max(edges.back() + 1, edges.back() * ratio)));
    return edges;
}

/// A Measurement sums the modes of a box in bins. Each rank sums the modes of its slab of rows.
class Measurement {
public:
    Measurement(const PowerSpectrumOptions& options, Communicator* ranks)
        : options_(options), n_(options.mesh), edges_(bin_edges(options)), ranks_(ranks),
          fourier_(n_, ranks), mesh_(fourier_.field())
    {
        for (int i = 0; i < n_; ++i)
            factors_.emplace_back(options.kernel, wave_number(i, n_), n_);
        if (options.interlacing == Interlacing::two_meshes)
            other_.emplace(fourier_.field());
    }

    const std::vector<double>& edges() const { return edges_; }

    /// Returns the bins of a box folded `factor` times per side; `box` is the folded box.
    std::vector<ModeSum> measure(std::size_t n, const ArrayView& position, const ArrayView& mass,
                                 const Periodicity& box, double factor)
    {
        const double scale = scale_of_masses(n, mass, ranks_);
        assign(n, position, mass, box, 0, scale, mesh_);
        if (other_)
            assign(n, position, mass, box, 0.5, scale, *other_);
        const std::vector<int> bin_of = table_of_bins(factor);
        const std::size_t bins = edges_.size() - 1;
        const MeshRange rows = fourier_.own();
        std::vector<ModeSum> of_rows(bins * std::size_t(rows.count())); // summed in order below
#pragma omp parallel for schedule(dynamic)
        for (int begin = rows.begin; begin < rows.end; begin += adjacent_rows) {
            const MeshRange some{begin, std::min(begin + adjacent_rows, rows.end)};
            ModeSum* sum = of_rows.data() + bins * std::size_t(begin - rows.begin);
            for (int i = 0; i < n_; ++i)
                for (int j = some.begin; j < some.end; ++j)
                    sum_row(i, j, factor, bin_of, sum + bins * std::size_t(j - begin));
        }
        if (ranks_)
            of_rows = ranks_->all_gather(std::span<const ModeSum>(of_rows));
        std::vector<ModeSum> sums(bins);
        for (std::size_t j = 0; j < std::size_t(n_); ++j)
            for (std::size_t b = 0; b < bins; ++b)
                sums[b] += of_rows[j * bins + b];
        return sums;
    }

private:
    void assign(std::size_t n, const ArrayView& position, const ArrayView& mass,
                const Periodicity& box, double shift, double scale, Grid<double>& grid)
    {
        MassAssignment assignment(options_.kernel, box, n_, shift);
        MarkedRows marked{{ranks_ ? n_ : 0, int(options_.kernel)}};
        if (ranks_)
            mark_rows(assignment, n, position, marked);
        assign_of_ranks(assignment, n, position, mass, scale, fourier_, grid, marked);
        fourier_.forward(grid);
    }

    /// Returns the bin for each squared wave number in the folded box, or -1.
    std::vector<int> table_of_bins(double factor) const
    {
        const int max = n_ / 2;
        std::vector<int> bins(std::size_t(max) * std::size_t(max), -1);
        for (std::size_t square = 1; square < bins.size(); ++square) {
            const double k = factor * std::sqrt(double(square));
            const auto above = std::upper_bound(edges_.begin(), edges_.end(), k);
            if (above != edges_.begin() && above != edges_.end())
                bins[square] = int(above - edges_.begin()) - 1;
        }
        return bins;
    }

    /// Adds the modes of one row, with i and j as first indices.
    void sum_row(int i, int j, double factor, const std::vector<int>& bin_of, ModeSum* sums) const
    {
        const auto square_of = [&](int entry) {
            const auto k = std::size_t(std::abs(wave_number(entry, n_)));
            return k * k;
        };
        const ModeFactors in_plane = factors_[std::size_t(i)] * factors_[std::size_t(j)];
        for (int k = 0; k < n_ / 2; ++k) {
            const std::size_t square = square_of(i) + square_of(j) + square_of(k);
            if (square >= bin_of.size())
                break;
            if (bin_of[square] < 0)
                continue;
            const ModeFactors factors = in_plane * factors_[std::size_t(k)];
            std::complex<double> mode = mesh_.mode(i, j, k);
            double noise = factors.all;
            if (other_) { // its points are half a cell lower
                mode = 0.5 * (mode + factors.phase * other_->mode(i, j, k));
                noise = 0.5 * (noise + factors.alternating);
            }
            const unsigned weight = k == 0 ? 1 : 2;
            const double share = weight / (factors.window * factors.window);
            ModeSum& sum = sums[bin_of[square]];
            sum.k += weight * factor * std::sqrt(double(square));
            sum.power += share * std::norm(mode);
            sum.noise += share * noise;
            sum.modes += weight;
        }
    }

    PowerSpectrumOptions options_;
    int n_;
    std::vector<double> edges_;
    std::vector<ModeFactors> factors_;
    Communicator* ranks_; ///< null: one rank
    SlabFourier<double> fourier_;
    Grid<double> mesh_;
    std::optional<Grid<double>> other_;
};

} // namespace

PowerSpectrum power_spectrum(std::size_t n, const ArrayView& position, const ArrayView& mass,
                             const Periodicity& box, const PowerSpectrumOptions& options,
                             Communicator* ranks)
{
    ExactSums<MassSums> sums;
    sums.add(0, n, [&](std::size_t i) {
        const double m = mass ? mass.load(i) : 1;
        return MassSums{m, m * m};
    });
    if (ranks)
        ranks->sum(sums);
    const auto [total, squares] = sums.value();
    std::optional<Measurement> measurement;
    const auto begin = [&, all = total, all_squares = squares] {
        check(options, box);
        if (!(all > 0) || !std::isfinite(all))
            throw Error(Fault::input, "total mass: " + number_text(all) + ": must be above 0");
        if (!std::isnormal(all * all) || !std::isnormal(all_squares))
            throw Error(Fault::input, "total mass: " + number_text(all) +
                                          ": its square must be a number of double precision");
        measurement.emplace(options, ranks);
    };
    ranks ? ranks->run_and_agree(begin) : begin();

    const double fundamental = 2 * pi / box.side, volume = box.side * box.side * box.side;
    const std::vector<double>& edges = measurement->edges();
    PowerSpectrum spectrum;
    spectrum.shot_noise = volume * squares / (total * total);
    spectrum.nyquist = 0.5 * options.mesh * fundamental;
    std::size_t bin = 0;
    double factor = 1;
    for (int folding = 0; folding <= options.foldings; ++folding, factor *= options.fold_factor) {
        const bool is_last = folding == options.foldings;
        const double end = (is_last ? 1 : joint) * 0.5 * options.mesh * factor;
        const std::vector<ModeSum> sums =
            measurement->measure(n, position, mass, {box.side / factor}, factor);
        for (; bin + 1 < edges.size() && edges[bin + 1] <= end; ++bin) {
            const ModeSum& sum = sums[bin];
            if (sum.modes == 0)
                continue;
            const double modes = double(sum.modes);
            const double measured = volume / (total * total) * sum.power / modes;
            PowerBin result{edges[bin] * fundamental, edges[bin + 1] * fundamental};
            result.k = fundamental * sum.k / modes;
            result.modes = sum.modes;
            result.power = measured - spectrum.shot_noise * sum.noise / modes;
            result.total = measured;
            result.error = measured * std::sqrt(2 / modes);
            result.folding = folding;
            spectrum.bins.push_back(result);
        }
    }
    return spectrum;
}

} // namespace chamomile
