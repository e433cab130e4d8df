/// \file  Options from an INI file.
#pragma once

#include <string>
#include <vector>

namespace chamomile::app {

/// A ConfigLine holds one `key = value`; `place` is "FILE: line N".
struct ConfigLine {
    std::string key, value, place, section = {};
};

/// Returns the text of an option's file without byte order mark. Throws Error(usage) "option: file:
/// ..." if the file is missing, not a regular file, larger than 1 MB, empty or binary. `needed`
/// describes the expected content, such as "an INI file".
std::string read_option_file(const std::string& option, const std::string& file,
                             const std::string& needed);

/// Returns the text without leading and trailing blanks.
std::string trimmed(const std::string& text);

/// Returns the lines of an INI file without comments and section headers. A comment begins with `#`
/// at the start of a line or after a blank. Section headers such as `[forces]` are for the reader
/// only and not part of a key. Throws Error(usage) if the file is missing, not a regular file,
/// larger than 1 MB, binary, or contains other lines.
std::vector<ConfigLine> read_config_file(const std::string& file);

} // namespace chamomile::app
