// A study file: read, checked, planned, run.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/core/record.hpp>
#include <farfield/core/table.hpp>
#include <farfield/evaluate/device.hpp>
#include <farfield/numerics/processors.hpp>

namespace farfield::study {

struct Options {
    std::vector<std::string> only;                         ///< quantities, figures, claims; with what they need
    bool claims_only = false;                              ///< nothing but what the claims need
    std::vector<std::pair<std::string, std::string>> set;  ///< "scheme.x.params.w" -> "80"
    std::string cache;                                     ///< folder; empty: no cache
    bool fresh = false;                                    ///< do not read the cache
    /// Results faster than this are computed again: that takes less than keeping them would.
    double least_seconds_to_keep = 0.05;
    bool must_keep = false;  ///< every result is kept, and one that cannot be is missing
    bool train = false;
    std::size_t processors = numerics::processors();  ///< threads that it may use
    std::shared_ptr<evaluate::Device> device;  ///< what formulas are evaluated on, where it can; null: the processor
    std::function<void(const std::string& item, double done, double total)> progress;
    std::function<bool()> interrupted = [] { return false; };
    /// While an interrupted training ends its running step: the steps that no checkpoint holds yet, as text. They are
    /// lost if the process ends now.
    std::function<void(const std::string& unsaved)> waiting;
    /// The result on record of a quantity that waits for training, or of one that needs such a quantity: used in its
    /// place. If given, nothing is trained.
    std::function<std::optional<core::Result>(const std::string& name)> recorded;
    std::function<void(const core::Result&)> finished;  ///< after each quantity, so that nothing finished is lost
};

/// A checked study. Opaque: reading is separate from running so that all problems of all files are reported before
/// anything runs.
class Study {
public:
    const std::string& name() const;
    const std::string& file() const;
    /// The ids of its claims with their lines, for uniqueness over a run.
    std::vector<std::pair<std::string, core::Place>> claim_ids() const;
    /// Whether a result that is computed depends on the number of threads: nothing runs beside such a study.
    bool counts_threads() const;
    /// The names of its figures.
    std::vector<std::string> figures() const;
    /// Every name that Options::only may hold: quantities (swept ones also without their values), figures, claims.
    std::vector<std::string> names() const;

    struct Body;
    explicit Study(std::shared_ptr<const Body> body);
    const std::shared_ptr<const Body>& body() const { return body_; }

private:
    std::shared_ptr<const Body> body_;
};

/// The files under the paths, each with its study's name: a file is itself, a folder every .toml under it that is a
/// study, sorted.
struct Found {
    std::string file;
    std::string name;
    bool named = false;  ///< the file itself was named, not its folder
};

/// A file is named once even if several paths lead to it. Throws core::UserError for a path that is not there, a folder
/// without studies, and two files whose results would go to one folder. What cannot be read is added to `unreadable`, a
/// text with path and reason each; the rest is found all the same.
std::vector<Found> find_studies(const std::vector<std::string>& paths, std::vector<std::string>& unreadable);

/// Reads and checks one file; throws core::UserError with every problem of it.
Study read(const Found& file, const Options& options);

/// The same of a study that another program holds as values; `found.file` names it in messages, and what its folder
/// would be is where relative names of files start.
Study read(core::Entries document, const Found& found, const Options& options);

/// All studies under the paths. Throws core::UserError with the problems of every one of them, with claims that share
/// an id, and with names of Options::only that no study has. What cannot be read is added to `unreadable`, a text each.
std::vector<Study> read_all(const std::vector<std::string>& paths, const Options& options,
                            std::vector<std::string>& unreadable);

/// Where results and models are kept between runs unless another folder is named: FARFIELD_STORE, or the user's cache
/// folder; "" where there is none.
std::string default_cache();

/// What a study declares, as text: its quantities and their formulas, costs in operations, claims.
std::string describe(const Study& study);

/// What a run finds at fault before anything is computed. The text has every problem as those of reading have it, and
/// ends with "1 problem; no results of NAME were written."
class RunError : public core::UserError {
public:
    RunError(const core::UserError& error, const std::string& study);
    const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

/// Trains the models, computes the quantities in order of need, then the claims. What fails meanwhile is listed in the
/// record with its place and reason; claims on it are `undecided`, and everything else is computed.
/// If interrupted, trainings end their running steps and write checkpoints; anything else stops within a second. Claims
/// whose quantities were not finished are then `skipped`. A quantity that does not look up meanwhile is left behind on
/// a thread of its own, which keeps the study alive: end the process by std::_Exit then.
/// Throws RunError for what is found at fault before anything is computed.
core::StudyRecord run(const Study& study, const Options& options);

/// Writes the verdicts found into the `expect` keys of the file, with the reason as a comment; returns the changed ids.
/// All else in the file stays as it is.
std::vector<std::string> update_verdicts(const std::string& file, const core::StudyRecord& found,
                                         const std::string& because);

/// Lists the verdicts that are not the ones on record, each with the one before and the reason, under "## Verdicts
/// changed" of the CHANGELOG.md that is nearest above the study's file within its repository. Returns the path; empty
/// if nothing changed or there is no such heading. To be called before update_verdicts().
std::string note_changed_verdicts(const core::StudyRecord& found, const std::string& because);

}  // namespace farfield::study
