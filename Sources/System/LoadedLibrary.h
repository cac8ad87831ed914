#pragma once

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

// A library that is loaded when it is first needed instead of being linked. Its functions are fields of a struct, with the types that
// the library's header gives them.

/// Stores the addresses of a library's functions in a struct of pointers; false if the library or one of them is missing.
///
/// A library that the program is linked with is used as it is, whatever its file.
static inline bool alcedo_load(const char *file, const char *const *names, size_t count, void *functions) {
    void *program = dlopen(NULL, RTLD_LAZY);
    void *library = dlsym(program, names[0]) != NULL ? program : dlopen(file, RTLD_LAZY);
    if (library == NULL) return false;
    for (size_t index = 0; index < count; index++) {
        void *address = dlsym(library, names[index]);
        if (address == NULL) return false;
        memcpy((char *)functions + index * sizeof(address), &address, sizeof(address));
    }
    return true;
}

#define ALCEDO_FIELD(name) __typeof__(name) *name;
#define ALCEDO_NAME(name) #name,

/// Defines a struct with a field for each function and `isLoaded`, and a function that loads the library and returns the struct.
#define ALCEDO_LIBRARY(library, fields, names, load, file)                                                             \
    struct library {                                                                                                   \
        fields bool isLoaded;                                                                                          \
    };                                                                                                                 \
    static inline struct library load(void) {                                                                          \
        static const char *const list[] = {names};                                                                     \
        struct library functions = {0};                                                                                \
        functions.isLoaded = alcedo_load(file, list, sizeof(list) / sizeof(*list), &functions);                        \
        return functions;                                                                                              \
    }
