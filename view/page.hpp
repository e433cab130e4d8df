/// \file  The files of the page, which are part of the program.
#pragma once

#include <string_view>

namespace chamomile {

/// A PageFile is a file of view/page as the server sends it.
struct PageFile {
    std::string_view path; ///< on the server, such as "/view.js"; that of index.html is "/"
    std::string_view type, content;
};

/// Returns the file of that path, or null.
const PageFile* find_page_file(std::string_view path);

} // namespace chamomile
