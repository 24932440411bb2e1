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
    /// Results that took less time than this are not stored, because computing them again is faster.
    double least_seconds_to_keep = 0.05;
    bool must_keep = false;  ///< every result is kept, and one that cannot be is missing
    bool train = false;
    std::size_t processors = numerics::processors();  ///< threads that it may use
    std::shared_ptr<evaluate::Device> device;  ///< what formulas are evaluated on, where it can; null: the processor
    std::function<void(const std::string& item, double done, double total)> progress;
    std::function<bool()> interrupted = [] { return false; };
    /// Called while an interrupted training completes its running step, with the steps that are not in a checkpoint
    /// yet, as text. They are lost if the process ends now.
    std::function<void(const std::string& unsaved)> waiting;
    /// The recorded result of a quantity that needs training, or of a quantity that depends on one. It is used instead
    /// of computing the quantity. If given, nothing is trained.
    std::function<std::optional<core::Result>(const std::string& name)> recorded;
    std::function<void(const core::Result&)> finished;  ///< after each quantity, so that nothing finished is lost
};

/// A checked study. Its content is private. Reading is separate from running, so that all problems of all files are
/// reported before anything runs.
class Study {
public:
    const std::string& name() const;
    const std::string& file() const;
    /// The ids of the study's claims with their lines, to check that ids are unique in a run.
    std::vector<std::pair<std::string, core::Place>> claim_ids() const;
    /// Whether a computed result depends on the number of threads. Such a study runs alone.
    bool counts_threads() const;
    /// The names of the study's figures.
    std::vector<std::string> figures() const;
    /// Every name that Options::only may contain: quantities (swept ones also without their values), figures, claims.
    std::vector<std::string> names() const;

    struct Body;
    explicit Study(std::shared_ptr<const Body> body);
    const std::shared_ptr<const Body>& body() const { return body_; }

private:
    std::shared_ptr<const Body> body_;
};

/// The study files under the paths, each with its study's name. A path to a file means this file; a path to a folder
/// means every .toml file under it that is a study, sorted.
struct Found {
    std::string file;
    std::string name;
    bool named = false;  ///< the file itself was named, not its folder
};

/// A file is listed once even if several paths lead to it. Throws core::UserError for a path that does not exist, a
/// folder without studies, and two files whose results would go to the same folder. Every unreadable path is added to
/// `unreadable` with its reason; the other files are still found.
std::vector<Found> find_studies(const std::vector<std::string>& paths, std::vector<std::string>& unreadable);

/// Reads and checks one file; throws core::UserError with every problem of it.
Study read(const Found& file, const Options& options);

/// The same for a study that another program gives as values. `found.file` is its name in messages, and relative file
/// names are resolved from the folder of this name.
Study read(core::Entries document, const Found& found, const Options& options);

/// All studies under the paths. Throws core::UserError with the problems of every one of them, with claims that share
/// an id, and with names of Options::only that no study has. Every unreadable path is added to `unreadable` with its
/// reason.
std::vector<Study> read_all(const std::vector<std::string>& paths, const Options& options,
                            std::vector<std::string>& unreadable);

/// The default folder where results and models are kept between runs: FARFIELD_STORE, or the user's cache folder; "" if
/// neither exists.
std::string default_cache();

/// The declarations of a study as text: its quantities and their formulas, costs in operations, claims.
std::string describe(const Study& study);

/// Problems that a run finds before anything is computed. The text has every problem in the same form as problems of
/// reading, and ends with "1 problem; no results of NAME were written."
class RunError : public core::UserError {
public:
    RunError(const core::UserError& error, const std::string& study);
    const char* what() const noexcept override { return text_.c_str(); }

private:
    std::string text_;
};

/// Trains the models, computes the quantities in the order of their dependencies, then decides the claims. A failure is
/// listed in the record with its place and reason. Claims that depend on a failed quantity are `undecided`, and
/// everything else is computed. If interrupted, trainings end their running steps and write checkpoints; anything else
/// stops within a second. Claims whose quantities were not finished are then `skipped`. If a quantity does not poll for
/// cancellation, it is abandoned on its own thread, which still uses the study. In this case end the process with
/// std::_Exit. Throws RunError for problems found before anything is computed.
core::StudyRecord run(const Study& study, const Options& options);

/// Writes the computed verdicts into the `expect` keys of the file, with the reason as a comment, and returns the
/// changed ids. Everything else in the file stays unchanged.
std::vector<std::string> update_verdicts(const std::string& file, const core::StudyRecord& found,
                                         const std::string& because);

/// Lists the verdicts that differ from the record, each with the previous verdict and the reason, under "## Verdicts
/// changed" of a CHANGELOG.md. It uses the nearest one in the folders above the study's file within its repository.
/// Returns the path; empty if nothing changed or there is no such heading. Must be called before update_verdicts().
std::string note_changed_verdicts(const core::StudyRecord& found, const std::string& because);

}  // namespace farfield::study
