/// \file  Errors of which all ranks know, passed on through layers that ranks make together.
#pragma once

#include "chamomile/parallel/communicator.hpp"

namespace chamomile {

/// Returns what work returns, whose Errors are those of all ranks: they are thrown as Agreed.
template <class Work>
auto agreed(const Work& work) -> decltype(work())
{
    try {
        return work();
    } catch (const PeerFailed&) {
        throw;
    } catch (const Error& error) {
        throw Agreed(error.fault(), error.what());
    }
}

/// Returns what work returns that all ranks do together. Throws Agreed where all know of an error,
/// else PeerFailed on all.
template <class Work>
auto known_to_all(Communicator& ranks, const Work& work) -> decltype(work())
{
    return agreed([&] { return ranks.as_one(work); });
}

} // namespace chamomile
