/// What a list's file on the device holds, one record after another: the list as it was fetched, what
/// happened to it, and what waits to be sent.
enum JournalRecord: Sendable, Equatable {
    /// The name under which this file's client makes its changes.
    case client(String)
    /// The document of the list, as the server wrote it: whatever was known before is void.
    case document([UInt8])
    /// The change to the next version, as the server wrote it.
    case change([UInt8])
    /// A pending operation.
    case operation([UInt8])
    /// So many of the first pending operations were sent as a batch; whether the change that they
    /// made is in the list already.
    case sent(count: Int, isInBase: Bool)
    /// So many of the first pending operations are done with.
    case settled(count: Int)
    /// A refusal that nobody was told of yet.
    case refused([UInt8])
    /// Somebody was told of all refusals before this.
    case told

    private var kind: UInt8 {
        switch self {
        case .client: 1
        case .document: 2
        case .change: 3
        case .operation: 4
        case .sent: 5
        case .settled: 6
        case .refused: 7
        case .told: 8
        }
    }

    private var payload: [UInt8] {
        switch self {
        case .client(let id): Array(id.utf8)
        case .document(let bytes), .change(let bytes), .operation(let bytes), .refused(let bytes):
            bytes
        case .sent(let count, let isInBase): UInt32(count).bytes + [isInBase ? 1 : 0]
        case .settled(let count): UInt32(count).bytes
        case .told: []
        }
    }

    private init?(kind: UInt8, payload: [UInt8]) {
        switch (kind, payload.count) {
        case (1, _): self = .client(String(decoding: payload, as: UTF8.self))
        case (2, _): self = .document(payload)
        case (3, _): self = .change(payload)
        case (4, _): self = .operation(payload)
        case (5, 5):
            self = .sent(count: Int(UInt32(payload[0..<4])), isInBase: payload[4] == 1)
        case (6, 4): self = .settled(count: Int(UInt32(payload[0..<4])))
        case (7, _): self = .refused(payload)
        case (8, 0): self = .told
        default: return nil
        }
    }

    // MARK: As bytes

    /// What a file begins with: a name and the version of its form.
    static let fileHeader = Array("reorder1".utf8)

    /// Length and checksum of what follows, each four bytes, little end first; kind; payload.
    var bytes: [UInt8] {
        let content = [kind] + payload
        return UInt32(content.count).bytes + CRC32.checksum(of: content).bytes + content
    }

    /// Reads a file's records.
    ///
    /// - Returns: the records up to the first that is not whole, and where that begins: there the
    ///   file has to be cut. A file that is none has no records and no end.
    static func read(_ file: [UInt8]) -> (records: [JournalRecord], end: Int) {
        guard file.starts(with: fileHeader) else { return ([], 0) }
        var records: [JournalRecord] = []
        var end = fileHeader.count
        while file.count - end >= 9 {
            let length = Int(UInt32(file[end..<(end + 4)]))
            let checksum = UInt32(file[(end + 4)..<(end + 8)])
            guard length >= 1, length <= file.count - end - 8 else { break }
            let content = file[(end + 8)..<(end + 8 + length)]
            guard CRC32.checksum(of: content) == checksum,
                let record = JournalRecord(
                    kind: content[content.startIndex], payload: Array(content.dropFirst()))
            else { break }
            records.append(record)
            end += 8 + length
        }
        return (records, end)
    }
}

extension UInt32 {
    /// Four bytes, little end first.
    fileprivate var bytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) } }

    fileprivate init(_ bytes: ArraySlice<UInt8>) {
        self = bytes.reversed().reduce(0) { $0 << 8 | UInt32($1) }
    }
}

/// The checksum of Ethernet and zip files.
enum CRC32 {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in
            value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1
        }
    }

    static func checksum(of bytes: some Sequence<UInt8>) -> UInt32 {
        ~bytes.reduce(~0) { table[Int(UInt8(truncatingIfNeeded: $0) ^ $1)] ^ ($0 >> 8) }
    }
}
