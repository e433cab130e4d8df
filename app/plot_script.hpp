/// \file  The Python program behind `chamomile plot`: interfaces/python/chamomile/_plots.py.
#pragma once

namespace chamomile::app {

extern const char* const plot_script;

} // namespace chamomile::app
