// What each kind takes: defaults, limits and messages, what it feeds to models and how much work it says it is.
#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

#include <farfield/core/error.hpp>
#include <farfield/core/keys.hpp>

#include "measure/measure_support.hpp"
#include "measure/seeds.hpp"

using namespace measure_support;
using Names = std::vector<std::string>;

namespace {

struct Read {
    std::unique_ptr<measure::Prepared> prepared;
    Names problems;  ///< "line:column: found; wanted"
};

Read read(const std::string& kind, const std::string& toml) {
    core::Problems problems;
    const measure::Kind& known = *measure::find_kind(kind);
    const core::Entries settings = scheme::read_toml(toml, "s.toml");
    core::check_keys(settings, {known.keys}, {}, problems);
    Read read{known.prepare(settings, problems), {}};
    for (const core::Diagnostic& each : problems.list())
        read.problems.push_back(std::to_string(each.place.line) + ":" + std::to_string(each.place.column) + ": " +
                                each.found + "; " + each.wanted);
    return read;
}

std::vector<std::size_t> lengths_of(const measure::Feed& feed) {
    std::vector<std::size_t> lengths;
    for (const measure::Feed::Length& length : feed.lengths) lengths.push_back(length.tokens);
    return lengths;
}

using Lengths = std::vector<std::size_t>;

Names names_of(const core::Result& result) {
    Names names;
    for (const auto& [name, cell] : result.values) names.push_back(name);
    return names;
}

measure::Subject urn_subject(std::size_t seeds = 1, const std::string& scheme = "alibi") {
    return subject_of(training_of(*scheme::Registry::builtin().find(scheme), train::make_urn(8, 1)), seeds);
}

core::Result outline(const std::string& kind, const std::string& toml, const measure::Subject& subject,
                     const measure::Subject* against = nullptr) {
    return read(kind, toml).prepared->outline({subject, against, 1, [] { return false; }});
}

}  // namespace

TEST_CASE("the catalogue lists the kinds with what they need") {
    struct Row {
        const char* name;
        bool needs_models;
        bool counts_threads;
        bool takes_checkpoints;
        bool needs_text;
    };
    const std::vector<Row> rows = {{"perplexity", true, false, true, false},
                                   {"gradient-field", true, false, true, false},
                                   {"attention-resolution", true, false, true, false},
                                   {"learned", true, false, false, false},
                                   {"loss-by-position", true, false, true, false},
                                   {"attention-sink", true, false, true, false},
                                   {"attention-by-distance", true, false, true, false},
                                   {"frequency-use", true, false, true, false},
                                   {"retrieval", true, false, true, true},
                                   {"timing", false, true, false, false}};
    CHECK(measure::kinds().size() == rows.size());
    for (const Row& row : rows) {
        INFO(row.name);
        const measure::Kind* kind = measure::find_kind(row.name);
        REQUIRE(kind);
        CHECK(kind->needs_models == row.needs_models);
        CHECK(kind->counts_threads == row.counts_threads);
        CHECK(kind->takes_checkpoints == row.takes_checkpoints);
        CHECK(kind->needs_text == row.needs_text);
    }
}

TEST_CASE("numbers beyond the limits of a key are refused, and the limits are not") {
    struct Row {
        const char* kind;
        const char* fine;
        const char* refused;
        const char* message;
    };
    const Row rows[] = {
        {"perplexity", "lengths = [1]\nsegments = 2", "lengths = [1]\nsegments = 1", "2:12: 'segments' is 1"},
        {"perplexity", "lengths = [1]\ntargets = 1", "lengths = [1]\ntargets = 0", "2:11: 'targets' is 0"},
        {"perplexity", "lengths = [1]\nwindow = 1\nprotocol = 'sliding-cache'",
         "lengths = [1]\nwindow = 0\nprotocol = 'sliding-cache'", "2:10: 'window' is 0"},
        {"gradient-field", "length = 1", "length = 0", "1:10: 'length' is 0"},
        {"gradient-field", "length = 1\ncontexts = 1", "length = 1\ncontexts = 0", "2:12: 'contexts' is 0"},
        {"gradient-field", "length = 1\nlayer = 1", "length = 1\nlayer = 0", "2:9: 'layer' is 0"},
        {"gradient-field", "length = 1\nthreshold = 0.01", "length = 1\nthreshold = 0", "2:13: 'threshold' is 0"},
        {"gradient-field", "length = 1\nthreshold = 0.99", "length = 1\nthreshold = 1", "2:13: 'threshold' is 1"},
        {"attention-resolution", "length = 2", "length = 1", "1:10: 'length' is 1"},
        {"attention-resolution", "length = 2\ncontexts = 1", "length = 2\ncontexts = 0", "2:12: 'contexts' is 0"},
        {"attention-sink", "length = 2\neps = 0.99", "length = 2\neps = 1", "2:7: 'eps' is 1"},
        {"attention-by-distance", "length = 2\nskip = 1", "length = 2\nskip = 2", "2:8: 'skip' is 2"},
        {"attention-by-distance", "length = 2\nskip = 0", "length = 2\nskip = -1", "2:8: 'skip' is -1"},
        {"frequency-use", "length = 2", "length = 1", "1:10: 'length' is 1"},
        {"retrieval", "lengths = [200]\ndigits = 9", "lengths = [200]\ndigits = 10", "2:10: 'digits' is 10"},
        {"retrieval", "lengths = [200]\ncontexts = 1", "lengths = [200]\ncontexts = 0", "2:12: 'contexts' is 0"},
        {"loss-by-position", "length = 1\nsegments = 1", "length = 1\nsegments = 0", "2:12: 'segments' is 0"},
        {"loss-by-position", "length = 1\nbin = 1", "length = 1\nbin = 0", "2:7: 'bin' is 0"},
        {"timing", "lengths = [1]\nrepeats = 1", "lengths = [1]\nrepeats = 0", "2:11: 'repeats' is 0"},
        {"timing", "lengths = [1]\nwindow = 1", "lengths = [1]\nwindow = 0", "2:10: 'window' is 0"},
    };
    for (const Row& row : rows) {
        INFO(row.kind << ": " << row.refused);
        const std::string of = "\nof = 't'";
        const Read fine = read(row.kind, row.fine + of);
        CHECK((fine.prepared && fine.problems.empty()));
        const Names problems = read(row.kind, row.refused + of).problems;
        REQUIRE(problems.size() == 1);
        CHECK(problems[0].starts_with(row.message));
    }
    for (const measure::Kind& kind : measure::kinds()) {
        INFO(kind.name);
        const Names problems = read(std::string(kind.name), "").problems;
        REQUIRE_FALSE(problems.empty());
        CHECK(problems[0].find("'of'") != std::string::npos);
    }
}

TEST_CASE("lengths are whole numbers from 1 to 2^30, each once") {
    for (const char* kind : {"perplexity", "timing", "retrieval"}) {
        const auto told = [&](const std::string& lengths) {
            const Read found = read(kind, "of = 't'\nlengths = " + lengths);
            CHECK((found.prepared != nullptr) == found.problems.empty());
            return found.problems;
        };
        CHECK(told("[1, 1073741824]").empty());
        CHECK(told("[]") == Names{"2:11: 'lengths' is empty; at least one length"});
        CHECK(told("[8, 0, 1073741825]") == Names{"2:15: a length is 0; a whole number from 1 to 2^30",
                                                  "2:18: a length is 1073741825; a whole number from 1 to 2^30"});
        CHECK(told("[1.5]") == Names{"2:12: a length is 1.5; a whole number from 1 to 2^30"});
        CHECK(told("['a']") == Names{"2:13: a length is a text; a whole number from 1 to 2^30"});
        CHECK(told("[8, 4, 8]") == Names{"2:18: the length 8 is listed twice; every length once"});
    }
    const auto targets = [](const std::string& more) {
        return read("perplexity", "of = 't'\nlengths = [9, 8, 7]\n" + more).problems;
    };
    CHECK(targets("targets = 7").empty());
    CHECK(targets("targets = 8") == Names{"3:11: 'targets' is 8; at most the smallest length, 7"});
    CHECK(targets("targets = 8\nprotocol = 'sliding-cache'").size() == 1);
    CHECK(targets("targets = 8\nprotocol = 'pieces'").size() == 1);
}

TEST_CASE("a kind feeds rows of its lengths, as many as its key says or its default") {
    struct Row {
        const char* kind;
        const char* toml;
        Lengths lengths;
        std::size_t rows;
        const char* key;
        std::size_t line;  ///< of the key
        double tokens;     ///< that pass through the models; a pass back counts as two
    };
    const Row rows[] = {
        {"perplexity", "lengths = [8, 20]", {8, 20}, 256, "segments", 0, 28 * 256},
        {"perplexity", "lengths = [8, 20]\nsegments = 3", {8, 20}, 3, "segments", 2, 28 * 3},
        // Pieces of 8 in rows of 20 leave one of 4, pieces of 6 one of 2, pieces of 10 none.
        {"perplexity",
         "lengths = [8, 20, 6, 10]\nprotocol = 'pieces'",
         {8, 20, 6, 10, 4, 2},
         256,
         "segments",
         0,
         44 * 256},
        {"gradient-field", "length = 8", {8}, 100, "contexts", 0, 3 * 8 * 100},
        {"gradient-field", "length = 8\ncontexts = 5", {8}, 5, "contexts", 2, 3 * 8 * 5},
        {"attention-resolution", "length = 8", {8}, 32, "contexts", 0, 8 * 32 * 2},
        {"attention-resolution", "length = 8\ncontexts = 5", {8}, 5, "contexts", 2, 8 * 5 * 2},
        {"attention-sink", "length = 8", {8}, 32, "contexts", 0, 8 * 32 * 2},
        {"attention-by-distance", "length = 8\ncontexts = 5", {8}, 5, "contexts", 2, 8 * 5 * 2},
        {"frequency-use", "length = 8", {8}, 32, "contexts", 0, 8 * 32 * 2},
        {"retrieval", "lengths = [200, 300]\ndepths = [0, 1]", {200, 300}, 4, "contexts", 0, 500 * 2 * 4},
        {"loss-by-position", "length = 8", {8}, 16, "segments", 0, 8 * 16},
        {"timing", "lengths = [8, 20]", {8, 20}, 1, "", 0, 3e3 * 20 * 2},
        {"timing", "lengths = [8, 20]\nrepeats = 7", {8, 20}, 1, "", 0, 3e3 * 7 * 2},
        {"learned", "", {}, 1, "", 0, 0},
    };
    for (const Row& row : rows) {
        INFO(row.kind << ": " << row.toml);
        const Read found = read(row.kind, row.toml + std::string("\nof = 't'"));
        REQUIRE(found.prepared);
        const measure::Feed feed = found.prepared->feed();
        CHECK(lengths_of(feed) == row.lengths);
        CHECK(feed.rows == row.rows);
        CHECK(feed.rows_key == row.key);
        CHECK(feed.rows_place.line == row.line);
        CHECK((feed.part == train::Part::training) == (std::string(row.kind) == "timing"));
        for (const measure::Feed::Length& length : feed.lengths) CHECK(length.place.line == 1);
        // A pass that takes an operation for each token.
        CHECK(found.prepared->operations([](std::size_t tokens) { return static_cast<double>(tokens); }) == row.tokens);
    }
}

TEST_CASE("what needs a causal scheme says so") {
    const auto scheme = scheme_of("causal = false\nbias = '-n'\n");
    const auto told = [&](const std::string& kind, const std::string& toml, const scheme::Scheme& of) {
        core::Problems problems;
        read(kind, "of = 't'\n" + toml).prepared->check(of, problems);
        Names found;
        for (const core::Diagnostic& each : problems.list())
            found.push_back(std::to_string(each.place.line) + ": " + each.found + "; " + each.wanted);
        return found;
    };
    const scheme::Scheme& causal = *scheme::Registry::builtin().find("alibi");
    for (const char* protocol : {"last-token", "pieces"})
        CHECK(told("perplexity", std::string("lengths = [8]\nprotocol = '") + protocol + "'", scheme).empty());
    CHECK(told("perplexity", "lengths = [8]\nprotocol = 'sliding-cache'", scheme) ==
          Names{"3: 'sliding-cache' with the scheme 'own', which is not causal; a causal scheme, or another protocol"});
    CHECK(told("perplexity", "lengths = [8]\nprotocol = 'sliding-cache'", causal).empty());
    CHECK(told("timing", "lengths = [8]\nwindow = 4", scheme) ==
          Names{"3: a sliding cache with the scheme 'own', which is not causal; a causal scheme, or no 'window'"});
    CHECK(told("timing", "lengths = [8]", scheme).empty());
    CHECK(told("timing", "lengths = [8]\nwindow = 4", causal).empty());
    // In causal attention alone, the first query attends to the first key with 1, and the mean of 8 is at least 1/8.
    CHECK(told("attention-sink", "length = 8\neps = 0.1", causal) ==
          Names{"3: 'eps' is 0.1, below 1/length: the mean attention of every head is above it; 1/8 or more"});
    CHECK(told("attention-sink", "length = 8\neps = 0.125", causal).empty());
    CHECK(told("attention-sink", "length = 8\neps = 0.1", scheme).empty());
    CHECK(told("learned", "", causal) ==
          Names{"1: a training of the scheme 'alibi', which learns nothing; a training of "
                "a scheme with 'learn'"});
    CHECK(told("learned", "", *scheme::Registry::builtin().find("kerple-log")).empty());
}

TEST_CASE("each kind's values have these names, before the training and after it") {
    const auto two = urn_subject(2);
    const Names perplexity = {
        "nll[8]",           "nll_sd[8]",        "nll[8,seed=0]",  "nll[8,seed=1]",  "ppl[8]",         "ppl_sd[8]",
        "ppl[8,seed=0]",    "ppl[8,seed=1]",    "nll[12]",        "nll_sd[12]",     "nll[12,seed=0]", "nll[12,seed=1]",
        "ppl[12]",          "ppl_sd[12]",       "ppl[12,seed=0]", "ppl[12,seed=1]", "delta[12]",      "delta_sd[12]",
        "delta[12,seed=0]", "delta[12,seed=1]", "delta_se[12]",   "optimal[8]",     "optimal[12]"};
    const std::string lengths = "lengths = [8, 12]\nsegments = 2\n";
    CHECK(names_of(measured("perplexity", lengths, two)) == perplexity);
    Names columns;
    const core::Result result = measured("perplexity", lengths, two);
    for (const core::Column& column : result.series->columns) columns.push_back(column.name);
    CHECK(columns == Names{"length", "ppl", "ppl_sd", "nll", "nll_sd", "delta", "delta_sd", "delta_se", "optimal"});
    // A row for each length, with the values of that length; the first has no delta.
    REQUIRE(result.series->variables == 1);
    for (std::size_t at = 0; at < 2; ++at) {
        const std::string length = at == 0 ? "8" : "12";
        CHECK(result.series->find("length")->values[at] == std::stod(length));
        for (std::size_t i = 1; i < columns.size(); ++i) {
            const core::Column& column = result.series->columns[i];
            REQUIRE(column.values.size() == 2);
            const bool is_there = at > 0 || !column.name.starts_with("delta");
            CHECK(column.values[at] == (is_there ? value(result, column.name + "[" + length + "]") : 0));
        }
    }
    REQUIRE(result.series->find("length")->values.size() == 2);
    const std::string field = "length = 8\ncontexts = 2\n";
    const Names fields = {"erf",    "erf_sd",   "erf[seed=0]",   "erf[seed=1]",   "censored",
                          "share",  "share_sd", "share[seed=0]", "share[seed=1]", "erf_lo",
                          "erf_hi", "share_lo", "share_hi"};
    CHECK(names_of(measured("gradient-field", field, two)) == fields);
    CHECK(names_of(outline("gradient-field", field, two)) == fields);
    const Names resolutions = {"R",
                               "R_sd",
                               "R[seed=0]",
                               "R[seed=1]",
                               "R[layer=1]",
                               "R[layer=1,head=1]",
                               "R[layer=1,head=2]",
                               "R[layer=2]",
                               "R[layer=2,head=1]",
                               "R[layer=2,head=2]"};
    CHECK(names_of(measured("attention-resolution", field, two)) == resolutions);
    CHECK(names_of(outline("attention-resolution", field, two)) == resolutions);
    const auto learning = urn_subject(1, "kerple-log");
    const Names learned = {"r1[h=1]", "r1[h=1,seed=0]", "r1[h=2]", "r1[h=2,seed=0]",
                           "r2[h=1]", "r2[h=1,seed=0]", "r2[h=2]", "r2[h=2,seed=0]"};
    CHECK(names_of(measured("learned", "", learning)) == learned);
    CHECK(names_of(outline("learned", "", learning)) == learned);
    const auto timed = [&](const std::string& toml, const measure::Subject* against) {
        const std::string all = "lengths = [8]\nrepeats = 2\n" + toml;
        Names found = names_of(measured("timing", all, two, against));
        Names early = names_of(outline("timing", all, two, against));
        std::sort(early.begin(), early.end());
        Names sorted = found;
        std::sort(sorted.begin(), sorted.end());
        if (!against)
            sorted.insert(std::lower_bound(sorted.begin(), sorted.end(), "against_bytes[8]"), "against_bytes[8]");
        CHECK(early == sorted);
        return found;
    };
    const Names alone = {"step[8]", "step_lo[8]", "step_hi[8]", "bytes[8]", "peak[8]"};
    CHECK(timed("", nullptr) == alone);
    Names both = alone;
    for (const char* each :
         {"against[8]", "against_lo[8]", "against_hi[8]", "ratio[8]", "ratio_lo[8]", "ratio_hi[8]", "against_bytes[8]"})
        both.emplace_back(each);
    CHECK(timed("", &two) == both);
    Names tokens = alone;
    for (const char* each :
         {"token[8]", "token_lo[8]", "token_hi[8]", "full_token[8]", "full_token_lo[8]", "full_token_hi[8]"})
        tokens.emplace_back(each);
    CHECK(timed("window = 4\n", nullptr) == tokens);
    CHECK(names_of(measured("timing", "lengths = [1]\nwindow = 1\nrepeats = 1\n", two)).size() == 11);
}

TEST_CASE("notes say what was measured") {
    const auto one = urn_subject();
    const auto note = [&](const std::string& kind, const std::string& toml, const measure::Subject* against = nullptr) {
        return measured(kind, toml, one, against).notes.at(0);
    };
    using Note = std::pair<std::string, std::string>;
    const std::string lengths = "lengths = [8]\nsegments = 3\ntargets = 2\n";
    CHECK(note("perplexity", lengths) ==
          Note{"protocol",
               "the last 2 tokens of 3 held-out segments, with the L tokens up to each segment's end as context"});
    CHECK(
        note("perplexity", lengths + "protocol = 'sliding-cache'") ==
        Note{
            "protocol",
            "the last 2 tokens of 3 held-out segments, by keys and values of the last w tokens as they were computed"});
    CHECK(note("perplexity", "lengths = [8]\nsegments = 3\nprotocol = 'pieces'") ==
          Note{"protocol", "3 held-out segments cut into pieces of L, every token scored"});
    CHECK(note("gradient-field", "length = 8\ncontexts = 2\nthreshold = 0.5") ==
          Note{"threshold", "erf is the smallest count of the most recent tokens whose c is above 0.500000"});
    CHECK(note("attention-resolution", "length = 8\ncontexts = 2") ==
          Note{"order",
               "s[n] is the mean over texts and visible pairs at distance n, for each head; R of each head by Eq. (4) "
               "with "
               "sums over n = 0..6; then the mean over heads, layers and seeds"});
    CHECK(note("attention-by-distance", "length = 8\ncontexts = 2") ==
          Note{"order",
               "p[n] is the mean over texts, layers, heads and queries with a key at distance n; c[n] is the attention "
               "up to distance n of the queries from 4 on"});
    CHECK(note("timing", "lengths = [8]\nrepeats = 3") ==
          Note{"method", "median and quartiles of 3 training steps on 2 threads, after one that is not counted"});
    CHECK(note("timing", "lengths = [8]\nrepeats = 3", &one) ==
          Note{"method",
               "median and quartiles of 3 training steps on 2 threads, after one that is not counted, in turn "
               "with those of 'subject'; ratio is that of two neighbours"});
}

TEST_CASE("the default threshold of the field is 0.99, the window of the cache the training length") {
    const auto one = urn_subject();
    const auto field = measured("gradient-field", "length = 20\ncontexts = 2\n", one);
    const auto stated = measured("gradient-field", "length = 20\ncontexts = 2\nthreshold = 0.99\n", one);
    CHECK(value(field, "erf") == value(stated, "erf"));
    CHECK(field.notes[0] == stated.notes[0]);
    const std::string cached = "lengths = [8, 40]\nsegments = 3\ntargets = 2\nprotocol = 'sliding-cache'\n";
    const auto unstated = measured("perplexity", cached, one);
    CHECK(value(unstated, "nll[40]") == value(measured("perplexity", cached + "window = 16\n", one), "nll[40]"));
    CHECK(value(unstated, "nll[40]") != value(measured("perplexity", cached + "window = 15\n", one), "nll[40]"));
}

TEST_CASE("rows longer than a pass are measured as short ones are, each segment by itself") {
    // 8192 tokens go through at a time: 4 rows of 2000, 3 of 2500, and of the 5 segments the last pass has fewer.
    auto training = training_of(*scheme::Registry::builtin().find("nope"), train::make_urn(8, 1));
    training.config.layers = 1;
    training.config.heads = 1;
    training.config.width = 2;
    const auto subject = subject_of(training, 2);
    const auto many = measured("perplexity", "lengths = [2500, 2000]\nsegments = 5\ntargets = 3\n", subject);
    for (std::size_t seed = 0; seed < 2; ++seed) {
        for (const std::size_t length : {2000, 2500}) {
            double expected = 0;
            model::Workspace<float> workspace;
            std::vector<float> logits(8);
            for (std::size_t s = 0; s < 5; ++s) {
                const train::Row row = training.source->held_out(s, 5, 2500);
                const std::span<const train::Token> tokens = row.tokens;
                for (const std::size_t t : {2497, 2498, 2499}) {
                    subject.models[seed]->last_logits(tokens.subspan(2500 - length, t + 1 - (2500 - length)), workspace,
                                                      logits);
                    double sum = 0;
                    for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
                    expected += (std::log(sum) - logits[static_cast<std::size_t>(row.tokens[t + 1])]) / 15;
                }
            }
            const std::string name = "nll[" + std::to_string(length) + ",seed=" + std::to_string(seed) + "]";
            CHECK(std::abs(value(many, name) - expected) < 1e-5);
        }
    }
}

TEST_CASE("a bound of pieces has the context of each piece, one of the last tokens that of the row's end") {
    // The urn's best loss of a target depends on how many tokens are before it in its context alone, on average; of a
    // row it is read from the source itself.
    const auto subject = urn_subject();
    const train::Source& source = subject.source();
    const auto best = [&](std::size_t length, std::size_t longest, std::size_t targets, bool pieces) {
        double sum = 0, count = 0;
        for (std::size_t s = 0; s < 3; ++s) {
            const train::Row row = source.held_out(s, 3, longest);
            const std::span<const train::Token> tokens = row.tokens;
            for (std::size_t t = pieces ? 0 : longest - targets; t < longest; ++t) {
                const std::size_t from = pieces ? t / length * length : longest - length;
                sum += *source.optimal_nll(tokens.subspan(from, t + 1 - from), row.tokens[t + 1]);
                count += 1;
            }
        }
        return sum / count;
    };
    const std::string lengths = "lengths = [8, 20]\nsegments = 3\n";
    const auto last = measured("perplexity", lengths + "targets = 2\n", subject);
    const auto pieces = measured("perplexity", lengths + "protocol = 'pieces'\n", subject);
    for (const std::size_t length : {8, 20}) {
        const std::string name = "optimal[" + std::to_string(length) + "]";
        CHECK(value(last, name) == Approx(best(length, 20, 2, false)).epsilon(1e-14));
        CHECK(value(pieces, name) == Approx(best(length, 20, 0, true)).epsilon(1e-14));
    }
    // Nobody knows the best prediction of a text.
    const auto text = train::make_text({std::string(4000, 'a')}, {}, {0.5, false, 100, {}});
    CHECK_FALSE(
        measured("perplexity", lengths, subject_of(training_of(*scheme::Registry::builtin().find("alibi"), text)))
            .find("optimal[8]"));
}

TEST_CASE("a bootstrap's ends hold the value, and are the value where all contexts are alike") {
    const auto text = train::make_text({std::string(4000, 'a')}, {}, {0.5, false, 100, {}});
    const auto alike = measured("gradient-field", "length = 12\ncontexts = 4\nthreshold = 0.4\n",
                                subject_of(training_of(*scheme::Registry::builtin().find("alibi"), text)));
    for (const char* end : {"erf_lo", "erf_hi"}) CHECK(value(alike, end) == value(alike, "erf"));
    for (const char* end : {"share_lo", "share_hi"})
        CHECK(value(alike, end) == Approx(value(alike, "share")).epsilon(1e-12));
    // Of different contexts the ends differ, and the middle 95 % of a thousand means are inside the extremes.
    const auto varied = measured("gradient-field", "length = 40\ncontexts = 8\n", urn_subject(1, "nope"));
    CHECK(value(varied, "share_lo") < value(varied, "share"));
    CHECK(value(varied, "share") < value(varied, "share_hi"));
}

TEST_CASE("memory that no machine has is missing, said with what needs it") {
    const auto one = urn_subject();
    const auto told = [&](const std::string& kind, const std::string& toml) -> std::string {
        try {
            read(kind, "of = 't'\n" + toml).prepared->require_memory({one, nullptr, 1, [] { return false; }});
        } catch (const core::MissingError& error) {
            return error.what();
        }
        return "";
    };
    // Attention of 2^24 tokens takes 2^48 floats, a petabyte.
    CHECK(told("perplexity", "lengths = [8]").empty());
    CHECK(told("gradient-field", "length = 8").empty());
    CHECK(told("attention-resolution", "length = 8").empty());
    CHECK_THAT(told("perplexity", "lengths = [8]\nsegments = 100000000000000\n"),
               Catch::Contains("100000000000000 segments of 'subject' at length 8") && Catch::Contains("tokens"));
    CHECK_THAT(told("gradient-field", "length = 8\ncontexts = 100000000000000\n"),
               Catch::Contains("gradients of 'subject' at length 8") && Catch::Contains("shares of the contexts"));
    CHECK_THAT(told("attention-resolution", "length = 16777216\n"),
               Catch::Contains("attention of 'subject' at length 16777216") && Catch::Contains("attention matrices"));
}

TEST_CASE("values over seeds are their mean, deviation and each") {
    const measure::Alive models{{3, 8}, {nullptr, nullptr}};
    core::Result result;
    measure::set_over_seeds(result, "v", "", models, std::vector<double>{1, 4});
    measure::set_over_seeds(result, "v", "i", models, std::vector<double>{1, 4});
    CHECK(names_of(result) ==
          Names{"v", "v_sd", "v[seed=3]", "v[seed=8]", "v[i]", "v_sd[i]", "v[i,seed=3]", "v[i,seed=8]"});
    CHECK(value(result, "v") == 2.5);
    CHECK(value(result, "v_sd") == std::sqrt(4.5));
    CHECK(value(result, "v[seed=8]") == 4);
    core::Result alone;
    measure::set_over_seeds(alone, "v", "", {{3}, {nullptr}}, std::vector<double>{1});
    CHECK(names_of(alone) == Names{"v", "v[seed=3]"});
}

TEST_CASE("numbers that are not finite stand for a model that overflows") {
    const auto one = urn_subject();
    for (const double bad : {std::numeric_limits<double>::infinity(), std::nan("")})
        CHECK_THROWS_WITH(measure::require_finite(std::vector<double>{0, bad}, one, 7),
                          Catch::Contains("measuring 'subject' at length 7") && Catch::Contains("overflow"));
    CHECK_NOTHROW(measure::require_finite(std::vector<double>{0, 1e308}, one, 7));
}
