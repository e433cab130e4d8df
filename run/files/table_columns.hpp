/// \file  Columns of the tables of a run, as comma-separated values.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "chamomile/core/options/dimension.hpp"
#include "chamomile/core/units.hpp"

namespace chamomile {

/// The name and dimension of a column.
struct TableColumn {
    std::string name;
    Dimension dimension = {};
};

/// Returns three columns: NAME_x, NAME_y and NAME_z.
std::vector<TableColumn> vector_columns_of(const std::string& name, Dimension dimension);

/// Returns the columns of all parts in order.
std::vector<TableColumn> joined_columns(std::initializer_list<std::vector<TableColumn>> parts);

/// Returns the headings with units.
std::vector<std::string> headings_of(std::span<const TableColumn> columns, const Units& units);

/// Returns a number with all digits; empty if it is not finite.
std::string table_cell(double value);

} // namespace chamomile
