// The server's memory allocator. A program that loads this library uses it for all of malloc.
#pragma once

#include <gperftools/tcmalloc.h>
