import ReorderStore

extension SQLiteListStore {
    /// Verifies the whole file, including each change's checksum, and reports each fault.
    ///
    /// It does not interpret changes and snapshots. Commits wait meanwhile, so use it on a store
    /// that has no other users. It reads the file a few times, and needs memory for one list.
    ///
    /// - Parameter report: called for each fault with its place (a file, a list or a version, as in
    ///   `StoreError.corrupt`) and its description.
    /// - Throws: `unavailable` if the store is closed or can't be read at all.
    package func verify(
        _ report: @escaping (_ place: String, _ reason: String) -> Void
    ) throws(StoreError) {
        try tidy { true }
        try withWriter { journal in
            try journal.sql.inTransaction("BEGIN") {
                FileVerification(sql: journal.sql, report: report).run(path: path)
            }
        }
    }
}
