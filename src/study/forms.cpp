#include "study/forms.hpp"

#include <utility>

#include <fmt/format.h>

#include <farfield/core/diagnostic.hpp>

namespace farfield::study {
namespace {

constexpr int most_nested = 500;

class FormReader {
public:
    FormReader(const std::string& text, const std::string& file) : text_(text), file_(file) {}

    std::vector<Form> all() {
        std::vector<Form> forms;
        for (skip(); at_ < text_.size(); skip()) forms.push_back(form(0));
        return forms;
    }

private:
    [[noreturn]] void fail(const core::Place& place, std::string found, std::string wanted) const {
        throw core::UserError({{place, std::move(found), std::move(wanted), ""}});
    }

    core::Place place() const {
        core::Place place;
        place.file = file_;
        place.line = line_;
        place.column = at_ - line_start_ + 1;
        const std::size_t end = text_.find('\n', line_start_);
        place.excerpt = text_.substr(line_start_, end == std::string::npos ? end : end - line_start_);
        return place;
    }

    void step() {
        if (text_[at_++] != '\n') return;
        ++line_;
        line_start_ = at_;
    }

    void skip() {
        while (at_ < text_.size()) {
            if (text_[at_] == ';') {
                while (at_ < text_.size() && text_[at_] != '\n') step();
            } else if (std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) {
                step();
            } else {
                return;
            }
        }
    }

    Form form(int depth) {
        Form form;
        form.place = place();
        if (depth > most_nested) fail(form.place, "lists nested deeper than 500", "fewer");
        const char first = text_[at_];
        if (first == '(' || first == '[') return list(std::move(form), first == '(' ? ')' : ']', depth);
        if (first == ')' || first == ']') fail(form.place, fmt::format("'{}' without its opening", first), "a form");
        if (first == '"') return quoted(std::move(form));
        while (at_ < text_.size() && std::string_view(" \t\r\n()[];\"").find(text_[at_]) == std::string_view::npos) {
            form.word += text_[at_];
            step();
        }
        return form;
    }

    Form list(Form form, char closing, int depth) {
        form.is_list = true;
        step();
        for (skip(); at_ < text_.size() && text_[at_] != ')' && text_[at_] != ']'; skip())
            form.items.push_back(this->form(depth + 1));
        if (at_ == text_.size()) fail(form.place, "a list that is not closed", fmt::format("'{}'", closing));
        if (text_[at_] != closing)
            fail(place(), fmt::format("'{}' closes a list of the other kind", text_[at_]),
                 fmt::format("'{}'", closing));
        step();
        return form;
    }

    Form quoted(Form form) {
        form.is_text = true;
        step();
        while (at_ < text_.size() && text_[at_] != '"') {
            if (text_[at_] == '\\' && at_ + 1 < text_.size()) step();
            form.word += text_[at_];
            step();
        }
        if (at_ == text_.size()) fail(form.place, "a text that is not closed", "'\"'");
        step();
        return form;
    }

    const std::string& text_;
    const std::string& file_;
    std::size_t at_ = 0;
    std::size_t line_start_ = 0;
    std::size_t line_ = 1;
};

}  // namespace

std::vector<Form> read_forms(const std::string& text, const std::string& file) {
    return FormReader(text, file).all();
}

}  // namespace farfield::study
