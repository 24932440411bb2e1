#include "scheme/requirements.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <farfield/core/keys.hpp>
#include <farfield/formula/checker.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/simplify.hpp>
#include <optional>

#include "formula/form.hpp"
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
    }

    std::optional<Requirement> read(const core::Entry& requirement) {
        if (std::find(names_.begin(), names_.end(), requirement.key) == names_.end()) {
            problems_.add(requirement.key_place, "'" + requirement.key + "' is not a param", "",
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
    std::optional<formula::Node> read(const formula::Source& source, const std::string& param) {
        try {
            formula::Node tree = formula::parse(source);
            const auto type = formula::check(tree, formula::Scope(names_), source, problems_);
            if (!type) return std::nullopt;
            const std::vector<std::string> used = formula::free_names(tree);
            if (*type != formula::Type::boolean)
                problems_.add(source.at, "the formula is a number", "a condition on params, such as w >= 1");
            else if (std::find(used.begin(), used.end(), param) == used.end())
                problems_.add(source.at, "the condition does not depend on '" + param + "'", "a condition on it");
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
        for (const auto& [name, text] : scheme.params) numbers_.push_back({name, literal(exact(text))});
        numbers_.push_back({"inf", literal(exact("inf"))});
    }

    void check(const Requirement& requirement) {
        const std::optional<bool> is_met = formula::known_truth(formula::substitute(requirement.condition, numbers_));
        if (!is_met)
            problems_.add(requirement.place,
                          "the condition cannot be decided exactly for " + values(requirement.condition),
                          "comparisons of params and numbers");
        else if (!*is_met)
            report(requirement);
    }

private:
    /// The values of the params that the condition uses: "w = 0".
    std::string values(const formula::Node& condition) const {
        std::string text;
        for (const std::string& name : formula::free_names(condition))
            for (const auto& [param, value] : scheme_.params)
                if (param == name) text += (text.empty() ? "" : ", ") + name + " = " + value;
        return text;
    }

    /// At the param of the requirement, unless another file or the command line sets another one of the condition.
    void report(const Requirement& requirement) {
        const core::Entries& params = *scheme_.settings.find("params")->value.entries();
        const core::Entry* culprit = params.find(requirement.param);
        const auto is_set_elsewhere = [&](const core::Entry* param) {
            return param && param->value.place.file != requirement.place.file;
        };
        for (const std::string& name : formula::free_names(requirement.condition))
            if (!is_set_elsewhere(culprit) && is_set_elsewhere(params.find(name))) culprit = params.find(name);
        problems_.add(culprit->value.place,
                      "the param '" + culprit->key + "' of scheme '" + scheme_.name + "' is " + culprit->value.text,
                      requirement.text);
    }

    const Scheme& scheme_;
    core::Problems& problems_;
    std::vector<formula::Replacement> numbers_;
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

}  // namespace farfield::scheme
