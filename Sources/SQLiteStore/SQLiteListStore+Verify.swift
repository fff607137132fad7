import GRDB
import ReorderStore

extension SQLiteListStore {
    /// Looks at everything the file holds, down to each change's checksum, and tells each fault.
    ///
    /// What changes and snapshots mean is not looked at. Commits wait meanwhile, so it is for a store
    /// that nobody else uses. Takes the time of reading the file a few times; memory for one list.
    ///
    /// - Parameter report: called with where each fault is, a file, a list or a version as in
    ///   `StoreError.corrupt`, and with what is wrong there.
    /// - Throws: `unavailable` where the store is closed, or can't be read at all.
    package func verify(
        _ report: @escaping (_ place: String, _ reason: String) -> Void
    ) throws(StoreError) {
        try withWriter { database in
            try database.inTransaction(.deferred) {
                Verification(database: database, report: report).run(path: path)
                return .commit
            }
        }
    }
}
