// openapi.yaml and the web page's files, embedded in the program with C's #embed. The array
// literals that SwiftPM generates for embedding in Swift take longer to compile than all of
// ReorderAPI.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct embedded_file {
    const char *name;
    const uint8_t *bytes;
    size_t count;
};

// Returns all files; they are valid until the program ends.
const struct embedded_file *embedded_files(size_t *count);
