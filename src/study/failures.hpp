// What fails while a study runs: put on record in one place, whatever failed.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include <farfield/claim/claim.hpp>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/record.hpp>

namespace farfield::study {

/// Names are those of quantities, or "claim ID".
class Failures {
public:
    /// Adds to `failed` and `missing` of the record.
    explicit Failures(core::StudyRecord& record) : record_(record) {}

    /// Does a task of a quantity or claim, unless it failed before. Whatever the task throws is put on record with its
    /// place; only this one and those that need it are lost.
    void attempt(const std::string& name, const core::Place& place, const std::function<void()>& task);

    bool contains(const std::string& name) const { return failed_.contains(name) || lacking_.contains(name); }

    /// What needs something that failed fails for the same reason.
    void inherit(const std::string& name, const std::string& need);

    /// Says in the claim why `name`, a quantity that it needs or the claim itself, was not computed, if it failed.
    void explain(claim::Claim& claim, const std::string& name) const;

private:
    void lacks(const std::string& name, const std::string& what);
    void fails(const std::string& name, const std::vector<core::Diagnostic>& diagnostics);

    core::StudyRecord& record_;
    std::map<std::string, std::vector<core::Diagnostic>, std::less<>> failed_;
    std::map<std::string, std::string, std::less<>> lacking_;  ///< what the machine lacks for it
};

}  // namespace farfield::study
