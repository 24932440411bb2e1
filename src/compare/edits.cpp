#include "compare/edits.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>

namespace farfield::compare {

namespace {

constexpr Parts bias = parts({Part::bias});
constexpr Parts mask = parts({Part::mask});
constexpr Parts pairs = bias | mask;
constexpr Parts vectors = parts({Part::query, Part::key});
constexpr Parts waves = parts({Part::cosine, Part::sine, Part::turn, Part::both});
constexpr Parts turning = waves | vectors | parts({Part::angle});
constexpr Parts scaling = parts({Part::scale}) | vectors;
constexpr Parts rotation = turning | parts({Part::scale});
constexpr Parts embedding = parts({Part::embedding});
constexpr Parts places = rotation | embedding;
constexpr Parts all = pairs | places;

// More likely edits come first: of sets of the same size that explain a tensor equally well, the first is named.
constexpr Edit rows[] = {
    // Conventions of biases and masks.
    {"reversed-sign", "the sign is reversed", "sign", bias, Action::value, "", "-it"},
    {"one-of-several-heads", "the tensor is that of one head", "head", bias, Action::one_head},
    {"some-of-several-heads", "the tensor holds some of the heads", "head", bias, Action::some_heads},
    {"head-from-0", "heads are counted from 0", "head", bias, Action::substitute, "bias:h", "h - 1"},
    {"head-from-2", "heads are counted from 2", "head", bias, Action::substitute, "bias:h", "h + 1"},
    {"heads-reversed", "heads run in the reverse order", "head", bias, Action::substitute, "bias:h", "H + 1 - h"},
    {"heads-elsewhere", "heads are in another order", "head", bias, Action::order_of_heads},
    {"distance-from-1", "distances are counted from 1: a token is at distance 1 from itself", "distance", bias,
     Action::substitute, "bias:n", "n + 1"},
    {"distance-less-1", "distances are one too small", "distance", bias, Action::substitute, "bias:n", "n - 1"},
    {"public-slopes",
     "the slopes follow the rule of ALiBi's public code where the number of heads is not a power of two", "slopes",
     bias, Action::param, "slopes", "1"},
    {"formula-slopes", "the slopes follow ALiBi's formula where the public code has a rule of its own", "slopes", bias,
     Action::param, "slopes", "0"},
    {"table-transposed", "the learned table is [entries, heads]", "table", bias, Action::table_transposed},
    {"row-constant", "a constant is added to each row, which softmax ignores", "row", bias, Action::row_constant},
    {"queries-from-0", "queries are counted from 0, as if no keys were cached", "transposed", pairs, Action::queries,
     "", "q - a", "queries > 1 ? keys - queries : 0/0"},
    {"transposed", "queries and keys are exchanged", "transposed", pairs, Action::transpose},
    {"divided-by-root-d",
     "the bias is divided by the square root of the head's width, as if added before that division", "root", bias,
     Action::value, "", "it / sqrt(d)"},
    {"times-root-d", "the numbers are multiplied by the square root of the width: of the head, or of the embedding",
     "root", bias | embedding, Action::value, "", "it * sqrt(d)"},
    {"times-log2-e", "the bias is multiplied by log2(e), to be added to logits of a softmax to base 2", "root", bias,
     Action::value, "", "it * 1.4426950408889634"},
    {"bias-multiplied", "the bias is multiplied by a number", "root", bias, Action::value, "", "it * a", "fit"},
    {"distances-offset", "distances are counted from another number", "distance", bias, Action::substitute, "bias:n",
     "n + a", "at_last - last"},
    {"distances-clipped", "distances stop at a maximum", "distance", bias, Action::substitute, "bias:n", "min(n, a)",
     "first - 1"},
    {"distances-moved-from", "distances are shifted from some distance on", "distance", bias, Action::substitute,
     "bias:n", "n < a ? n : n + b", "first > 0 ? first : 0/0; at_first - first"},
    {"frequency-from-0", "the frequencies' index starts from 0", "first", bias, Action::param, "first", "0"},
    {"frequency-from-1", "the frequencies' index starts from 1", "first", bias, Action::param, "first", "1"},
    {"without-shift", "the constant that makes the bias 0 at distance 0 is left out", "shift", bias, Action::param,
     "shift", "0"},
    {"with-shift", "the constant that makes the bias 0 at distance 0 is subtracted", "shift", bias, Action::param,
     "shift", "1"},
    {"slopes-to-other-end", "the slopes' exponents run to another number than 8", "head", bias, Action::substitute,
     "bias:h", "h * a / 8", "fit"},
    {"raw-softplus", "the learned values are those before softplus, log(1 + exp(x))", "raw", bias, Action::learned, "",
     "log(1 + exp(it))"},
    {"raw-exp", "the learned values are those before exp(x)", "raw", bias, Action::learned, "", "exp(it)"},
    {"raw-abs", "the learned values are those before abs(x)", "raw", bias, Action::learned, "", "abs(it)"},
    {"window-less-1", "the window is one token shorter", "distance", mask, Action::substitute, "mask:n", "n + 1"},
    {"window-plus-1", "the window is one token longer", "distance", mask, Action::substitute, "mask:n", "n - 1"},
    {"inverted", "true means masked", "sign", mask, Action::value, "", "1 - it"},
    {"not-causal", "later keys are visible", "causal", mask, Action::not_causal},
    {"not-itself", "a token's own key is masked", "causal", mask, Action::value, "", "k < q ? it : 0"},
    // Conventions of rotations.
    {"frequencies-in-fp16", "the frequencies are rounded to fp16", "frequency", turning, Action::frequency, "",
     "p * fp16(it)"},
    {"frequencies-in-bf16", "the frequencies are rounded to bf16", "frequency", turning, Action::frequency, "",
     "p * bf16(it)"},
    {"turned-back", "the rotation has the opposite direction", "sign", turning, Action::wrap, "angle", "-it"},
    {"position-from-1", "positions are counted from 1", "position", places, Action::substitute, "rotation:p", "p + 1"},
    {"position-less-1", "positions are one too small", "position", places, Action::substitute, "rotation:p", "p - 1"},
    {"positions-in-fp16", "positions are rounded to fp16", "position", places, Action::substitute, "rotation:p",
     "fp16(p)"},
    {"positions-in-bf16", "positions are rounded to bf16", "position", places, Action::substitute, "rotation:p",
     "bf16(p)"},
    {"positions-reversed", "positions run from the end to the start", "position", places, Action::substitute,
     "rotation:p", "L - 1 - p"},
    {"positions-offset", "positions are counted from another number", "position", places, Action::substitute,
     "rotation:p", "p + a", "at_last - last"},
    {"positions-multiplied", "positions are multiplied by a number", "position", places, Action::substitute,
     "rotation:p", "p * a", "fit"},
    {"positions-clipped", "positions stop at a maximum", "position", places, Action::substitute, "rotation:p",
     "min(p, a)", "first - 1"},
    {"left-padded", "the first tokens are padding, all at position 0", "position", places, Action::substitute,
     "rotation:p", "max(p - a, 0)", "last > at_last ? last - at_last : 0/0"},
    {"left-padded-at-1", "the first tokens are padding, all at position 1", "position", places, Action::substitute,
     "rotation:p", "p < a ? 1 : p - a", "last > at_last ? last - at_last : 0/0"},
    {"positions-wrapped", "positions wrap around to 0", "position", places, Action::substitute, "rotation:p", "p % a",
     "first"},
    {"positions-repeated", "several tokens share one position", "position", places, Action::substitute, "rotation:p",
     "floor(p / a)", "ceil((last + 1) / (at_last + 1))"},
    {"positions-moved-from", "positions are shifted from some position on", "position", places, Action::substitute,
     "rotation:p", "p < a ? p : p + b", "first > 0 ? first : 0/0; at_first - first"},
    {"positions-moved-between", "a range of positions is shifted", "position", places, Action::substitute, "rotation:p",
     "p < a or p > b ? p : p + c", "first > 0 ? first : 0/0; last < end ? last : 0/0; at_first - first"},
    {"positions-alike-between", "a range of tokens shares one position", "position", places, Action::substitute,
     "rotation:p", "p < a or p > b ? p : c", "first; last > first and last < end ? last : 0/0; at_first"},
    {"not-rotated", "the vectors are not rotated", "position", vectors, Action::value, "", "x"},
    {"rotated-twice", "the rotation acts twice", "position", vectors, Action::twice},
    {"sine-for-cosine", "sines and cosines are exchanged", "exchange",
     vectors | parts({Part::cosine, Part::sine, Part::turn}), Action::exchange},
    {"sides-exchanged", "sines and cosines are exchanged within the row", "exchange",
     parts({Part::both, Part::embedding}), Action::exchange_sides},
    {"output-exchanged", "the two dimensions of each pair are exchanged after the rotation", "exchange", vectors,
     Action::exchange_output},
    {"output-regrouped", "pairs of neighbours are stored as halves after the rotation, or the reverse", "output",
     vectors, Action::regroup},
    {"signed-sines", "the sine of the first dimension of each pair is negative, as the rotation adds it", "signs",
     parts({Part::sine}), Action::arrangement, "", "turned * it"},
    {"other-pairing", "dimensions are paired the other way: halves for interleaved, or the reverse", "pairing",
     places & ~parts({Part::turn}), Action::other_pairing},
    {"half-rotated", "the first half of each head is rotated, the rest stays as it is", "fraction", vectors,
     Action::fraction, "", "0.5"},
    {"quarter-rotated", "the first quarter of each head is rotated, the rest stays as it is", "fraction", vectors,
     Action::fraction, "", "0.25"},
    {"whole-rotated", "the whole of each head is rotated", "fraction", vectors, Action::fraction, "", "1"},
    {"pair-from-1", "pairs are counted from 1", "pair", places, Action::substitute, "rotation:i", "i + 1"},
    {"exponent-halved", "the exponent is i/d, not 2i/d", "pair", turning | embedding, Action::substitute, "angle:i",
     "i/2"},
    {"exponent-doubled", "the exponent is 4i/d, not 2i/d", "pair", turning | embedding, Action::substitute, "angle:i",
     "2*i"},
    {"exponent-over-d-1", "the exponent is 2i/(d - 1)", "pair", turning | embedding, Action::substitute, "angle:i",
     "i*d/(d - 1)"},
    {"exponent-to-base", "the exponent is 2i/(d - 2), so that the slowest frequency is 1/base itself", "pair",
     turning | embedding, Action::substitute, "angle:i", "i*d/(d - 2)"},
    {"base-missing", "the base is e instead of the scheme's", "base", turning | embedding, Action::param, "base",
     "2.718281828459045"},
    {"base-10000", "the base is 10000", "base", turning | embedding | bias, Action::param, "base", "10000"},
    {"base-500000", "the base is 500000", "base", turning | embedding | bias, Action::param, "base", "500000"},
    {"base-1000000", "the base is 1000000", "base", turning | embedding | bias, Action::param, "base", "1000000"},
    {"by-row-and-column", "half of the pairs are rotated by the row of a grid, the other half by the column", "grid",
     turning, Action::grid, "p % a", "floor(p/a)", "divisors"},
    {"by-column-and-row", "half of the pairs are rotated by the column of a grid, the other half by the row", "grid",
     turning, Action::grid, "floor(p/a)", "p % a", "divisors"},
    {"other-value", "a parameter has another value", "value", all, Action::fitted, "", "", "fit"},
    {"unscaled", "the positions are not scaled: the factor is 1", "scaling", turning, Action::param, "factor", "1"},
    {"factor-without-exponent", "the base is multiplied by the factor, without the exponent d/(d - 2)", "scaling",
     turning, Action::param, "factor", "it^((d - 2)/d)"},
    // Su, "Transformer upgrade 11" (2023), https://kexue.fm/archives/9706, equation 6 with m = i + 1.
    {"fixed-ntk", "the frequencies are base^(-2i/d)/factor^(2(i + 1)/d), as in NTK-RoPE-fixed", "scaling", turning,
     Action::wrap, "angle", "p * base^(-2*i/d) * factor^(-2*(i + 1)/d)"},
    // The angle p theta (kept + (1 - kept)/factor) and the reversed one add up to p theta (1 + 1/factor). The term
    // 0*original excludes schemes without a ramp, which have no param `original`.
    {"ramp-reversed", "the ramp is reversed: slow pairs keep their frequency, fast pairs are interpolated", "order",
     turning, Action::wrap, "angle", "p * base^(-2*i/d) * (1 + 1/factor) + 0*original - it"},
    {"ramp-by-index", "pairs are blended by their index, as the public code does", "ramp", turning, Action::param,
     "ramp", "1"},
    {"ramp-by-turns", "pairs are blended by their number of turns, as the paper's equation does", "ramp", turning,
     Action::param, "ramp", "0"},
    {"static", "the factor is the same at every length", "dynamic", turning, Action::param, "dynamic", "0"},
    {"dynamic", "the factor grows with the length, as the public code's dynamic rule has it", "dynamic", turning,
     Action::param, "dynamic", "1"},
    {"scale-from-start", "positions of the scale count from the start", "origin", scaling, Action::origin, "", "start"},
    {"scale-from-centre", "positions of the scale count from the centre", "origin", scaling, Action::origin, "",
     "centre"},
    {"scale-from-end", "positions of the scale count from the end", "origin", scaling, Action::origin, "", "end"},
    {"scale-per-token", "positions of the scale are not divided by B", "stretch", scaling, Action::param, "B", "1"},
    {"scale-inverted", "the scale is its reciprocal", "scale", scaling, Action::wrap, "scale", "1/it"},
    {"without-scale", "the scale is left out", "scale", vectors, Action::wrap, "scale", "1 + 0*it"},
    {"times-scale", "the table is multiplied by the scale", "table", waves, Action::value, "", "it * scale"},
    {"over-scale", "the table is divided by the scale", "table", waves, Action::value, "", "it / scale"},
    {"times-root-temperature", "the table is multiplied by the square root of the temperature", "table", waves,
     Action::value, "", "it * sqrt(temperature)"},
    {"table-multiplied", "the table is multiplied by a number", "table", waves, Action::value, "", "it * a", "fit"},
    // Ways of computing.
    {"power-as-quotient", "x^-y is computed as 1/x^y", "power", all, Action::power_as_quotient},
    {"in-fp32", "every operation is rounded to fp32", "arithmetic", all, Action::arithmetic, "", "fp32"},
    {"in-bf16", "every operation is rounded to bf16", "arithmetic", all, Action::arithmetic, "", "bf16"},
    {"in-fp16", "every operation is rounded to fp16", "arithmetic", all, Action::arithmetic, "", "fp16"},
    {"angles-in-fp16", "the angles are rounded to fp16", "product", turning, Action::wrap, "angle", "fp16(it)"},
    {"angles-in-bf16", "the angles are rounded to bf16", "product", turning, Action::wrap, "angle", "bf16(it)"},
    {"angles-in-fp32", "the angles are off by no more than roundings to fp32 cost", "arithmetic", turning | embedding,
     Action::angle_error, "", "fp32"},
};

}  // namespace

namespace {

/// Writes "p + -5" as "p - 5".
std::string differences_as_such(std::string text) {
    for (std::size_t at = text.find("+ -"); at != std::string::npos; at = text.find("+ -", at))
        text.replace(at, 3, "- ");
    return text;
}

}  // namespace

std::span<const Edit> edits() {
    return rows;
}

bool is_convention(const Edit& edit, const numerics::Format* format) {
    switch (edit.action) {
        case Action::one_head:
        case Action::some_heads:
        case Action::arrangement:
        case Action::exchange_sides:
        case Action::regroup:
        case Action::table_transposed:
        case Action::other_pairing:
        case Action::power_as_quotient: return true;
        case Action::arithmetic:
        case Action::angle_error: return format != nullptr && edit.to == "fp32";
        default: return false;
    }
}

formula::Node Choice::formula() const {
    constexpr std::array<const char*, 3> names = {"a", "b", "c"};
    std::vector<formula::Replacement> numbers;
    for (std::size_t at = 0; at < std::min(constants.size(), names.size()); ++at)
        numbers.push_back({names[at], formula::parse(constants[at])});
    return formula::substitute(formula::parse(std::string(edit->to)), numbers);
}

std::string Choice::options() const {
    if (!edit->constants.empty() && constants.empty()) return "";  // their numbers are not known yet
    if (head != 0)
        return fmt::format("--heads {} {} {}", heads, edit->action == Action::some_heads ? "--first-head" : "--head",
                           head);
    if (!param.empty() && !constants.empty()) return fmt::format("--set {}={}", param, constants.front());
    const bool is_number = edit->to.find_first_not_of("0123456789.") == std::string_view::npos;
    if (edit->action == Action::param && is_number) return fmt::format("--set {}={}", edit->from, edit->to);
    if (edit->action != Action::substitute) return "";
    const std::string formula_text = differences_as_such(formula::print(formula()));
    if (edit->from == "rotation:p") return fmt::format("--at 'positions={}'", formula_text);
    return edit->from.ends_with(":n") ? fmt::format("--at 'distances={}'", formula_text) : "";
}

std::string Choice::supposes() const {
    if (head != 0 || !param.empty()) return options();
    if (constants.empty()) return head_dim != 0 ? fmt::format("--head-dim {}", head_dim) : "";
    switch (edit->action) {
        case Action::order_of_heads: return fmt::format("heads {}", fmt::join(constants, ","));
        case Action::grid: return constants.front() + " columns";
        default: return differences_as_such(formula::print(formula()));
    }
}

Variation Choice::described(const numerics::Format* format) const {
    return {std::string(edit->name), std::string(edit->meaning), supposes(), options(), is_convention(*edit, format)};
}

std::string names_text(const std::vector<Variation>& set) {
    std::string text;
    for (const Variation& each : set)
        text += (text.empty() ? "" : " + ") + each.name + (each.supposes.empty() ? "" : " (" + each.supposes + ")");
    return text;
}

std::string options_text(const std::vector<Variation>& set) {
    std::string text;
    std::string accepted;
    for (const Variation& each : set) {
        if (!each.options.empty())
            text += (text.empty() ? "" : " ") + each.options;
        else if (!each.is_convention)
            accepted += (accepted.empty() ? "--accept " : ",") + each.name;
    }
    return text.empty() || accepted.empty() ? text + accepted : text + " " + accepted;
}

std::vector<Variation> variations() {
    std::vector<Variation> list;
    for (const Edit& each : edits()) list.push_back(Choice{&each}.described(numerics::find_format("fp32")));
    return list;
}

}  // namespace farfield::compare
