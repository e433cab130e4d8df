/// \file  `chamomile completion`: prints what a shell completes commands and options by.
#include <algorithm>
#include <cctype>
#include <cstdio>

#include "app/command.hpp"
#include "app/options/command_page.hpp"
#include "app/options/options.hpp"
#include "app/program.hpp"

namespace chamomile::app {
namespace {

/// Returns the words of an option such as "tree|direct,...", separated by blanks; "" for a number,
/// a text or a file.
std::string words_of(const CommandPage& page, const PageOption& option)
{
    std::string keys;
    for (const PageOption& one : page.options)
        if (option.name == "set" && !one.setting.empty())
            keys += (keys.empty() ? "" : " ") + one.setting + (one.is_flag() ? "" : "=");
    if (!keys.empty())
        return keys;
    if (option.values.find('|') == std::string::npos)
        return "";
    std::string words;
    for (char c : option.values) {
        if (c == '[' || c == ',') // gpu[:n] and lists
            break;
        if (std::isupper(static_cast<unsigned char>(c)))
            return "";
        words += c == '|' ? ' ' : c;
    }
    return words;
}

bool takes_file(const std::string& metavar)
{
    return metavar.find("FILE") != metavar.npos || metavar.find("FOLDER") != metavar.npos ||
           metavar.find('.') < metavar.find("...");
}

/// Returns the first part of a help text, without characters that end a quotation or a description.
std::string brief(const std::string& help)
{
    std::string text = help.substr(0, help.find_first_of(";"));
    std::erase_if(text,
                  [](char c) { return std::string("'\"`$\\[]").find(c) != std::string::npos; });
    std::replace(text.begin(), text.end(), ':', ',');
    return text;
}

std::string names_of(const CommandPage& page)
{
    std::string names;
    for (const PageOption& option : page.options)
        if (option.setting.empty())
            names += (names.empty() ? "--" : " --") + option.name;
    return names;
}

std::string children_of(const CommandPage& page)
{
    std::string names;
    for (const auto& child : page.children)
        names += (names.empty() ? "" : " ") + child.first;
    return names;
}

/// Returns the names of commands with subcommands.
std::vector<std::string> parents(const std::vector<CommandPage>& pages)
{
    std::vector<std::string> names;
    for (const CommandPage& page : pages)
        if (!page.children.empty())
            names.push_back(page.command);
    return names;
}

std::string commands_text()
{
    std::string names;
    for (const Command& command : program_commands())
        names += std::string(names.empty() ? "" : " ") + command.name;
    return names;
}

void print_bash(const std::vector<CommandPage>& pages)
{
    std::printf(R"(# Completion of chamomile for bash: source <(chamomile completion bash)
_chamomile() {
    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W '%s --help --version' -- "$current")
        return
    fi
)",
                commands_text().c_str());
    for (const std::string& parent : parents(pages))
        std::printf("    if [ \"$command\" = %s ] && [ \"$COMP_CWORD\" -gt 2 ]; then command=\"%s "
                    "${COMP_WORDS[2]}\"; fi\n",
                    parent.c_str(), parent.c_str());
    std::printf("    case \"$command $before\" in\n");
    for (const CommandPage& page : pages)
        for (const PageOption& option : page.options)
            if (const std::string words = words_of(page, option);
                option.setting.empty() && !words.empty())
                std::printf("    '%s --%s') words='%s' ;;\n", page.command.c_str(),
                            option.name.c_str(), words.c_str());
    std::printf("    esac\n    if [ -z \"$words\" ]; then\n        case \"$command\" in\n");
    for (const CommandPage& page : pages) {
        const std::string children = children_of(page);
        std::printf("        '%s') words='%s' ;;\n", page.command.c_str(),
                    (children + (children.empty() ? "" : " ") + names_of(page)).c_str());
    }
    std::printf(R"(        esac
        [[ $current == -* || $command == "$before" ]] || words=
    fi
    [ "$before" != --set ] || compopt -o nospace 2>/dev/null
    [ -z "$words" ] || mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}
complete -o filenames -o bashdefault -o default -F _chamomile chamomile
)");
}

void print_zsh(const std::vector<CommandPage>& pages)
{
    std::printf("#compdef chamomile\n# Completion of chamomile for zsh: source <(chamomile "
                "completion zsh)\n_chamomile() {\n    local -a commands=(\n");
    for (const Command& command : program_commands())
        std::printf("        '%s:%s'\n", command.name, brief(command.summary).c_str());
    std::printf("    )\n    if (( CURRENT == 2 )); then\n        _describe command commands\n"
                "        return\n    fi\n    shift words; (( CURRENT-- ))\n"
                "    local command=$words[1]\n");
    for (const std::string& parent : parents(pages))
        std::printf("    if [[ $command == %s ]] && (( CURRENT > 2 )); then\n"
                    "        shift words; (( CURRENT-- )); command=\"%s $words[1]\"\n    fi\n",
                    parent.c_str(), parent.c_str());
    std::printf("    case $command in\n");
    for (const CommandPage& page : pages) {
        std::printf("    '%s')\n        _arguments \\\n", page.command.c_str());
        for (const PageOption& option : page.options) {
            if (!option.setting.empty())
                continue;
            const std::string words = words_of(page, option);
            std::string value = option.is_flag() ? "" : ":" + brief(option.values) + ":";
            if (!words.empty())
                value += "(" + words + ")";
            else if (takes_file(option.values))
                value += "_files";
            std::printf("            '--%s[%s]%s' \\\n", option.name.c_str(),
                        brief(option.help).c_str(), value.c_str());
        }
        const std::string children = children_of(page);
        std::printf("            '*:%s' ;;\n",
                    children.empty() ? "file:_files" : ("model:(" + children + ")").c_str());
    }
    std::printf("    esac\n}\nif [ \"$funcstack[1]\" = _chamomile ]; then _chamomile \"$@\"; else "
                "compdef _chamomile chamomile; fi\n");
}

void print_fish(const std::vector<CommandPage>& pages)
{
    std::printf("# Completion of chamomile for fish: chamomile completion fish | source\n");
    for (const Command& command : program_commands())
        std::printf("complete -c chamomile -n __fish_use_subcommand -f -a %s -d '%s'\n",
                    command.name, brief(command.summary).c_str());
    for (const CommandPage& page : pages) {
        const std::size_t blank = page.command.find(' ');
        std::string condition = "__fish_seen_subcommand_from " + page.command.substr(0, blank);
        if (blank != page.command.npos)
            condition += "; and __fish_seen_subcommand_from " + page.command.substr(blank + 1);
        else if (const std::string children = children_of(page); !children.empty()) {
            condition += "; and not __fish_seen_subcommand_from " + children;
            for (const auto& [name, summary] : page.children)
                std::printf("complete -c chamomile -n '%s' -f -a %s -d '%s'\n", condition.c_str(),
                            name.c_str(), brief(summary).c_str());
        }
        for (const PageOption& option : page.options) {
            if (!option.setting.empty())
                continue;
            const std::string words = words_of(page, option);
            const bool file = takes_file(option.values);
            std::printf("complete -c chamomile -n '%s' -l %s", condition.c_str(),
                        option.name.c_str());
            if (!option.letter.empty())
                std::printf(" -s %s", option.letter.c_str());
            if (!option.is_flag())
                std::printf("%s", file ? " -r" : " -x");
            if (!words.empty())
                std::printf(" -a '%s'", words.c_str());
            std::printf(" -d '%s'\n", brief(option.help).c_str());
        }
    }
}

} // namespace

int completion(const std::vector<std::string>& arguments)
{
    std::string name;
    Options options("completion", "Prints what a shell completes commands, options and their words "
                                  "by, for 'source <(chamomile completion bash)'.");
    options.positional("SHELL", name, "bash, zsh or fish");
    if (!options.parse(arguments))
        return 0;
    if (name != "bash" && name != "zsh" && name != "fish")
        refuse_word("SHELL", name, {"bash", "zsh", "fish"});
    const std::vector<CommandPage> pages = pages_of(program_commands());
    name == "bash" ? print_bash(pages) : name == "zsh" ? print_zsh(pages) : print_fish(pages);
    return 0;
}

} // namespace chamomile::app
