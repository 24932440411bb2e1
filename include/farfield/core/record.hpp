// What a run found, as the reports read it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <farfield/core/document.hpp>
#include <farfield/core/place.hpp>
#include <farfield/core/table.hpp>

namespace farfield::core {

/// A reading's verdict is one of the first three, a claim's one of the first four; `missing` and `skipped` are no
/// verdicts.
enum class Verdict { confirmed, refuted, undecided, depends, missing, skipped };

std::string_view verdict_name(Verdict verdict);
std::optional<Verdict> find_verdict(std::string_view name);

struct ReadingRecord {
    std::string name;
    std::string holds;    ///< the condition as written
    std::string because;  ///< the reason of a threshold that the source does not give
    bool extra = false;   ///< shown, not counted
    Verdict verdict = Verdict::undecided;
    std::optional<Verdict> expected;
    bool certified = false;
    std::string explain;  ///< the numbers the verdict rests on: "fit.a = -0.83240, printed -0.825"

    bool as_expected() const;
};

struct ClaimRecord {
    std::string id;
    std::string says;
    std::string source;
    std::string comment;  ///< what a reader should know beside the verdict; may be empty
    Place place;
    Verdict verdict = Verdict::undecided;
    std::optional<Verdict> expected;
    bool certified = false;
    std::vector<ReadingRecord> readings;
    std::vector<std::string> uses;  ///< names of the quantities its conditions mention

    /// Whether neither the claim nor a reading of it has a verdict other than the one on record. What is missing or was
    /// skipped has no verdict.
    bool as_expected() const;
};

/// A figure as declared; the report draws it from the series of the results.
struct FigureRecord {
    std::string name;
    std::string title;
    std::string source;
    Entries settings;  ///< the figure's keys as the study gives them (report/figure.hpp has their table)
};

/// A formula shown to the reader: where it stands, as text and as LaTeX/MathML made by the formula room.
struct FormulaRecord {
    std::string where;  ///< "scheme.alibi.bias"
    std::string text;
    std::string mathml;
};

struct StudyRecord {
    std::string study;  ///< its name: "chi-2023/fig9"
    std::string file;   ///< as the user named it
    std::string title;
    std::string source;
    std::string doc;
    std::string device = "cpu";
    double seconds = 0;
    bool interrupted = false;                                  ///< not everything was computed
    std::vector<std::pair<std::string, std::string>> missing;  ///< quantity, what this machine lacks for it
    std::vector<Result> quantities;
    std::vector<ClaimRecord> claims;
    std::vector<FigureRecord> figures;
    std::vector<FormulaRecord> formulas;
    std::vector<std::pair<std::string, std::string>> manifest;  ///< version, commit, compiler, processor, hash, ...
};

}  // namespace farfield::core
