#if defined(__ELF__)
#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstring>
#include <filesystem>
#endif

#include "study/manifest.hpp"

namespace farfield::study {

#if defined(__ELF__)

namespace {

/// The file that contains this code: the program, or a module that another program has loaded.
std::filesystem::path own_file(std::error_code& failure) {
    Dl_info found = {};
    const bool is_known =
        dladdr(reinterpret_cast<const void*>(&build_identity), &found) != 0 && found.dli_fname != nullptr;
    const std::string name = is_known ? found.dli_fname : "";
    if (name.find(".so") != std::string::npos) return name;
    return std::filesystem::read_symlink("/proc/self/exe", failure);
}

/// An address of code, and the result of the search for the object that contains it.
struct CodeSearch {
    std::uintptr_t code;
    std::string build_id;
};

/// Whether a loaded object contains the code.
bool holds(const dl_phdr_info& object, std::uintptr_t code) {
    for (std::size_t i = 0; i < object.dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object.dlpi_phdr[i];
        const std::uintptr_t start = object.dlpi_addr + part.p_vaddr;
        if (part.p_type == PT_LOAD && code >= start && code < start + part.p_memsz) return true;
    }
    return false;
}

/// The build id among the notes of a part of a loaded object, as hexadecimal digits; empty if it is not there.
std::string build_id_in(const char* at, const char* end) {
    const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
    while (end - at >= static_cast<std::ptrdiff_t>(sizeof(ElfW(Nhdr)))) {
        ElfW(Nhdr) note;
        std::memcpy(&note, at, sizeof note);
        const char* const name = at + sizeof note;
        const char* const data = name + padded(note.n_namesz);
        at = data + padded(note.n_descsz);
        if (at > end) break;
        if (note.n_type != NT_GNU_BUILD_ID ||
            std::string_view(name, note.n_namesz) != std::string_view(ELF_NOTE_GNU, sizeof ELF_NOTE_GNU))
            continue;
        std::string id;
        for (std::size_t i = 0; i < note.n_descsz; ++i)
            id += fmt::format("{:02x}", static_cast<unsigned char>(data[i]));
        return id;
    }
    return {};
}

int find_build_id(dl_phdr_info* object, std::size_t, void* data) {
    CodeSearch& search = *static_cast<CodeSearch*>(data);
    if (!holds(*object, search.code)) return 0;
    for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
        const ElfW(Phdr)& part = object->dlpi_phdr[i];
        if (part.p_type != PT_NOTE) continue;
        const char* const start = reinterpret_cast<const char*>(object->dlpi_addr + part.p_vaddr);
        std::string id = build_id_in(start, start + part.p_memsz);
        if (!id.empty()) search.build_id = std::move(id);
    }
    return 1;
}

}  // namespace

std::string build_id_around(const void* code) {
    CodeSearch search{reinterpret_cast<std::uintptr_t>(code), {}};
    ::dl_iterate_phdr(find_build_id, &search);
    return search.build_id;
}

std::string build_identity() {
    const std::string build_id = build_id_around(reinterpret_cast<const void*>(&build_identity));
    if (!build_id.empty()) return " " + build_id;
    std::error_code failure;
    const std::filesystem::path program = own_file(failure);
    if (failure) return {};
    const auto size = std::filesystem::file_size(program, failure);
    const auto time = std::filesystem::last_write_time(program, failure).time_since_epoch().count();
    return " " + std::to_string(size) + " " + std::to_string(time);
}

#else

std::string build_id_around(const void*) {
    return {};
}

std::string build_identity() {
    return {};
}

#endif

}  // namespace farfield::study
