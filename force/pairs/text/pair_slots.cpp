#include "chamomile/force/pairs/text/pair_slots.hpp"

#include <algorithm>

namespace chamomile {

int share_slots(std::vector<TextInstruction>& code, int values)
{
    std::vector<int> last(std::size_t(values), -1);
    for (std::size_t k = 0; k < code.size(); ++k)
        for (const TextOperand& operand : code[k].operand)
            if (operand.bank == TextBank::pair)
                last[operand.slot] = int(k);
    std::vector<int> number(last.size(), -1), idle;
    int used = 0;
    for (std::size_t k = 0; k < code.size(); ++k) {
        std::vector<int> ends;
        for (TextOperand& operand : code[k].operand)
            if (operand.bank == TextBank::pair) {
                if (last[operand.slot] == int(k))
                    ends.push_back(number[operand.slot]);
                operand.slot = std::uint16_t(number[operand.slot]);
            }
        std::sort(ends.begin(), ends.end());
        ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
        idle.insert(idle.end(), ends.begin(), ends.end());
        if (code[k].code >= TextCode::sum_add)
            continue;
        if (idle.empty())
            idle.push_back(used++);
        number[code[k].to] = idle.back();
        code[k].to = std::uint16_t(idle.back());
        idle.pop_back();
    }
    return used;
}

} // namespace chamomile
