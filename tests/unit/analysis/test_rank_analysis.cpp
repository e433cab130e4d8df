// Spectra of particles on ranks, against a single rank bit by bit.
#include <cstring>

#include <doctest/doctest.h>

#include "chamomile/analysis/power_spectrum.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/ranks/thread_ranks.hpp"
#include "tests/unit/clumps.hpp"
#include "tests/unit/error_line.hpp"

using namespace chamomile;
using namespace chamomile::tests;

TEST_SUITE_BEGIN("rank_analysis");

namespace {

constexpr int numbers_of_ranks[] = {1, 2, 3, 4, 7};

/// Clumps in a cube with side 3, with unequal masses.
Particles matter(std::size_t n)
{
    Particles p;
    p.resize(n);
    p.position = clumps(n, 3, 5);
    Random random(6);
    for (double& m : p.mass)
        m = random(0.5, 1.5);
    return p;
}

PowerSpectrum spectrum_of_run(const Particles& p, const PowerSpectrumOptions& options,
                              Communicator* ranks)
{
    const std::size_t first = ranks ? ranks->first_of_run(p.size(), ranks->rank()) : 0,
                      end = ranks ? ranks->first_of_run(p.size(), ranks->rank() + 1) : p.size();
    return power_spectrum(end - first, view_of(std::span(p.position).subspan(first, end - first)),
                          view_of(std::span(p.mass).subspan(first, end - first)), {3}, options,
                          ranks);
}

bool are_equal(const PowerSpectrum& a, const PowerSpectrum& b)
{
    return a.shot_noise == b.shot_noise && a.bins.size() == b.bins.size() &&
           std::equal(a.bins.begin(), a.bins.end(), b.bins.begin(),
                      [](const PowerBin& x, const PowerBin& y) {
                          return x.low == y.low && x.high == y.high && x.k == y.k &&
                                 x.modes == y.modes && x.power == y.power && x.total == y.total &&
                                 x.error == y.error && x.folding == y.folding;
                      });
}

} // namespace

TEST_CASE("a power spectrum on ranks has the bits of one rank")
{
    const Particles p = matter(3001);
    PowerSpectrumOptions plain{.mesh = 24, .kernel = Assignment::cloud_in_cell};
    plain.interlacing = Interlacing::none;
    PowerSpectrumOptions linear{.mesh = 32};
    linear.bins = PowerBins::linear;
    for (const PowerSpectrumOptions& options :
         {plain, linear, PowerSpectrumOptions{.mesh = 32, .foldings = 2}}) {
        const PowerSpectrum one = spectrum_of_run(p, options, nullptr);
        CHECK(one.bins.size() > 8);
        for (const int P : numbers_of_ranks) {
            CAPTURE(P);
            run_ranks(P, [&](Communicator& ranks) {
                const PowerSpectrum own = spectrum_of_run(p, options, &ranks);
                if (!are_equal(own, one))
                    throw Error(Fault::numeric, "the spectrum differs");
            });
        }
    }
}

TEST_CASE("spectra work with more ranks than planes and particles")
{
    const Particles p = matter(9);
    const PowerSpectrumOptions options{.mesh = 8};
    const PowerSpectrum one = spectrum_of_run(p, options, nullptr);
    run_ranks(11, [&](Communicator& ranks) {
        if (!are_equal(spectrum_of_run(p, options, &ranks), one))
            throw Error(Fault::numeric, "the spectrum differs");
    });
}

TEST_CASE("a spectrum that one rank refuses is refused by all")
{
    std::string lines[3];
    run_ranks(3, [&](Communicator& ranks) {
        lines[ranks.rank()] = error_line([&] { spectrum_of_run(matter(30), {.mesh = 7}, &ranks); });
    });
    for (const std::string& line : lines)
        CHECK(line == "mesh: 7: must be even, from 8 to 8192");
}

TEST_SUITE_END();
