import Foundation
import ReorderStore

extension SQLiteListStore {
    /// Rewrites the file without its unused pages. The store must have no other users.
    ///
    /// Until it ends, it needs space for two copies of the content: a temporary file and the log,
    /// both next to the file. If it fails, the content is not changed.
    package func compact() throws(StoreError) {
        try tidy { true }
        // While the log is copied into the file, tables are at old and at new places.
        mark.record(opening: 0, orFormer: 0)
        guard mark.sync() else { throw .unavailable(reason: "\(mark.path) can't be synced") }
        // SQLite would put the temporary file in a folder for small files.
        setenv("SQLITE_TMPDIR", URL(fileURLWithPath: path).deletingLastPathComponent().path, 1)
        try withWriter { journal in
            try journal.sql.execute("VACUUM")
            try emptyLog(journal.sql)
        }
    }
}
