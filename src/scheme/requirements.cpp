#include "scheme/requirements.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <farfield/core/keys.hpp>
#include <farfield/formula/checker.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/printer.hpp>
#include <farfield/formula/simplify.hpp>
#include <optional>

#include "formula/form.hpp"
#include "numerics/rational.hpp"
#include "scheme/vocabulary.hpp"

namespace farfield::scheme {
namespace {

/// A number that exact arithmetic can represent: inf becomes 1e49, and the magnitude of others is kept within 1e-48 and
/// 1e48, unless it is 0.
std::string exact(const std::string& decimal) {
    const double value = std::strtod(decimal.c_str(), nullptr);
    const std::string digits = decimal.substr(0, decimal.find_first_of("eE"));
    const bool is_zero = digits.find_first_of("123456789") == std::string::npos;
    const char* sign = decimal.starts_with('-') ? "-" : "";
    if (decimal.ends_with("inf")) return std::string(sign) + "1e49";
    if (std::abs(value) > 1e48) return std::string(sign) + "1e48";
    return !is_zero && std::abs(value) < 1e-48 ? std::string(sign) + "1e-48" : decimal;
}

class RequirementReader {
public:
    RequirementReader(const Scheme& scheme, core::Problems& problems) : problems_(problems) {
        for (const auto& [name, text] : scheme.params) names_.push_back(name);
        for (const Learned& each : scheme.learn)
            if (each.size == 0) names_.push_back(each.name);
        for (const auto& [name, source] : scheme.let) names_.push_back(name);
    }

    std::optional<Requirement> read(const core::Entry& requirement) {
        if (std::find(names_.begin(), names_.end(), requirement.key) == names_.end()) {
            problems_.add(requirement.key_place,
                          "'" + requirement.key + "' is not a param, a learned number or a let name", "",
                          core::known_here(requirement.key, names_));
            return std::nullopt;
        }
        const core::Place& place = requirement.value.place;
        const std::string* text = requirement.value.string();
        if (!text) {
            problems_.add(place, "'" + requirement.key + "' is " + std::string(requirement.value.type_name()),
                          "a condition on params, such as \"w >= 1\"");
            return std::nullopt;
        }
        const std::optional<formula::Node> condition = read({*text, place}, requirement.key);
        if (!condition) return std::nullopt;
        return Requirement{requirement.key, place, *text, *condition};
    }

private:
    std::optional<formula::Node> read(const formula::Source& source, const std::string& name) {
        try {
            formula::Node tree = formula::parse(source);
            const auto type = formula::check(tree, formula::Scope(names_), source, problems_);
            if (!type) return std::nullopt;
            const std::vector<std::string> used = formula::free_names(tree);
            if (*type != formula::Type::boolean)
                problems_.add(source.at, "the formula is a number", "a condition on params, such as w >= 1");
            else if (std::find(used.begin(), used.end(), name) == used.end())
                problems_.add(source.at, "the condition does not depend on '" + name + "'", "a condition on it");
            else if (const auto idle = formula::find_idle(tree))
                problems_.add(formula::describe(*idle, source, "the params"));
            else
                return tree;
        } catch (const core::UserError& error) {
            problems_.add(error);
        }
        return std::nullopt;
    }

    core::Problems& problems_;
    std::vector<std::string> names_;
};

class RequirementChecker {
public:
    RequirementChecker(const Scheme& scheme, core::Problems& problems) : scheme_(scheme), problems_(problems) {
        for (const auto& [name, text] : scheme.params) add_number(name, text);
        for (const Learned& each : scheme.learn)
            if (each.size == 0) add_number(each.name, formula::print(formula::make_number(each.init)));
        add_number("inf", "inf");
        for (const auto& [name, source] : scheme.let) add_definition(name, source);
    }

    void check(const Requirement& requirement) {
        constexpr std::size_t most_nodes = 1000;
        formula::Node condition = requirement.condition;
        for (std::size_t depth = 0; depth < definitions_.size() && condition->nodes < most_nodes; ++depth)
            condition = formula::substitute(condition, definitions_);
        const std::optional<bool> is_met = formula::known_truth(formula::substitute(condition, numbers_));
        // A let name may depend on the distance or the head.
        const bool is_undecided = !is_met && !uses_definition(requirement.condition);
        if (is_met == false) report(requirement);
        if (is_undecided)
            problems_.add(requirement.place,
                          "the condition cannot be decided exactly for " + values(requirement.condition),
                          "comparisons of params and numbers");
    }

private:
    void add_number(const std::string& name, const std::string& text) {
        numbers_.push_back({name, literal(exact(text))});
        texts_.emplace_back(name, text);
    }

    void add_definition(const std::string& name, const formula::Source& source) {
        try {
            definitions_.push_back({name, formula::parse(source)});
        } catch (const core::UserError&) {
            return;  // reported where the formulas of the scheme are read
        }
    }

    bool uses_definition(const formula::Node& condition) const {
        const std::vector<std::string> names = formula::free_names(condition);
        return std::any_of(definitions_.begin(), definitions_.end(), [&](const formula::Replacement& each) {
            return std::find(names.begin(), names.end(), each.name) != names.end();
        });
    }

    /// The numbers that the condition uses: "w = 0".
    std::string values(const formula::Node& condition) const {
        std::string text;
        for (const std::string& name : formula::free_names(condition))
            for (const auto& [known, value] : texts_)
                if (known == name) text += (text.empty() ? "" : ", ") + name + " = " + value;
        return text;
    }

    const core::Entry* entry_of(std::string_view name) const {
        for (const char* group : {"params", "learn", "let"}) {
            const core::Entry* names = scheme_.settings.find(group);
            const core::Entry* entry = names && names->value.entries() ? names->value.entries()->find(name) : nullptr;
            if (entry) return entry;
        }
        return nullptr;
    }

    /// At the name of the requirement, unless another file or the command line sets another one of the condition.
    void report(const Requirement& requirement) {
        const core::Entry* culprit = entry_of(requirement.name);
        const auto is_set_elsewhere = [&](const core::Entry* entry) {
            return entry && entry->value.place.file != requirement.place.file;
        };
        for (const std::string& name : formula::free_names(requirement.condition))
            if (!is_set_elsewhere(culprit) && is_set_elsewhere(entry_of(name))) culprit = entry_of(name);
        const auto learned = std::find_if(scheme_.learn.begin(), scheme_.learn.end(),
                                          [&](const Learned& each) { return each.name == culprit->key; });
        const std::string in_scheme = "'" + culprit->key + "' of scheme '" + scheme_.name + "' ";
        if (learned != scheme_.learn.end()) {
            const core::Entries* settings = culprit->value.entries();
            const core::Entry* init = settings ? settings->find("init") : nullptr;
            problems_.add(init ? init->value.place : culprit->value.place,
                          "the learned " + in_scheme + "is " + formula::print(formula::make_number(learned->init)),
                          requirement.text);
            return;
        }
        const bool is_param = std::any_of(scheme_.params.begin(), scheme_.params.end(),
                                          [&](const auto& param) { return param.first == culprit->key; });
        const std::string* formula = culprit->value.string();
        problems_.add(culprit->value.place,
                      (is_param ? "the param " : "the let name ") + in_scheme + "is " +
                          (formula ? *formula : culprit->value.text),
                      requirement.text);
    }

    const Scheme& scheme_;
    core::Problems& problems_;
    std::vector<std::pair<std::string, std::string>> texts_;
    std::vector<formula::Replacement> numbers_;
    std::vector<formula::Replacement> definitions_;
};

}  // namespace

std::vector<Requirement> read_requirements(const Scheme& scheme, core::Problems& problems) {
    const core::Entry* table = scheme.settings.find("require");
    if (!table || !table->value.entries()) return {};
    RequirementReader reader(scheme, problems);
    std::vector<Requirement> requirements;
    for (const core::Entry& entry : table->value.entries()->list)
        if (std::optional<Requirement> requirement = reader.read(entry))
            requirements.push_back(*std::move(requirement));
    return requirements;
}

void check_requirements(const Scheme& scheme, const std::vector<Requirement>& requirements, core::Problems& problems) {
    if (requirements.empty()) return;
    RequirementChecker checker(scheme, problems);
    for (const Requirement& requirement : requirements) checker.check(requirement);
}

void start_at(Scheme& scheme, const core::Entry& value) {
    for (Learned& each : scheme.learn)
        if (each.name == value.key) each.init = value.value.number();
    for (core::Entry& group : scheme.settings.list) {
        auto* const names = group.key == "learn" ? std::get_if<core::Entries>(&group.value.data) : nullptr;
        for (std::size_t i = 0; names && i < names->list.size(); ++i)
            if (names->list[i].key == value.key) names->list[i] = value;
    }
}

void require_double(const core::Value& value, core::Problems& problems) {
    const std::optional<numerics::Rational> exact = numerics::read_rational(value.text);
    const std::string digits = value.text.substr(0, value.text.find_first_of("eE"));
    const bool is_written_zero = digits.find_first_of("123456789") == std::string::npos;
    if (value.number() == 0 && !is_written_zero)
        problems.add(value.place, value.text + " is too small for a double", "0, or a magnitude of 4.95e-324 or more");
    else if (exact && *exact != numerics::shortest_decimal(value.number()))
        problems.add(value.place, value.text + " has more digits than a double holds", "15 digits at most");
}

}  // namespace farfield::scheme
