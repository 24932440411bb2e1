#include "quantity/optimum_of.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <farfield/evaluate/evaluate.hpp>
#include <farfield/formula/names.hpp>
#include <farfield/formula/program.hpp>

#include "quantity/boxes.hpp"
#include "quantity/selection.hpp"

namespace farfield::quantity {
namespace {

using core::Entries;
using core::Entry;
using core::Value;
using numerics::Rational;

/// Steps of the search by samples end at this share of a variable's range.
constexpr double smallest_step = 1e-9;

void put(Entries& entries, const Entry& set) {
    for (Entry& entry : entries.list) {
        if (entry.key != set.key) continue;
        entry.value = set.value;
        return;
    }
    entries.list.push_back(set);
}

Value value_of(const Rational& number, const core::Place& place) {
    const std::string text = numerics::rational_text(number);
    if (const auto integer = numerics::counted(number)) return {static_cast<long long>(*integer), place, text};
    return {numerics::nearest(number), place, text};
}

/// A number between the ends of a range is the decimal of its double, which learned names can have too.
std::vector<std::pair<std::string, Rational>> centre_of(const Domain& domain) {
    std::vector<std::pair<std::string, Rational>> result;
    const Box centre = domain.centre(domain.whole());
    for (std::size_t i = 0; i < centre.sides.size(); ++i) {
        const Dimension& dimension = domain.dimensions()[i];
        const Rational number = domain.exact(i, centre.sides[i].lo);
        const bool is_end = dimension.is_grid || number == dimension.lo || number == dimension.hi;
        result.emplace_back(dimension.variable, is_end ? number : numerics::shortest_decimal(centre.sides[i].lo));
    }
    return result;
}

/// One of `quantities`, with the variables in its settings or params, as in a sweep.
class Inner {
public:
    Inner(const Entry& entry, const Kind& kind) : entry_(entry), kind_(&kind) {}

    const std::string& name() const { return entry_.key; }

    Declaration at(const std::vector<std::pair<std::string, Rational>>& point, const Declaration& outer,
                   std::vector<std::string> known, Entries& settings) const {
        settings = {};
        for (const Entry& each : entry_.value.entries()->list)
            if (each.key != "kind") settings.list.push_back(each);
        for (const auto& [variable, number] : point) {
            const Entry set{variable, entry_.key_place, value_of(number, entry_.value.place)};
            if (is_key(variable)) {
                put(settings, set);
                continue;
            }
            // It has no params: it depends on the variables through the quantities that it reads.
            if (!kind_->takes_scheme || settings.find("of")) continue;
            const Entry* present = settings.find("params");
            Entries params = present && present->value.entries() ? *present->value.entries() : Entries{};
            put(params, set);
            put(settings, {"params", entry_.key_place, {params, entry_.value.place, {}}});
        }
        return {entry_.key, entry_.key_place, settings, outer.schemes, std::move(known), outer.folder};
    }

    std::unique_ptr<Prepared> prepare(const Declaration& declaration, core::Problems& problems) const {
        const auto selection = kind_->takes_scheme ? scheme_selection_keys() : std::span<const core::Key>();
        const std::size_t before = problems.reports();
        core::check_keys(declaration.settings, {kind_->keys, selection}, entry_.key_place, problems);
        if (problems.reports() != before) return nullptr;
        return quantity::prepare(*kind_, declaration, problems);
    }

private:
    bool is_key(const std::string& name) const {
        const auto has = [&](std::span<const core::Key> keys) {
            return std::any_of(keys.begin(), keys.end(), [&](const core::Key& key) { return key.name == name; });
        };
        return has(kind_->keys) || (kind_->takes_scheme && has(scheme_selection_keys()));
    }

    Entry entry_;
    const Kind* kind_;
};

/// A formula of the variables and of fields, NAME.FIELD.
struct Fields {
    formula::Program program;
    std::vector<std::string> names;  ///< the program's inputs
};

using Values = std::map<std::string, double, std::less<>>;

/// Whether an input has no value.
bool lacks(const Fields& fields, const Values& values) {
    return std::any_of(fields.names.begin(), fields.names.end(),
                       [&](const std::string& name) { return std::isnan(values.at(name)); });
}

double value_at(const Fields& fields, const Values& values) {
    evaluate::Inputs inputs;
    for (const std::string& name : fields.names) inputs.uniform.push_back(values.at(name));
    inputs.points = 1;
    return evaluate::evaluate(fields.program, inputs).front();
}

class OptimumOf : public Prepared {
public:
    OptimumOf(const Declaration& declaration, std::vector<Inner> inner, Fields formula, std::optional<Fields> where,
              const Over& over, bool is_least, std::size_t samples)
        : outer_{declaration.name, declaration.place, no_entries, declaration.schemes, {}, declaration.folder},
          inner_(std::move(inner)),
          formula_(std::move(formula)),
          where_(std::move(where)),
          domain_(over),
          is_least_(is_least),
          samples_(samples) {}

    double cost() const override {
        core::Problems problems;
        double sum = 1;
        std::vector<std::string> known;
        for (const Inner& each : inner_) {
            Entries settings;
            const Declaration declaration = each.at(centre_of(domain_), outer_, known, settings);
            const std::unique_ptr<Prepared> prepared = each.prepare(declaration, problems);
            if (prepared) sum += prepared->cost();
            known.push_back(each.name());
        }
        return sum * static_cast<double>(samples_);
    }

    core::Result run(const Inputs& inputs) const override {
        Search search{*this, inputs, {}, {}, std::nullopt, 0};
        search.by_grid();
        search.by_steps();
        core::Result result;
        result.notes.emplace_back("method", fmt::format("{} samples: a grid, then steps", search.samples));
        if (!search.best) result.notes.emplace_back("not found", "no sample meets the condition");
        result.set("best", search.best ? core::Cell::of(search.best->value) : core::Cell::missing());
        const std::vector<std::string> variables = domain_.variables();
        for (std::size_t i = 0; i < variables.size(); ++i) {
            const std::string name = variables.size() == 1 ? "at" : "at_" + variables[i];
            result.set(name, search.best ? core::Cell::of(number_at(i, search.best->place[i])) : core::Cell::missing());
        }
        return result;
    }

private:
    /// The place of each variable: for a stretch the share of it, for a grid the index.
    using Place = std::vector<double>;

    struct Sample {
        Place place;
        double value;
    };

    struct Search {
        const OptimumOf& of;
        const Inputs& inputs;
        std::map<Place, bool> seen;
        std::string failed;
        std::optional<Sample> best;
        std::size_t samples;

        bool may_go_on() const { return samples < of.samples_ && !inputs.interrupted(); }

        /// Whether the sample is the best so far.
        bool take(const Place& place) {
            if (!may_go_on() || !seen.emplace(place, true).second) return false;
            ++samples;
            const std::optional<double> value = of.sample(place, inputs);
            if (!value || (best && !of.is_better(*value, best->value))) return false;
            best = Sample{place, *value};
            return true;
        }

        /// Half of the samples are used for a grid of equal steps that includes the ends.
        void by_grid() {
            const std::size_t count = of.domain_.dimensions().size();
            const double budget = static_cast<double>(of.samples_) / 2;
            const auto steps = std::max(2.0, std::floor(std::pow(budget, 1.0 / static_cast<double>(count))));
            std::vector<std::size_t> at(count, 0);
            for (bool is_done = false; !is_done;) {
                Place place;
                for (std::size_t i = 0; i < count; ++i)
                    place.push_back(of.placed(i, static_cast<double>(at[i]) / (steps - 1)));
                take(place);
                std::size_t i = 0;
                for (; i < count && ++at[i] == static_cast<std::size_t>(steps); ++i) at[i] = 0;
                is_done = i == count || !may_go_on();
            }
        }

        /// Searches from the best sample along each variable with decreasing steps (Hooke and Jeeves 1961).
        void by_steps() {
            if (!best) return;
            const std::size_t count = of.domain_.dimensions().size();
            const double budget = static_cast<double>(of.samples_) / 2;
            double step = 1 / std::max(1.0, std::floor(std::pow(budget, 1.0 / static_cast<double>(count))) - 1);
            for (; step > smallest_step && may_go_on(); step /= 2) {
                for (bool moved = true; moved && may_go_on();) {
                    moved = false;
                    for (std::size_t i = 0; i < count; ++i)
                        for (const double sign : {1.0, -1.0})
                            moved = take(of.moved(best->place, i, sign * step)) || moved;
                }
            }
        }
    };

    bool is_better(double a, double b) const { return is_least_ ? a < b : a > b; }

    double last(std::size_t i) const {
        const Dimension& dimension = domain_.dimensions()[i];
        return dimension.is_grid ? static_cast<double>(dimension.grid.count() - 1) : 1;
    }

    double placed(std::size_t i, double share) const {
        return domain_.dimensions()[i].is_grid ? std::round(share * last(i)) : share;
    }

    Place moved(Place place, std::size_t i, double step) const {
        const bool is_grid = domain_.dimensions()[i].is_grid;
        const double by = is_grid ? std::copysign(std::max(1.0, std::round(std::abs(step) * last(i))), step) : step;
        place[i] = std::clamp(place[i] + by, 0.0, last(i));
        return place;
    }

    Rational exact(std::size_t i, double place) const {
        const Dimension& dimension = domain_.dimensions()[i];
        if (dimension.is_grid) return dimension.grid.exact(static_cast<std::size_t>(place));
        if (place == 0) return dimension.lo;
        if (place == 1) return dimension.hi;
        const double low = numerics::nearest(dimension.lo);
        return numerics::shortest_decimal(low + place * (numerics::nearest(dimension.hi) - low));
    }

    double number_at(std::size_t i, double place) const { return numerics::nearest(exact(i, place)); }

    std::vector<std::pair<std::string, Rational>> named(const Place& place) const {
        std::vector<std::pair<std::string, Rational>> point;
        for (std::size_t i = 0; i < place.size(); ++i)
            point.emplace_back(domain_.dimensions()[i].variable, exact(i, place[i]));
        return point;
    }

    /// The formula's value; nothing if it has none or the condition fails.
    std::optional<double> sample(const Place& place, const Inputs& inputs) const {
        const auto point = named(place);
        Values values;
        for (const auto& [variable, number] : point) values[variable] = numerics::nearest(number);
        std::map<std::string, core::Result, std::less<>> results;
        Inputs own;
        own.interrupted = inputs.interrupted;
        own.result = [&](std::string_view name) -> const core::Result& { return results.find(name)->second; };
        std::vector<std::string> known;
        for (const Inner& each : inner_) {
            Entries settings;
            core::Problems problems;
            const Declaration declaration = each.at(point, outer_, known, settings);
            const std::unique_ptr<Prepared> prepared = each.prepare(declaration, problems);
            problems.raise();
            core::Result result = prepared->run(own);
            for (const auto& [field, cell] : result.values)
                values[each.name() + "." + field] = cell.number.value_or(std::nan(""));
            results.emplace(each.name(), std::move(result));
            known.push_back(each.name());
        }
        complete(values);
        // `not (x > 3)` is true for NaN, so a sample that lacks a requested field is ignored.
        if (lacks(formula_, values) || (where_ && lacks(*where_, values))) return std::nullopt;
        if (where_ && value_at(*where_, values) == 0) return std::nullopt;
        const double value = value_at(formula_, values);
        return std::isnan(value) ? std::nullopt : std::optional(value);
    }

    /// A field that the formulas mention and no result has is an error of the study.
    void complete(const Values& values) const {
        for (const Fields* fields : {&formula_, where_ ? &*where_ : nullptr}) {
            if (!fields) continue;
            for (const std::string& name : fields->names) {
                if (values.contains(name)) continue;
                const std::string owner = name.substr(0, name.find('.') + 1);
                std::vector<std::string> known;
                for (const auto& [each, number] : values)
                    if (each.starts_with(owner)) known.push_back(each);
                throw core::UserError({core::Diagnostic{outer_.place, "unknown field '" + name + "'", "",
                                                        core::known_here(name, known)}});
            }
        }
    }

    static inline const Entries no_entries{};

    Declaration outer_;
    std::vector<Inner> inner_;
    Fields formula_;
    std::optional<Fields> where_;
    Domain domain_;
    bool is_least_;
    std::size_t samples_;
};

std::optional<Inner> read_inner(const Entry& entry, core::Problems& problems) {
    const Entries* settings = entry.value.entries();
    const Entry* kind = settings ? settings->find("kind") : nullptr;
    const std::string* name = kind ? kind->value.string() : nullptr;
    if (!name) {
        problems.add(entry.value.place, "'" + entry.key + "' has no kind", entry.key + " = { kind = \"...\", ... }");
        return std::nullopt;
    }
    const Kind* found = find_kind(*name);
    if (found) return Inner(entry, *found);
    std::vector<std::string> known;
    for (const Kind& each : kinds()) known.emplace_back(each.name);
    problems.add(kind->value.place, "unknown kind '" + *name + "'", "", core::known_here(*name, known));
    return std::nullopt;
}

/// Reads a formula that may contain NAME.FIELD for each of the quantities.
std::optional<Fields> read_fields(const Declaration& declaration, const std::string& key, formula::Type type,
                                  const std::vector<Inner>& inner, const Over& over, core::Problems& problems) {
    const Entry* entry = declaration.settings.find(key);
    const std::string* text = entry ? entry->value.string() : nullptr;
    std::vector<std::string> names = over.variables();
    if (text) {
        for (const std::string& name : formula::free_names(formula::parse({*text, entry->value.place}))) {
            const std::string owner = name.substr(0, name.find('.'));
            const bool is_field = owner != name && std::any_of(inner.begin(), inner.end(),
                                                               [&](const Inner& each) { return each.name() == owner; });
            if (is_field) names.push_back(name);
        }
    }
    const std::optional<Checked> formula =
        read_formula(declaration, {.key = key, .variables = names, .type = type}, problems);
    if (!formula) return std::nullopt;
    return Fields{formula::compile(formula->tree, {names, {}, {}}), names};
}

/// Whether the formulas have a field of the quantity, or another one reads it.
bool is_used(const Inner& quantity, const Declaration& declaration, const std::vector<Entry>& all) {
    const std::string field = quantity.name() + ".";
    const auto& names = declaration.uses->names;
    if (const auto next = names.lower_bound(field); next != names.end() && next->starts_with(field)) return true;
    return std::any_of(all.begin(), all.end(), [&](const Entry& other) {
        const auto& settings = other.value.entries()->list;
        return std::any_of(settings.begin(), settings.end(), [&](const Entry& setting) {
            return setting.value.string() && *setting.value.string() == quantity.name();
        });
    });
}

}  // namespace

std::unique_ptr<Prepared> prepare_optimum_of(const Declaration& declaration, const Over& over, bool is_least,
                                             std::size_t samples, core::Problems& problems) {
    const std::size_t before = problems.reports();
    const std::vector<Entry>& all = declaration.settings.find("quantities")->value.entries()->list;
    const std::vector<std::string> variables = over.variables();
    std::vector<Inner> inner;
    for (const Entry& entry : all) {
        if (std::find(variables.begin(), variables.end(), entry.key) != variables.end())
            problems.add(entry.key_place, "'" + entry.key + "' is a variable of 'over'", "another name");
        if (std::optional<Inner> read = read_inner(entry, problems)) inner.push_back(std::move(*read));
    }
    if (problems.reports() != before) return nullptr;
    std::optional<Fields> formula = read_fields(declaration, "formula", formula::Type::real, inner, over, problems);
    std::optional<Fields> where;
    if (declaration.settings.find("where"))
        where = read_fields(declaration, "where", formula::Type::boolean, inner, over, problems);
    // A problem of a quantity occurs at every point.
    const Domain domain(over);
    std::vector<std::string> known;
    for (const Inner& each : inner) {
        Entries settings;
        each.prepare(each.at(centre_of(domain), declaration, known, settings), problems);
        known.push_back(each.name());
    }
    if (problems.reports() == before)
        for (std::size_t i = 0; i < inner.size(); ++i)
            if (!is_used(inner[i], declaration, all))
                problems.add(all[i].key_place, "'" + inner[i].name() + "' is unused",
                             "a formula of " + inner[i].name() + ".FIELD");
    if (problems.reports() != before || !formula) return nullptr;
    return std::make_unique<OptimumOf>(declaration, std::move(inner), std::move(*formula), std::move(where), over,
                                       is_least, samples);
}

}  // namespace farfield::quantity
