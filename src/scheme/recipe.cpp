#include <algorithm>
#include <farfield/core/keys.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/simplify.hpp>
#include <farfield/numerics/format.hpp>
#include <farfield/scheme/positions.hpp>
#include <farfield/scheme/recipe.hpp>
#include <farfield/scheme/toml.hpp>
#include <optional>

#include "scheme/apply_recipe.hpp"
#include "scheme/catalogue.hpp"
#include "scheme/inheritance.hpp"
#include "scheme/reader.hpp"

namespace farfield::scheme {
namespace {

using formula::Node;
using formula::Op;

/// The text with which a step of recipes.toml rounds to the model's format.
constexpr std::string_view format_call = "format(";

const core::Entries& recipe_tables() {
    static const core::Entries tables = [] {
        const core::DataFile& file = recipe_files().front();
        const core::Entries entries = read_toml(std::string(file.text), std::string(file.name));
        return *entries.find("recipe")->value.entries();
    }();
    return tables;
}

Node name_of(const char* name) {
    return formula::make_name(name);
}

bool mentions(const Node& tree, std::string_view name) {
    const std::vector<std::string> names = formula::free_names(tree);
    return std::find(names.begin(), names.end(), name) != names.end();
}

Node with(const Node& tree, const std::vector<formula::Replacement>& replacements) {
    return formula::substitute(tree, replacements);
}

/// Replaces the formulas in a scheme's settings by those of a recipe.
class Application {
public:
    Application(const Scheme& scheme, const Recipe& recipe, const core::Place& place, core::Problems& problems)
        : scheme_(scheme), recipe_(recipe), place_(place), problems_(problems), settings_(scheme.settings) {}

    std::optional<core::Entries> run() {
        const std::size_t before = problems_.size();
        const bool embeds = scheme_.embed && !scheme_.embed->learned;
        if (!scheme_.rotate && !embeds && !entry(settings_, "bias"))
            problems_.add(
                place_,
                "recipe '" + recipe_.name + "' is unused: '" + scheme_.name + "' computes nothing that it rounds",
                "a scheme with rotate, embed or bias");
        if (scheme_.rotate) rotate();
        if (embeds) {
            for (const char* key : {"even", "odd"})
                change(part("embed"), key, {"p"},
                       [&](const Node& it) { return step(recipe_.value, at_position(it, "p")); });
        }
        change(settings_, "bias", {"q", "k", "n"}, [&](const Node& it) { return step(recipe_.bias, bias(it)); });
        if (problems_.size() != before) return std::nullopt;
        add_lets();
        return std::move(settings_);
    }

private:
    static core::Entry* entry(core::Entries& entries, std::string_view key) {
        const auto found =
            std::find_if(entries.list.begin(), entries.list.end(), [&](const auto& each) { return each.key == key; });
        return found == entries.list.end() ? nullptr : &*found;
    }

    core::Entries& part(std::string_view key) { return std::get<core::Entries>(entry(settings_, key)->value.data); }

    static core::Value text(const Node& tree, const core::Place& place) {
        core::Value value;
        value.data = formula::print(tree);
        value.place = place;
        return value;
    }

    /// Replaces a piece's formula, after substituting its let names that depend on the variables.
    template <class Change>
    void change(core::Entries& entries, std::string_view key, const std::vector<std::string>& variables,
                Change changed) {
        core::Entry* piece = entry(entries, key);
        if (!piece) return;
        core::Value* value = &piece->value;
        if (auto* table = std::get_if<core::Entries>(&value->data)) value = &entry(*table, "formula")->value;
        const Node tree = formula::parse(value->string() ? *value->string() : value->text);
        *value = text(changed(expanded(tree, variables)), value->place);
    }

    /// The tree with those let names substituted that depend on one of the variables.
    Node expanded(const Node& tree, const std::vector<std::string>& variables) const {
        std::vector<formula::Replacement> replacements;
        for (const auto& [name, source] : scheme_.let) {
            if (!mentions(tree, name)) continue;
            const Node whole = expanded(formula::parse(source), variables);
            const bool depends = std::any_of(variables.begin(), variables.end(),
                                             [&](const std::string& variable) { return mentions(whole, variable); });
            if (depends) replacements.push_back({name, whole});
        }
        return replacements.empty() ? tree : with(tree, replacements);
    }

    void add_lets() {
        if (lets_.empty()) return;
        core::Entry* lets = entry(settings_, "let");
        if (!lets) {
            core::Value empty;
            empty.data = core::Entries{};
            empty.place = place_;
            lets = &settings_.list.emplace_back(core::Entry{"let", place_, empty});
        }
        core::Entries& all = std::get<core::Entries>(lets->value.data);
        all.list.insert(all.list.end(), lets_.list.begin(), lets_.list.end());
    }

    static Node step(const Node& formula, const Node& it) { return with(formula, {{"it", it}}); }

    Node position(const char* name) const { return with(recipe_.position, {{"p", name_of(name)}}); }
    Node at_position(const Node& tree, const char* name) const { return with(tree, {{name, position(name)}}); }

    Node bias(const Node& tree) const {
        const Node distance = formula::make(Op::subtract, {position("q"), position("k")});
        const bool is_exact = formula::equal(position("q"), name_of("q"));
        return with(tree, {{"q", position("q")}, {"k", position("k")}, {"n", is_exact ? name_of("n") : distance}});
    }

    void rotate() {
        if (const std::optional<Misfit> unfit = misfits(scheme_, {recipe_}).front())
            problems_.add(place_, unfit->found, unfit->wanted);
        core::Entries& table = part("rotate");
        Node frequency;
        change(table, "angle", {"p"}, [&](const Node& it) {
            frequency = frequency_of(it);
            return angle("angle", name_of("p"), frequency);
        });
        if (core::Entry* far = entry(table, "far")) {
            for (const char* key : {"query", "key"})
                change(std::get<core::Entries>(far->value.data), key, {"p"}, [&](const Node& it) {
                    const std::optional<Node> position = position_of(it, frequency);
                    return position ? angle(key, *position, frequency) : it;  // reported as a misfit
                });
        }
        change(table, "scale", {"p"}, [&](const Node& it) { return step(recipe_.scale, at_position(it, "p")); });
        std::erase_if(table.list, [](const core::Entry& each) { return each.key == "values"; });
        table.list.push_back({"values", place_, text(recipe_.value, place_)});
    }

    /// The angle at a position; in a recurrence, `name` is the name of its let names.
    Node angle(const std::string& name, const Node& at, const Node& f) {
        const Node ratio = with(f, {{"i", formula::make_number("1")}});
        const Node frequency = with(recipe_.frequency, {{"f", f}, {"ratio", ratio}});
        const Node position = with(recipe_.position, {{"p", at}});
        if (!recipe_.is_recurrent()) return step(recipe_.angle, formula::make(Op::multiply, {position, frequency}));
        // Each pair's angle is a let name that uses the name of the pair before.
        if (name == "angle") define("ratio", frequency);
        std::vector<Node> angles = {name_of(define(name + "_0", position).c_str())};
        for (int pair = 1; pair < most_recurrent_pairs; ++pair) {
            const Node next =
                with(recipe_.angle, {{"previous", angles.back()}, {"frequency", name_of(own("ratio").c_str())}});
            angles.push_back(name_of(define(name + "_" + std::to_string(pair), next).c_str()));
        }
        const Node none = formula::parse(std::string("0/0"));
        const Node chosen = choice(angles, 0, most_recurrent_pairs);
        const Node is_known =
            formula::make(Op::less, {name_of("i"), formula::make_number(double{most_recurrent_pairs})});
        return formula::make(Op::select, {is_known, chosen, none});
    }

    static std::string own(const std::string& name) { return "recurrence_" + name; }

    std::string define(const std::string& name, const Node& tree) {
        lets_.list.push_back({own(name), place_, text(tree, place_)});
        return own(name);
    }

    /// Selects the angle of pair i by bisection, because a chain of conditionals would be too deep.
    static Node choice(const std::vector<Node>& angles, int first, int end) {
        if (end - first == 1) return angles[static_cast<std::size_t>(first)];
        const int middle = (first + end) / 2;
        const Node is_below = formula::make(Op::less, {name_of("i"), formula::make_number(double(middle))});
        return formula::make(Op::select, {is_below, choice(angles, first, middle), choice(angles, middle, end)});
    }

    const Scheme& scheme_;
    const Recipe& recipe_;
    const core::Place& place_;
    core::Problems& problems_;
    core::Entries settings_;
    core::Entries lets_;  ///< of a recurrence
};

core::Entry text_entry(std::string key, std::string_view text, const core::Place& place) {
    core::Value value;
    value.data = std::string(text);
    value.place = place;
    return {std::move(key), place, value};
}

core::Entries exact_settings(const Scheme& scheme) {
    core::Entries settings = scheme.settings;
    std::erase_if(settings.list, [](const core::Entry& each) { return each.key == "recipe" || each.key == "format"; });
    return settings;
}

}  // namespace

bool Recipe::is_recurrent() const {
    return mentions(angle, "previous");
}

bool Recipe::uses_ratio() const {
    return mentions(frequency, "ratio");
}

std::vector<std::string> recipe_names() {
    std::vector<std::string> names;
    for (const core::Entry& each : recipe_tables().list) names.push_back(each.key);
    return names;
}

std::vector<std::optional<Misfit>> misfits(const Scheme& scheme, const std::vector<Recipe>& recipes) {
    std::vector<std::optional<Misfit>> found(recipes.size());
    if (!scheme.rotate || recipes.empty()) return found;
    const Node& angle = scheme.rotate->angle.formula;
    const Node f = with(angle, {{"p", formula::make_number("1")}});
    if (!formula::proves_equal(angle, formula::make(Op::multiply, {name_of("p"), f}))) {
        for (std::size_t i = 0; i < recipes.size(); ++i)
            found[i] = Misfit{"recipe '" + recipes[i].name + "' needs angles that are proportional to positions",
                              "a scheme with a frequency for each pair"};
        return found;
    }
    if (const std::optional<FarRotation>& far = scheme.rotate->far) {
        const Node frequency = frequency_of(angle);
        const bool has_positions =
            position_of(far->query.formula, frequency) && (!far->key || position_of(far->key->formula, frequency));
        if (!has_positions) {
            for (std::size_t i = 0; i < recipes.size(); ++i)
                found[i] =
                    Misfit{"recipe '" + recipes[i].name + "' needs far angles that are a position times the frequency",
                           "'far' with angles such as (p - 100)*theta, where 'angle' is p*theta"};
            return found;
        }
    }
    const Node ratio = with(f, {{"i", formula::make_number("1")}});
    std::optional<bool> are_powers;
    for (std::size_t i = 0; i < recipes.size(); ++i) {
        if (!recipes[i].uses_ratio()) continue;
        if (!are_powers) are_powers = formula::proves_equal(f, formula::make(Op::power, {ratio, name_of("i")}));
        if (!*are_powers)
            found[i] = Misfit{"recipe '" + recipes[i].name + "' needs frequencies that are powers of one number",
                              "a scheme such as rotary, or the recipe hf"};
    }
    return found;
}

bool uses_format(std::string_view recipe) {
    const core::Entry* found = recipe_tables().find(recipe);
    if (!found) return false;
    const std::vector<core::Entry>& steps = found->value.entries()->list;
    return std::any_of(steps.begin(), steps.end(), [](const core::Entry& step) {
        const std::string* text = step.value.string();
        return text && text->find(format_call) != std::string::npos;
    });
}

Recipe find_recipe(std::string_view name, std::string_view format) {
    const core::Entry* found = recipe_tables().find(name);
    if (!found)
        throw core::UserError(
            {{{}, "unknown recipe '" + std::string(name) + "'", "", core::known_here(name, recipe_names())}});
    const core::Entries& table = *found->value.entries();
    if (!format.empty() && !numerics::find_format(format)) {
        std::vector<std::string> known;
        for (const numerics::Format& each : numerics::formats()) known.emplace_back(each.name);
        throw core::UserError(
            {{{}, "unknown number format '" + std::string(format) + "'", "", core::known_here(format, known)}});
    }
    if (uses_format(name) && format.empty())
        throw core::UserError({{{},
                                "recipe '" + std::string(name) + "' without a number format",
                                "the format of the model, such as format = \"bf16\"",
                                ""}});
    Recipe recipe;
    recipe.name = name;
    recipe.doc = core::read_text(table, "doc").value_or("");
    const auto formula_of = [&](std::string_view key) {
        std::string text = core::read_text(table, key).value();
        if (const std::size_t at = text.find(format_call); at != std::string::npos)
            text.replace(at, format_call.size() - 1, numerics::find_format(format)->name);
        return formula::parse(text);
    };
    recipe.position = formula_of("position");
    recipe.frequency = formula_of("frequency");
    recipe.angle = formula_of("angle");
    recipe.value = formula_of("value");
    recipe.scale = formula_of("scale");
    recipe.bias = formula_of("bias");
    return recipe;
}

std::optional<core::Entries> apply_recipe(const Scheme& scheme, const core::Entry& recipe, const core::Entry* format,
                                          core::Problems& problems) {
    const std::string* name = recipe.value.string();
    const std::string* format_name = format ? format->value.string() : nullptr;
    if (!name || (format && !format_name)) return std::nullopt;  // reported as keys
    try {
        const Recipe found = find_recipe(*name, format_name ? *format_name : "");
        if (format && !uses_format(*name)) {
            problems.add(format->key_place, "'format' is unused: no step of recipe '" + *name + "' rounds to it",
                         "the recipe alone, or one that uses a format, such as hf");
            return std::nullopt;
        }
        return Application(scheme, found, recipe.value.place, problems).run();
    } catch (const core::UserError& error) {
        core::Diagnostic problem = error.diagnostics().front();
        const bool is_of_format = problem.found.starts_with("unknown number format");
        problem.place = is_of_format ? format->value.place : recipe.value.place;
        problems.add(problem);
        return std::nullopt;
    }
}

Scheme with_recipe(const Scheme& scheme, std::string_view recipe, std::string_view format, const core::Place& place,
                   core::Problems& problems) {
    core::Entries settings = exact_settings(scheme);
    settings.list.push_back(text_entry("recipe", recipe, place));
    if (!format.empty() && uses_format(recipe)) settings.list.push_back(text_entry("format", format, place));
    return read_scheme(scheme.name, settings, place, problems);
}

Scheme without_recipe(const Scheme& scheme) {
    if (scheme.recipe.empty()) return scheme;
    core::Problems problems;
    Scheme exact = read_scheme(scheme.name, exact_settings(scheme), {}, problems);
    problems.raise();
    return exact;
}

}  // namespace farfield::scheme
