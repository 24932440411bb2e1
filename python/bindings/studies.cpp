#include <farfield/study/study.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <farfield/core/diagnostic.hpp>
#include <farfield/core/error.hpp>
#include <farfield/core/record.hpp>
#include <farfield/evaluate/device.hpp>
#include <farfield/report/report.hpp>
#include <memory>
#include <optional>

#include "bindings.hpp"
#include "docstrings.hpp"
#include "interruptible.hpp"
#include "results.hpp"
#include "schemes.hpp"
#include "values.hpp"

namespace farfield::python {

namespace {

using core::ClaimRecord;
using core::ReadingRecord;
using core::StudyRecord;
using Record = std::shared_ptr<StudyRecord>;

std::string name_of(core::Verdict verdict) {
    return std::string(core::verdict_name(verdict));
}

std::optional<std::string> name_of(const std::optional<core::Verdict>& verdict) {
    if (!verdict) return std::nullopt;
    return name_of(*verdict);
}

/// What options of a run Python gives; the rest keeps its default.
study::Options options_of(const py::dict& given) {
    study::Options options;
    options.only = given["only"].cast<std::vector<std::string>>();
    options.claims_only = given["claims_only"].cast<bool>();
    options.set = given["set"].cast<std::vector<std::pair<std::string, std::string>>>();
    options.cache = given["cache"].cast<std::string>();
    options.fresh = given["fresh"].cast<bool>();
    options.train = given["train"].cast<bool>();
    if (given["device"].cast<std::string>() == "cuda") {
        evaluate::DeviceOptions device;
        device.cache = options.cache;
        options.device = evaluate::open_cuda(device);
    }
    return options;
}

Record run_one(const study::Study& study, const study::Options& options) {
    const auto record = std::make_shared<StudyRecord>();
    run_interruptibly([study, options, record](const Stop& stop) {
        study::Options own = options;
        own.interrupted = [stop] { return stop->load(); };
        *record = study::run(study, own);
    });
    return record;
}

/// One study after the other, all of them read before the first is run.
std::vector<Record> run_paths(const std::vector<std::string>& paths, const py::dict& given) {
    const study::Options options = options_of(given);
    std::vector<Record> records;
    std::vector<std::string> unreadable;
    const std::vector<study::Study> studies = study::read_all(paths, options, unreadable);
    if (!unreadable.empty()) {
        // "FILE: what was tried: why", as the command line prints it.
        const std::string& first = unreadable.front();
        const std::size_t colon = first.find(": ");
        throw core::MissingError(first.substr(0, colon), first.substr(std::min(colon + 2, first.size())), "");
    }
    for (const study::Study& study : studies) records.push_back(run_one(study, options));
    return records;
}

/// A study of Python's values, with the schemes of other files that it uses and their names in it.
Record run_document(const py::dict& document, const std::vector<std::pair<std::string, Scheme>>& schemes,
                    const std::string& name, const py::dict& given) {
    core::Entries entries = entries_of(document);
    core::Entries added;
    for (const auto& [of_scheme, each] : schemes) added.list.push_back({of_scheme, {}, {each.scheme.settings, {}, ""}});
    if (!added.empty()) entries.list.push_back({"scheme", {}, {added, {}, ""}});
    study::Found found;
    found.name = found.file = name;
    found.named = true;
    const study::Options options = options_of(given);
    const study::Study study = study::read(std::move(entries), found, options);
    const std::vector<std::string> known = study.names();
    for (const std::string& only : options.only)
        if (std::find(known.begin(), known.end(), only) == known.end())
            throw core::UserError(
                {core::Diagnostic{{}, "only: nothing is named '" + only + "'", "", core::known_here(only, known)}});
    return run_one(study, options);
}

py::list failed_of(const Record& self) {
    py::list failed;
    for (const core::FailureRecord& each : self->failed)
        failed.append(py::make_tuple(each.name, diagnostics_of(each.diagnostics)));
    return failed;
}

py::dict quantities_of(const Record& self) {
    py::dict results;
    for (core::Result& result : self->quantities) results[py::str(result.name)] = py::cast(Result(self, &result));
    return results;
}

void write(const Record& self, const std::string& folder, bool figures) {
    const std::vector<std::string> losses = report::losses_of_writing(*self, folder);
    if (!losses.empty()) {
        const std::string found =
            "the results in '" + folder + "' include '" + losses.front() + "', which this run did not compute";
        throw core::UserError({core::Diagnostic{{}, found, "another folder", {}}});
    }
    run_interruptibly([=](const Stop&) { report::write_study(*self, folder, {.figures = figures}); });
}

void bind_claims(py::module_& module) {
    py::class_<ReadingRecord>(module, "Reading", doc::core_ReadingRecord)
        .def_readonly("name", &ReadingRecord::name, doc::core_ReadingRecord_name)
        .def_readonly("holds", &ReadingRecord::holds, doc::core_ReadingRecord_holds)
        .def_readonly("because", &ReadingRecord::because, doc::core_ReadingRecord_because)
        .def_readonly("extra", &ReadingRecord::extra, doc::core_ReadingRecord_extra)
        .def_property_readonly(
            "verdict", [](const ReadingRecord& self) { return name_of(self.verdict); }, doc::core_Verdict)
        .def_property_readonly(
            "expected", [](const ReadingRecord& self) { return name_of(self.expected); },
            doc::core_ReadingRecord_expected)
        .def_readonly("certified", &ReadingRecord::certified, doc::core_ReadingRecord_certified)
        .def_readonly("explain", &ReadingRecord::explain, doc::core_ReadingRecord_explain);
    py::class_<ClaimRecord>(module, "Claim", doc::core_ClaimRecord)
        .def_readonly("id", &ClaimRecord::id, doc::core_ClaimRecord_id)
        .def_readonly("says", &ClaimRecord::says, doc::core_ClaimRecord_says)
        .def_readonly("source", &ClaimRecord::source, doc::core_ClaimRecord_source)
        .def_readonly("comment", &ClaimRecord::comment, doc::core_ClaimRecord_comment)
        .def_property_readonly(
            "line", [](const ClaimRecord& self) { return self.place.line; }, doc::core_ClaimRecord_place)
        .def_property_readonly(
            "verdict", [](const ClaimRecord& self) { return name_of(self.verdict); }, doc::core_Verdict)
        .def_property_readonly(
            "expected", [](const ClaimRecord& self) { return name_of(self.expected); }, doc::core_ClaimRecord_expected)
        .def_readonly("certified", &ClaimRecord::certified, doc::core_ClaimRecord_certified)
        .def_readonly("readings", &ClaimRecord::readings, doc::core_ClaimRecord_readings)
        .def_property_readonly("as_expected", &ClaimRecord::as_expected, doc::core_ClaimRecord_as_expected)
        .def_property_readonly("is_unstated", &ClaimRecord::is_unstated, doc::core_ClaimRecord_is_unstated)
        .def_property_readonly("fails", &ClaimRecord::fails, doc::core_ClaimRecord_fails)
        .def_readonly("uses", &ClaimRecord::uses, doc::core_ClaimRecord_uses);
}

}  // namespace

void bind_studies(py::module_& module) {
    bind_claims(module);
    py::class_<StudyRecord, Record>(module, "Study", doc::core_StudyRecord)
        .def_readonly("name", &StudyRecord::study, doc::core_StudyRecord_study)
        .def_readonly("file", &StudyRecord::file, doc::core_StudyRecord_file)
        .def_readonly("title", &StudyRecord::title, doc::core_StudyRecord_title)
        .def_readonly("source", &StudyRecord::source, doc::core_StudyRecord_source)
        .def_readonly("device", &StudyRecord::device, doc::core_StudyRecord_device)
        .def_readonly("seconds", &StudyRecord::seconds, doc::core_StudyRecord_seconds)
        .def_readonly("missing", &StudyRecord::missing, doc::core_StudyRecord_missing)
        .def_property_readonly("failed", &failed_of, doc::core_StudyRecord_failed)
        .def_property_readonly("quantities", &quantities_of, doc::core_StudyRecord_quantities)
        .def_readonly("claims", &StudyRecord::claims, doc::core_StudyRecord_claims)
        .def_readonly("manifest", &StudyRecord::manifest, doc::core_StudyRecord_manifest)
        .def("write", &write, doc::report_write_study)
        .def(
            "json", [](const StudyRecord& self) { return report::results_json(self); }, doc::report_results_json);
    module.def("run", &run_paths, doc::study_run);
    module.def("run_document", &run_document, doc::study_read);
    module.def("default_cache", &study::default_cache, doc::study_default_cache);
}

}  // namespace farfield::python
