/// \file  What the HDF5 library does when a program ends.
#pragma once

namespace chamomile {

/// Keeps it from closing what is open then, about which it prints after a damaged file: everything
/// that is written here has been closed before. For programs, which own their process; before the
/// first use of the library.
void leave_hdf5_open_at_exit();

} // namespace chamomile
