/// \file  Options from an INI file.
#pragma once

#include <string>
#include <vector>

namespace chamomile::app {

/// A ConfigLine is one `key = value` below `[section]`, if any; `place` is "FILE: line N".
struct ConfigLine {
    std::string key, value, place, section = {};
};

/// Returns the text of a file that an option names, without a byte order mark. Throws
/// Error(usage) "option: file: ..." if the file is missing, no regular file, larger than 1 MB,
/// empty or binary; `needed` says what is needed, as "an INI file".
std::string read_option_file(const std::string& option, const std::string& file,
                             const std::string& needed);

/// Returns the text without blanks at its ends.
std::string trimmed(const std::string& text);

/// Returns the lines of an INI file without comments and section headers. A comment begins with a
/// `#` at the start of a line or after a blank. Throws Error(usage) if the file is missing, no
/// regular file, larger than 1 MB, binary or has other lines.
std::vector<ConfigLine> read_config_file(const std::string& file);

} // namespace chamomile::app
