// The schemes a run knows: the built-in catalogue and what the user's file adds.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <farfield/core/diagnostic.hpp>
#include <farfield/core/document.hpp>
#include <farfield/core/keys.hpp>
#include <farfield/scheme/scheme.hpp>

namespace farfield::scheme {

class Registry {
public:
    /// The built-in catalogue, compiled into the library from src/scheme/catalogue/*.toml.
    static const Registry& builtin();

    /// A [scheme.NAME] table of a file: checked whole, `extends` resolved against what is known so far (schemes of one
    /// file may extend each other in any order: give all of them at once). Overrides a scheme of the same name.
    void add(const core::Entries& schemes, core::Problems& problems);

    /// A scheme that is known by its name from now on, in place of one that was.
    void put(Scheme scheme);

    /// The scheme of that name; null where there is none.
    const Scheme* find(std::string_view name) const;
    /// Every scheme's name, sorted.
    std::vector<std::string> names() const;

    /// The scheme with some params replaced (a study's `let`, a sweep, --set scheme.x.params.w=80); `place` is reported
    /// if a name is not a param of it. Values are decimal texts.
    Scheme with_params(std::string_view name, const std::vector<std::pair<std::string, std::string>>& params,
                       const core::Place& place, core::Problems& problems) const;

private:
    std::map<std::string, core::Entries, std::less<>> settings_;
    std::map<std::string, Scheme, std::less<>> schemes_;
};

/// The key tables of a scheme and its parts, for the reader and the documentation.
std::span<const core::Key> scheme_keys();
std::span<const core::Key> rotate_keys();
std::span<const core::Key> far_keys();
std::span<const core::Key> embed_keys();
std::span<const core::Key> learn_keys();
std::span<const core::Key> relative_keys();
std::span<const core::Key> piece_keys();

}  // namespace farfield::scheme
