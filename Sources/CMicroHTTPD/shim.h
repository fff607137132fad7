// The only C of the project: what Swift can't import of libmicrohttpd (variadic calls, macros),
// each as a function with a name. Nothing here decides anything.
#pragma once

#include <microhttpd.h>
