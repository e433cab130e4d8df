/// \file  The option that writes a snapshot in pieces, of all commands that write snapshots.
#pragma once

#include "chamomile/core/options/option_row.hpp"
#include "chamomile/io/snapshot.hpp"

namespace chamomile {

/// Returns --files of a request with a member `files`.
template <class Request>
OptionRow<Request> files_row()
{
    OptionRows<Request> rows;
    rows.group("Output");
    rows.number("files", &Request::files, ranges::between(1, max_pieces),
                "pieces of an HDF5 snapshot: NAME.0.hdf5, NAME.1.hdf5, ...; NAME.hdf5 opens as the "
                "whole");
    return rows.take().front();
}

} // namespace chamomile
