import ReorderEngine
import ReorderJSON

/// The file of a list, kept in proportion to the list and what waits to be sent.
struct Journal: Sendable {
    let storage: any JournalStorage
    private var bytes = 0
    private var bytesAfterRewriting = 0
    /// An addition failed: the file lacks something, and has to be written anew before it grows.
    private var isBehind = false

    /// Opens a list's file, and cuts what a sudden end may have left torn.
    ///
    /// - Returns: the journal, and the records that it holds.
    static func open(
        _ storage: any JournalStorage
    ) throws -> (journal: Journal, records: [JournalRecord]) {
        let file = try storage.read()
        var (records, end) = JournalRecord.read(file)
        if end == 0 {
            records = []
            end = JournalRecord.fileHeader.count
            try storage.replace(with: JournalRecord.fileHeader)
        } else if end < file.count {
            try storage.cut(to: end)
        }
        return (Journal(storage: storage, bytes: end), records)
    }

    private init(storage: any JournalStorage, bytes: Int) {
        self.storage = storage
        self.bytes = bytes
    }

    /// Adds a record to what stands for `state`; writes all of that anew first where it must.
    ///
    /// - Parameter state: the records that stand for all that is known without this record.
    mutating func add(_ record: JournalRecord, to state: () -> [JournalRecord]) throws {
        if isBehind { try rewrite(state()) }
        let addition = record.bytes
        try storage.append(addition)
        bytes += addition.count
    }

    /// Adds a record of what has happened already; where that fails, the file catches up later.
    ///
    /// - Parameter state: the records that stand for all that is known, this included. A file that is
    ///   mostly history is replaced by them: amortised, that costs no more than adding.
    mutating func note(_ record: JournalRecord, of state: () -> [JournalRecord]) {
        do {
            if isBehind || bytes > 2 * bytesAfterRewriting + (256 << 10) {
                try rewrite(state())
            } else {
                let addition = record.bytes
                try storage.append(addition)
                bytes += addition.count
            }
        } catch {
            isBehind = true
        }
    }

    private mutating func rewrite(_ records: [JournalRecord]) throws {
        let file = records.reduce(into: JournalRecord.fileHeader) { $0 += $1.bytes }
        try storage.replace(with: file)
        bytes = file.count
        bytesAfterRewriting = file.count
        isBehind = false
    }
}
