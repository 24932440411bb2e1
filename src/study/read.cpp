#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/input_file.hpp>
#include <farfield/core/printable.hpp>
#include <farfield/core/sha256.hpp>
#include <farfield/formula/names.hpp>
#include <farfield/report/report.hpp>
#include <farfield/scheme/toml.hpp>
#include <farfield/study/keys.hpp>
#include <filesystem>
#include <set>

#include "quantity/work.hpp"
#include "study/body.hpp"
#include "study/cache.hpp"
#include "study/correct_keys.hpp"
#include "study/definitions.hpp"
#include "study/effect.hpp"
#include "study/items.hpp"
#include "study/override.hpp"
#include "study/plan.hpp"
#include "study/set_effect.hpp"
#include "study/sweep.hpp"

namespace farfield::study {

using core::Entries;
using core::Entry;
using core::Problems;

namespace {

using quantity::most_operations;

core::Place at_file(const std::string& file) {
    core::Place place;
    place.file = file;
    return place;
}

const Entries& table_of(const Entries& document, std::string_view heading) {
    static const Entries none;
    const Entry* entry = document.find(heading);
    const Entries* table = entry ? entry->value.entries() : nullptr;
    return table ? *table : none;
}

/// Results and figures have files with their names, and file systems allow 255 bytes.
constexpr std::size_t longest_name = 200;

/// Names occur in formulas before a point, and with brackets after a sweep.
void check_item_names(const Entries& items, std::string_view heading, Problems& problems) {
    for (const Entry& item : items.list) {
        if (!item.value.entries()) {
            problems.add(item.key_place, fmt::format("'{}.{}' is {}", heading, item.key, item.value.type_name()),
                         fmt::format("a table: [{}.NAME]", heading));
        } else if (item.key.empty() || item.key.find_first_of(".[]'\",/\\") != std::string::npos ||
                   !core::is_visible(item.key) || item.key.size() > longest_name) {
            problems.add(
                item.key_place,
                fmt::format("'{}' cannot be the name of a {}", core::printable_line(core::shortened(item.key)),
                            heading),
                item.key.size() > longest_name ? "a name of at most 200 bytes" : "letters, digits, '-' and '_'");
        } else if (const std::string_view meaning = formula::reserved(item.key);
                   heading == "quantity" && !meaning.empty()) {
            problems.add(item.key_place, fmt::format("'{}' is {}", item.key, meaning), "another name");
        }
    }
}

class Reader {
public:
    Reader(core::Entries document, std::string hash, const Found& found, const Options& options)
        : body_(std::make_unique<Study::Body>()), options_(options) {
        body_->document = std::move(document);
        body_->hash = std::move(hash);
        body_->found = found;
        body_->folder = std::filesystem::path(found.file).parent_path().string();
        body_->set = options.set;
    }

    std::unique_ptr<Study::Body> run() {
        apply_settings(body_->document, options_.set, problems_);
        correct_keys(body_->document, problems_);
        core::check_keys(body_->document, {file_keys()}, at_file(body_->found.file), problems_);
        read_heading();
        const Labels scheme_labels = read_schemes();
        for (const char* heading : {"model", "corpus", "train", "checkpoint"})
            check_item_names(table_of(body_->document, heading), heading, problems_);
        body_->trainings = read_trainings(body_->document, body_->schemes, scheme_labels, body_->folder, problems_);
        read_quantities(scheme_labels);
        // A value of --set may leave a part of the file unused.
        const std::size_t before = problems_.size();
        if (options_.set.empty() && before == 0) check_repeated(body_->document, "quantity", problems_);
        read_claims(problems_.size() == before);
        read_figures();
        if (problems_.empty()) check_set(body_->document, body_->found.name, options_.set, problems_);
        const bool is_read = problems_.empty();
        order_items(*body_, problems_);
        mark_trained(*body_);
        if (is_read && problems_.empty()) {
            check_effect(*body_, problems_);
            check_scales();
        }
        check_cost();
        problems_.raise();
        mark_waiting(*body_);
        return std::move(body_);
    }

private:
    void read_heading() {
        const Entry* entry = body_->document.find("study");
        const Entries& study = table_of(body_->document, "study");
        if (entry && entry->value.entries()) core::check_keys(study, {study_keys()}, entry->key_place, problems_);
        body_->title = core::read_text(study, "title").value_or(body_->found.name);
        body_->source = core::read_text(study, "source").value_or("");
        body_->doc = core::read_text(study, "doc").value_or("");
    }

    Labels read_schemes() {
        body_->schemes = scheme::Registry::builtin();
        const Entries& schemes = table_of(body_->document, "scheme");
        check_item_names(schemes, "scheme", problems_);
        Expander expander(schemes, {"extends"}, problems_);
        const auto is_key = [](const Entries&, const std::string& key) { return has_key(scheme::scheme_keys(), key); };
        for (const Entry& item : schemes.list) check_scheme_sweep(item);
        Entries expanded;
        for (Expanded& each : expander.expand(is_key)) {
            expanded.list.push_back({each.name, each.place, {std::move(each.settings), each.place, {}}});
        }
        body_->schemes.add(expanded, problems_);
        if (problems_.empty()) check_schemes(expanded, body_->schemes, problems_);
        return expander.labels();
    }

    /// Texts for readers do not change formulas.
    void check_scheme_sweep(const Entry& item) {
        const Entries* settings = item.value.entries();
        if (!settings) return;
        for (const Entry& axis : table_of(*settings, "sweep").list) {
            if (axis.key == "source")
                problems_.add(axis.key_place,
                              fmt::format("the sweep over '{}' is unused: no formula depends on it", axis.key),
                              "a parameter of the scheme");
        }
    }

    static bool is_quantity_key(const Entries& item, const std::string& key) {
        const std::string name = core::read_text(item, "kind").value_or("");
        if (const quantity::Kind* kind = quantity::find_kind(name)) {
            return !kind->takes_scheme || has_key(kind->keys, key) || has_key(quantity::scheme_selection_keys(), key);
        }
        return true;  // of a trained kind, which has no params
    }

    void read_quantities(const Labels& scheme_labels) {
        const Entries& quantities = table_of(body_->document, "quantity");
        check_item_names(quantities, "quantity", problems_);
        Expander expander(quantities, {"of", "a", "b"}, problems_);
        expander.know("scheme", scheme_labels);
        expander.know("of", body_->trainings.labels);
        expander.know("against", body_->trainings.labels);
        std::vector<Expanded> expanded = expander.expand(is_quantity_key);
        labels_ = expander.labels();
        for (const Expanded& each : expanded) {
            check_name(each);
            check_label(each, problems_);
        }
        body_->items = read_items(std::move(expanded), *body_, options_, problems_);
        std::map<std::string_view, std::set<std::string_view>> used_keys;
        for (const Item& item : body_->items)
            if (item.prepared) used_keys[item.base].insert(item.used_keys.begin(), item.used_keys.end());
        for (const Entry& item : quantities.list)
            if (const auto used = used_keys.find(item.key); used != used_keys.end()) check_sweep(item, used->second);
    }

    /// The values of a sweep are in the brackets of a name, which formulas must be able to quote.
    void check_name(const Expanded& each) {
        const std::string_view label = std::string_view(each.name).substr(each.base.size());
        int depth = 0;
        bool is_balanced = true;
        for (const char c : label) {
            depth += c == '[' ? 1 : c == ']' ? -1 : 0;
            is_balanced = is_balanced && depth >= 0;
        }
        const bool is_shown =
            std::none_of(label.begin(), label.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; });
        if (depth == 0 && is_balanced && is_shown) return;
        problems_.add(each.place, fmt::format("a value of the sweep makes the name '{}'", each.name),
                      "values whose brackets match, without control characters");
    }

    /// A sweep over a key on which no item depends would repeat one result.
    void check_sweep(const Entry& item, const std::set<std::string_view>& used_keys) {
        const Entries* settings = item.value.entries();
        const Entry* sweep = settings ? settings->find("sweep") : nullptr;
        if (!sweep || !sweep->value.entries()) return;
        for (const Entry& axis : sweep->value.entries()->list) {
            if (!has_key(quantity::scheme_selection_keys(), axis.key) || used_keys.contains(axis.key)) continue;
            problems_.add(
                axis.key_place,
                "the sweep over '" + axis.key + "' is unused: nothing that '" + item.key + "' evaluates depends on it",
                "a key or parameter that changes the result");
        }
    }

    std::vector<std::string> item_names() const {
        std::vector<std::string> names;
        for (const Item& item : body_->items) names.push_back(item.name);
        return names;
    }

    /// Conditions on two quantities that are reported as one are not checked for what they say.
    void read_claims(bool are_distinct) {
        const Entry* entry = body_->document.find("claim");
        const core::List* list = entry ? entry->value.list() : nullptr;
        if (!list) return;
        const std::vector<std::string> names = item_names();
        Definitions definitions(body_->items, body_->schemes);
        const auto facts_of = [&definitions](const std::string& name) { return definitions.facts_of(name); };
        // A value of --set may make two quantities the same.
        const auto settings_of = [&](const std::string& name) {
            return options_.set.empty() ? definitions.settings_of(name) : name;
        };
        std::map<std::string, core::Place> ids;
        for (const core::Value& value : *list) {
            const std::size_t before = problems_.size();
            claim::Claim claim = claim::read_claim(value, problems_);
            claim::check_names(claim, names, problems_);
            if (problems_.size() == before && are_distinct) claim::check_form(claim, facts_of, settings_of, problems_);
            const auto [first, is_new] = ids.emplace(claim.id, claim.place);
            if (!is_new && !claim.id.empty()) {
                problems_.add(claim.place, "a second claim with the id '" + claim.id + "'", "a unique id",
                              fmt::format("The first is on line {}.", first->second.line));
            }
            if (problems_.size() == before) claim::check_repeated(claim, body_->claims, problems_);
            body_->claims.push_back(std::move(claim));
        }
    }

    /// A swept quantity that is named without its values means all its items.
    std::vector<std::string> needs_of(const core::Value& value, const std::set<std::string>& names) {
        const core::List alone = {value};
        std::vector<std::string> needs;
        for (const core::Value& each : value.list() ? *value.list() : alone) {
            const std::string* name = each.string();
            if (!name) continue;
            const auto labels = labels_.find(*name);
            const bool swept = labels != labels_.end() && !labels->second.empty();
            if (!swept && !names.contains(*name)) {
                const std::vector<std::string> known = item_names();
                problems_.add(each.place, "unknown quantity '" + *name + "'",
                              known.empty() ? "a quantity of the study; it has none" : "",
                              known.empty() ? "" : core::known_here(*name, known));
            }
            if (!swept) {
                needs.push_back(*name);
            } else {
                for (const std::string& label : labels->second) needs.push_back(item_name(*name, label));
            }
        }
        return needs;
    }

    void read_figures() {
        const Entries& figures = table_of(body_->document, "figure");
        check_item_names(figures, "figure", problems_);
        std::set<std::string> names;
        for (const Item& item : body_->items) names.insert(item.name);
        for (const Entry& figure : figures.list) {
            const Entries* settings = figure.value.entries();
            if (!settings) continue;
            const std::size_t before = problems_.size();
            report::check_figure(*settings, figure.key_place, problems_);
            core::FigureRecord record;
            record.name = figure.key;
            record.title = core::read_text(*settings, "title").value_or("");
            record.source = core::read_text(*settings, "source").value_or(body_->source);
            record.settings = *settings;
            const Entry* series = settings->find("series");
            body_->figure_needs.push_back(series ? needs_of(series->value, names) : std::vector<std::string>{});
            if (problems_.size() == before) check_series(*settings, body_->figure_needs.back());
            check_labels(*settings, body_->figure_needs.back().size());
            body_->figures.push_back(std::move(record));
        }
    }

    /// Reports an item of a sweep that is given together with the sweep.
    void check_series(const Entries& figure, const std::vector<std::string>& needs) {
        std::set<std::string> known;
        for (const std::string& name : needs)
            if (!known.insert(name).second)
                problems_.add(figure.find("series")->value.place, "'" + name + "' is listed twice in 'series'",
                              "each series once: a swept name stands for all its items");
    }

    /// There must be one label for each series. The number of columns of a series is known only after it was computed.
    void check_labels(const Entries& figure, std::size_t count) {
        const Entry* entry = figure.find("labels");
        const core::List* labels = entry ? entry->value.list() : nullptr;
        const bool is_one_panel = core::read_text(figure, "panels").value_or("one") == "one";
        std::set<std::string> known;
        for (const core::Value& label : labels ? *labels : core::List{})
            if (const std::string* text = label.string();
                text && !text->empty() && text->find_first_not_of(" \t\n") == std::string::npos)
                problems_.add(label.place, "a label has only spaces", "a text that tells the series apart");
        for (const core::Value& label : labels&& is_one_panel ? *labels : core::List{})
            if (label.string() && !known.insert(*label.string()).second)
                problems_.add(label.place, "the label '" + *label.string() + "' is listed twice", "labels that differ");
        if (!labels || labels->empty() || figure.find("columns") || labels->size() == count) return;
        problems_.add(entry->value.place, fmt::format("{} labels for {} series", labels->size(), count),
                      "one label for each series");
    }

    /// Reports expected verdicts that are not those of trained models, or that only those have.
    void check_scales() {
        for (const claim::Claim& claim : body_->claims)
            claim::check_scale(
                claim, [this](const std::string& name) { return is_trained(*body_, name); }, problems_);
    }

    void check_cost() {
        double total = 0;
        std::pair<core::Place, std::string> dearest;
        double most = 0;
        for (const Item& item : body_->items) {
            if (!item.prepared) continue;
            const double cost = item.prepared->cost();
            total += cost;
            if (cost > most) {
                most = cost;
                dearest = {item.place, item.name};
            }
        }
        for (const claim::Claim& claim : body_->claims) {
            double cost = 0;
            for (const formula::Node& condition : claim::valued_conditions(claim, {}))
                cost += quantity::operations(condition);
            total += cost;
            if (cost > most) {
                most = cost;
                dearest = {claim.place, claim.id};
            }
        }
        if (total <= most_operations) return;
        problems_.add(
            dearest.first,
            fmt::format("the study would take about {:.1e} operations, '{}' alone {:.1e}", total, dearest.second, most),
            fmt::format("at most {:.0e}, a day's work", most_operations));
    }

    std::unique_ptr<Study::Body> body_;
    const Options& options_;
    Problems problems_;
    Labels labels_;
};

}  // namespace

Study read(const Found& file, const Options& options) {
    core::Entries document = scheme::read_toml_file(file.file);
    return Study(Reader(std::move(document), core::sha256(core::read_file(file.file)), file, options).run());
}

Study read(core::Entries document, const Found& found, const Options& options) {
    std::string hash = core::sha256(canonical(document));
    return Study(Reader(std::move(document), std::move(hash), found, options).run());
}

}  // namespace farfield::study
