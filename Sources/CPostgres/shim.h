// The store uses only functions of libpq. They need no wrappers.
#include <libpq-fe.h>
// This header is not in Swift's Glibc module. An eventfd wakes threads that wait for a connection.
#include <sys/eventfd.h>
