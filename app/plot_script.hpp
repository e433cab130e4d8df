/// \file  The Python program that draws the tables of a run: python/chamomile/_plots.py.
#pragma once

namespace chamomile::app {

extern const char* const plot_script;

} // namespace chamomile::app
