// Records everything that fails while a study runs, in one place.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <farfield/claim/claim.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/record.hpp>

#include "study/body.hpp"

namespace farfield::study {

/// Names are those of quantities, or "claim ID".
class Failures {
public:
    /// Adds to `failed` and `missing` of the record.
    explicit Failures(core::StudyRecord& record) : record_(record) {}

    /// Runs a task of a quantity or claim, unless it failed before. Any exception of the task is recorded with its
    /// place; only this quantity or claim and those that need it are lost.
    void attempt(const std::string& name, const core::Place& place, const std::function<void()>& task);

    bool contains(const std::string& name) const { return failed_.contains(name) || lacking_.contains(name); }

    /// What the study declares and the record does not have, unless it failed because of the study (not because this
    /// computer lacks something): names of quantities, claims without a verdict as "claim ID", and figures that the
    /// options leave out as "figure NAME".
    std::vector<std::string> not_computed(const Study::Body& body, const Options& options) const;

    /// An item that needs a failed one fails for the same reason.
    void inherit(const std::string& name, const std::string& need);

    /// If `name`, a quantity that the claim needs or the claim itself, failed, states the reason in the claim.
    void explain(claim::Claim& claim, const std::string& name) const;

private:
    void lacks(const std::string& name, const std::string& what);
    void fails(const std::string& name, const std::vector<core::Diagnostic>& diagnostics);

    core::StudyRecord& record_;
    std::map<std::string, std::vector<core::Diagnostic>, std::less<>> failed_;
    std::map<std::string, std::string, std::less<>> lacking_;  ///< what this computer lacks for it
};

}  // namespace farfield::study
