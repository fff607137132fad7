// A function of SQLite that Swift can't import, because its arguments vary. GRDB imports the others.
#pragma once

#include <sqlite3.h>

// SQLite counts no memory: the counters take a lock for each allocation. Only before SQLite is used.
static inline void reorder_sqlite_count_no_memory(void) { sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0); }
