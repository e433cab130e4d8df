/// \file  Compares runs on several ranks with one rank.
#pragma once

#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "chamomile/core/files/archive.hpp"
#include "chamomile/integrate/scheme.hpp"
#include "chamomile/integrate/simulation.hpp"
#include "tests/unit/clouds.hpp"
#include "tests/unit/restart_runs.hpp"

namespace chamomile::tests {

/// Observable data of a run: particles or rows seen by observers, diagnostics, points of selected
/// particles after each step, and checkpoint state.
struct Shown {
    std::vector<Particles> seen;
    std::vector<Diagnostics> measured;
    std::vector<double> columns; ///< from individual steps
    std::vector<PhasePoint> points;
    bool is_resident = false;
};

inline bool same(const Shown& a, const Shown& b)
{
    if (a.seen.size() != b.seen.size() || a.points.size() != b.points.size() ||
        a.measured.size() != b.measured.size() || a.columns != b.columns)
        return false;
    for (std::size_t k = 0; k < a.measured.size(); ++k)
        if (std::memcmp(&a.measured[k], &b.measured[k], sizeof(Diagnostics)) != 0)
            return false;
    for (std::size_t k = 0; k < a.seen.size(); ++k)
        if (!same_bits(a.seen[k], b.seen[k]))
            return false;
    for (std::size_t k = 0; k < a.points.size(); ++k)
        if (!(a.points[k].position == b.points[k].position) ||
            !(a.points[k].velocity == b.points[k].velocity))
            return false;
    return true;
}

/// Returns the columns for individual steps in an archive.
inline std::vector<double> step_columns(Archive& archive, const Scheme& scheme)
{
    std::vector<double> all, one;
    for (const char* name : {"blocks/wish", "blocks/time", "blocks/orbit"})
        if (scheme.individual) {
            archive(name, one);
            all.insert(all.end(), one.begin(), one.end());
        }
    return all;
}

/// A RankCase is a moving particle set and a scheme.
struct RankCase {
    std::string name;
    Particles particles;
    SolverOptions options;
    Scheme scheme;
};

inline std::shared_ptr<const ExternalField> field_of(const std::vector<std::string>& texts)
{
    PotentialFiles files;
    return read_external_field("potential", texts, {}, 1, files);
}

/// Returns all step schemes and fields, for few and many particles, with and without tracers and
/// per-particle softening.
inline std::vector<RankCase> rank_cases()
{
    struct Way {
        std::string name;
        SolverKind solver;
        Scheme scheme;
        double box = 0;
    };
    Scheme fixed, adaptive, by_potential, blocks, by_softening, in_field, in_frame, by_length,
        nested, nested_in_field;
    fixed.fixed_length = 1. / 64;
    adaptive.adaptive = true;
    by_potential.adaptive = true;
    by_potential.criterion = StepCriterion::potential;
    blocks.individual = true;
    blocks.eta = 0.006;
    blocks.longest = 1. / 64;
    by_softening = blocks;
    by_softening.criterion = StepCriterion::softening;
    by_softening.eta = 0.05;
    by_length.adaptive = true;
    by_length.criterion = StepCriterion::softening;
    by_length.eta = 0.05;
    nested = by_softening;
    nested.block_scheme = BlockScheme::hierarchical;
    in_field = blocks;
    in_field.field = field_of({"plummer,M=0.5,a=0.2,x=0.1,vx=1", "hernquist,M=2,a=1"});
    nested_in_field = in_field;
    nested_in_field.block_scheme = BlockScheme::hierarchical;
    in_frame = fixed;
    in_frame.field = field_of({"rotation,omega=0.4", "plummer,M=1,a=0.7"});
    const Way ways[] = {{"fixed", SolverKind::tree, fixed},
                        {"adaptive", SolverKind::direct, adaptive},
                        {"adaptive by potentials", SolverKind::tree, by_potential},
                        {"blocks", SolverKind::tree, blocks},
                        {"blocks, direct", SolverKind::direct, blocks},
                        {"blocks by softening", SolverKind::tree, by_softening},
                        {"blocks in a field", SolverKind::tree, in_field},
                        {"hierarchical", SolverKind::tree, nested},
                        {"hierarchical, direct", SolverKind::direct, nested},
                        {"hierarchical in a field", SolverKind::tree, nested_in_field},
                        {"hierarchical in a box", SolverKind::tree, nested, 4},
                        {"in a turning frame", SolverKind::tree, in_frame},
                        {"in a box", SolverKind::tree, fixed, 4},
                        {"adaptive in a box", SolverKind::tree, by_length, 4},
                        {"blocks in a box", SolverKind::tree, by_softening, 4},
                        {"blocks, direct, in a box", SolverKind::direct, by_softening, 4}};
    std::vector<RankCase> cases;
    for (const Way& way : ways)
        for (const auto& [n, is_mixed] :
             {std::pair<std::size_t, bool>{3, false}, {3, true}, {1511, false}, {1511, true}}) {
            Particles p = plummer(n, 3);
            for (std::size_t i = n / 2; i < n; i += 5) { // two in a place, in their order
                p.position[i] = p.position[n - 1 - i];
                p.mass[i] *= 1.7;
            }
            for (std::size_t i = 0; i < n; ++i) {
                p.velocity[i] = {0.3 * p.position[i].y, -0.3 * p.position[i].x, 0.1};
                p.position[i] = Periodicity{way.box}.wrapped(p.position[i]);
            }
            SolverOptions options;
            if (is_mixed) { // tracers and per-particle softening
                for (std::size_t i = n - n / 3; i < n; ++i)
                    p.mass[i] = 0;
                for (std::size_t i = 0; i < n; ++i)
                    p.softening.push_back(i % 3 ? 0.05 : 0.02);
                options.softening.per_particle = true;
            }
            options.device = "cpu";
            options.solver = way.solver;
            options.box = way.box;
            options.softening.length = 0.05;
            cases.push_back({way.name + (is_mixed ? ", mixed, " : ", ") + std::to_string(n), p,
                             options, way.scheme});
        }
    return cases;
}

} // namespace chamomile::tests
