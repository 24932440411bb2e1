// Random domains: boxes, and grids near the ends of what doubles and integers count.
#include <cstdlib>

#include "soundness/generator.hpp"

namespace farfield::soundness {
namespace {

/// A decimal without its point, and how many digits stand behind it.
struct Decimal {
    __int128 digits = 0;
    int behind = 0;
};

Decimal read(const std::string& text) {
    const std::size_t e = text.find('e');
    Decimal value;
    bool is_behind = false;
    for (const char letter : text.substr(0, e)) {
        if (letter == '.') is_behind = true;
        if (letter < '0' || letter > '9') continue;
        value.digits = value.digits * 10 + (letter - '0');
        value.behind += is_behind ? 1 : 0;
    }
    if (text.front() == '-') value.digits = -value.digits;
    const int shift = e == std::string::npos ? 0 : std::atoi(text.c_str() + e + 1);
    value.behind -= shift;
    for (; value.behind < 0; ++value.behind) value.digits *= 10;
    return value;
}

Decimal with_digits(Decimal value, int behind) {
    for (; value.behind < behind; ++value.behind) value.digits *= 10;
    return value;
}

std::string text_of(Decimal value) {
    const bool is_negative = value.digits < 0;
    std::string text;
    for (__int128 rest = is_negative ? -value.digits : value.digits; rest != 0; rest /= 10)
        text.insert(text.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
    if (static_cast<int>(text.size()) <= value.behind)
        text.insert(0, static_cast<std::size_t>(value.behind + 1) - text.size(), '0');
    if (value.behind > 0) text.insert(text.size() - static_cast<std::size_t>(value.behind), ".");
    // TOML's integers end at 2^63 - 1.
    if (value.behind == 0 && text.size() > 18) text += ".0";
    return (is_negative ? "-" : "") + text;
}

}  // namespace

std::string shifted(const std::string& from, const std::string& step, long quarters) {
    Decimal start = read(from);
    Decimal by = read(step);
    const int behind = std::max(start.behind, by.behind + 2);
    start = with_digits(start, behind);
    by = with_digits(by, behind);
    start.digits += by.digits / 4 * quarters;
    for (; start.behind > 0 && start.digits % 10 == 0; --start.behind) start.digits /= 10;
    return text_of(start);
}

Side Generator::stretch(const std::string& name) {
    static const std::vector<std::vector<const char*>> ends = {{"0", "1"},
                                                               {"-1", "1"},
                                                               {"0.3", "0.7"},
                                                               {"0", "5"},
                                                               {"-0.5", "2"},
                                                               {"0.1", "0.3"},
                                                               {"1", "2"},
                                                               {"-3", "-1"},
                                                               {"-2", "0"},
                                                               {"0.3", "0.30000000000000004"},
                                                               {"-3.3", "3.3"},
                                                               {"1e-300", "1"},
                                                               {"0", "1e-300"},
                                                               {"1e16", "1e17"},
                                                               {"0", "1e300"},
                                                               {"-1e-3", "1e-3"},
                                                               {"0.5", "1.5"},
                                                               {"2", "10"},
                                                               {"100", "1000"},
                                                               {"0.1", "0.1"},
                                                               {"9007199254740992", "9007199254740994"},
                                                               {"-710", "710"},
                                                               {"0.9", "1.1"},
                                                               {"-0.1", "0.2"},
                                                               {"3", "4"},
                                                               {"1.5", "1.7"},
                                                               {"-1e8", "1e8"},
                                                               {"0.29999999999999999", "0.5"}};
    const std::vector<const char*>& pair = random_.of(ends);
    return {name, pair[0], pair[1], ""};
}

Side Generator::grid(const std::string& name, int most_points) {
    const int points = random_.between(2, most_points);
    const auto ending = [&](const std::string& from, const std::string& step) {
        return Side{name, from, shifted(from, step, 4L * (points - 1) + (random_.one_in(3) ? 1 : 0)), step};
    };
    if (random_.one_in(8)) {
        // Decimals that share doubles, and integers near 2^53, 2^62 and 2^63.
        static const std::vector<std::vector<const char*>> far = {{"0.1", "1e-18"},
                                                                  {"1", "1e-17"},
                                                                  {"0.3", "1e-17"},
                                                                  {"0.29999999999999999", "1e-17"},
                                                                  {"-0.7", "3e-18"},
                                                                  {"1e15", "0.1"},
                                                                  {"9007199254740985", "1"},
                                                                  {"9007199254740991.5", "0.5"},
                                                                  {"-9007199254740996", "1"},
                                                                  {"4611686018427387900", "1"},
                                                                  {"9223372036854775800", "1"},
                                                                  {"9223372036854775783", "7"},
                                                                  {"-9223372036854775808", "1"},
                                                                  {"-9223372036854775815.0", "1"},
                                                                  {"9223372036854775806.5", "0.5"},
                                                                  {"18446744073709551610.0", "1"}};
        const std::vector<const char*>& pair = random_.of(far);
        return ending(pair[0], pair[1]);
    }
    std::string step = random_.pick({"1", "1", "1", "0.1", "0.5", "0.3", "2", "1e-3", "7"});
    const std::string from =
        random_.pick({"0", "0", "1", "-3", "0.1", "0.5", "-1", "2", "100", "0.3", "9007199254740990", "1e16", "2040"});
    if (std::stod(from) > 1e15) step = random_.pick({"1", "2", "7"});
    return ending(from, step);
}

void Generator::fill(Question& question, bool is_grid, bool may_have_more) {
    const std::string first = is_grid ? "n" : "x";
    question.over.push_back(is_grid ? grid(first, 24) : stretch(first));
    names_ = {first};
    if (!may_have_more || !random_.one_in(5)) return;
    question.over.push_back(is_grid ? grid("m", 6) : stretch("y"));
    names_.push_back(question.over.back().name);
    if (is_grid || random_.one_in(2)) return;
    question.over.push_back(stretch("z"));
    names_.emplace_back("z");
}

/// Of some grids a curve is made first, and the question is about a part of it.
void Generator::add_curve(Question& question) {
    if (question.over.size() != 1 || !question.over.front().is_grid()) return;
    question.is_of_curve = random_.one_in(3);
    if (question.is_of_curve || random_.one_in(4)) add_range(question);
}

void Generator::add_range(Question& question) {
    if (!random_.one_in(2)) return;
    const Side& side = question.over.front();
    const long first = random_.between(0, 3);
    const long last = first + random_.between(question.kind == "fit" ? 3 : 0, 6);
    const auto at = [&](long index) {
        return shifted(side.from, side.step, 4 * index + (random_.one_in(3) ? random_.between(-1, 1) : 0));
    };
    question.range = {at(first), at(last)};
}

/// Numbers near the largest of a format, literals beyond it, and operators that round up to more than it.
void Generator::fill_overflow(Question& question) {
    static const std::vector<std::vector<const char*>> ends = {
        {"fp16", "65000", "65504", "70000"}, {"fp16", "65472", "65519", "65520"}, {"fp16", "1", "2", "1e5"},
        {"fp16", "0", "65504", "65519"},     {"fp16", "-65504", "-60000", "1e6"}, {"fp16", "65440", "65510", "7e4"},
        {"e4m3", "400", "448", "464"},       {"e4m3", "0", "1", "480"},           {"e4m3", "-448", "1", "449"},
        {"e5m2", "1", "3", "1e5"},           {"e5m2", "50000", "57344", "61440"}, {"bf16", "1e38", "3.3e38", "1e39"}};
    const std::vector<const char*>& end = random_.of(ends);
    question.format = end[0];
    question.over.push_back({"x", end[1], end[2], ""});
    if (random_.one_in(2)) question.over.front().step = shifted("0", random_.pick({"1", "0.25", "8", "32"}), 4);
    // Grids of few points, the last one the end.
    Side& side = question.over.front();
    if (side.is_grid() && std::abs(std::stod(side.to)) > 1e30) side.step.clear();
    if (side.is_grid()) side.from = shifted(side.to, side.step, -4L * random_.between(1, 6));
    question.are_inputs_numbers = random_.one_in(2);
    const std::string x = "x";
    const std::string big = end[3];
    const auto rounded = [&](const std::string& text) {
        return random_.pick({"fp16(", "bf16(", "fp32(", "e4m3(", "e5m2(", "bf16(", "bf16("}) + text + ")";
    };
    const std::string part = random_.pick({"x", "x", "2*x", "abs(x)", "0.5*x", "x - 16", "x/2"});
    switch (random_.below(8)) {
        case 0: question.formula = part + "/" + big; break;
        case 1: question.formula = random_.pick({"min", "max"}) + "(" + part + ", " + big + ")"; break;
        case 2: question.formula = rounded(part); break;
        case 3: question.formula = rounded(part) + "/" + random_.pick({"2", "1000", "x"}); break;
        case 4: question.formula = random_.pick({"tanh(", "exp(-", "atan2(x, ", "sign("}) + big + ")*" + part; break;
        case 5: question.formula = "if(" + part + " < " + big + ", 1, " + part + ")"; break;
        case 6: question.formula = "clamp(" + part + ", -" + big + ", " + big + ")"; break;
        default: question.formula = rounded(rounded(part)) + random_.pick({" - ", "/", " + "}) + big;
    }
}

}  // namespace farfield::soundness
