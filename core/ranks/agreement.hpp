/// \file  Errors that every rank throws.
#pragma once

#include "chamomile/core/ranks/communicator.hpp"

namespace chamomile {

/// Runs collective work that throws the same Error on every rank, if any. Rethrows it as
/// CollectiveError.
template <class Work>
auto agreed(const Work& work) -> decltype(work())
{
    try {
        return work();
    } catch (const PeerFailed&) {
        throw;
    } catch (const Error& error) {
        throw CollectiveError(error.fault(), error.line());
    }
}

/// Runs collective work. Throws CollectiveError if all ranks agree on an error; an error on a
/// single rank ends every rank with PeerFailed.
template <class Work>
auto known_to_all(Communicator& ranks, const Work& work) -> decltype(work())
{
    return agreed([&] { return ranks.run_or_fail(work); });
}

} // namespace chamomile
