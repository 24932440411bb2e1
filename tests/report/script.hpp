// The commands that gnuplot receives, split into parts.
#pragma once

#include <cstdlib>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace farfield::tests {

/// What `write` writes to a stream.
template <typename Write>
std::string script_of(Write write) {
    std::ostringstream script;
    write(script);
    return script.str();
}

/// Of each line that begins so, the rest, in the order of the script.
inline std::vector<std::string> lines_after(const std::string& script, std::string_view start) {
    std::vector<std::string> found;
    std::istringstream lines(script);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with(start)) found.push_back(line.substr(start.size()));
    }
    return found;
}

/// Of the one line that begins so, the rest; where there is none or another, how many there are.
inline std::string line_after(const std::string& script, std::string_view start) {
    const std::vector<std::string> found = lines_after(script, start);
    return found.size() == 1 ? found.front() : std::to_string(found.size()) + " lines begin so";
}

/// The numbers of a text, whatever stands between them.
inline std::vector<double> numbers(const std::string& text) {
    std::vector<double> found;
    for (const char* at = text.c_str(); *at;) {
        char* end = nullptr;
        const double number = std::strtod(at, &end);
        if (end != at) found.push_back(number);
        at = end == at ? at + 1 : end;
    }
    return found;
}

/// The lines of the data block of that name.
inline std::vector<std::string> block(const std::string& script, const std::string& name) {
    const std::string start = name + " << END\n";
    const std::size_t begin = script.find(start);
    if (begin == script.npos) return {"no block " + name};
    const std::string inside = script.substr(begin + start.size(), script.find("END\n", begin + start.size()) - begin);
    std::vector<std::string> found;
    std::istringstream lines(inside);
    for (std::string line; std::getline(lines, line) && line != "END";) found.push_back(line);
    return found;
}

}  // namespace farfield::tests
