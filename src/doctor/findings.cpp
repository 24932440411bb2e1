// What the findings mean.
#include <farfield/doctor/doctor.hpp>

#include "doctor/data.hpp"

namespace farfield::doctor {

std::span<const FindingKind> finding_kinds() {
    static const std::vector<FindingKind> kinds = [] {
        std::vector<FindingKind> all;
        const core::Entries root = read_data(data_files(), "findings");
        for (const core::Value& each : *root.find("finding")->value.list()) {
            const core::Entries& row = *each.entries();
            for (const core::Value& id : *row.find("ids")->value.list())
                all.push_back(
                    {*id.string(), *row.find("severity")->value.string(), *row.find("meaning")->value.string()});
        }
        return all;
    }();
    return kinds;
}

}  // namespace farfield::doctor
