// Lists in parentheses, as in Lisp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/place.hpp>

namespace farfield::study {

/// A symbol, number or text, or a list.
struct Form {
    bool is_list = false;
    bool is_text = false;
    std::string word;
    std::vector<Form> items;
    core::Place place;

    bool is(std::string_view text) const { return !is_list && !is_text && word == text; }
    std::string_view head() const {
        return is_list && !items.empty() && !items[0].is_list ? std::string_view(items[0].word) : std::string_view();
    }
};

/// All forms of a text; comments extend from a semicolon to the end of the line. Throws core::UserError at the first
/// problem: a list or a text that is not closed, or lists nested deeper than 500.
std::vector<Form> read_forms(const std::string& text, const std::string& file);

}  // namespace farfield::study
