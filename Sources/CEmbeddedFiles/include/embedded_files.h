// The contract and the web page's files, as bytes of the program. C has #embed for that; the array literals that SwiftPM
// would make for Swift take longer to compile than all of ReorderAPI.
#pragma once

#include <stddef.h>
#include <stdint.h>

struct embedded_file {
    const char *name;
    const uint8_t *bytes;
    size_t count;
};

// All of them, for as long as the program runs.
const struct embedded_file *embedded_files(size_t *count);
