#include "chamomile/io/shared_files.hpp"

#include <string>

#include "chamomile/core/bytes.hpp"

namespace chamomile {

bool create_on_ranks(const std::function<std::vector<std::filesystem::path>()>& targets,
                     std::size_t begin, std::size_t end, Communicator& ranks,
                     std::deque<PendingFile>& files)
{
    const bool is_first = ranks.rank() == 0;
    std::vector<std::byte> sent;
    ranks.run_and_agree([&] {
        if (is_first)
            for (const std::filesystem::path& target : targets()) {
                put_sized(sent, target.string());
                put_sized(sent, files.emplace_back(target).temporary().string());
            }
    });
    const Inbox received = ranks.broadcast(sent);
    std::span<const std::byte> names = received.all<std::byte>();
    std::uint64_t hidden = 0;
    for (std::size_t k = 0; !is_first && hidden == 0 && k < end; ++k) {
        std::string target, temporary;
        read_sized(names, target);
        read_sized(names, temporary);
        try {
            if (k >= begin)
                files.emplace_back(target, temporary);
        } catch (const Error&) {
            hidden = 1;
        }
    }
    ranks.sum(std::span(&hidden, 1));
    return hidden == 0;
}

} // namespace chamomile
