// libpq as it is: what the store uses of it are functions, which need no wrapper.
#include <libpq-fe.h>
// Not in Swift's Glibc module: what wakes those who wait for a connection.
#include <sys/eventfd.h>
