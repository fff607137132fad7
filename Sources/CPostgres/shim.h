// The store only uses functions of libpq, which need no wrappers.
#include <libpq-fe.h>
// Not in Swift's Glibc module; wakes threads that wait for a connection.
#include <sys/eventfd.h>
