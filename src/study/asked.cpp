#include "study/asked.hpp"

#include <string>

namespace farfield::study {
namespace {

void add(const std::string& key, const core::Value& value, core::Evidence& evidence);

void add(const std::string& key, const core::List& list, core::Evidence& evidence) {
    for (const core::Value& each : list)
        if (each.list()) return;
    for (std::size_t i = 0; i < list.size(); ++i) add(key + "." + std::to_string(i), list[i], evidence);
}

void add(const std::string& key, const core::Value& value, core::Evidence& evidence) {
    if (const bool* truth = value.boolean()) return evidence.add(key, *truth ? "true" : "false");
    if (const std::string* text = value.string()) return evidence.add(key, *text);
    if (const core::List* list = value.list()) return add(key, *list, evidence);
    if (const core::Entries* entries = value.entries()) {
        for (const core::Entry& entry : entries->list) add(key + "." + entry.key, entry.value, evidence);
        return;
    }
    if (!value.text.empty()) evidence.add(key, value.text);
}

}  // namespace

core::Evidence asked_of(const core::Entries& settings) {
    core::Evidence evidence;
    for (const core::Entry& entry : settings.list)
        if (entry.key != "kind" && entry.key != "doc") add("setting." + entry.key, entry.value, evidence);
    return evidence;
}

}  // namespace farfield::study
