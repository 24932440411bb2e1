// What a run found, as the reports read it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/core/place.hpp>
#include <farfield/core/table.hpp>

namespace farfield::core {

/// The verdict of a reading or a claim (docs/verdicts.md). `missing` and `skipped` mean that there is no verdict.
enum class Verdict {
    confirmed,
    refuted,
    undecided,
    depends,     ///< of a claim: one reading is confirmed, another refuted
    consistent,  ///< a condition holds that covers only a part of the claim
    reproduced,  ///< `confirmed`, `refuted`, `undecided` and `depends` where trained models decide, in this order
    not_reproduced,
    inconclusive,
    mixed,
    missing,
    skipped
};

inline constexpr std::size_t verdict_count = static_cast<std::size_t>(Verdict::skipped) + 1;

std::string_view verdict_name(Verdict verdict);
/// What the verdict means, in a sentence.
std::string_view verdict_meaning(Verdict verdict);
std::optional<Verdict> find_verdict(std::string_view name);

/// Whether there is a verdict: neither missing nor skipped.
bool is_verdict(Verdict verdict);

/// Whether the verdict is favourable to the claim: confirmed, consistent or reproduced.
bool is_favourable(Verdict verdict);

/// The name of the verdict for claims about trained models: confirmed becomes reproduced, and so on.
Verdict at_scale(Verdict verdict);
/// The inverse.
Verdict without_scale(Verdict verdict);

/// The range of values of a threshold in `given` for which the verdict of a reading stays the same. It is proved that
/// the verdict is the same from `from` to `to`. At `below` and `above`, the next decimals of four digits, the verdict
/// differs. `below` or `above` is empty if the verdict does not change down to 0 or up to a million times the
/// threshold, or if no change was found next to the proved range.
struct BreakEven {
    std::string name;
    std::string given;  ///< the threshold, a decimal
    std::string from;
    std::string to;
    std::string below;
    std::string above;
    Verdict verdict_below = Verdict::undecided;
    Verdict verdict_above = Verdict::undecided;
    bool is_least = false;   ///< `from` is 0, the least value that is asked for
    bool is_most = false;    ///< `to` is the largest value that is asked for
    bool sensitive = false;  ///< the verdict changes within a quarter of the threshold
};

/// The result of one reading of a claim.
struct ReadingRecord {
    std::string name;     ///< as the study calls it
    std::string holds;    ///< the condition as written
    std::string because;  ///< the reason of a threshold that the source does not give
    bool extra = false;   ///< shown, not counted
    Verdict verdict = Verdict::undecided;
    std::optional<Verdict> expected;  ///< the verdict on record
    bool certified = false;           ///< decided by rigorous arithmetic alone (docs/verdicts.md)
    std::string explain;              ///< the numbers the verdict rests on: "fit.a = -0.83240, printed -0.825"
    std::vector<std::pair<std::string, std::string>> given = {};  ///< thresholds in the condition: names and decimals
    bool covers_part = false;                ///< the condition follows from the claim, and not the claim from it
    bool by_definition = false;              ///< decided, and nothing was computed for it (docs/verdicts.md)
    std::vector<BreakEven> break_even = {};  ///< for each threshold in the condition that has one

    bool as_expected() const;
    /// Whether the verdict changes within a quarter of a threshold.
    bool is_sensitive() const;
    /// "confirmed for snug from 0 to 0.9771, refuted at 0.9772", for a threshold of `break_even`.
    std::string text_of(const BreakEven& threshold) const;
};

/// The result of a claim.
struct ClaimRecord {
    std::string id;       ///< unique over a run
    std::string says;     ///< the claim in words
    std::string source;   ///< the page, section or equation of the source
    std::string comment;  ///< a note on the verdict; may be empty
    Place place;          ///< of its verdict on record in the study, else of its heading
    Verdict verdict = Verdict::undecided;
    std::optional<Verdict> expected;  ///< the verdict on record
    bool certified = false;           ///< whether every counted reading is
    std::string scale;                ///< of the trained models that decide: "4 layers, width 64, 3 seeds"; or empty
    std::vector<ReadingRecord> readings;  ///< the ways in which it can be meant
    std::vector<std::string> uses;        ///< names of the quantities its conditions mention

    /// Whether all counted readings are certified or decided by definition, and at least one by definition. Such a
    /// claim is not certified.
    bool is_by_definition() const;
    /// Whether a counted reading is sensitive.
    bool is_sensitive() const;
    /// What would give the claim another verdict.
    std::string would_change() const;

    /// Whether the verdicts of the claim and of its readings equal those on record. A missing or skipped claim or
    /// reading has no verdict and does not count.
    bool as_expected() const;

    /// Whether the claim was judged and the study states no verdict to expect.
    bool is_unstated() const;

    /// Whether the claim makes a check fail: its verdict differs from the record, or there is no recorded verdict and
    /// the verdict is not favourable.
    bool fails() const;
};

/// A figure as declared; the report draws it from the series of the results.
struct FigureRecord {
    std::string name;
    std::string title;
    std::string source;
    Entries settings;  ///< the figure's keys as the study gives them (report/figure.hpp has their table)
};

/// A formula of a study for its report, as text and as MathML.
struct FormulaRecord {
    std::string where;  ///< "scheme.alibi.bias"
    std::string text;
    std::string mathml;
};

/// A quantity or a claim that failed while the study ran, or that needs a quantity that did.
struct FailureRecord {
    std::string name;  ///< "fit", "claim SA-31"
    std::vector<Diagnostic> diagnostics;

    std::string text() const;  ///< the diagnostics as the user reads them
};

/// The results of a study.
struct StudyRecord {
    std::string study;   ///< its name: "chi-2023/fig9"
    std::string file;    ///< as the user named it
    std::string title;   ///< as it gives it, or its name
    std::string source;  ///< the paper it checks
    std::string doc;
    std::string device = "cpu";                                ///< what formulas were evaluated on
    double seconds = 0;                                        ///< of the whole run
    double training_seconds = 0;                               ///< of these, what trainings took
    bool interrupted = false;                                  ///< not everything was computed
    std::string lost;                                          ///< steps of trainings that an interruption lost
    std::vector<FailureRecord> failed;                         ///< what could not be computed, and why
    std::vector<std::pair<std::string, std::string>> missing;  ///< quantity, what this machine lacks for it
    std::vector<std::string> warnings;                         ///< what failed without changing a result
    std::vector<Result> quantities;                            ///< what was computed, in order of need
    /// What the study declares and the run did not compute, such as trained quantities without training, missing ones,
    /// and those after an interruption: "fit", claims without a verdict as "claim SA-31", and figures that were not
    /// asked for as "figure f".
    std::vector<std::string> not_computed;
    std::vector<ClaimRecord> claims;  ///< in the file's order
    std::vector<FigureRecord> figures;
    std::vector<FormulaRecord> formulas;
    std::vector<std::pair<std::string, std::string>> manifest;  ///< version, commit, compiler, processor, hash, ...
};

}  // namespace farfield::core
