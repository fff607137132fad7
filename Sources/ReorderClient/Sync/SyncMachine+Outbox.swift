/// Writes to the file.
extension SyncMachine {
    mutating func appendRecord(_ record: OutboxRecord) { appendRecords([record]) }

    mutating func appendRecords(_ records: [OutboxRecord]) {
        guard !records.isEmpty else { return }
        if outbox.appendBestEffort(records) { request(.rewriteFile) }
    }

    /// Begins to rewrite the file. O(1).
    ///
    /// - Returns: the state to write with `file`, without a lock; then call `endRewriting`. nil: there is nothing to do.
    mutating func beginRewriting() -> SyncMachine? {
        guard !isStopped, outbox.beginRewriting() else { return nil }
        return self
    }

    mutating func endRewriting(preparedBytes: Int?) {
        outbox.endRewriting(preparedBytes: preparedBytes)
    }

    /// Rewrites the file at once. O(tasks). For runners without threads.
    package mutating func rewriteFile() {
        guard let file = beginRewriting()?.file else { return }
        let isPrepared = (try? outbox.storage.prepare(file)) != nil
        endRewriting(preparedBytes: isPrepared ? file.count : nil)
        try? outbox.storage.sync()
    }

    /// A file with the complete state. O(tasks).
    var file: [UInt8] { records.reduce(into: OutboxRecord.fileHeader) { $0 += $1.bytes } }
}
