#include "quantity/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/input_file.hpp>

namespace farfield::quantity {
namespace {

class Reader {
public:
    Reader(const std::string& text, const std::string& file) : text_(text), file_(file) {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = line_start_ = 3;
    }

    std::vector<std::vector<Field>> lines() {
        refuse_control_characters();
        std::vector<std::vector<Field>> result;
        while (at_ < text_.size()) {
            if (skips_line(result.empty() ? 0 : result.front().size())) continue;
            result.push_back(line());
        }
        return result;
    }

private:
    /// A text has no control characters: the file is something else, or was cut or filled with zeros.
    void refuse_control_characters() const {
        std::size_t line = 1;
        std::size_t start = line_start_;
        for (std::size_t at = line_start_; at < text_.size(); ++at) {
            const auto code = static_cast<unsigned char>(text_[at]);
            if (code == '\n') {
                ++line;
                start = at + 1;
            } else if (code == 0x7F || (code < 0x20 && code != '\t' && code != '\r')) {
                refuse(line, at - start + 1, fmt::format("a byte {:#04x}, which no text has", code),
                       "a table as text, with commas between fields");
            }
        }
    }

    bool at_end_of_line() const { return at_ >= text_.size() || text_[at_] == '\n' || text_[at_] == '\r'; }

    void end_line() {
        if (at_ < text_.size() && text_[at_] == '\r') ++at_;
        if (at_ < text_.size() && text_[at_] == '\n') ++at_;
        ++line_;
        line_start_ = at_;
    }

    void skip_spaces() {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    }

    /// Skips an empty line or a comment. One with as many commas as a row of `columns` fields may be a row.
    bool skips_line(std::size_t columns) {
        skip_spaces();
        const bool is_comment = at_ < text_.size() && text_[at_] == '#';
        if (!is_comment && !at_end_of_line()) {
            at_ = line_start_;
            return false;
        }
        const std::size_t begin = at_, begin_column = column();
        while (!at_end_of_line()) ++at_;
        const std::string_view line = std::string_view(text_).substr(begin, at_ - begin);
        const auto commas = static_cast<std::size_t>(std::count(line.begin(), line.end(), ','));
        if (is_comment && columns > 1 && commas + 1 == columns)
            refuse(line_, begin_column, "a comment with as many commas as a row",
                   "the first field in quotes if it is a row, or a comment before the names of the columns");
        end_line();
        return true;
    }

    std::vector<Field> line() {
        std::vector<Field> fields;
        for (;;) {
            fields.push_back(field());
            if (++fields_ > most_fields)
                refuse(line_, 1, "a table of over " + std::to_string(most_fields) + " fields", "a smaller one");
            if (at_ >= text_.size() || text_[at_] != ',') break;
            ++at_;
        }
        end_line();
        return fields;
    }

    Field field() {
        skip_spaces();
        if (text_[at_] == '"') return in_quotes();
        Field result{{}, line_, column()};
        while (!at_end_of_line() && text_[at_] != ',') result.text += text_[at_++];
        while (!result.text.empty() && (result.text.back() == ' ' || result.text.back() == '\t'))
            result.text.pop_back();
        return result;
    }

    Field in_quotes() {
        const std::size_t opening_line = line_;
        const std::size_t opening_column = column();
        ++at_;
        Field result{{}, line_, column()};
        for (;; ++at_) {
            if (at_ >= text_.size())
                refuse(opening_line, opening_column, "a quote that is not closed", "a closing '\"'");
            if (text_[at_] == '\n') {
                ++line_;
                line_start_ = at_ + 1;
            }
            if (text_[at_] == '"') {
                if (text_[at_ + 1] != '"') break;
                ++at_;
            }
            result.text += text_[at_];
        }
        ++at_;
        skip_spaces();
        if (!at_end_of_line() && text_[at_] != ',')
            refuse(line_, column(), "text after a closing quote", "a comma or the line's end");
        return result;
    }

    std::size_t column() const { return at_ - line_start_ + 1; }

    /// The message does not show the line, because the file may contain private data.
    [[noreturn]] void refuse(std::size_t line, std::size_t at, std::string found, std::string wanted) const {
        throw core::UserError({core::Diagnostic{{file_, line, at, 1, {}}, std::move(found), std::move(wanted), {}}});
    }

    const std::string& text_;
    const std::string& file_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t line_start_ = 0;
    std::size_t fields_ = 0;
};

}  // namespace

std::vector<std::vector<Field>> read_csv_file(const std::string& path) {
    const std::string text = core::read_file(path);
    return Reader(text, path).lines();
}

}  // namespace farfield::quantity
