/// \file  The pictures of a run.
#pragma once

#include "chamomile/core/files/archive.hpp"
#include "chamomile/io/pictures/render.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/files/run_folder.hpp"
#include "chamomile/run/run_settings.hpp"

namespace chamomile {

class LedParticles;

/// Frames draws the pictures of a run, all with one view and one range of colors.
class Frames {
public:
    explicit Frames(const RunSettings& settings);

    /// Fixes the view from the particles: those of ranks, if `led` is not null. Throws Error for an
    /// empty picture.
    void choose(const Snapshot& state, LedParticles* led);
    /// Draws the particles to the folder's next picture.
    void write(const Snapshot& state, LedParticles* led, const RunFolder& folder);
    int count() const { return count_; }
    void exchange(Archive& archive);

private:
    const RunSettings& run_;
    RenderOptions view_;
    int count_ = 0;
};

} // namespace chamomile
