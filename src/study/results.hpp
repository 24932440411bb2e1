// The finished results of a run.
#pragma once

#include <deque>
#include <farfield/core/record.hpp>
#include <functional>
#include <map>
#include <string>
#include <string_view>

namespace farfield::study {

/// Finished results; references to them stay valid.
struct Results {
    std::deque<core::Result> list;
    std::map<std::string, const core::Result*, std::less<>> index;

    const core::Result* find(std::string_view name) const {
        const auto found = index.find(name);
        return found == index.end() ? nullptr : found->second;
    }
    void add(core::Result result) {
        list.push_back(std::move(result));
        index[list.back().name] = &list.back();
    }
};

}  // namespace farfield::study
