// Each hypothesis is kept only if it lowers the mean logarithm of the errors, which single wrong
// particles do not change.
#include "chamomile/force/accuracy/judge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "chamomile/core/norm.hpp"
#include "chamomile/core/text/table.hpp"
#include "chamomile/force/accuracy/direct_sample.hpp"
#include "chamomile/force/accuracy/judged_sample.hpp"
#include "chamomile/force/solver.hpp"

namespace chamomile {
namespace {

constexpr double fit_pairs = 1e7;   ///< per trial of a softening
constexpr std::size_t min_fit = 50; ///< targets of such a trial
constexpr std::size_t max_fit = 500;

double rounded(double value, int digits)
{
    return std::strtod(formatted("%.*g", digits, value).c_str(), nullptr);
}

/// A court holds what the steps of a judgement share.
class Court {
public:
    Court(Particles& particles, const OtherForces& other, const JudgeRequest& request)
        : particles_(particles), other_(other), request_(request), stated_(particles.softening)
    {
        law_.softening = request.physics.softening;
        choose_rows();
    }

    Judgement judge()
    {
        const Softening& stated = request_.physics.softening;
        JudgedSample sample = sample_at(law_.targets, stated, 1);
        law_.stated = errors_of(sample, law_);
        const Judgement plain = law_;
        if (!other_.acceleration.empty()) {
            align();
            if (is_related())
                find_sources();
        }
        if (is_related() && !request_.knows_softening)
            find_softening();
        if (law_.order != plain.order || law_.only_rows_attract || law_.softening_scale != 1 ||
            law_.softening.kind != stated.kind || law_.softening.length != stated.length)
            sample = sample_at(law_.targets, law_.softening, law_.softening_scale);
        if (is_related()) {
            fit_accelerations(sample, request_.knows_gravity, law_);
            fit_potentials(sample, request_.knows_gravity, law_);
        }
        law_.found = errors_of(sample, law_);
        describe(sample);
        find_distant_outliers();
        particles_.softening = stated_;
        return law_;
    }

private:
    bool is_related() const
    {
        return law_.order != RowOrder::shuffled && law_.order != RowOrder::unrelated;
    }

    /// Chooses targets among the particles with rows.
    void choose_rows()
    {
        row_of_.assign(particles_.size(), none);
        for (std::size_t row = 0; row < other_.particle.size(); ++row)
            row_of_[other_.particle[row]] = row;
        std::vector<Index> with_row;
        for (std::size_t i = 0; i < row_of_.size(); ++i)
            if (row_of_[i] != none)
                with_row.push_back(Index(i));
        law_.targets.clear();
        for (const Index place : sample_targets(with_row.size(), request_.sample))
            law_.targets.push_back(with_row[place]);
        fit_.clear();
        const std::size_t wanted =
            std::clamp(std::size_t(fit_pairs / double(std::max<std::size_t>(particles_.size(), 1))),
                       min_fit, max_fit);
        for (const Index place : sample_targets(law_.targets.size(), wanted))
            fit_.push_back(law_.targets[place]);
    }

    /// Returns the stated physics with this softening, and scales the particles' lengths.
    Physics with_softening(const Softening& softening, double scale)
    {
        Physics physics = request_.physics;
        physics.softening = softening;
        particles_.softening = stated_;
        if (softening.length == 0)
            particles_.softening.clear();
        for (double& length : particles_.softening)
            length *= scale;
        return physics;
    }

    JudgedSample sample_at(const std::vector<Index>& targets, const Softening& softening,
                           double scale)
    {
        const Physics physics = with_softening(softening, scale);
        JudgedSample sample;
        sample.exact = law_.only_rows_attract ? sums_of_rows(targets, physics)
                                              : request_.sums(particles_, targets, physics);
        for (const Index i : targets) {
            const std::size_t row = row_of_[i];
            if (!other_.acceleration.empty())
                sample.other.push_back(other_.acceleration[row]);
            if (!other_.potential.empty())
                sample.other_potential.push_back(other_.potential[row]);
            const double eps =
                particles_.softening.empty() ? softening.length : particles_.softening[i];
            sample.self_energy.push_back(
                eps > 0 ? -physics.gravitational_constant * particles_.mass[i] / eps : 0);
        }
        return sample;
    }

    /// Returns the sums from particles with rows only.
    ReferenceSums sums_of_rows(const std::vector<Index>& targets, const Physics& physics)
    {
        Particles some;
        std::vector<Index> places, new_index(particles_.size());
        for (std::size_t i = 0; i < particles_.size(); ++i) {
            if (row_of_[i] == none)
                continue;
            new_index[i] = Index(some.mass.size());
            some.mass.push_back(particles_.mass[i]);
            some.position.push_back(particles_.position[i]);
            if (!particles_.softening.empty())
                some.softening.push_back(particles_.softening[i]);
        }
        some.resize(some.mass.size());
        for (const Index i : targets)
            places.push_back(new_index[i]);
        return request_.sums(some, places, physics);
    }

    /// Finds axes and order for which directions agree.
    void align()
    {
        constexpr double good = 0.9; // median cosine
        JudgedSample sample = sample_at(fit_, request_.physics.softening, 1);
        const double as_given = median_of(cosines(sample, law_));
        law_.angle = 180 / std::numbers::pi * std::acos(std::clamp(as_given, -1.0, 1.0));
        if (as_given > good)
            return;
        Judgement best = law_;
        double closest = std::max(as_given, good);
        std::array<int, 3> axes{0, 1, 2};
        do {
            for (int signs = 0; signs < 8; ++signs) {
                Judgement trial = law_;
                trial.axis = axes;
                for (int k = 0; k < 3; ++k)
                    trial.sign[std::size_t(k)] = (signs >> k & 1) != 0 ? -1 : 1;
                if (const double now = median_of(cosines(sample, trial)); now > closest + 1e-6) {
                    closest = now;
                    best = trial;
                }
            }
        } while (std::next_permutation(axes.begin(), axes.end()));
        law_ = best;
        if (law_.has_axes())
            return;
        const std::vector<std::size_t> given = row_of_;
        for (const RowOrder order : {RowOrder::by_id, RowOrder::by_row}) {
            if (other_.particle.size() != particles_.size() ||
                other_.by_row != (order == RowOrder::by_id))
                continue;
            std::vector<Index> by_id(particles_.size());
            std::iota(by_id.begin(), by_id.end(), Index(0));
            if (order == RowOrder::by_id)
                std::sort(by_id.begin(), by_id.end(),
                          [&](Index a, Index b) { return particles_.id[a] < particles_.id[b]; });
            for (std::size_t row = 0; row < by_id.size(); ++row)
                row_of_[by_id[row]] = row;
            if (median_of(cosines(sample_at(fit_, request_.physics.softening, 1), law_)) > good) {
                law_.order = order;
                return;
            }
        }
        row_of_ = given;
        law_.order = same_sizes(sample) ? RowOrder::shuffled : RowOrder::unrelated;
    }

    /// Whether all other accelerations have the sizes of the exact ones, in any order.
    bool same_sizes(const JudgedSample& sample) const
    {
        std::vector<double> exact, other;
        for (const Vec3<double>& a : sample.exact.acceleration)
            exact.push_back(norm_of_any_size(a));
        for (const Vec3<double>& a : other_.acceleration)
            other.push_back(norm_of_any_size(a));
        const double median = median_of(exact), other_median = median_of(other);
        if (!(median > 0 && other_median > 0))
            return false;
        for (const double percentile : {5, 20, 35, 65, 80, 95})
            if (std::abs(std::log(value_at_percentile(exact, percentile) / median /
                                  (value_at_percentile(other, percentile) / other_median))) > 0.15)
                return false;
        return true;
    }

    double score_now(const Softening& softening, double scale)
    {
        const JudgedSample sample = sample_at(fit_, softening, scale);
        Judgement trial = law_;
        if (!sample.other.empty()) {
            if (const double factor = median_of(ratios(sample, trial));
                factor != 0 && !request_.knows_gravity)
                trial.factor.value = factor;
            return score(acceleration_errors(sample, trial));
        }
        fit_potentials(sample, request_.knows_gravity, trial);
        return score(potential_errors(sample, trial));
    }

    /// Finds whether only particles with rows attract.
    void find_sources()
    {
        if (other_.particle.size() == particles_.size())
            return;
        const double all = score_now(request_.physics.softening, 1);
        law_.only_rows_attract = true;
        law_.only_rows_attract = score_now(request_.physics.softening, 1) < all - 4 * gain;
    }

    /// Finds the softening with the smallest errors.
    void find_softening()
    {
        const Softening& stated = request_.physics.softening;
        struct Trial {
            Softening softening;
            double scale, score;
        };
        Trial best{stated, 1, score_now(stated, 1)};
        const double exact = std::log(2 * rounding);
        const auto attempt = [&](SofteningKind kind, double length, double needed) {
            Softening softening = stated;
            softening.kind = kind;
            softening.length = length;
            const double scale = stated.length > 0 ? length / stated.length : 1;
            const double now = score_now(softening, scale);
            if (now < best.score - needed)
                best = {softening, scale, now};
            return now;
        };
        if (best.score > exact) {
            for (const double ratio : {1.0, 2.8, 1 / 2.8})
                for (const auto& [kind, word, name, reach] : softening_forms)
                    if (stated.length > 0 && (ratio != 1 || kind != stated.kind))
                        attempt(kind,
                                ratio == 1 ? stated.length : rounded(ratio * stated.length, 6),
                                gain);
            if (stated.length > 0)
                attempt(stated.kind, 0, gain);
        }
        // A simple ratio stays unless it is no minimum.
        const Trial simple = best;
        if (best.score > exact && (simple.softening.length == 0 || !is_minimum(simple))) {
            const double low = stated.length > 0 ? stated.length / 30 : 1e-4 * spacing(),
                         high = stated.length > 0 ? stated.length * 30 : 3 * spacing();
            for (const auto& [kind, word, name, reach] : softening_forms)
                search(low, high, [&](double length) { return attempt(kind, length, 1e-6); });
            // Lengths in parameter files have few digits.
            const Trial fitted = best;
            for (int digits = 6; digits-- > 1 && fitted.softening.length > 0;)
                attempt(fitted.softening.kind, rounded(fitted.softening.length, digits),
                        -0.2 * gain);
            if (best.score > simple.score - gain)
                best = simple;
        }
        law_.softening = best.softening;
        law_.softening_scale = best.scale;
    }

    template <class Trial>
    bool is_minimum(const Trial& trial)
    {
        for (const double ratio : {0.9, 1.1}) {
            Softening near = trial.softening;
            near.length *= ratio;
            if (score_now(near, ratio * trial.scale) < trial.score - 0.2 * gain)
                return false;
        }
        return true;
    }

    /// Calls at(length) on a grid, then by golden sections about the minimum.
    template <class At>
    void search(double low, double high, const At& at)
    {
        constexpr int steps = 12, refinements = 22;
        const double step = std::log(high / low) / steps, golden = 0.6180339887498949;
        double lowest = std::numeric_limits<double>::infinity(), center = low;
        for (int k = 0; k <= steps; ++k)
            if (const double length = low * std::exp(k * step), now = at(length); now < lowest) {
                lowest = now;
                center = length;
            }
        double a = std::log(center) - step, b = std::log(center) + step;
        double x = b - golden * (b - a), y = a + golden * (b - a);
        double at_x = at(std::exp(x)), at_y = at(std::exp(y));
        for (int k = 0; k < refinements; ++k)
            if (at_x < at_y) {
                b = y;
                y = std::exchange(x, y - golden * (y - a));
                at_y = std::exchange(at_x, at(std::exp(x)));
            } else {
                a = x;
                x = std::exchange(y, x + golden * (b - x));
                at_x = std::exchange(at_y, at(std::exp(y)));
            }
    }

    /// Returns a typical distance of particles in the inner half of all.
    double spacing() const
    {
        const std::vector<double> radius = radii_of(particles_, fit_);
        return 2 * std::max(median_of(radius), 1e-300) /
               std::cbrt(double(std::max<std::size_t>(particles_.size(), 1)));
    }

    void describe(const JudgedSample& sample)
    {
        law_.radius = radii_of(particles_, law_.targets);
        if (sample.other.empty())
            return;
        std::vector<bool> left_out(law_.targets.size());
        for (const std::size_t k :
             find_outliers(law_.found.acceleration, law_.max_without_outliers)) {
            law_.outliers.push_back({law_.targets[k], law_.found.acceleration[k]});
            left_out[k] = true;
        }
        std::vector<double> size;
        for (const Vec3<double>& a : sample.exact.acceleration)
            size.push_back(norm_of_any_size(a));
        if (!request_.physics.is_periodic())
            law_.by_radius = bins_of(sample, law_, law_.radius, left_out);
        law_.by_acceleration = bins_of(sample, law_, size, left_out);
        if (other_.particle.size() != particles_.size())
            return;
        Particles all;
        for (std::size_t i = 0; i < row_of_.size(); ++i) {
            all.mass.push_back(particles_.mass[i]);
            all.acceleration.push_back(other_.acceleration[row_of_[i]]);
        }
        law_.net_force = momentum_residue(all);
    }

    void find_distant_outliers()
    {
        constexpr double gap = 10, above_tree = 0.02;
        constexpr std::size_t max_count = 100;
        if (law_.targets.size() == other_.particle.size() || other_.acceleration.empty() ||
            !is_related() || law_.only_rows_attract || request_.physics.is_periodic())
            return;
        SolverOptions options;
        static_cast<Physics&>(options) = with_softening(law_.softening, law_.softening_scale);
        options.tolerance = 0.003;
        make_solver(options)->solve(particles_, Quantities::acceleration);
        const double limit = std::max(above_tree, gap * law_.max_without_outliers);
        std::vector<Outlier> found;
        for (std::size_t i = 0; i < row_of_.size(); ++i) {
            if (row_of_[i] == none ||
                std::binary_search(law_.targets.begin(), law_.targets.end(), Index(i)))
                continue;
            const Vec3<double>& tree = particles_.acceleration[i];
            const Vec3<double> other = corrected(other_.acceleration[row_of_[i]], law_);
            if (const double error = norm_of_any_size(other - tree) / norm_of_any_size(tree);
                error > limit)
                found.push_back({Index(i), error});
        }
        const auto by_error = [](const Outlier& a, const Outlier& b) { return a.error > b.error; };
        std::sort(found.begin(), found.end(), by_error);
        found.resize(std::min(found.size(), max_count));
        std::vector<Index> targets;
        for (const Outlier& one : found)
            targets.push_back(one.particle);
        std::sort(targets.begin(), targets.end());
        if (targets.empty())
            return;
        const std::vector<double> errors =
            acceleration_errors(sample_at(targets, law_.softening, law_.softening_scale), law_);
        for (std::size_t k = 0; k < targets.size(); ++k)
            if (errors[k] > limit)
                law_.outliers.push_back({targets[k], errors[k]});
        std::sort(law_.outliers.begin(), law_.outliers.end(), by_error);
    }

    static constexpr std::size_t none = std::size_t(-1);

    Particles& particles_;
    const OtherForces& other_;
    const JudgeRequest& request_;
    const std::vector<double> stated_; ///< per-particle softening
    std::vector<std::size_t> row_of_;  ///< of each particle, or none
    std::vector<Index> fit_;           ///< targets for trials
    Judgement law_;
};

} // namespace

bool Judgement::is_as_stated(const Softening& stated) const
{
    return !has_axes() && order == RowOrder::as_given && !only_rows_attract && factor.value == 1 &&
           norm_squared(added) == 0 && potential_factor.value == 1 && potential_offset == 0 &&
           !has_self_energy && softening.kind == stated.kind && softening.length == stated.length &&
           softening_scale == 1;
}

Judgement judge(Particles& particles, const OtherForces& other, const JudgeRequest& request)
{
    return Court(particles, other, request).judge();
}

} // namespace chamomile
