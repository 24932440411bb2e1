#include <farfield/formula/names.hpp>

#include <algorithm>
#include <array>
#include <cctype>

#include <farfield/formula/tree.hpp>

namespace farfield::formula {

std::string_view reserved(std::string_view word) {
    constexpr std::array<std::string_view, 3> words = {"and", "or", "not"};
    constexpr std::array<std::string_view, 3> constants = {"pi", "e", "inf"};
    constexpr std::array<std::string_view, 3> of_claims = {"rounds", "about", "printed"};
    const auto is_in = [&](const auto& list) { return std::find(list.begin(), list.end(), word) != list.end(); };
    if (is_in(words)) return "a word of the language";
    if (is_in(constants)) return "a constant";
    if (is_in(of_claims)) return "a function of claims";
    return find_function(word) ? "a function" : "";
}

bool is_name(std::string_view text) {
    const auto is_letter = [](char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const auto is_part = [&](char c) { return is_letter(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; };
    return !text.empty() && is_letter(text.front()) && std::all_of(text.begin(), text.end(), is_part);
}

}  // namespace farfield::formula
