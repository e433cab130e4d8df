/// \file  Memory for arrays with an entry per particle or cell.
#pragma once

#include <memory_resource>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace chamomile {

/// Returns a resource that places arrays of 8 MiB and more in huge pages if the system has them.
/// The walk and the gathers access these arrays at random, where each 4 KiB page costs a miss in
/// the page tables. Each thread is the first to touch an equal range of pages. Smaller arrays come
/// from new and delete. Throws std::bad_alloc.
std::pmr::memory_resource* large_memory();

/// An allocator for arrays whose every item is written after resize(), which leaves new ones unset:
/// to clear them takes as long as to write them. The memory is large_memory() unless given.
template <class T>
struct UnsetAllocator : std::pmr::polymorphic_allocator<T> {
    static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
    using std::pmr::polymorphic_allocator<T>::polymorphic_allocator;
    UnsetAllocator() : std::pmr::polymorphic_allocator<T>(large_memory()) {}
    template <class U>
    struct rebind {
        using other = UnsetAllocator<U>;
    };

    UnsetAllocator select_on_container_copy_construction() const { return {}; }
    void construct(T*) {}
    template <class... Arguments>
    void construct(T* item, Arguments&&... arguments)
    {
        ::new (item) T(std::forward<Arguments>(arguments)...);
    }
};

/// An array whose every item is written after resize(), by all threads.
template <class T>
using UnsetArray = std::vector<T, UnsetAllocator<T>>;

} // namespace chamomile
