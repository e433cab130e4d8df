#include "chamomile/run/files/table_columns.hpp"

#include <cmath>

#include "chamomile/core/number_text.hpp"
#include "chamomile/core/options/quantity.hpp"

namespace chamomile {

std::vector<TableColumn> vector_columns_of(const std::string& name, Dimension dimension)
{
    return {{name + "_x", dimension}, {name + "_y", dimension}, {name + "_z", dimension}};
}

std::vector<TableColumn> joined_columns(std::initializer_list<std::vector<TableColumn>> parts)
{
    std::vector<TableColumn> all;
    for (const std::vector<TableColumn>& part : parts)
        all.insert(all.end(), part.begin(), part.end());
    return all;
}

std::vector<std::string> headings_of(std::span<const TableColumn> columns, const Units& units)
{
    std::vector<std::string> names;
    for (const TableColumn& column : columns)
        names.push_back(heading(column.name, column.dimension, units));
    return names;
}

std::string table_cell(double value)
{
    return std::isfinite(value) ? number_text(value) : "";
}

} // namespace chamomile
