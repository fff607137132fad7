/// A record of a list's file: the list as fetched, its changes, and the operations waiting to be
/// sent.
enum OutboxRecord: Sendable, Equatable {
    /// The client id that this file's client sends with its changes.
    case client(String)
    /// The list's document as received; it replaces all earlier state.
    case document([UInt8])
    /// The change to the next version, as received.
    case change([UInt8])
    /// A pending operation.
    case operation([UInt8])
    /// In files of earlier versions: a batch was sent. It has no effect.
    case sent(count: Int, isInBase: Bool)
    /// In files of earlier versions: the first `count` pending operations are completed.
    case settled(count: Int)
    /// A refusal that the app has not acknowledged yet.
    case refused([UInt8])
    /// The app has acknowledged all refusals before this record.
    case allAcknowledged
    /// The app has acknowledged the refusal of the operation with this id.
    case acknowledged(String)
    /// The server has answered the operation with this id: the list has it from a version on.
    case answered(String, version: Int)
    /// All operations wait again. `count` is the number of those that had an answer.
    case unanswered(count: Int)
    /// An operation without an answer is not pending any more: it was refused, or is in the list.
    case removed(String)
    /// The person has discarded all operations without an answer.
    case discarded

    private var kind: UInt8 {
        switch self {
        case .client: 1
        case .document: 2
        case .change: 3
        case .operation: 4
        case .sent: 5
        case .settled: 6
        case .refused: 7
        case .allAcknowledged: 8
        case .acknowledged: 9
        case .answered: 10
        case .unanswered: 11
        case .removed: 12
        case .discarded: 13
        }
    }

    private var payload: [UInt8] {
        switch self {
        case .client(let id), .acknowledged(let id), .removed(let id): Array(id.utf8)
        case .document(let bytes), .change(let bytes), .operation(let bytes), .refused(let bytes):
            bytes
        case .sent(let count, let isInBase): UInt32(count).bytes + [isInBase ? 1 : 0]
        case .settled(let count), .unanswered(let count): UInt32(count).bytes
        case .answered(let id, let version): UInt64(version).bytes + Array(id.utf8)
        case .allAcknowledged, .discarded: []
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
        case (8, 0): self = .allAcknowledged
        case (9, _): self = .acknowledged(String(decoding: payload, as: UTF8.self))
        case (10, 8...):
            self = .answered(
                String(decoding: payload[8...], as: UTF8.self),
                version: Int(clamping: UInt64(payload[0..<8])))
        case (11, 4): self = .unanswered(count: Int(UInt32(payload[0..<4])))
        case (12, _): self = .removed(String(decoding: payload, as: UTF8.self))
        case (13, 0): self = .discarded
        default: return nil
        }
    }

    // MARK: Encoding

    /// The start of each file: a name, and the version of the format.
    static let fileHeader = Array("reorder1".utf8)

    /// Length and checksum of the rest (each 4 bytes, little-endian), kind, payload.
    var bytes: [UInt8] {
        let content = [kind] + payload
        return UInt32(content.count).bytes + CRC32.checksum(of: content).bytes + content
    }

    /// Reads a file's records.
    ///
    /// - Returns: the records before the first incomplete or damaged record, and the offset at
    ///   which the file must be truncated. If the header is wrong, no records and the offset 0.
    static func read(_ file: [UInt8]) -> (records: [OutboxRecord], end: Int) {
        guard file.starts(with: fileHeader) else { return ([], 0) }
        var records: [OutboxRecord] = []
        var end = fileHeader.count
        while file.count - end >= 9 {
            let length = Int(UInt32(file[end..<(end + 4)]))
            let checksum = UInt32(file[(end + 4)..<(end + 8)])
            guard length >= 1, length <= file.count - end - 8 else { break }
            let content = file[(end + 8)..<(end + 8 + length)]
            guard CRC32.checksum(of: content) == checksum,
                let record = OutboxRecord(
                    kind: content[content.startIndex], payload: Array(content.dropFirst()))
            else { break }
            records.append(record)
            end += 8 + length
        }
        return (records, end)
    }
}

extension OutboxRecord {
    /// The number of operations in a file that wait to be sent. O(bytes).
    static func waitingCount(in file: [UInt8]) -> Int {
        read(file).records.reduce(0) { count, record in
            switch record {
            case .operation: count + 1
            case .settled(let done): count - done
            case .removed, .answered: count - 1
            case .unanswered(let again): count + again
            case .discarded: 0
            default: count
            }
        }
    }
}

extension FixedWidthInteger {
    /// Little-endian.
    fileprivate var bytes: [UInt8] {
        (0..<Self.bitWidth / 8).map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }

    fileprivate init(_ bytes: ArraySlice<UInt8>) {
        self = bytes.reversed().reduce(0) { $0 << 8 | Self($1) }
    }
}

/// The CRC-32 of Ethernet and zip files.
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
