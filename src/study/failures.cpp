#include "study/failures.hpp"

#include <exception>
#include <farfield/core/error.hpp>
#include <farfield/model/check.hpp>
#include <new>
#include <set>
#include <stdexcept>
#include <system_error>

#include "study/plan.hpp"

namespace farfield::study {

void Failures::lacks(const std::string& name, const std::string& what) {
    if (lacking_.emplace(name, what).second) record_.missing.emplace_back(name, what);
}

void Failures::fails(const std::string& name, const std::vector<core::Diagnostic>& diagnostics) {
    if (failed_.emplace(name, diagnostics).second) record_.failed.push_back({name, diagnostics});
}

void Failures::attempt(const std::string& name, const core::Place& place, const std::function<void()>& task) {
    if (contains(name)) return;
    const auto fail = [&](const std::string& found, const std::string& wanted) {
        fails(name, {{place, "'" + name + "' cannot be computed: " + found, wanted, {}}});
    };
    try {
        task();
    } catch (const core::UserError& error) {
        std::vector<core::Diagnostic> diagnostics = error.diagnostics();
        for (core::Diagnostic& each : diagnostics)
            if (each.place.file.empty()) each.place = place;
        fails(name, diagnostics);
    } catch (const model::PieceError& error) {
        // The values that training gave to the learned names have no result.
        lacks(name, error.found() + "; expected " + error.wanted());
    } catch (const core::PreconditionError& error) {
        fail(error.found(), error.wanted());
    } catch (const core::MissingError& error) {
        lacks(name, error.what());
    } catch (const std::system_error& error) {
        lacks(name, std::string("something that the system refused: ") + error.what());
    } catch (const std::bad_alloc&) {
        lacks(name, "more memory than this machine has");
    } catch (const std::length_error&) {
        lacks(name, "more memory than this machine has");
    } catch (const std::exception& error) {
        fail(error.what(), "");
    }
}

void Failures::inherit(const std::string& name, const std::string& need) {
    const auto lacking = lacking_.find(need);
    if (lacking != lacking_.end()) lacking_.emplace(name, lacking->second);
    const auto failure = failed_.find(need);
    if (failure != failed_.end()) fails(name, failure->second);
}

std::vector<std::string> Failures::not_computed(const Study::Body& body, const Options& options) const {
    std::set<std::string> found;
    for (const core::Result& each : record_.quantities) found.insert(each.name);
    for (const core::ClaimRecord& each : record_.claims)
        if (core::is_verdict(each.verdict)) found.insert("claim " + each.id);
    std::vector<std::string> names;
    const auto note = [&](const std::string& name) {
        if (!found.contains(name) && !failed_.contains(name)) names.push_back(name);
    };
    for (const Item& item : body.items) note(item.name);
    for (const claim::Claim& claim : body.claims) note("claim " + claim.id);
    for (const core::FigureRecord& figure : body.figures)
        if (!asks_for(options, figure.name)) names.push_back("figure " + figure.name);
    return names;
}

void Failures::explain(claim::Claim& claim, const std::string& name) const {
    const auto lacking = lacking_.find(name);
    if (lacking != lacking_.end() && claim.lacks.empty()) claim.lacks = lacking->second;
    const auto failure = failed_.find(name);
    if (failure == failed_.end() || !claim.failure.empty()) return;
    const std::string& found = failure->second.front().found;
    claim.failure = name == "claim " + claim.id ? found : "needs '" + name + "', which failed: " + found;
}

}  // namespace farfield::study
