#include "study/check_training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <farfield/core/error.hpp>
#include <farfield/model/check.hpp>
#include <farfield/scheme/pieces.hpp>

namespace farfield::study {

namespace {

std::string found_text(const train::Training& training, const model::PieceError& error) {
    return fmt::format("'{}' of scheme '{}' is {}", error.piece(), training.scheme.name, error.value());
}

/// The place of a piece in the study; for a piece from elsewhere, the key `scheme` of the training.
core::Place place_of(const TrainItem& item, const std::string& name) {
    const bool is_condition = name.ends_with(".when");
    const std::string piece_name = is_condition ? name.substr(0, name.size() - 5) : name;
    for (const scheme::NamedPiece& each : scheme::pieces_of(item.training.scheme)) {
        const core::Place& place = is_condition ? each.piece->when_source.at : each.piece->source.at;
        if (each.name == piece_name && place.line != 0 && place.file == item.training.place.file) return place;
    }
    const core::Entry* scheme = item.settings.find("scheme");
    return scheme ? scheme->value.place : item.training.place;
}

/// Why a corpus has no row of a length; nothing if it has one.
std::optional<core::Diagnostic> find_no_row(const train::Source& source, train::Part part, std::size_t length) {
    const char* const use = part == train::Part::training ? "to train on" : "held out";
    if (length < source.shortest_row())
        return core::Diagnostic{{},
                                fmt::format("a length of {}", length),
                                fmt::format("at least {}, the shortest row of its corpus", source.shortest_row()),
                                {}};
    if (source.rows(part, length) > 0) return std::nullopt;
    const std::size_t longest = source.longest_row(part);
    if (longest == 0)
        return core::Diagnostic{{}, fmt::format("a length of {}, and no text {}", length, use), "a longer corpus", {}};
    return core::Diagnostic{
        {},
        fmt::format("a length of {}, and the longest text {} has {} tokens", length, use, longest + 1),
        fmt::format("at most {}", longest),
        "A row of length L takes L + 1 tokens. 'held_out', 'split' and 'block' of [corpus.NAME] say what is held out."};
}

/// `training` is that of the item, with its data.
void check_training(const TrainItem& item, const train::Training& training, core::Problems& problems) {
    const std::size_t length = training.config.train_length;
    try {
        model::check_scheme(training.config, training.scheme, length, model::Formulas::all);
    } catch (const model::PieceError& error) {
        problems.add(place_of(item, error.piece()), found_text(training, error), error.wanted(),
                     fmt::format("The training '{}' needs it at length {}.", item.name, length));
    }
    if (item.checkpoint) return;
    if (auto lack = find_no_row(*training.source, train::Part::training, length)) {
        const core::Entry* entry = item.settings.find("length");
        lack->place = entry ? entry->value.place : training.place;
        problems.add(std::move(*lack));
    }
}

}  // namespace

void check_chain(const Study::Body& body, const TrainItem& item, Models& models, std::set<std::string>& checked,
                 core::Problems& problems) {
    for (const TrainItem* each = &item; each; each = body.trainings.find(each->start))
        if (checked.insert(each->name).second) check_training(*each, models.training(each->name), problems);
}

void check_rows(const Item& item, const TrainItem& of, const train::Training& training, core::Problems& problems) {
    const measure::Feed feed = item.measured->feed();
    if (!training.source->is_divisible()) {
        for (const measure::Feed::Choice& choice : feed.choices)
            problems.add(choice.place,
                         fmt::format("'{}' of '{}', whose rows state which tokens are scored", choice.by, of.name),
                         "a text, or a process without such rows (urn, chain)");
    }
    const measure::Feed::Length* longest = nullptr;
    for (const measure::Feed::Length& length : feed.lengths) {
        if (!longest || length.tokens > longest->tokens) longest = &length;
        auto lack = find_no_row(*training.source, feed.part, length.tokens);
        if (!lack) continue;
        lack->place = length.place;
        lack->found = fmt::format("'{}' asks '{}' for {}", item.name, of.name, lack->found);
        problems.add(std::move(*lack));
    }
    const std::size_t count = longest ? training.source->rows(feed.part, longest->tokens) : train::Source::unlimited;
    if (count == 0 || count >= feed.rows) return;
    problems.add(feed.rows_place.line != 0 ? feed.rows_place : longest->place,
                 fmt::format("'{}' asks '{}' for {} {} of length {}, and {} are held out", item.name, of.name,
                             feed.rows, feed.rows_key, longest->tokens, count),
                 fmt::format("'{}' of at most {}", feed.rows_key, count),
                 "A longer text, a smaller length, or another 'held_out', 'split' or 'block' of [corpus.NAME].");
}

std::optional<core::Diagnostic> find_bad_length(const Item& item, const train::Training& training) {
    for (const measure::Feed::Length& length : item.measured->feed().lengths) {
        try {
            model::check_scheme(training.config, training.scheme, length.tokens, model::Formulas::fixed);
        } catch (const model::PieceError& error) {
            return core::Diagnostic{
                length.place,
                fmt::format("a length of {}, at which {}", length.tokens, found_text(training, error)),
                error.wanted(),
                {}};
        }
    }
    return std::nullopt;
}

void require_memory(const Item& item, Models& models, const Options& options) {
    const std::string& name = item.trainings.front();
    models.require_memory(name, item.measured->feed());
    const measure::Subject untrained = models.subject(name);
    try {
        item.measured->require_memory({untrained, nullptr, options.processors, options.interrupted});
    } catch (const core::PreconditionError&) {  // the training reports it, with its place
    }
}

}  // namespace farfield::study
