/// \file  The power spectrum of particles in a periodic cube.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chamomile/core/array_view.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/mesh/cloud.hpp"

namespace chamomile {

enum class Interlacing { none, two_meshes };
enum class PowerBins { logarithmic, linear };

/// PowerSpectrumOptions choose the mesh, the bins and the foldings of a measurement.
struct PowerSpectrumOptions {
    int mesh = 256; ///< points along a side
    Assignment kernel = Assignment::piecewise_cubic;
    Interlacing interlacing = Interlacing::two_meshes;
    int foldings = 0;    ///< number of folded boxes measured after the box itself
    int fold_factor = 4; ///< parts of a side that each folding superposes
    PowerBins bins = PowerBins::logarithmic;
    double bins_per_decade = 20; ///< logarithmic; none is narrower than 2 pi / side
};

/// A PowerBin holds the modes with low <= |k| < high. A folded box has only the modes that it
/// shares with the box itself.
struct PowerBin {
    double low = 0, high = 0;
    double k = 0;            ///< mean over the modes
    std::uint64_t modes = 0; ///< k and -k both counted
    double power = 0;        ///< without shot noise
    double total = 0;        ///< with it: for particles near a lattice, which have none
    double error = 0;        ///< total sqrt(2 / modes), that of Gaussian fields
    int folding = 0;         ///< how often the box was folded
};

/// A PowerSpectrum holds the measured bins.
struct PowerSpectrum {
    double shot_noise = 0;      ///< side^3 sum m^2 / (sum m)^2
    double nyquist = 0;         ///< pi mesh / side, of the box before it is folded
    std::vector<PowerBin> bins; ///< by rising k; none is empty
};

/// Returns P(k) = side^3 <|delta_k|^2> with delta_k = sum m exp(-i k x) / sum m, by assignment to a
/// mesh and division by its window. Interlacing (Hockney & Eastwood 1981, section 7-8; Sefusatti et
/// al. 2016) removes the nearest aliases. Shot noise is subtracted with its own aliases (Jing
/// 2005), so that Poisson noise alone gives 0 at all k. Where a box is folded (Jenkins et al.
/// 1998), bins beyond three quarters of the Nyquist wave number come from the next folding; the
/// last goes up to its own. An empty `mass` is 1 for each. The bits are the same for any number of
/// threads. Throws Error(usage) for options out of range, Error(input) for numbers that are not
/// finite and for a total mass that is not positive.
PowerSpectrum power_spectrum(std::size_t n, const ArrayView& position, const ArrayView& mass,
                             const Periodicity& box, const PowerSpectrumOptions& options);

} // namespace chamomile
