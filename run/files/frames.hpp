/// \file  The pictures of a run.
#pragma once

#include "chamomile/core/files/archive.hpp"
#include "chamomile/io/pictures/render.hpp"
#include "chamomile/io/snapshot.hpp"
#include "chamomile/run/files/run_folder.hpp"
#include "chamomile/run/run_settings.hpp"

namespace chamomile {

/// Frames draws the pictures of a run, all with one view and one range of colors.
class Frames {
public:
    explicit Frames(const RunSettings& settings);

    /// Fixes the view from the initial particles. Throws Error for an empty picture. Potentials are
    /// not read.
    void choose(Snapshot& state);
    /// Draws the particles to the folder's next picture.
    void write(Snapshot& state, const RunFolder& folder);
    int count() const { return count_; }
    void exchange(Archive& archive);

private:
    bool shows_potentials() const { return run_.frame_view.quantity == Pictured::potential; }

    const RunSettings& run_;
    RenderOptions view_;
    int count_ = 0;
};

} // namespace chamomile
