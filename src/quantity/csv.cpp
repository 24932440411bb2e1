#include "quantity/csv.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <farfield/core/diagnostic.hpp>

namespace farfield::quantity {
namespace {

class Reader {
public:
    Reader(const std::string& text, const std::string& file) : text_(text), file_(file) {
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = line_start_ = 3;
    }

    std::vector<std::vector<Field>> lines() {
        std::vector<std::vector<Field>> result;
        while (at_ < text_.size()) {
            if (skips_line()) continue;
            result.push_back(line());
        }
        return result;
    }

private:
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

    bool skips_line() {
        skip_spaces();
        const bool is_comment = at_ < text_.size() && text_[at_] == '#';
        if (!is_comment && !at_end_of_line()) {
            at_ = line_start_;
            return false;
        }
        while (!at_end_of_line()) ++at_;
        end_line();
        return true;
    }

    std::vector<Field> line() {
        std::vector<Field> fields;
        for (;;) {
            fields.push_back(field());
            if (at_ >= text_.size() || text_[at_] != ',') break;
            ++at_;
        }
        end_line();
        return fields;
    }

    Field field() {
        skip_spaces();
        if (at_ < text_.size() && text_[at_] == '"') return in_quotes();
        Field result{{}, here()};
        while (!at_end_of_line() && text_[at_] != ',') result.text += text_[at_++];
        while (!result.text.empty() && (result.text.back() == ' ' || result.text.back() == '\t'))
            result.text.pop_back();
        result.place.length = std::max<std::size_t>(1, result.text.size());
        return result;
    }

    Field in_quotes() {
        const core::Place opening = here();
        ++at_;
        Field result{{}, here()};
        for (;; ++at_) {
            if (at_ >= text_.size()) refuse(opening, "a quote that is not closed", "a closing '\"'");
            if (text_[at_] == '\n') {
                ++line_;
                line_start_ = at_ + 1;
            }
            if (text_[at_] == '"') {
                if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
                ++at_;
            }
            result.text += text_[at_];
        }
        ++at_;
        skip_spaces();
        if (!at_end_of_line() && text_[at_] != ',')
            refuse(here(), "text after a closing quote", "a comma or the line's end");
        return result;
    }

    core::Place here() const {
        core::Place place;
        place.file = file_;
        place.line = line_;
        place.column = at_ - line_start_ + 1;
        const std::size_t end = text_.find_first_of("\r\n", line_start_);
        place.excerpt = text_.substr(line_start_, end == std::string::npos ? end : end - line_start_);
        return place;
    }

    [[noreturn]] static void refuse(const core::Place& place, std::string found, std::string wanted) {
        throw core::UserError({core::Diagnostic{place, std::move(found), std::move(wanted), {}}});
    }

    const std::string& text_;
    const std::string& file_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t line_start_ = 0;
};

}  // namespace

std::vector<std::vector<Field>> read_csv(const std::string& text, const std::string& file) {
    return Reader(text, file).lines();
}

}  // namespace farfield::quantity
