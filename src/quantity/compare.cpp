// A tensor that an implementation computed, against a scheme's formulas.
#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

#include <farfield/compare/compare.hpp>

#include "quantity/kinds.hpp"
#include "quantity/selection.hpp"

namespace farfield::quantity {
namespace {

using core::Key;
using core::KeyType;

constexpr std::array<Key, 9> keys = {
    Key{.name = "file",
        .type = KeyType::text,
        .required = true,
        .meaning = "a .npy, .npz or .safetensors file, named from the study's folder"},
    Key{.name = "tensor", .type = KeyType::text, .fallback = "the only one", .meaning = "which of the file's tensors"},
    Key{.name = "part",
        .type = KeyType::text,
        .fallback = "by the tensor's name and the scheme",
        .meaning = "what of the scheme the tensor holds",
        .choices = "bias|mask|cos|sin|turn|scale|angle|q|k"},
    Key{.name = "axes",
        .type = KeyType::text,
        .fallback = "by the shape",
        .meaning = "what each axis is, in order: \"heads,queries,keys\""},
    Key{.name = "at",
        .type = KeyType::table,
        .fallback = "0, 1, 2, ...",
        .meaning = "where the numbers along an axis stand: axis = list, or the name of a tensor of the file"},
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
        .least = 0},
};

/// Numbers that a study gives, or leaves in a tensor of the file.
struct Numbers {
    std::string name;
    std::vector<double> list;
    std::string tensor;
};

struct Settings {
    scheme::Registry schemes;
    compare::Question question;
    std::string file;
    std::string tensor;
    std::string input;
    std::string input_tensor;
    std::vector<Numbers> at;
    std::vector<Numbers> learned;
    core::Place place;  ///< of the file's name
};

/// "head-from-0" as a field of a claim.
std::string field_of(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    return name;
}

std::string names_of(const std::vector<compare::Variation>& set) {
    std::string text;
    for (const compare::Variation& each : set) text += (text.empty() ? "" : " + ") + each.name;
    return text;
}

core::Cell number_cell(double number) {
    return std::isnan(number) ? core::Cell::missing() : core::Cell::of(number);
}

/// Nothing but the count of numbers is certain: the formula was evaluated in double, whose rounding the tolerance
/// allows.
void set_values(const compare::Answer& answer, core::Result& result) {
    const compare::Deviation& declared = answer.declared;
    result.set("equal", core::Cell::of(answer.is_equal ? 1 : 0));
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
    if (!answer.variations.empty()) result.notes.emplace_back("variations", names_of(answer.variations));
    for (const auto& other : answer.others) result.notes.emplace_back("as well by", names_of(other));
    if (!answer.hidden.empty()) result.notes.emplace_back("where the mask hides the key", answer.hidden);
}

class Comparison : public Prepared {
public:
    explicit Comparison(Settings settings) : settings_(std::move(settings)) {}

    double cost() const override {
        std::error_code failure;
        const auto size = std::filesystem::file_size(settings_.file, failure);
        return failure ? 1 : static_cast<double>(size);
    }

    core::Result run(const Inputs&) const override {
        core::Result result;
        try {
            compare::Question question = settings_.question;
            if (!settings_.input.empty()) question.input = tensor::open_tensor(settings_.input, settings_.input_tensor);
            for (const Numbers& each : settings_.at) question.at.emplace_back(each.name, read(each));
            for (const Numbers& each : settings_.learned) question.learned.emplace_back(each.name, read(each));
            const tensor::Tensor tensor = tensor::open_tensor(settings_.file, settings_.tensor);
            set_values(compare::compare(tensor, settings_.file, question, settings_.schemes), result);
        } catch (const core::UserError& error) {
            throw core::UserError(placed(error));
        }
        return result;
    }

private:
    std::vector<double> read(const Numbers& numbers) const {
        return numbers.tensor.empty() ? numbers.list : compare::read_values(settings_.file, numbers.tensor);
    }

    /// At the study's line, with the file in the text.
    std::vector<core::Diagnostic> placed(const core::UserError& error) const {
        std::vector<core::Diagnostic> list = error.diagnostics();
        for (core::Diagnostic& each : list) {
            if (!each.place.file.empty()) each.found = each.place.file + ": " + each.found;
            each.place = settings_.place;
        }
        return list;
    }

    Settings settings_;
};

/// The path of a file of the study's folder; reports one that is not there.
std::string read_path(const Declaration& declaration, std::string_view key, core::Problems& problems) {
    const std::optional<std::string> name = core::read_text(declaration.settings, key);
    if (!name) return {};
    const std::filesystem::path path = std::filesystem::path(declaration.folder) / *name;
    if (!std::filesystem::is_regular_file(path))
        problems.add(place_of_key(declaration, key), "cannot read '" + path.string() + "'",
                     "a .npy, .npz or .safetensors file, named from the study's folder");
    return path.string();
}

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
            problems.add(
                item.value.place, "found " + std::string(item.value.type_name()),
                lists ? "a list of numbers, or the name of a tensor of the file" : "the name of a tensor of the file");
        all.push_back(std::move(numbers));
    }
    return all;
}

void read_question(const Declaration& declaration, const Selection& selection, compare::Question& question) {
    question.scheme = selection.scheme.name;
    question.context = selection.context;
    const auto given = [&](std::string_view key) { return declaration.settings.find(key) != nullptr; };
    if (!given("heads")) question.context.heads = 0;
    if (!given("head_dim")) question.context.head_dim = 0;
    if (const auto part = core::read_text(declaration.settings, "part")) question.part = compare::find_part(*part);
    question.axes = core::read_text(declaration.settings, "axes").value_or("");
    question.tolerance = core::read_number(declaration.settings, "ulp");
    for (const auto& [name, text] : selection.scheme.params) question.params.emplace_back(name, text);
}

std::unique_ptr<Prepared> prepare(const Declaration& declaration, core::Problems& problems) {
    const std::size_t problems_before = problems.size();
    if (!declaration.settings.find("scheme"))
        problems.add(declaration.place, "quantity '" + declaration.name + "' lacks the key 'scheme'",
                     "the scheme that the tensor should be of");
    const std::optional<Selection> selection = read_scheme(declaration, problems);
    Settings settings{declaration.schemes, {}, read_path(declaration, "file", problems), {}, {}, {}, {}, {}, {}};
    settings.input = read_path(declaration, "input", problems);
    settings.at = read_numbers(declaration, "at", true, problems);
    settings.learned = read_numbers(declaration, "learned", false, problems);
    if (problems.size() != problems_before || !selection) return nullptr;
    read_question(declaration, *selection, settings.question);
    settings.tensor = core::read_text(declaration.settings, "tensor").value_or("");
    settings.input_tensor = core::read_text(declaration.settings, "input_tensor").value_or("");
    settings.place = place_of_key(declaration, "file");
    return std::make_unique<Comparison>(std::move(settings));
}

}  // namespace

const Kind& compare_kind() {
    static const Kind kind{"compare", "a tensor that an implementation computed, against a scheme's formulas", keys,
                           true, prepare};
    return kind;
}

}  // namespace farfield::quantity
