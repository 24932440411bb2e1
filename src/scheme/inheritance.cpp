#include "scheme/inheritance.hpp"

#include <algorithm>
#include <span>

namespace farfield::scheme {
namespace {

constexpr std::string_view merged_by_name[] = {"params", "let", "learn", "require", "means"};

/// Each of these tables defines names.
constexpr std::span<const std::string_view> defining = std::span(merged_by_name).first(3);

bool is_merged_by_name(std::string_view key) {
    return std::find(std::begin(merged_by_name), std::end(merged_by_name), key) != std::end(merged_by_name);
}

core::Entry& entry_for(core::Entries& entries, const core::Entry& model) {
    for (core::Entry& entry : entries.list) {
        if (entry.key == model.key) return entry;
    }
    return entries.list.emplace_back(model);
}

void override_names(core::Value& base, const core::Entries& own) {
    core::Entries& names = std::get<core::Entries>(base.data);
    for (const core::Entry& name : own.list) entry_for(names, name) = name;
}

/// A name that `own` defines in one of params, let and learn is no longer what `base` defined it as in another, and
/// what `base` requires of it is required of what `own` defines.
void drop_redefined(core::Entries& base, const core::Entries& own) {
    for (const std::string_view group : defining) {
        const core::Entry* names = own.find(group);
        if (!names || !names->value.entries()) continue;
        std::erase_if(base.list, [&](core::Entry& other) {
            const bool stays = other.key == group || other.key == "require" ||
                               (other.key == "means" && group != "let") || !is_merged_by_name(other.key);
            auto* old = std::get_if<core::Entries>(&other.value.data);
            if (stays || !old || old->empty()) return false;
            std::erase_if(old->list, [&](const core::Entry& name) { return names->value.entries()->find(name.key); });
            return old->empty();
        });
    }
}

class Resolver {
public:
    Resolver(const core::Entries& schemes, const SettingsByName& known, core::Problems& problems)
        : schemes_(schemes), known_(known), problems_(problems) {}

    SettingsByName resolve_all() {
        for (const core::Entry& entry : schemes_.list) {
            std::vector<std::string> chain;
            resolve(entry, chain);
        }
        return std::move(done_);
    }

private:
    /// Null if the scheme cannot be resolved; the reason is reported once.
    const core::Entries* resolve(const core::Entry& entry, std::vector<std::string>& chain) {
        if (const auto found = done_.find(entry.key); found != done_.end()) return &found->second;
        const core::Entries* own = entry.value.entries();
        if (!own || failed(entry.key)) return nullptr;
        chain.push_back(entry.key);
        const core::Entry* extends = own->find("extends");
        const std::string* name = extends ? extends->value.string() : nullptr;
        const core::Entries nothing;
        const core::Entries* base = name ? base_of(entry, *extends, *name, chain) : &nothing;
        chain.pop_back();
        if (!base) {
            failed_.push_back(entry.key);
            return nullptr;
        }
        return &done_.insert_or_assign(entry.key, merge(*base, *own)).first->second;
    }

    const core::Entries* base_of(const core::Entry& entry, const core::Entry& extends, const std::string& name,
                                 std::vector<std::string>& chain) {
        const auto known = known_.find(name);
        if (name == entry.key && known != known_.end()) return &known->second;
        if (const auto repeated = std::find(chain.begin(), chain.end(), name); repeated != chain.end()) {
            std::string text;
            for (auto link = repeated; link != chain.end(); ++link) text += *link + " -> ";
            problems_.add(extends.value.place, "schemes extend each other in a circle: " + text + name);
            return nullptr;
        }
        if (chain.size() >= longest_chain) {
            problems_.add(extends.value.place, "a chain of more than 64 schemes that extend each other");
            return nullptr;
        }
        if (const core::Entry* other = schemes_.find(name)) return resolve(*other, chain);
        if (known != known_.end()) return &known->second;
        problems_.add(extends.value.place, "there is no scheme '" + name + "'", "", core::known_here(name, names()));
        return nullptr;
    }

    bool failed(const std::string& name) const {
        return std::find(failed_.begin(), failed_.end(), name) != failed_.end();
    }

    std::vector<std::string> names() const {
        std::vector<std::string> names;
        for (const core::Entry& entry : schemes_.list) names.push_back(entry.key);
        for (const auto& [name, settings] : known_) names.push_back(name);
        return names;
    }

    static constexpr std::size_t longest_chain = 64;

    const core::Entries& schemes_;
    const SettingsByName& known_;
    core::Problems& problems_;
    SettingsByName done_;
    std::vector<std::string> failed_;
};

}  // namespace

core::Entries merge(const core::Entries& base, const core::Entries& own) {
    core::Entries merged = base;
    drop_redefined(merged, own);
    for (const core::Entry& entry : own.list) {
        if (entry.key == "extends") continue;
        core::Entry& target = entry_for(merged, entry);
        if (is_merged_by_name(entry.key) && entry.value.entries() && target.value.entries())
            override_names(target.value, *entry.value.entries());
        else
            target = entry;
    }
    return merged;
}

SettingsByName resolve_extends(const core::Entries& schemes, const SettingsByName& known, core::Problems& problems) {
    return Resolver(schemes, known, problems).resolve_all();
}

}  // namespace farfield::scheme
