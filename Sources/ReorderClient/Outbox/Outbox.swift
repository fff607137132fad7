/// A list's file on the device: the last known list and the operations waiting to be sent. Its size
/// is proportional to both.
struct Outbox: Sendable {
    let storage: any OutboxStorage
    private var bytes: Int
    /// The approximate size of the part of the file that is not history: the newest document, or the file after it was rewritten.
    private var currentBytes: Int
    /// Records that could not be appended, for example because the disk is full. They precede the next record.
    private var missing: [UInt8] = []
    private var rewriting = Rewriting.none
    /// The size of the history with which a file of an empty list is rewritten.
    var historyBytes = 256 << 10

    private enum Rewriting {
        case none
        case requested
        /// The file is being rewritten, without what follows its first `end` bytes.
        case begun(end: Int)
    }

    /// Opens the file, and removes a record that a crash left incomplete at its end.
    ///
    /// - Returns: the outbox and its records.
    static func open(
        _ storage: any OutboxStorage
    ) throws -> (outbox: Outbox, records: [OutboxRecord]) {
        let file = try storage.read()
        var (records, end) = OutboxRecord.read(file)
        if end < file.count { try storage.cut(to: end) }
        if end == 0 {
            records = []
            end = OutboxRecord.fileHeader.count
            try storage.append(OutboxRecord.fileHeader)
        }
        var outbox = Outbox(storage: storage, bytes: end, currentBytes: 0)
        for case .document(let json) in records { outbox.currentBytes = json.count }
        return (outbox, records)
    }

    private init(storage: any OutboxStorage, bytes: Int, currentBytes: Int) {
        self.storage = storage
        self.bytes = bytes
        self.currentBytes = currentBytes
    }

    /// Appends a record, after those that could not be appended before. O(record).
    ///
    /// - Throws: the storage's error; the record is not in the file then.
    mutating func append(_ record: OutboxRecord) throws { try append([record]) }

    /// Appends records: all of them, or none.
    mutating func append(_ records: [OutboxRecord]) throws {
        let addition = records.reduce(into: missing) { $0 += $1.bytes }
        try storage.append(addition)
        missing = []
        bytes += addition.count
        for case .document(let json) in records { currentBytes = json.count }
    }

    /// Appends records of something that has happened already. After a failure, they precede the next record.
    ///
    /// - Returns: whether the file should be rewritten now, because most of it is history. The amortized cost of that is
    ///   that of an append.
    mutating func appendBestEffort(_ records: [OutboxRecord]) -> Bool {
        do {
            try append(records)
        } catch {
            for record in records { missing += record.bytes }
        }
        guard case .none = rewriting, missing.isEmpty, bytes > 2 * currentBytes + historyBytes
        else { return false }
        rewriting = .requested
        return true
    }

    // MARK: Rewriting

    /// Begins to replace what the file has now by a shorter file with the same state.
    ///
    /// - Returns: whether it has begun. If so, the storage prepares the file, and then `endRewriting` is called.
    mutating func beginRewriting() -> Bool {
        guard case .requested = rewriting, missing.isEmpty else {
            rewriting = .none
            return false
        }
        rewriting = .begun(end: bytes)
        return true
    }

    /// Replaces the file by the prepared one, followed by the records that were appended meanwhile. O(those records).
    ///
    /// - Parameter preparedBytes: the size of the prepared file; nil: the storage could not prepare it.
    mutating func endRewriting(preparedBytes: Int?) {
        guard case .begun(let end) = rewriting else { return }
        rewriting = .none
        guard let preparedBytes, (try? storage.replace(keepingFrom: end)) != nil else { return }
        bytes = preparedBytes + bytes - end
        currentBytes = preparedBytes
    }
}
