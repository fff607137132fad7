// libpq as it is: what the store uses of it are functions, which need no wrapper.
#include <libpq-fe.h>
