/// \file  The power spectrum of particles in a periodic cube.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chamomile/core/array_view.hpp"
#include "chamomile/core/error.hpp"
#include "chamomile/core/periodic.hpp"
#include "chamomile/core/ranks/communicator.hpp"
#include "chamomile/force/mesh/cloud.hpp"

namespace chamomile {

enum class Interlacing { none, two_meshes };
enum class PowerBins { logarithmic, linear };

/// PowerSpectrumOptions controls mesh, bins and foldings of a measurement.
struct PowerSpectrumOptions {
    int mesh = 256; ///< points per side
    Assignment kernel = Assignment::piecewise_cubic;
    Interlacing interlacing = Interlacing::two_meshes;
    int foldings = 0;    ///< number of folded boxes, in addition to the box
    int fold_factor = 4; ///< parts per side superposed by each folding
    PowerBins bins = PowerBins::logarithmic;
    double bins_per_decade = 20; ///< logarithmic; min width 2 pi / side
};

/// A PowerBin holds the modes with low <= |k| < high. A folded box has only a subset of the modes.
struct PowerBin {
    double low = 0, high = 0;
    double k = 0;            ///< mean over the modes
    std::uint64_t modes = 0; ///< counts both k and -k
    double power = 0;        ///< without shot noise
    double total = 0;        ///< with shot noise; near a lattice particles have none to subtract
    double error = 0;        ///< total sqrt(2 / modes), for Gaussian fields
    int folding = 0;         ///< number of foldings of the box
};

/// A PowerSpectrum holds the measured bins.
struct PowerSpectrum {
    double shot_noise = 0;      ///< side^3 sum m^2 / (sum m)^2
    double nyquist = 0;         ///< pi mesh / side, of the unfolded box
    std::vector<PowerBin> bins; ///< by increasing k; no empty bins
};

/// Returns P(k) = side^3 <|delta_k|^2> with delta_k = sum m exp(-i k x) / sum m, by mesh assignment
/// and division by the window. Interlacing (Hockney & Eastwood 1981, section 7-8; Sefusatti et al.
/// 2016) removes the nearest aliases. Shot noise is subtracted including its aliases (Jing 2005),
/// so that pure Poisson noise gives 0 at all k. With foldings (Jenkins et al. 1998), bins beyond
/// 3/4 of the Nyquist wave number come from the next folding, and the last folding goes up to
/// its Nyquist wave number. Empty `mass`: 1 per particle. With `ranks` the particles of all ranks
/// count, and every rank returns the spectrum; the call is collective. The result is bitwise
/// independent of the number of threads and ranks. Throws Error(usage) for options out of range,
/// Error(input) for non-finite numbers or a non-positive total mass.
PowerSpectrum power_spectrum(std::size_t n, const ArrayView& position, const ArrayView& mass,
                             const Periodicity& box, const PowerSpectrumOptions& options,
                             Communicator* ranks = nullptr);

} // namespace chamomile
