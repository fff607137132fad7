import ReorderEngine
import ReorderJSON

/// A list's file on the device: the last known list and the operations waiting to be sent. Its size
/// is proportional to both.
struct Outbox: Sendable {
    let storage: any OutboxStorage
    private var bytes = 0
    private var bytesAfterRewriting = 0
    /// An append failed, so the file lacks a record and must be rewritten before the next append.
    private var needsRewrite = false

    /// Opens the file, and removes a record that a crash left incomplete at its end.
    ///
    /// - Returns: the outbox and its records.
    static func open(
        _ storage: any OutboxStorage
    ) throws -> (outbox: Outbox, records: [OutboxRecord]) {
        let file = try storage.read()
        var (records, end) = OutboxRecord.read(file)
        if end == 0 {
            records = []
            end = OutboxRecord.fileHeader.count
            try storage.replace(with: OutboxRecord.fileHeader)
        } else if end < file.count {
            try storage.cut(to: end)
        }
        return (Outbox(storage: storage, bytes: end), records)
    }

    private init(storage: any OutboxStorage, bytes: Int) {
        self.storage = storage
        self.bytes = bytes
    }

    /// Appends a record; first rewrites the file if an earlier append failed.
    ///
    /// - Parameter state: the records for the complete state without `record`.
    /// - Throws: the storage's error; the record is not in the file then.
    mutating func append(_ record: OutboxRecord, state: () -> [OutboxRecord]) throws {
        if needsRewrite { try rewrite(state()) }
        let addition = record.bytes
        try storage.append(addition)
        bytes += addition.count
    }

    /// Appends a record of something that has happened already. After a failure, the file is
    /// rewritten later.
    ///
    /// - Parameter state: the records for the complete state, including `record`. If most of the
    ///   file is outdated, the file is rewritten with them. The amortized cost is that of an append.
    mutating func appendBestEffort(_ record: OutboxRecord, state: () -> [OutboxRecord]) {
        do {
            if needsRewrite || bytes > 2 * bytesAfterRewriting + (256 << 10) {
                try rewrite(state())
            } else {
                let addition = record.bytes
                try storage.append(addition)
                bytes += addition.count
            }
        } catch {
            needsRewrite = true
        }
    }

    private mutating func rewrite(_ records: [OutboxRecord]) throws {
        let file = records.reduce(into: OutboxRecord.fileHeader) { $0 += $1.bytes }
        try storage.replace(with: file)
        bytes = file.count
        bytesAfterRewriting = file.count
        needsRewrite = false
    }
}
