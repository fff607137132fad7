// The server's memory allocator. A program that loads this library uses it for all of malloc.
#pragma once

#include <gperftools/malloc_extension_c.h>
#include <gperftools/tcmalloc.h>
