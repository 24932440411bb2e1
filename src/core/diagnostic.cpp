#include <algorithm>
#include <array>
#include <cctype>
#include <farfield/core/diagnostic.hpp>
#include <utility>

namespace farfield::core {
namespace {

constexpr std::size_t widest_excerpt = 160;

/// The part of a long line around the place, and by how many characters the cut moves the place.
std::pair<std::string, std::size_t> cut_around(const std::string& line, std::size_t column) {
    if (line.size() <= widest_excerpt) return {line, 0};
    // Never cut inside a multi-byte character.
    const auto character_start = [&](std::size_t at) {
        while (at > 0 && at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U) --at;
        return std::min(at, line.size());
    };
    const std::size_t start = character_start(column > widest_excerpt / 2 ? column - widest_excerpt / 2 : 0);
    return {line.substr(start, character_start(start + widest_excerpt) - start), start};
}

std::string caret_line(const std::string& shown, std::size_t column, std::size_t length) {
    std::string marks;
    for (std::size_t position = 0; position + 1 < column; ++position) {
        // Tabs are kept so that the caret is under its character. Continuation bytes of a UTF-8 sequence take no
        // column.
        const unsigned char byte = position < shown.size() ? static_cast<unsigned char>(shown[position]) : ' ';
        if (byte == '\t')
            marks += '\t';
        else if ((byte & 0xC0U) != 0x80U)
            marks += ' ';
    }
    const std::string_view marked = std::string_view(shown).substr(std::min(column - 1, shown.size()), length);
    const auto is_start = [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; };
    const auto width = std::max<std::ptrdiff_t>(1, std::count_if(marked.begin(), marked.end(), is_start));
    return marks + '^' + std::string(static_cast<std::size_t>(width - 1), '~');
}

std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
    for (std::size_t i = 0; i <= a.size(); ++i) {
        for (std::size_t j = 0; j <= b.size(); ++j) {
            if (i == 0 || j == 0) {
                cost[i][j] = i + j;
                continue;
            }
            cost[i][j] =
                std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
        }
    }
    return cost[a.size()][b.size()];
}

}  // namespace

std::string format(const Diagnostic& diagnostic) {
    const Place& place = diagnostic.place;
    std::string text;
    if (!place.file.empty()) text += place.file + ":";
    if (place.known()) text += std::to_string(place.line) + ":" + std::to_string(place.column) + ":";
    if (!text.empty()) text += ' ';
    text += diagnostic.found;
    if (!diagnostic.wanted.empty()) text += "; expected " + diagnostic.wanted;
    if (place.known() && !place.excerpt.empty()) {
        const std::size_t indent = place.excerpt.find_first_not_of(" \t");
        const std::size_t skipped = indent == std::string::npos ? 0 : std::min(indent, place.column - 1);
        auto [shown, cut] = cut_around(place.excerpt.substr(skipped), place.column - skipped);
        // Control bytes that a terminal might interpret are shown as question marks.
        const auto commands = [](char c) { return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f; };
        std::replace_if(shown.begin(), shown.end(), commands, '?');
        text += "\n   " + shown + "\n   " + caret_line(shown, place.column - skipped - cut, place.length);
    }
    if (!diagnostic.hint.empty()) text += "\n   " + diagnostic.hint;
    return text;
}

std::string format(const std::vector<Diagnostic>& diagnostics, std::size_t more) {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics) text += format(diagnostic) + '\n';
    if (more > 0) text += "and " + std::to_string(more) + " more\n";
    const std::size_t count = diagnostics.size() + more;
    return text + std::to_string(count) + (count == 1 ? " problem." : " problems.");
}

void Problems::add(Diagnostic diagnostic) {
    ++reports_;
    const Place& place = diagnostic.place;
    const std::string digest =
        place.file + '\n' + std::to_string(place.line) + ':' + std::to_string(place.column) + ':' + diagnostic.found;
    if (!known_.insert(std::hash<std::string>()(digest)).second) return;
    if (is_full())
        ++more_;
    else
        list_.push_back(std::move(diagnostic));
}

void Problems::add(const UserError& error) {
    for (const Diagnostic& diagnostic : error.diagnostics()) add(diagnostic);
    more_ += error.more();
    reports_ += error.more();
}

void Problems::add(const Problems& others) {
    const std::size_t reports = reports_ + others.reports_;
    for (const Diagnostic& diagnostic : others.list_) add(diagnostic);
    for (const std::size_t digest : others.known_)
        if (known_.insert(digest).second) ++more_;
    more_ += others.more_ - (others.known_.size() - others.list_.size());  // problems that have no digest
    reports_ = reports;
}

void Problems::add(const Place& place, std::string found, std::string wanted, std::string hint) {
    add(Diagnostic{place, std::move(found), std::move(wanted), std::move(hint)});
}

void Problems::raise() const {
    if (!list_.empty()) throw UserError(list_, more_);
}

UserError::UserError(std::vector<Diagnostic> diagnostics, std::size_t more)
    : std::runtime_error(format(diagnostics, more)), diagnostics_(std::move(diagnostics)), more_(more) {}

namespace {

bool differs_in_case_alone(std::string_view a, std::string_view b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](unsigned char left, unsigned char right) {
        return std::tolower(left) == std::tolower(right);
    });
}

}  // namespace

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
    constexpr std::size_t longest_compared = 64;
    if (name.size() > longest_compared) return {};
    const std::string* nearest = nullptr;
    std::size_t least = std::max<std::size_t>(1, name.size() / 3) + 1;
    for (const std::string& candidate : known) {
        if (candidate.size() > longest_compared) continue;
        // The edit distance is at least the difference of the sizes.
        if (candidate.size() >= name.size() + least || name.size() >= candidate.size() + least) continue;
        const std::size_t distance = differs_in_case_alone(name, candidate) ? 0 : edit_distance(name, candidate);
        if (distance < least) {
            least = distance;
            nearest = &candidate;
        }
    }
    return nearest ? *nearest : std::string();
}

std::string suggestion(std::string_view name, const std::vector<std::string>& known) {
    const std::string near = nearest_name(name, known);
    return near.empty() ? near : "Did you mean '" + near + "'?";
}

std::string known_here(std::string_view name, const std::vector<std::string>& known,
                       const std::vector<std::string>& likely) {
    constexpr std::size_t longest_list = 12;
    if (known.empty()) return {};
    std::string text = "known here: ";
    for (std::size_t index = 0; index < known.size() && index < longest_list; ++index) {
        text += (index ? ", " : "") + known[index];
    }
    const bool cut = known.size() > longest_list;
    if (cut) text += ", ...";
    std::string near = suggestion(name, likely);
    if (near.empty()) near = suggestion(name, known);
    return near.empty() ? text : text + (cut ? " " : ". ") + near;
}

}  // namespace farfield::core
