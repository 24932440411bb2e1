#include "scheme/requirements.hpp"

#include <algorithm>
#include <farfield/core/keys.hpp>
#include <farfield/formula/checker.hpp>
#include <farfield/formula/parser.hpp>
#include <farfield/formula/simplify.hpp>
#include <optional>

#include "scheme/vocabulary.hpp"

namespace farfield::scheme {
namespace {

/// A finite number in place of inf, since exact arithmetic has none: what no upper limit excludes is allowed.
std::string finite(const std::string& decimal) {
    return decimal == "inf" ? "1e99" : decimal == "-inf" ? "-1e99" : decimal;
}

class Requirements {
public:
    Requirements(const Scheme& scheme, core::Problems& problems) : scheme_(scheme), problems_(problems) {
        for (const auto& [name, text] : scheme.params) {
            names_.push_back(name);
            numbers_.push_back({name, literal(finite(text))});
        }
    }

    void check(const core::Entry& requirement) {
        if (std::find(names_.begin(), names_.end(), requirement.key) == names_.end()) {
            problems_.add(requirement.key_place, "'" + requirement.key + "' is not a param", "",
                          core::known_here(requirement.key, names_));
            return;
        }
        const core::Place& place = requirement.value.place;
        const std::string* text = requirement.value.string();
        if (!text) {
            problems_.add(place, "'" + requirement.key + "' is " + std::string(requirement.value.type_name()),
                          "a condition on params, such as \"w >= 1\"");
            return;
        }
        const std::optional<formula::Node> condition = read({*text, place});
        if (!condition) return;
        const std::optional<bool> is_met = formula::known_truth(formula::substitute(*condition, numbers_));
        if (!is_met)
            problems_.add(place, "the condition cannot be decided exactly", "comparisons of params and numbers");
        else if (!*is_met)
            report(requirement, *condition, *text);
    }

private:
    std::optional<formula::Node> read(const formula::Source& source) {
        try {
            formula::Node tree = formula::parse(source);
            const auto type = formula::check(tree, formula::Scope(names_), source, problems_);
            if (!type) return std::nullopt;
            if (*type == formula::Type::boolean) return tree;
            problems_.add(source.at, "the formula is a number", "a condition on params, such as w >= 1");
        } catch (const core::UserError& error) {
            problems_.add(error);
        }
        return std::nullopt;
    }

    /// At the param that another file or the command line set, if there is one.
    void report(const core::Entry& requirement, const formula::Node& condition, const std::string& text) {
        const core::Entries& params = *scheme_.settings.find("params")->value.entries();
        const core::Entry* culprit = params.find(requirement.key);
        for (const std::string& name : formula::free_names(condition)) {
            const core::Entry* param = params.find(name);
            if (param && culprit->value.place.file == requirement.value.place.file) culprit = param;
        }
        problems_.add(culprit->value.place,
                      "the param '" + culprit->key + "' of scheme '" + scheme_.name + "' is " + culprit->value.text,
                      text);
    }

    const Scheme& scheme_;
    core::Problems& problems_;
    std::vector<std::string> names_;
    std::vector<formula::Replacement> numbers_;
};

}  // namespace

void check_requirements(const Scheme& scheme, core::Problems& problems) {
    const core::Entry* table = scheme.settings.find("require");
    if (!table || !table->value.entries()) return;
    Requirements requirements(scheme, problems);
    for (const core::Entry& entry : table->value.entries()->list) requirements.check(entry);
}

}  // namespace farfield::scheme
