#include "study/items.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "numerics/parallel.hpp"

namespace farfield::study {

namespace {

using core::Entries;
using core::Entry;
using core::Problems;

/// The quantities of a study by name.
struct Names {
    std::vector<std::string> declared;  ///< as they are in the file
    std::vector<std::string> order;     ///< with sweeps written out
    std::set<std::string> names;        ///< of `order`
};

/// Reads one item after the other. Each thread has its own.
class ItemReader {
public:
    ItemReader(const Names& all, const Study::Body& body, const Options& options)
        : all_(all), known_(all.declared), body_(body), options_(options) {}

    /// Problems are added to `problems`.
    Item read_item(Expanded&& expanded, Problems& problems) {
        Item item;
        item.name = expanded.name;
        item.base = expanded.base;
        item.settings = std::move(expanded.settings);
        item.place = expanded.place;
        const Entry* entry = item.settings.find("kind");
        item.kind = core::read_text(item.settings, "kind").value_or("");
        const quantity::Kind* kind = quantity::find_kind(item.kind);
        const measure::Kind* trained = measure::find_kind(item.kind);
        item.label = core::read_text(item.settings, "label").value_or("");
        Problems of_keys;
        if (kind || trained) core::check_keys(item.settings, quantity_tables(item.settings), item.place, of_keys);
        problems.add(of_keys);
        // A kind checks the meaning of its keys only if all keys are present with the right types.
        if (kind) {
            if (of_keys.empty()) prepare(*kind, item, problems);
        } else if (trained) {
            if (of_keys.empty()) prepare(*trained, item, problems);
        } else if (entry && entry->value.string()) {
            problems.add(entry->value.place, "unknown kind '" + item.kind + "'", "",
                         core::known_here(item.kind, kind_names()));
        } else {
            core::check_keys(Entries{}, {quantity_keys()}, item.place, problems);
        }
        // No result depends on the label.
        std::erase_if(item.settings.list, [](const Entry& each) { return each.key == "label"; });
        return item;
    }

private:
    /// Notes which of the selection's keys the item depends on.
    static void note_keys(const quantity::Kind& kind, const quantity::Declaration& declaration, Item& item) {
        for (const core::Key& key : quantity::scheme_selection_keys()) {
            const bool is_named = key.name == "scheme" || key.name == "formula";
            if (is_named || has_key(kind.keys, key.name) || quantity::depends_on(declaration, key.name))
                item.used_keys.push_back(key.name);
        }
        for (const scheme::ContextKey& row : scheme::context_keys())
            if (!has_key(kind.keys, row.key) && !quantity::depends_on(declaration, row.key))
                item.idle_keys.push_back(row.key);
    }

    static std::vector<std::string> kind_names() {
        std::vector<std::string> names;
        for (const quantity::Kind& kind : quantity::kinds()) names.emplace_back(kind.name);
        for (const measure::Kind& kind : measure::kinds()) names.emplace_back(kind.name);
        return names;
    }

    void prepare(const quantity::Kind& kind, Item& item, Problems& problems) {
        // Moved in for the call, because a copy for each of many items would take long.
        quantity::Declaration declaration{item.name,         item.place,   item.settings, body_.schemes,
                                          std::move(known_), body_.folder, all_.order};
        const std::size_t declared = declaration.known.size();
        for (const char* key : {"of", "a", "b"}) {
            const auto name = core::read_text(item.settings, key);
            if (name && all_.names.contains(*name)) declaration.known.push_back(*name);
        }
        try {
            item.prepared = quantity::prepare(kind, declaration, problems);
            if (item.prepared) note_keys(kind, declaration, item);
        } catch (const core::UserError& error) {
            problems.add(error);
        }
        known_ = std::move(declaration.known);
        known_.resize(declared);
        if (item.prepared) item.needs = item.prepared->needs();
    }

    void prepare(const measure::Kind& kind, Item& item, Problems& problems) const {
        for (const char* key : {"of", "against"}) find_training(item, key, problems);
        const Entry* against = item.settings.find("against");
        if (against && core::read_text(item.settings, "against") == core::read_text(item.settings, "of"))
            problems.add(against->value.place, "a comparison of a training with itself", "another training");
        item.measured = kind.prepare(item.settings, problems);
        for (const std::string& name : item.trainings) {
            const TrainItem* training = body_.trainings.find(name);
            if (!item.measured || !training) continue;
            item.measured->check(training->training.scheme, problems);
            if (!training->checkpoint) item.measured->check_shape(training->training.config, problems);
            if (kind.needs_text && train::is_process(training->corpus.builtin))
                problems.add(item.settings.find("of")->value.place,
                             fmt::format("the corpus of '{}' is the process '{}'", name, training->corpus.builtin),
                             fmt::format("a corpus that is a text, for the kind {}", kind.name));
            if (!training->checkpoint) continue;
            if (!kind.takes_checkpoints)
                problems.add(item.settings.find("of")->value.place, fmt::format("'{}' is a checkpoint", name),
                             fmt::format("a [train.NAME], for the kind {}", kind.name));
        }
        item.needs_models = kind.needs_models;
        item.counts_threads = kind.counts_threads;
        if (options_.train || (body_.found.named && !options_.recorded)) return;
        const TrainItem* of = item.trainings.empty() ? nullptr : body_.trainings.find(item.trainings.front());
        item.waits_for =
            fmt::format("{}, which --train asks for: '{}' is of kind {}",
                        of && of->checkpoint ? "measuring a checkpoint" : "training", item.name, item.kind);
    }

    void find_training(Item& item, const char* key, Problems& problems) const {
        const Entry* entry = item.settings.find(key);
        const std::string* name = entry ? entry->value.string() : nullptr;
        if (!name) return;
        item.trainings.push_back(*name);
        const TrainItem* found = body_.trainings.find(*name);
        if (found) return check_lengths(item, *found, problems);
        std::vector<std::string> known;
        for (const TrainItem& each : body_.trainings.items) known.push_back(each.name);
        problems.add(entry->value.place, "unknown training '" + *name + "'",
                     known.empty() ? "a [train.NAME] or [checkpoint.NAME] of the study; it has none" : "",
                     known.empty() ? "" : core::known_here(*name, known));
    }

    /// A learned embedding has a largest length.
    static void check_lengths(const Item& item, const TrainItem& training, Problems& problems) {
        const auto& embed = training.training.scheme.embed;
        if (!embed || !embed->learned) return;
        const auto check = [&](const core::Value& value) {
            if (!(value.number() > static_cast<double>(embed->max_length))) return;
            problems.add(value.place,
                         fmt::format("a length of {} for '{}', whose learned embedding has {} positions", value.text,
                                     training.training.scheme.name, embed->max_length),
                         fmt::format("at most {}", embed->max_length));
        };
        if (const Entry* length = item.settings.find("length")) check(length->value);
        const Entry* lengths = item.settings.find("lengths");
        if (!lengths || !lengths->value.list()) return;
        for (const core::Value& value : *lengths->value.list()) check(value);
    }

    const Names& all_;
    std::vector<std::string> known_;  ///< names that `of` may give
    const Study::Body& body_;
    const Options& options_;
};

constexpr std::size_t items_at_once = 64;

}  // namespace

std::vector<Item> read_items(std::vector<Expanded> expanded, const Study::Body& body, const Options& options,
                             Problems& problems) {
    Names all;
    for (const Entry& item : table_under(body.document, "quantity").list) all.declared.push_back(item.key);
    for (const Expanded& each : expanded) all.order.push_back(each.name);
    all.names = {all.order.begin(), all.order.end()};
    const numerics::Team team(expanded.size() <= items_at_once ? 1 : numerics::loop_threads());
    std::vector<ItemReader> readers(team.threads(), ItemReader(all, body, options));
    std::vector<Item> items(expanded.size());
    std::vector<Problems> found((expanded.size() + items_at_once - 1) / items_at_once);
    team.run(found.size(), [&](std::size_t part, std::size_t slot) {
        const std::size_t end = std::min(expanded.size(), (part + 1) * items_at_once);
        for (std::size_t i = part * items_at_once; i < end; ++i)
            items[i] = readers[slot].read_item(std::move(expanded[i]), found[part]);
    });
    for (const Problems& each : found) problems.add(each);
    return items;
}

}  // namespace farfield::study
