#include "scheme/reader.hpp"

#include <algorithm>
#include <farfield/core/keys.hpp>
#include <farfield/formula/checker.hpp>
#include <farfield/scheme/registry.hpp>

#include "scheme/apply_recipe.hpp"
#include "scheme/requirements.hpp"
#include "scheme/vocabulary.hpp"

namespace farfield::scheme {
namespace {

using formula::Type;

/// Replaces a piece whose fault was already reported, so that other code finds a complete scheme.
formula::Node stand_in(Type type) {
    const formula::Node zero = formula::make_number("0");
    return type == Type::boolean ? formula::make(formula::Op::equals, {zero, zero}) : zero;
}

/// Reads the pieces of one scheme, after the vocabulary of its names is complete.
class Reader {
public:
    Reader(const core::Entries& settings, const Vocabulary& vocabulary, core::Problems& problems)
        : settings_(settings), vocabulary_(vocabulary), problems_(problems) {}

    std::optional<Piece> piece(const core::Entries& entries, std::string_view key, Role role,
                               Type type = Type::real) const {
        const core::Entry* entry = entries.find(key);
        if (!entry) return std::nullopt;
        if (const std::optional<formula::Source> source = source_of(entry->value)) {
            return finish(*source, nullptr, role, type);
        }
        const core::Entries* table = entry->value.entries();
        if (!table) {
            problems_.add(entry->value.place, "'" + entry->key + "' is " + std::string(entry->value.type_name()),
                          "a formula, or { formula = ..., when = ... }");
            return std::nullopt;
        }
        if (table->list.empty()) return std::nullopt;  // check_keys reports it
        core::check_keys(*table, {piece_keys()}, entry->value.place, problems_);
        const core::Entry* text = table->find("formula");
        const std::optional<formula::Source> source = text ? source_of(text->value) : std::nullopt;
        return source ? finish(*source, table->find("when"), role, type) : std::nullopt;
    }

    std::optional<Rotation> rotation() const {
        const auto [entry, table] = part("rotate");
        if (!table || table->list.empty()) return std::nullopt;  // check_keys reports it
        core::check_keys(*table, {rotate_keys()}, entry->value.place, problems_);
        Rotation rotation;
        rotation.angle = piece(*table, "angle", Role::rotate).value_or(Piece{stand_in(Type::real), nullptr, {}});
        if (const core::Entry* far = table->find("far")) rotation.far = far_rotation(*far);
        rotation.scale = piece(*table, "scale", Role::rotate);
        rotation.values = values(*table);
        const std::string origin = core::read_text(*table, "origin").value_or("start");
        rotation.origin = origin == "centre" ? Origin::centre : origin == "end" ? Origin::end : Origin::start;
        const std::string pairs = core::read_text(*table, "pairs").value_or("interleaved");
        rotation.pairs = pairs == "halves" ? Pairs::halves : Pairs::interleaved;
        rotation.fraction = core::read_number(*table, "fraction").value_or(1);
        if (const core::Entry* fraction = table->find("fraction"); fraction && rotation.fraction == 0)
            problems_.add(fraction->value.place, "'fraction' is 0: nothing is rotated",
                          "a share above 0, or no 'rotate'");
        if (const core::Entry* given = table->find("origin"); given && !table->find("scale"))
            problems_.add(given->key_place,
                          "'origin' is unused: it sets the position from which p is counted in 'scale'",
                          "'scale' next to it");
        return rotation;
    }

    std::optional<FarRotation> far_rotation(const core::Entry& entry) const {
        const core::Entries* table = entry.value.entries();
        if (!table) return std::nullopt;  // reported as a key
        core::check_keys(*table, {far_keys()}, entry.value.place, problems_);
        const core::Entry* where = table->find("where");
        const std::optional<formula::Source> condition = where ? source_of(where->value) : std::nullopt;
        FarRotation far{Piece{stand_in(Type::boolean), nullptr, {}}, Piece{stand_in(Type::real), nullptr, {}}, {}};
        if (condition) far.where = *finish(*condition, nullptr, Role::far, Type::boolean);
        if (std::optional<Piece> query = piece(*table, "query", Role::rotate)) far.query = std::move(*query);
        far.key = piece(*table, "key", Role::rotate);
        return far;
    }

    /// A formula of a cosine or a sine, which is `it`.
    formula::Node values(const core::Entries& table) const {
        const core::Entry* entry = table.find("values");
        const std::optional<formula::Source> source = entry ? source_of(entry->value) : std::nullopt;
        if (!source) return nullptr;
        try {
            formula::Node tree = formula::parse(*source);
            const auto type = formula::check(tree, formula::Scope({"it"}), *source, problems_);
            if (type == Type::boolean) problems_.add(entry->value.place, "'values' is a condition", "a number");
            if (type && formula::free_names(tree).empty())
                problems_.add(entry->value.place, "'values' does not depend on it",
                              "a formula of it, such as bf16(it)");
            if (type && tree->kind == formula::Kind::name)
                problems_.add(entry->value.place, "'values' is it itself, which changes nothing",
                              "a formula of it, such as bf16(it), or no 'values'");
            return tree;
        } catch (const core::UserError& error) {
            problems_.add(error);
            return nullptr;
        }
    }

    std::optional<Embedding> embedding() const {
        const auto [entry, table] = part("embed");
        if (!table || table->list.empty()) return std::nullopt;  // check_keys reports it
        core::check_keys(*table, {embed_keys()}, entry->value.place, problems_);
        Embedding embedding;
        embedding.even = piece(*table, "even", Role::embed);
        embedding.odd = piece(*table, "odd", Role::embed);
        embedding.learned = core::read_boolean(*table, "learned").value_or(false);
        embedding.max_length = core::read_integer(*table, "max_length").value_or(0);
        const bool formulas = table->find("even") || table->find("odd");
        if (embedding.learned == formulas) {
            problems_.add(entry->key_place,
                          embedding.learned ? "embed is both learned and a formula" : "embed has no vectors",
                          "either 'even' and 'odd', or learned = true");
        } else if (embedding.learned && embedding.max_length == 0) {
            problems_.add(entry->key_place, "a learned embedding without a length", "max_length, in positions");
        } else if (const core::Entry* length = table->find("max_length"); length && !embedding.learned) {
            problems_.add(length->key_place, "'max_length' is unused: the embedding is a formula",
                          "learned = true, or formulas alone");
        }
        return embedding;
    }

    std::optional<Relative> relative() const {
        const auto [entry, table] = part("relative");
        if (!table) return std::nullopt;
        core::check_keys(*table, {relative_keys()}, entry->value.place, problems_);
        Relative relative;
        relative.clip = core::read_integer(*table, "clip").value_or(relative.clip);
        relative.keys = core::read_boolean(*table, "keys").value_or(true);
        relative.values = core::read_boolean(*table, "values").value_or(true);
        if (!relative.keys && !relative.values)
            problems_.add(entry->key_place, "relative vectors are added to neither keys nor values",
                          "one of them, or no 'relative'");
        return relative;
    }

private:
    std::pair<const core::Entry*, const core::Entries*> part(std::string_view key) const {
        const core::Entry* entry = settings_.find(key);
        return {entry, entry ? entry->value.entries() : nullptr};
    }

    std::optional<Piece> finish(const formula::Source& source, const core::Entry* when, Role role, Type type) const {
        Piece piece{checked(source, role, type), nullptr, source};
        piece.depends = vocabulary_.behind(source);
        if (!when) return piece;
        if (const std::optional<formula::Source> condition = source_of(when->value)) {
            piece.when = checked(*condition, role, Type::boolean);
            piece.when_source = *condition;
            for (std::string& name : vocabulary_.behind(*condition)) piece.depends.push_back(std::move(name));
        }
        return piece;
    }

    formula::Node checked(const formula::Source& source, Role role, Type type) const {
        const formula::Node tree = vocabulary_.formula(source, role, type);
        return tree ? tree : stand_in(type);
    }

    const core::Entries& settings_;
    const Vocabulary& vocabulary_;
    core::Problems& problems_;
};

/// The descriptions of names stay in the settings. Only params and learned names have descriptions.
void check_means(const core::Entries& settings, const Scheme& scheme, core::Problems& problems) {
    const core::Entry* entry = settings.find("means");
    if (!entry || !entry->value.entries()) return;
    std::vector<std::string> known;
    for (const auto& [name, text] : scheme.params) known.push_back(name);
    for (const Learned& each : scheme.learn) known.push_back(each.name);
    for (const core::Entry& each : entry->value.entries()->list) {
        if (std::find(known.begin(), known.end(), each.key) == known.end()) {
            problems.add(each.key_place, "'" + each.key + "' is neither a param nor a learned name", "",
                         core::known_here(each.key, known));
        } else if (!each.value.string()) {
            problems.add(each.value.place, "'" + each.key + "' is " + std::string(each.value.type_name()),
                         "its meaning as a text");
        } else if (each.value.string()->find_first_not_of(" \t\n") == std::string::npos) {
            problems.add(each.value.place, "'" + each.key + "' is empty", "its meaning as a text");
        }
    }
}

Scheme read_plain(const std::string& name, const core::Entries& settings, const core::Place& owner,
                  core::Problems& problems, ParamsAs params_as = ParamsAs::numbers) {
    core::check_keys(settings, {scheme_keys()}, owner, problems);
    Scheme scheme;
    scheme.name = name;
    scheme.settings = settings;
    scheme.doc = core::read_text(settings, "doc").value_or("");
    scheme.source = core::read_text(settings, "source").value_or("");
    const Vocabulary vocabulary(settings, scheme, problems, params_as);
    const Reader reader(settings, vocabulary, problems);
    scheme.embed = reader.embedding();
    scheme.rotate = reader.rotation();
    scheme.bias = reader.piece(settings, "bias", Role::bias);
    scheme.mask = reader.piece(settings, "mask", Role::mask, Type::boolean);
    scheme.temperature = reader.piece(settings, "temperature", Role::temperature);
    scheme.relative = reader.relative();
    check_means(settings, scheme, problems);
    if (params_as == ParamsAs::numbers) check_requirements(scheme, read_requirements(scheme, problems), problems);
    scheme.bias_scaled = core::read_boolean(settings, "bias_scaled").value_or(false);
    if (scheme.bias_scaled && !settings.find("bias"))
        problems.add(settings.find("bias_scaled")->key_place, "'bias_scaled' without a bias", "a bias to scale");
    scheme.causal = core::read_boolean(settings, "causal").value_or(true);
    return scheme;
}

}  // namespace

Scheme read_scheme(const std::string& name, const core::Entries& settings, const core::Place& owner,
                   core::Problems& problems) {
    const std::size_t before = problems.reports();
    Scheme scheme = read_plain(name, settings, owner, problems);
    const core::Entry* recipe = settings.find("recipe");
    const core::Entry* format = settings.find("format");
    if (format && !recipe)
        problems.add(format->key_place, "'format' without a recipe", "recipe = \"hf\", or another that uses it");
    if (!recipe || problems.reports() != before) return scheme;
    const std::optional<core::Entries> changed = apply_recipe(scheme, *recipe, format, problems);
    if (!changed) return scheme;
    scheme = read_plain(name, *changed, owner, problems);
    scheme.settings = settings;
    scheme.recipe = *recipe->value.string();
    scheme.format = format ? *format->value.string() : "";
    return scheme;
}

Scheme read_with_names(const std::string& name, const core::Entries& settings, const core::Place& owner,
                       core::Problems& problems) {
    return read_plain(name, settings, owner, problems, ParamsAs::names);
}

}  // namespace farfield::scheme
