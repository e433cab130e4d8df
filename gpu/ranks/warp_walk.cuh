/// \file  A walk of nodes by a warp, four nodes of eight cells at a time.
#pragma once

#include "chamomile/tree/walk_nodes.hpp"

namespace chamomile {

/// A WarpWalk is a warp's stack of nodes to visit, in shared memory. All lanes call its functions
/// together.
struct WarpWalk {
    static constexpr unsigned room = 1024; ///< enough for trees of 36 levels

    Index* stack; ///< of `room` entries
    unsigned lane;
    unsigned size = 0;

    /// Pushes the node of each lane, or nothing for no_node. Returns false if the stack is full.
    __device__ bool push(Index node)
    {
        const unsigned given = __ballot_sync(0xffffffffu, node != no_node),
                       count = unsigned(__popc(given));
        if (size + count > room)
            return false;
        if (node != no_node)
            stack[size + unsigned(__popc(given & ((1u << lane) - 1)))] = node;
        size += count;
        __syncwarp();
        return true;
    }

    /// Visits all nodes. look(node, k) returns the daughters' node of cell k to visit it too, or
    /// else no_node. On a full stack, full(node, k) is called instead.
    template <class Look, class Full>
    __device__ void finish(const WalkNode* nodes, const Look& look, const Full& full)
    {
        constexpr unsigned nodes_at_once = 4;
        const unsigned mine = lane / unsigned(WalkNode::width);
        const int k = int(lane) % WalkNode::width;
        while (size > 0) {
            const unsigned taken = min(size, nodes_at_once);
            const Index number = mine < taken ? stack[size - 1 - mine] : no_node;
            size -= taken;
            __syncwarp();
            Index daughters = no_node;
            if (number != no_node && nodes[number].lanes >> k & 1)
                daughters = look(nodes[number], k);
            if (!push(daughters) && daughters != no_node)
                full(nodes[number], k);
        }
    }
};

} // namespace chamomile
