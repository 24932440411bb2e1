#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <farfield/scheme/pieces.hpp>
#include <farfield/scheme/recipe.hpp>
#include <farfield/scheme/registry.hpp>
#include <farfield/scheme/toml.hpp>
#include <mutex>
#include <optional>

#include "scheme/catalogue.hpp"
#include "scheme/inheritance.hpp"
#include "scheme/reader.hpp"
#include "scheme/variations.hpp"
#include "scheme/vocabulary.hpp"

namespace farfield::scheme {
namespace {

Registry read_catalogue() {
    core::Entries schemes;
    for (const core::DataFile& file : catalogue_files()) {
        const core::Entries entries = read_toml(std::string(file.text), std::string(file.name));
        for (const core::Entry& entry : entries.find("scheme")->value.entries()->list) schemes.list.push_back(entry);
    }
    Registry registry;
    core::Problems problems;
    registry.add(schemes, problems);
    problems.raise();
    return registry;
}

core::Value number_value(const std::string& decimal, double number, const core::Place& place) {
    core::Value value;
    value.data = number;
    value.place = place;
    value.text = decimal;
    return value;
}

std::vector<std::string> param_names(const Scheme& scheme) {
    std::vector<std::string> names;
    for (const auto& [param, text] : scheme.params) names.push_back(param);
    return names;
}

std::vector<std::string> params_in_use(const Scheme& scheme) {
    const std::vector<std::string> used = names_in_use(scheme);
    std::vector<std::string> names = param_names(scheme);
    std::erase_if(names, [&](const auto& name) { return std::find(used.begin(), used.end(), name) == used.end(); });
    return names;
}

std::string unknown_param(const std::string& param, const std::string& scheme) {
    return "unknown parameter '" + param + "' of scheme '" + scheme.substr(0, scheme.find('[')) + "'";
}

/// Reports the names that `own` declares and no formula of the scheme depends on. `base` is what it extends, or null.
void check_used(const core::Entries& own, const Scheme& scheme, const Scheme* base, core::Problems& problems) {
    constexpr std::pair<std::string_view, std::string_view> groups[] = {
        {"params", "parameter"}, {"let", "let name"}, {"learn", "learned name"}};
    // A recipe substitutes let names, but the scheme still depends on their formulas.
    const std::vector<std::string> used = names_in_use(without_recipe(scheme));
    const auto is_in = [](const std::vector<std::string>& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const std::string of = " of scheme '" + scheme.name.substr(0, scheme.name.find('[')) + "'";
    for (const auto& [group, what] : groups) {
        const core::Entry* entry = own.find(group);
        if (!entry || !entry->value.entries()) continue;
        for (const core::Entry& name : entry->value.entries()->list) {
            if (is_in(used, name.key)) continue;
            if (base && group == "params" && !is_in(param_names(*base), name.key))
                problems.add(name.key_place, unknown_param(name.key, base->name), "",
                             core::known_here(name.key, param_names(*base)));
            else
                problems.add(name.key_place, "the " + std::string(what) + " '" + name.key + "'" + of + " is unused",
                             "a name that a formula of the scheme depends on",
                             core::suggestion(name.key, group == "params" ? params_in_use(scheme) : used));
        }
    }
}

/// Reports learned names that `own` inherits and no formula of the scheme depends on: they would be counted, trained
/// and exported.
void check_inherited(const core::Entries& own, const Scheme& scheme, const std::string& base,
                     core::Problems& problems) {
    const std::vector<std::string> used = names_in_use(without_recipe(scheme));
    const core::Entry* learn = own.find("learn");
    for (const Learned& each : scheme.learn) {
        const bool is_own = learn && learn->value.entries() && learn->value.entries()->find(each.name);
        if (is_own || std::find(used.begin(), used.end(), each.name) != used.end()) continue;
        problems.add(
            own.find("extends")->value.place,
            "the learned name '" + each.name + "', which '" + scheme.name + "' takes from '" + base + "', is unused",
            "a formula that depends on it, or no 'extends'");
    }
}

}  // namespace

class Registry::Varied {
public:
    const Variations& of(const Scheme& scheme) {
        std::call_once(once_, [&] { variations_.emplace(scheme); });
        return *variations_;
    }

private:
    std::once_flag once_;
    std::optional<Variations> variations_;
};

const Registry& Registry::builtin() {
    static const Registry registry = read_catalogue();
    return registry;
}

void Registry::add(const core::Entries& schemes, core::Problems& problems) {
    for (const core::Entry& entry : schemes.list) {
        if (!entry.value.entries()) {
            problems.add(entry.value.place, "the scheme '" + entry.key + "' is " + std::string(entry.value.type_name()),
                         "a table");
        } else if (const core::Entry* extends = entry.value.entries()->find("extends");
                   extends && !extends->value.string()) {
            problems.add(extends->value.place, "'extends' is " + std::string(extends->value.type_name()),
                         "the name of a scheme, in quotes");
        }
    }
    const std::map<std::string, Scheme, std::less<>> known = schemes_;
    std::vector<std::string> sound;
    for (const auto& [name, settings] : resolve_extends(schemes, settings_, problems)) {
        const std::size_t before = problems.reports();
        Scheme scheme = read_scheme(name, settings, schemes.find(name)->key_place, problems);
        if (problems.reports() == before) sound.push_back(name);
        settings_.insert_or_assign(name, settings);
        schemes_.insert_or_assign(name, std::move(scheme));
        varied_.insert_or_assign(name, std::make_shared<Varied>());
    }
    for (const std::string& name : sound) {
        const core::Entries& own = *schemes.find(name)->value.entries();
        const std::optional<std::string> extends = core::read_text(own, "extends");
        const auto& bases = extends == name ? known : schemes_;
        const auto base = extends ? bases.find(*extends) : bases.end();
        check_used(own, schemes_.at(name), base == bases.end() ? nullptr : &base->second, problems);
        if (extends) check_inherited(own, schemes_.at(name), *extends, problems);
    }
}

void Registry::put(Scheme scheme) {
    settings_.insert_or_assign(scheme.name, scheme.settings);
    varied_.insert_or_assign(scheme.name, std::make_shared<Varied>());
    std::string name = scheme.name;
    schemes_.insert_or_assign(std::move(name), std::move(scheme));
}

const Scheme* Registry::find(std::string_view name) const {
    const auto found = schemes_.find(name);
    return found == schemes_.end() ? nullptr : &found->second;
}

std::vector<std::string> Registry::names() const {
    std::vector<std::string> names;
    for (const auto& [name, scheme] : schemes_) names.push_back(name);
    return names;
}

std::string_view usual_name(std::string_view name) {
    constexpr std::pair<std::string_view, std::string_view> names[] = {
        {"absolute", "learned-absolute"},
        {"kerple", "kerple-log"},
        {"linear", "rotary-linear"},
        {"llama3", "rotary-llama3"},
        {"longrope", "rotary-longrope"},
        {"none", "nope"},
        {"ntk", "rotary-ntk"},
        {"position-interpolation", "rotary-linear"},
        {"relative", "shaw"},
        {"roformer", "rotary"},
        {"rope", "rotary"},
        {"selfextend", "self-extend"},
        {"sliding-window", "sliding"},
        {"t5-bias", "t5"},
        {"window", "windowed"},
        {"yarn", "rotary-yarn"},
    };
    const auto is_same = [&](const auto& pair) {
        return std::equal(name.begin(), name.end(), pair.first.begin(), pair.first.end(),
                          [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; });
    };
    const auto found = std::find_if(std::begin(names), std::end(names), is_same);
    return found != std::end(names) ? found->second : std::string_view();
}

core::Diagnostic Registry::unknown(const std::string& name, const core::Place& place) const {
    std::string hint = core::known_here(name, names());
    const std::string_view meant = usual_name(name);
    if (!meant.empty() && find(meant)) hint = "The scheme is called '" + std::string(meant) + "'.";
    return {place, "unknown scheme '" + name + "'", "", hint};
}

Scheme Registry::with_params(std::string_view name, const std::vector<std::pair<std::string, std::string>>& params,
                             const core::Place& place, core::Problems& problems) const {
    return with_placed_params(
        name, params, [&](std::string_view) { return place; }, problems);
}

Scheme Registry::with_placed_params(std::string_view name,
                                    const std::vector<std::pair<std::string, std::string>>& params,
                                    const std::function<core::Place(std::string_view param)>& place_of,
                                    core::Problems& problems) const {
    const Scheme* scheme = find(name);
    if (!scheme) {
        problems.add(place_of(""), "there is no scheme '" + std::string(name) + "'", "",
                     core::known_here(name, names()));
        return {};
    }
    if (params.empty()) return *scheme;
    for (const auto& [param, text] : params) {
        if (text.ends_with("inf") || !std::isinf(std::strtod(text.c_str(), nullptr))) continue;
        problems.add(place_of(param), "the param '" + param + "' is " + text, "a number up to 1.79e308, or inf");
        return *scheme;
    }
    if (std::optional<Scheme> varied = varied_.find(name)->second->of(*scheme).with_params(params, place_of, problems))
        return *std::move(varied);
    const std::vector<std::string> known = param_names(*scheme);
    const std::vector<std::string> used = names_in_use(*scheme);
    core::Entries changed;
    for (const auto& [param, text] : params) {
        const formula::Node node = literal(text);
        const core::Place place = place_of(param);
        if (std::find(known.begin(), known.end(), param) == known.end()) {
            problems.add(place, unknown_param(param, std::string(name)), "", core::known_here(param, known));
        } else if (std::find(used.begin(), used.end(), param) == used.end()) {
            problems.add(place, "the parameter '" + param + "' of scheme '" + std::string(name) + "' is unused",
                         "a name that a formula of the scheme depends on",
                         core::known_here(param, params_in_use(*scheme)));
        } else if (!node) {
            problems.add(place, "the param '" + param + "' cannot be '" + text + "'", "a number");
        } else {
            changed.list.push_back({param, place, number_value(text, std::strtod(text.c_str(), nullptr), place)});
        }
    }
    if (changed.empty()) return *scheme;
    core::Entries own;
    core::Value table;
    table.data = changed;
    table.place = place_of(params.front().first);
    own.list.push_back({"params", table.place, table});
    return read_scheme(std::string(name), merge(scheme->settings, own), table.place, problems);
}

}  // namespace farfield::scheme
