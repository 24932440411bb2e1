// Links from pages to the page for browsers (docs/browser.md).
#pragma once

#include <string>
#include <string_view>

namespace farfield::report {

/// A link to a study's address in the page for browsers, at a claim or a figure ("claim" or "figure", and its name) or
/// to the whole study (""). Empty if the address is empty.
std::string playground_link(const std::string& address, std::string_view key, std::string_view name);

}  // namespace farfield::report
