// Compares a tensor that an implementation computed with a scheme's formulas.
#include <algorithm>
#include <array>
#include <cmath>

#include <farfield/compare/compare.hpp>
#include <farfield/scheme/pieces.hpp>

#include "quantity/kinds.hpp"
#include "quantity/selection.hpp"
#include "quantity/tensor_file.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 9> compare_keys = {
    tensor_file_key,
    tensor_name_key,
    Key{.name = "part",
        .type = KeyType::text,
        .fallback = "by the tensor's name and the scheme",
        .meaning = "which part of the scheme the tensor holds",
        .choices = "bias|mask|cos|sin|turn|scale|angle|cos-sin|embed|q|k"},
    Key{.name = "axes",
        .type = KeyType::text,
        .fallback = "by the shape",
        .meaning = "meaning of each axis, in order: \"heads,queries,keys\""},
    Key{.name = "at",
        .type = KeyType::table,
        .fallback = "0, 1, 2, ...",
        .meaning = "the coordinates along an axis: axis = list, the name of a tensor of the file, or a formula of p "
                   "or n"},
    Key{.name = "learned",
        .type = KeyType::table,
        .fallback = "what training starts from",
        .meaning = "values of the scheme's learned names: name = the name of a tensor of the file"},
    Key{.name = "input", .type = KeyType::text, .meaning = "file of the queries or keys before the rotation"},
    Key{.name = "input_tensor",
        .type = KeyType::text,
        .fallback = "the only one",
        .meaning = "which of that file's tensors"},
    Key{.name = "ulp",
        .type = KeyType::number,
        .fallback = "2; 16 for float64",
        .meaning = "units in the last place that count as equal",
        .least = 0,
        .most = compare::most_tolerance},
};

/// Numbers that a study states, or that are in a tensor of the file.
struct Numbers {
    std::string name;
    std::vector<double> list;
    std::string tensor;
};

struct CompareSettings {
    scheme::Registry schemes;
    compare::Question question;
    TensorFile file;
    TensorFile input;  ///< before the rotation
    std::vector<Numbers> at;
    std::vector<Numbers> learned;
};

/// Converts a name such as "head-from-0" to the name of a field for claims.
std::string field_of(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

core::Cell number_cell(double number) {
    return std::isnan(number) ? core::Cell::missing() : core::Cell::of(number);
}

/// Only the count of numbers is certain: the formula was evaluated in double, and the tolerance allows its rounding.
void set_values(const compare::Answer& answer, core::Result& result) {
    const compare::Deviation& declared = answer.declared;
    result.set("equal", core::Cell::of(answer.is_equal ? 1 : 0));
    result.set("agrees", core::Cell::of(answer.agrees ? 1 : 0));
    result.set("explained", core::Cell::of(answer.is_equal || answer.explained ? 1 : 0));
    result.set("ulp", number_cell(declared.worst));
    result.set("explained_ulp", answer.explained ? number_cell(answer.explained->worst) : core::Cell::missing());
    result.set("compared", core::Cell::exact(static_cast<double>(declared.compared)));
    result.set("beyond", core::Cell::of(static_cast<double>(declared.beyond)));
    result.set("found", number_cell(declared.found));
    result.set("wanted", number_cell(declared.wanted));
    result.set("first_beyond", declared.first_beyond ? core::Cell::of(*declared.first_beyond) : core::Cell::missing());
    for (std::size_t axis = 0; axis < declared.index.size(); ++axis)
        result.set("index_" + std::to_string(axis), core::Cell::of(static_cast<double>(declared.index[axis])));
    result.set("variations", core::Cell::of(static_cast<double>(answer.variations.size())));
    for (const compare::Variation& each : compare::variations()) {
        const bool is_named =
            std::any_of(answer.variations.begin(), answer.variations.end(),
                        [&](const compare::Variation& variation) { return variation.name == each.name; });
        result.set(field_of(each.name), core::Cell::of(is_named ? 1 : 0));
    }
    result.notes.emplace_back("read as", std::string(compare::part_name(answer.part)) + " " + answer.axes);
    if (!answer.variations.empty()) result.notes.emplace_back("variations", compare::names_text(answer.variations));
    for (const auto& other : answer.others) result.notes.emplace_back("also explained by", compare::names_text(other));
    for (const std::string& each : answer.commands)
        if (!each.empty()) result.notes.emplace_back("status 0 with", each);
    for (const compare::HeadAnswer& each : answer.heads) {
        const std::string said = each.is_equal             ? "equal"
                                 : each.variations.empty() ? "differs"
                                                           : "differs by " + compare::names_text(each.variations);
        result.notes.emplace_back("head " + std::to_string(static_cast<std::size_t>(each.head)), said);
    }
    if (!answer.heads.empty()) {
        const auto count = [&](const auto& holds) {
            return core::Cell::of(static_cast<double>(std::count_if(answer.heads.begin(), answer.heads.end(), holds)));
        };
        result.set("heads_equal", count([](const compare::HeadAnswer& each) { return each.is_equal; }));
        result.set("heads_explained",
                   count([](const compare::HeadAnswer& each) { return each.is_equal || !each.variations.empty(); }));
    }
    if (!answer.hidden.empty()) result.notes.emplace_back("masked entries", answer.hidden);
}

class Comparison : public Prepared {
public:
    explicit Comparison(CompareSettings settings) : settings_(std::move(settings)) {}

    double cost() const override { return settings_.file.cost(); }

    core::Result run(const Inputs&) const override {
        return placed(settings_.file, [this] { return answer(); });
    }

private:
    core::Result answer() const {
        const TensorFile& file = settings_.file;
        compare::Question question = settings_.question;
        if (!settings_.input.path.empty()) question.input = settings_.input.open();
        for (const Numbers& each : settings_.at) {
            if (each.tensor.empty())
                question.at.emplace_back(each.name, each.list);
            else
                compare::add_places(file.path, each.name, each.tensor, question);
        }
        for (const Numbers& each : settings_.learned) question.learned.emplace_back(each.name, read(each));
        core::Result result;
        set_values(compare::compare(file.open(), file.path, question, settings_.schemes), result);
        return result;
    }

    compare::Values read(const Numbers& numbers) const {
        return numbers.tensor.empty() ? compare::Values{numbers.list}
                                      : compare::read_values(settings_.file.path, numbers.tensor);
    }

    CompareSettings settings_;
};

/// The entries of a table, each a text; with `lists`, a list of numbers too.
std::vector<Numbers> read_numbers(const Declaration& declaration, std::string_view key, bool lists,
                                  core::Problems& problems) {
    std::vector<Numbers> all;
    const core::Entry* entry = declaration.settings.find(key);
    if (!entry || !entry->value.entries()) return all;
    for (const core::Entry& item : entry->value.entries()->list) {
        Numbers numbers{item.key, {}, {}};
        const core::List* list = lists ? item.value.list() : nullptr;
        const bool is_numbers =
            list && std::all_of(list->begin(), list->end(), [](const core::Value& each) { return each.is_number(); });
        if (is_numbers)
            for (const core::Value& each : *list) numbers.list.push_back(each.number());
        else if (item.value.string())
            numbers.tensor = *item.value.string();
        else
            problems.add(item.value.place, "found " + std::string(item.value.type_name()),
                         lists ? "a list of numbers, the name of a tensor of the file, or a formula"
                               : "the name of a tensor of the file");
        all.push_back(std::move(numbers));
    }
    return all;
}

void read_question(const Declaration& declaration, const Selection& selection, compare::Question& question) {
    const std::vector<std::string> used = scheme::names_in_use(selection.scheme);
    question.scheme = selection.scheme.name;
    question.context = selection.context;
    // The piece of which the tensor is a part is known only after it was opened.
    for (const std::string& name : used) declaration.uses->names.insert(name);
    for (const scheme::ContextKey& row : scheme::context_keys()) use_key(declaration, row.key);
    const auto given = [&](std::string_view key) { return declaration.settings.find(key) != nullptr; };
    if (!given("heads")) question.context.heads = 0;
    if (!given("head")) question.context.head = 0;
    if (!given("head_dim")) question.context.head_dim = 0;
    if (const auto part = core::read_text(declaration.settings, "part")) question.part = compare::find_part(*part);
    question.axes = core::read_text(declaration.settings, "axes").value_or("");
    question.tolerance = core::read_number(declaration.settings, "ulp");
    for (const auto& [name, text] : selection.scheme.params)
        if (std::find(used.begin(), used.end(), name) != used.end()) question.params.emplace_back(name, text);
}

std::unique_ptr<Prepared> prepare_compare(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.reports();
    if (!declaration.settings.find("scheme"))
        problems.add(declaration.place, "quantity '" + declaration.name + "' lacks the key 'scheme'",
                     "the scheme that the tensor should be of");
    const std::optional<Selection> selection = read_scheme(declaration, problems);
    CompareSettings settings{
        declaration.schemes, {}, read_tensor_file(declaration, "file", "tensor", problems), {}, {}, {}};
    settings.input = read_tensor_file(declaration, "input", "input_tensor", problems);
    if (!declaration.settings.find("input") && declaration.settings.find("input_tensor"))
        problems.add(place_of_key(declaration, "input_tensor"), "'input_tensor' without 'input'",
                     "both keys, or neither");
    settings.at = read_numbers(declaration, "at", true, problems);
    settings.learned = read_numbers(declaration, "learned", false, problems);
    if (problems.reports() != problems_before || !selection) return nullptr;
    read_question(declaration, *selection, settings.question);
    return std::make_unique<Comparison>(std::move(settings));
}

}  // namespace

const Kind& compare_kind() {
    static const Kind kind{
        "compare",
        "a tensor that an implementation computed, against a scheme's formulas",
        compare_keys,
        true,
        prepare_compare,
        SearchRule::none,
        {"equal >= 0 and equal <= 1 and equal == floor(equal) and agrees >= equal and agrees <= 1 and "
         "agrees == floor(agrees) and explained >= agrees and explained <= 1 and explained == floor(explained) and "
         "compared >= 0 and compared == floor(compared) and beyond >= 0 and beyond <= compared and "
         "beyond == floor(beyond) and variations >= 0 and variations == floor(variations) and ulp >= 0 and "
         "explained_ulp >= 0"}};
    return kind;
}

}  // namespace farfield::quantity
