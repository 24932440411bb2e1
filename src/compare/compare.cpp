#include <farfield/compare/compare.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <farfield/formula/parser.hpp>
#include <farfield/scheme/pieces.hpp>
#include <tuple>

#include "compare/model.hpp"
#include "compare/refuse.hpp"
#include "compare/sample.hpp"
#include "compare/scan.hpp"
#include "compare/search.hpp"

namespace farfield::compare {

namespace {

constexpr std::array<std::string_view, 11> names = {"bias",  "mask", "cos", "sin",     "turn", "scale",
                                                    "angle", "q",    "k",   "cos-sin", "embed"};

/// Doubles rounded to a narrower format are correct to a unit, and an implementation that computes in the format adds
/// another. A float64 tensor is as accurate as farfield's own evaluation.
constexpr double narrow_tolerance = 2;
constexpr double wide_tolerance = 16;
constexpr std::size_t most_values = std::size_t{1} << 20;
constexpr std::size_t most_heads_alone = 64;
constexpr double exact = 0.25;  // less than the distance of two numbers of a format

std::string index_text(const std::vector<std::size_t>& index) {
    return tensor::shape_text(index);
}

const scheme::Scheme& scheme_of(const Question& question, const scheme::Registry& schemes) {
    if (const scheme::Scheme* scheme = schemes.find(question.scheme)) return *scheme;
    throw core::UserError({schemes.unknown(question.scheme)});
}

bool uses(const std::optional<scheme::Piece>& piece, std::string_view name) {
    if (!piece) return false;
    const std::vector<std::string> used = formula::free_names(piece->formula);
    return std::find(used.begin(), used.end(), name) != used.end();
}

/// A bias that uses the head's width needs it.
void require_width(const std::string& file, const scheme::Scheme& scheme, const Layout& layout) {
    const bool needs = layout.part == Part::bias && (scheme.bias_scaled || uses(scheme.bias, "d"));
    if (needs && layout.head_dim == 0)
        refuse(file, "the scheme's bias depends on the width of a head", "--head-dim WIDTH");
    if (layout.part == Part::bias && !scheme.bias)
        refuse(file, "scheme '" + scheme.name + "' has no bias", "a scheme with `bias`");
    if (layout.part == Part::scale && !scheme.rotate->scale)
        refuse(file, "the rotation of scheme '" + scheme.name + "' has no scale", "a scheme with `rotate.scale`");
}

std::optional<double> first_beyond(const Tally& tally, const Layout& layout) {
    if (tally.first_beyond == Tally::none) return std::nullopt;
    const Where place = where(layout, tally.first_beyond);
    if (layout.has(Axis::position)) return place.position;
    if (layout.has(Axis::distance)) return place.distance;
    return std::nullopt;
}

Deviation deviation_of(const Tally& tally, const Layout& layout) {
    return {tally.compared,
            tally.beyond,
            tally.worst,
            layout.index_of(tally.at),
            tally.found,
            tally.wanted,
            first_beyond(tally, layout)};
}

std::vector<Variation> described(const std::vector<Choice>& choices, const Case& all) {
    std::vector<Variation> list;
    list.reserve(choices.size());
    for (const Choice& choice : choices) list.push_back(choice.described(all.format));
    return list;
}

bool are_conventions(const std::vector<Variation>& set) {
    return std::all_of(set.begin(), set.end(), [](const Variation& each) { return each.is_convention; });
}

void add(const Found& found, const Case& all, Answer& answer) {
    if (found.explanations.empty()) return;
    const Explanation& nearest = found.explanations.front();
    answer.variations = described(nearest.choices, all);
    answer.explained = deviation_of(nearest.tally, all.layout);
    answer.hidden = nearest.tally.hidden_text();
    for (std::size_t at = 1; at < found.explanations.size(); ++at)
        answer.others.push_back(described(found.explanations[at].choices, all));
    if (!answer.is_equal) {
        answer.commands.push_back(options_text(answer.variations));
        for (const std::vector<Variation>& each : answer.others) answer.commands.push_back(options_text(each));
    }
    // An option of the run would be given twice.
    const bool has_places = !all.question.at.empty() || !all.question.moved.empty();
    std::erase_if(answer.commands,
                  [&](const std::string& each) { return has_places && each.find("--at ") != std::string::npos; });
    answer.agrees = answer.is_equal || (are_conventions(answer.variations) &&
                                        std::all_of(answer.others.begin(), answer.others.end(), are_conventions));
}

void refuse_invalid(const Tally& tally, const Case& all, const tensor::Tensor& tensor) {
    if (tally.first_invalid == Tally::none) return;
    std::vector<double> found(1);
    read_numbers(all.layout, tensor, tally.first_invalid, found);
    const std::string at = " at " + index_text(all.layout.index_of(tally.first_invalid));
    const bool is_nan = std::isnan(found[0]);
    refuse(all.file, is_nan ? "NaN" + at : "inf" + at + ", which is masked: inf - inf is NaN",
           is_nan ? "a number" : "a finite number or -inf",
           "farfield compare FILE --laws reports more about such a tensor");
}

/// Refuses coordinates given by a formula of another axis, or by a formula with a name other than p or n.
void check_moved(const std::string& file, const Layout& layout, const Question& question) {
    for (const auto& [axis, text] : question.moved) {
        const bool is_bias = layout.part == Part::bias || layout.part == Part::mask;
        const std::string_view wanted = is_bias ? "distances" : "positions";
        const std::string_view name = is_bias ? "n" : "p";
        if (axis != wanted)
            refuse(file, fmt::format("a formula of '{}', but the tensor is read as {}", axis, part_name(layout.part)),
                   fmt::format("{}, as a formula of {}", wanted, name));
        std::vector<std::string> used;
        try {
            used = formula::free_names(formula::parse(text));
        } catch (const core::UserError&) {
            used = {text};
        }
        for (const std::string& each : used)
            if (each != name && each != "L")
                refuse(file, fmt::format("invalid coordinates '{}' of '{}'", text, axis),
                       fmt::format("numbers, the name of a tensor of the file, or a formula of {}", name));
    }
}

/// Compares the tensor's numbers with the scheme's, with the axes that the question states or the shape suggests.
Answer answer_as_read(const tensor::Tensor& tensor, const std::string& name, const Question& question,
                      const scheme::Registry& schemes, const scheme::Scheme& scheme) {
    Case all{schemes, question, name, read_layout(tensor, name, question, scheme)};
    require_width(name, scheme, all.layout);
    if (all.layout.part != Part::bias && all.layout.part != Part::mask)
        scheme::refuse_far(scheme, "compare of a rotation's tables does");
    check_moved(name, all.layout, question);
    if (question.input && all.layout.part != Part::query && all.layout.part != Part::key)
        refuse(name,
               fmt::format("vectors before the rotation are given, but the tensor is read as {}",
                           part_name(all.layout.part)),
               "part q or k, or no input");
    all.format = numerics::find_format(tensor::format_of(tensor.description().type));
    all.tolerance = question.tolerance.value_or(all.format ? narrow_tolerance : wide_tolerance);
    check_tolerance(name, all.tolerance);
    const Model declared = *Builder(all).build({});
    const Tally tally = scan(all, declared, tensor);
    refuse_invalid(tally, all, tensor);
    Answer answer;
    answer.part = all.layout.part;
    answer.axes = all.layout.text();
    answer.tolerance = all.tolerance;
    answer.is_equal = tally.beyond == 0;
    answer.agrees = answer.is_equal;
    answer.declared = deviation_of(tally, all.layout);
    answer.hidden = tally.hidden_text();
    if (tally.worst == 0) return answer;
    // A tensor that is equal within the tolerance, but not to the last bit, may still be reproduced to the last bit.
    if (answer.is_equal) all.tolerance = exact;
    Sample sample(all, tensor);
    sample.add(tally.at);
    const Found found =
        answer.is_equal ? search_arithmetic(all, tensor, sample) : search(all, declared, tensor, sample);
    answer.tried = found.tried;
    add(found, all, answer);
    if (answer.explained || found.nearest.empty()) return answer;
    const Deviation near = deviation_of(scan(all, *Builder(all).build(found.nearest), tensor), all.layout);
    if (near.beyond > answer.declared.beyond) return answer;
    answer.nearest = described(found.nearest, all);
    answer.near = near;
    return answer;
}

/// The question about a part of the tensor along its first axis.
Question without_first_axis(Question question, const Layout& layout) {
    question.axes = layout.text();
    std::erase_if(question.axes, [](char each) { return each == ' ' || each == '[' || each == ']'; });
    question.axes.erase(0, question.axes.find(',') + 1);
    question.part = layout.part;
    return question;
}

/// Compares each head separately, in a tensor whose first axis is the heads, after batches of one entry.
std::vector<HeadAnswer> heads_alone(const tensor::Tensor& tensor, const std::string& name, const Question& question,
                                    const scheme::Registry& schemes, const scheme::Scheme& scheme) {
    const Layout layout = read_layout(tensor, name, question, scheme);
    Question of_one = without_first_axis(question, layout);
    if (layout.axes.front() == Axis::batch && layout.shape.front() == 1) {
        if (question.input) of_one.input = question.input->at(0);
        return heads_alone(tensor.at(0), name, of_one, schemes, scheme);
    }
    const std::size_t count = layout.extent(Axis::head);
    if (layout.axes.front() != Axis::head || count < 2 || count > most_heads_alone) return {};
    of_one.most_changes = 1;
    of_one.context.heads = layout.heads;
    std::vector<HeadAnswer> heads;
    for (std::size_t at = 0; at < count; ++at) {
        of_one.context.head = static_cast<double>(layout.first_head + at);
        if (question.input) of_one.input = question.input->at(at);
        const Answer answer = answer_as_read(tensor.at(at), name, of_one, schemes, scheme);
        heads.push_back({of_one.context.head, answer.is_equal, answer.declared,
                         answer.explained && !answer.is_equal ? answer.variations : std::vector<Variation>()});
    }
    return heads;
}

/// Whether `a` is a simpler explanation than `b`.
bool is_plainer(const Answer& a, const Answer& b) {
    const auto rank = [](const Answer& each) {
        const bool is_explained = each.explained.has_value();
        return std::tuple(!each.is_equal, !each.agrees, !is_explained, is_explained ? each.variations.size() : 0);
    };
    return rank(a) < rank(b);
}

}  // namespace

std::string_view part_name(Part part) {
    return names[static_cast<std::size_t>(part)];
}

std::optional<Part> find_part(std::string_view name) {
    const auto* found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) return std::nullopt;
    return static_cast<Part>(found - names.begin());
}

Values read_values(const std::string& file, const std::string& name) {
    const tensor::Tensor tensor = tensor::open_tensor(file, name);
    const std::size_t count = tensor.description().count();
    if (count > most_values)
        refuse(file, fmt::format("tensor '{}' has {} numbers", name, count), fmt::format("{} at most", most_values));
    Values values{std::vector<double>(count), tensor.description().shape};
    tensor.read(0, values.numbers);
    return values;
}

void add_places(const std::string& file, const std::string& axis, const std::string& text, Question& question) {
    for (const tensor::Description& each : tensor::list_tensors(file))
        if (each.name == text && !text.empty())
            return question.at.emplace_back(axis, read_values(file, text).numbers), void();
    question.moved.emplace_back(axis, text);
}

std::vector<std::string> part_names() {
    return {names.begin(), names.end()};
}

Answer compare(const tensor::Tensor& tensor, const std::string& name, const Question& question,
               const scheme::Registry& schemes) {
    const scheme::Scheme& scheme = scheme_of(question, schemes);
    Answer answer = answer_as_read(tensor, name, question, schemes, scheme);
    const std::vector<std::size_t>& shape = tensor.description().shape;
    // Values of each head, or places of distances, determine the axes.
    const bool is_ambiguous = question.axes.empty() && question.at.empty() && question.learned.empty() &&
                              answer.axes == "[heads, distances]" && question.context.heads == 0 &&
                              shape[0] <= shape[1];
    if (!answer.agrees && is_ambiguous) {
        Question other = question;
        other.axes = "queries,keys";
        Answer pairs = answer_as_read(tensor, name, other, schemes, scheme);
        // With a number of heads, the axes would be read as heads and distances again.
        for (std::string& command : pairs.commands)
            if (command.find("--heads ") != std::string::npos) command = "--axes " + other.axes + " " + command;
        if (is_plainer(pairs, answer)) answer = std::move(pairs);
    }
    const bool is_searched = question.most_changes > 1;
    if (is_searched && !answer.is_equal && !answer.explained)
        answer.heads = heads_alone(tensor, name, question, schemes, scheme);
    return answer;
}

}  // namespace farfield::compare
