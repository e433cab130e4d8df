/// \file  The files of the page, embedded in the program.
#pragma once

#include <string_view>

namespace chamomile {

/// A PageFile is a file of run/view/page, as sent by the server.
struct PageFile {
    std::string_view path; ///< URL path, such as "/view.js"; "/" for index.html
    std::string_view type, content;
};

/// Returns the file with this path, or null.
const PageFile* find_page_file(std::string_view path);

} // namespace chamomile
