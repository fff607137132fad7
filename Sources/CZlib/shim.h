// Functions for the parts of zlib that Swift can't import (macros). They contain no logic.
#pragma once

#include <string.h>
#include <zlib.h>

// The format is gzip: zlib wants 16 more than the window's bits.
enum { MICRO_GZIP_FORMAT = 16 };

// Starts a compressor. The stream must not move in memory until `deflateEnd`. Returns Z_OK, or an
// error if memory is exhausted.
static inline int micro_gzip_begin(z_stream *stream, int level, int windowBits, int memoryLevel) {
    memset(stream, 0, sizeof *stream);
    return deflateInit2(
        stream, level, Z_DEFLATED, windowBits + MICRO_GZIP_FORMAT, memoryLevel, Z_DEFAULT_STRATEGY);
}
