// The schemes that are available in a run: the built-in schemes and the schemes of the user's file.
#pragma once

#include <functional>
#include <map>
#include <memory>
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

    /// Adds the [scheme.NAME] tables of a file, after a complete check. `extends` may name schemes that are already
    /// registered, and schemes of the same file in any order, so all tables of a file must be given at once. A new
    /// scheme overrides a scheme of the same name.
    void add(const core::Entries& schemes, core::Problems& problems);

    /// Adds a scheme under its name, in place of an existing scheme with this name.
    void put(Scheme scheme);

    /// The scheme with this name, or null.
    const Scheme* find(std::string_view name) const;
    /// Every scheme's name, sorted.
    std::vector<std::string> names() const;
    /// The problem of a name without a scheme, with the scheme that is meant: one with another name in papers and code
    /// ("rope", "ntk"), or the nearest name.
    core::Diagnostic unknown(const std::string& name, const core::Place& place = {}) const;

    /// The scheme with some params replaced (a study's `let`, a sweep, --set scheme.x.params.w=80); `place` is reported
    /// if a name is not a param of it. Values are decimal texts. Several threads may call it at once.
    Scheme with_params(std::string_view name, const std::vector<std::pair<std::string, std::string>>& params,
                       const core::Place& place, core::Problems& problems) const;
    /// The same, with a place for each param.
    Scheme with_placed_params(std::string_view name, const std::vector<std::pair<std::string, std::string>>& params,
                              const std::function<core::Place(std::string_view param)>& place_of,
                              core::Problems& problems) const;

private:
    class Varied;

    std::map<std::string, core::Entries, std::less<>> settings_;
    std::map<std::string, Scheme, std::less<>> schemes_;
    /// What the schemes with other params share, for each scheme; made when it is first needed.
    std::map<std::string, std::shared_ptr<Varied>, std::less<>> varied_;
};

/// The catalogue's name of a scheme that papers and code usually call otherwise, in any case: "rotary" for "RoPE".
/// Empty for every other name.
std::string_view usual_name(std::string_view name);

/// The key tables of a scheme and its parts, for the reader and the documentation.
std::span<const core::Key> scheme_keys();
std::span<const core::Key> rotate_keys();
std::span<const core::Key> far_keys();
std::span<const core::Key> embed_keys();
std::span<const core::Key> learn_keys();
std::span<const core::Key> relative_keys();
std::span<const core::Key> piece_keys();

}  // namespace farfield::scheme
