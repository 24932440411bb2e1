#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/input_file.hpp>
#include <farfield/scheme/toml.hpp>
#include <filesystem>
#include <string_view>

#include "scheme/toml_text.hpp"

namespace farfield::scheme {
namespace {

// toml++ and all later passes recurse over the parts of a dotted key.
constexpr std::size_t most_dots = 16;
constexpr std::size_t most_brackets = 64;

[[noreturn]] void refuse(const core::Place& place, std::string found, std::string wanted = {}, std::string hint = {}) {
    throw core::UserError({core::Diagnostic{place, std::move(found), std::move(wanted), std::move(hint)}});
}

core::Place whole(const std::string& file) {
    core::Place place;
    place.file = file;
    return place;
}

/// A number's own text as a decimal that needs no knowledge of TOML: no underscores, no leading plus, base ten.
std::string decimal_text(std::string_view written, const toml::node& node) {
    std::string text;
    for (const char byte : written) {
        if (byte != '_') text += byte;
    }
    if (text.starts_with('+')) text.erase(0, 1);
    // In TOML, an integer with a leading zero and more characters has another base: 0x, 0o or 0b.
    const bool other_base = text.size() > 1 && text[0] == '0';
    if (node.is_integer() && other_base) return std::to_string(node.as_integer()->get());
    return text;
}

/// Walks the parsed tables and gives every value its place.
class Converter {
public:
    explicit Converter(const TomlText& text) : text_(text) {}

    core::Entries entries(const toml::table& table) const {
        core::Entries result;
        result.list.reserve(table.size());
        for (const auto& [key, node] : table)
            result.list.push_back({std::string(key.str()), place_of(key.source()), value(node)});
        const auto position = [](const core::Entry& entry) {
            return std::pair(entry.key_place.line, entry.key_place.column);
        };
        std::stable_sort(result.list.begin(), result.list.end(),
                         [&](const core::Entry& a, const core::Entry& b) { return position(a) < position(b); });
        return result;
    }

private:
    std::size_t begin_of(const toml::source_region& region) const {
        return text_.offset(region.begin.line, region.begin.column);
    }
    std::size_t end_of(const toml::source_region& region) const {
        return text_.offset(region.end.line, region.end.column);
    }
    core::Place place_of(const toml::source_region& region) const {
        const std::size_t begin = begin_of(region);
        return text_.place(begin, std::max(end_of(region), begin) - begin);
    }

    core::Value value(const toml::node& node) const {
        core::Value result{{}, place_of(node.source()), {}};
        switch (node.type()) {
            case toml::node_type::table: result.data = entries(*node.as_table()); break;
            case toml::node_type::array: result.data = list(*node.as_array()); break;
            case toml::node_type::string:
                result.data = node.as_string()->get();
                result.place = inside_quotes(node.source());
                break;
            case toml::node_type::integer: result.data = static_cast<long long>(node.as_integer()->get()); break;
            case toml::node_type::floating_point: result.data = node.as_floating_point()->get(); break;
            case toml::node_type::boolean: result.data = node.as_boolean()->get(); break;
            default: refuse(result.place, "a date or a time", "a number or a text", "Put it in quotes.");
        }
        if (node.is_number()) {
            const std::string_view written = text_.slice(begin_of(node.source()), end_of(node.source()));
            result.text = decimal_text(written, node);
        }
        return result;
    }

    core::List list(const toml::array& array) const {
        core::List result;
        result.reserve(array.size());
        for (const toml::node& node : array) result.push_back(value(node));
        return result;
    }

    core::Place inside_quotes(const toml::source_region& region) const {
        std::size_t begin = begin_of(region);
        std::size_t end = end_of(region);
        const std::string_view written = text_.slice(begin, end);
        const bool is_long = written.starts_with("\"\"\"") || written.starts_with("'''");
        const std::size_t quotes = is_long ? 3 : 1;
        begin += quotes;
        end -= std::min(end, quotes);
        // A line break right after the opening quotes is not part of the string.
        if (is_long && text_.slice(begin, begin + 2) == "\r\n")
            begin += 2;
        else if (is_long && text_.slice(begin, begin + 1) == "\n")
            ++begin;
        return text_.place(begin, std::max(begin, end) - begin);
    }

    const TomlText& text_;
};

/// Whether the last value before the place starts with an unquoted word, as in `bias = n < w`.
bool starts_unquoted(const core::Place& place) {
    const std::size_t equals = place.excerpt.substr(0, place.column).rfind('=');
    if (equals == std::string::npos) return false;
    const std::size_t first = place.excerpt.find_first_not_of(" \t-+", equals + 1);
    if (first == std::string::npos) return false;
    const std::string_view rest = std::string_view(place.excerpt).substr(first);
    const bool word = std::isalpha(static_cast<unsigned char>(rest.front())) || rest.front() == '_';
    return word && !rest.starts_with("true") && !rest.starts_with("false");
}

/// Whether the text stands at this place, as a word.
bool is_word_at(std::string_view body, std::size_t at, std::string_view word) {
    if (!body.substr(std::min(at, body.size())).starts_with(word)) return false;
    const std::size_t end = at + word.size();
    return end >= body.size() || !std::isalnum(static_cast<unsigned char>(body[end]));
}

/// How TOML writes what other languages write where toml++ stopped.
std::string hint_at(std::string_view body, std::size_t stopped, const core::Place& place) {
    const auto at = [&](std::size_t offset) { return offset < body.size() ? body[offset] : '\n'; };
    const auto is_digit = [&](std::size_t offset) { return std::isdigit(static_cast<unsigned char>(at(offset))) != 0; };
    const char c = at(stopped);
    const char before = stopped > 0 ? at(stopped - 1) : '\n';
    std::size_t word = stopped;
    while (word > 0 && std::isalpha(static_cast<unsigned char>(at(word - 1)))) --word;
    for (const std::string_view truth : {"True", "TRUE", "False", "FALSE"})
        if (is_word_at(body, word, truth)) return truth[0] == 'T' ? "Write true." : "Write false.";
    for (const std::string_view nothing : {"None", "null", "nil"})
        if (is_word_at(body, word, nothing)) return "To give no value, leave out the key.";
    if (starts_unquoted(place)) return "A text needs quotes.";
    const bool is_after_quote = std::isalpha(static_cast<unsigned char>(c)) != 0 && (before == '"' || before == '\'');
    if (is_after_quote) return "A text that contains a quotation mark needs quotes of the other kind around it.";
    if (c == ':') return "A key and its value are joined by '='.";
    if (c == '=' && before == '=') return "A key and its value are joined by one '='.";
    if (c == ',' && stopped > 0 && is_digit(stopped - 1) && is_digit(stopped + 1)) return "The decimal point is '.'.";
    if (c == ';') return "A line ends without ';'.";
    if (c == '/' && at(stopped + 1) == '/') return "A comment begins with '#'.";
    if (c == '.' && is_digit(stopped + 1)) return "A number begins with a digit: 0.5.";
    if (before == '.') return "A number ends with a digit: 5.0.";
    if (std::string_view("+-*/^").find(c) != std::string_view::npos) return "A formula needs quotes.";
    if (c == '(') return "A list is written [1, 2].";
    return "";
}

/// Whether toml++ stopped at a typographic quotation mark.
bool is_typographic_quote(std::string_view rest) {
    constexpr std::array<std::string_view, 8> quotes = {"\u201c", "\u201d", "\u201e", "\u2018",
                                                        "\u2019", "\u201a", "\u00ab", "\u00bb"};
    return std::any_of(quotes.begin(), quotes.end(), [&](std::string_view quote) { return rest.starts_with(quote); });
}

/// Describes a string before the place where toml++ stopped, if it seems to end at the opening quote of the next one:
/// the last quote of the line, at `last`, opens a string, and the string ends with what comes before a string.
std::optional<core::Diagnostic> describe_crossed_strings(std::string_view body, std::size_t stopped, std::size_t last,
                                                         const TomlText& text) {
    const std::string_view before = body.substr(0, stopped);
    const std::string_view between = body.substr(stopped, last - stopped);
    const bool is_line = between.find('\n') == std::string_view::npos;
    if (!is_line || before.size() < 2 || before.back() != body[last]) return std::nullopt;
    const std::size_t first = before.rfind(body[last], before.size() - 2);
    if (first == std::string_view::npos) return std::nullopt;
    const std::size_t end = before.find_last_not_of(" \t", before.size() - 2);
    const bool is_crossed = end > first && std::string_view("=,[").find(before[end]) != std::string_view::npos;
    if (!is_crossed || before.find('\n', first) != std::string_view::npos) return std::nullopt;
    return core::Diagnostic{text.place(first, stopped - first), "this string, or one before it, has no closing quote",
                            std::string(1, body[last]) + " at the end of each text", ""};
}

/// Describes an unterminated string, if toml++ stopped in it or after it, or because of it.
std::optional<core::Diagnostic> describe_open_string(std::string_view body, std::size_t stopped, const TomlText& text) {
    const std::optional<std::size_t> start = open_string(body);
    if (!start) return std::nullopt;
    if (*start > stopped) return describe_crossed_strings(body, stopped, *start, text);
    const char quote = body[*start];
    const bool is_long = body.substr(*start, 3) == std::string(3, quote);
    const core::Place place = text.place(*start, body.find('\n', *start) - *start);
    return core::Diagnostic{place, "this string has no closing quote",
                            std::string(is_long ? 3 : 1, quote) + (is_long ? " after it" : " at its end, on this line"),
                            ""};
}

/// toml++ writes "Error while parsing floating-point: expected X, saw Y".
core::Diagnostic describe(const toml::parse_error& error, std::string_view body, const TomlText& text) {
    const toml::source_position at = error.source().begin;
    const std::size_t stopped = text.offset(at.line, at.column);
    if (const auto open = describe_open_string(body, stopped, text)) return *open;
    std::string found(error.description());
    std::string wanted;
    constexpr std::string_view lead = "Error while parsing ";
    if (found.starts_with(lead)) found.erase(0, lead.size());
    const std::size_t colon = found.find(": ");
    const std::string part = found.substr(0, colon);
    if (colon != std::string::npos) found.erase(0, colon + 2);
    const std::size_t saw = found.rfind(", saw ");
    if (found.starts_with("expected ") && saw != std::string::npos) {
        wanted = found.substr(9, saw - 9);
        found.erase(0, saw + 6);
    }
    const core::Place place = text.place(stopped, 1);
    const std::string where = colon == std::string::npos ? "" : " (reading " + part + ")";
    if (is_typographic_quote(body.substr(std::min(stopped, body.size()))))
        return {place, "this quotation mark is not one of TOML", "\" or '",
                "Straight quotation marks begin and end a text."};
    if (found == "'\\n'" || found == "'\\r'") found = "the end of the line";
    const bool is_list = found.starts_with("cannot redefine existing table ") && found.ends_with("as array-of-tables");
    const std::string name = is_list ? found.substr(32, found.find('\'', 32) - 32) : "";
    if (is_list)
        return {place, "[[" + name + "]] is below a table that is part of it",
                "[[" + name + "]] above the first [[" + name + ".NAME]] or [" + name + ".NAME]", ""};
    return {place, "this is not TOML: " + found + where, wanted, hint_at(body, stopped, place)};
}

}  // namespace

core::Entries read_toml(const std::string& text, const std::string& file, Excerpts excerpts) {
    std::string_view body = text;
    if (body.starts_with("\xEF\xBB\xBF")) body.remove_prefix(3);
    const TomlText lines(body, file, excerpts == Excerpts::of_lines);
    if (body.size() > core::most_input_bytes) core::refuse_size(file, core::most_input_bytes);
    if (const auto at = too_deep(body, most_dots, most_brackets)) {
        refuse(lines.place(*at, 1), "nested too deeply", "at most 16 dots in a key and 64 brackets in each other");
    }
    try {
        return Converter(lines).entries(toml::parse(body, std::string_view(file)));
    } catch (const toml::parse_error& error) {
        throw core::UserError({describe(error, body, lines)});
    }
}

core::Entries read_toml_file(const std::string& path, Excerpts excerpts) {
    std::error_code failure;
    if (std::filesystem::status(path, failure).type() == std::filesystem::file_type::not_found)
        refuse(whole(path), "there is no such file");
    return read_toml(core::read_file(path), path, excerpts);
}

}  // namespace farfield::scheme
