// What `extends` means.
#pragma once

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <map>
#include <string>
#include <vector>

namespace farfield::scheme {

using SettingsByName = std::map<std::string, core::Entries, std::less<>>;

/// `own` over `base`: own keys win; params, let, learn and means are merged name by name; `extends` itself is gone.
core::Entries merge(const core::Entries& base, const core::Entries& own);

/// The schemes of one file with what they extend merged in. They may extend each other in any order, and schemes of
/// `known`; a scheme that extends its own name extends the known one. Cycles and unknown names are reported, and the
/// schemes concerned are left out.
SettingsByName resolve_extends(const core::Entries& schemes, const SettingsByName& known, core::Problems& problems);

}  // namespace farfield::scheme
