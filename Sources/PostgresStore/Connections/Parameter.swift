/// A parameter of a statement, in PostgreSQL's binary format.
enum Parameter {
    case int(Int)
    case bytes([UInt8])
    case text(String)
    case ints([Int])
    case texts([String])
    /// nil is SQL's NULL.
    case byteArrays([[UInt8]?])

    /// The size of the values.
    var byteCount: Int {
        switch self {
        case .int: 8
        case .bytes(let value): value.count
        case .text(let value): value.utf8.count
        case .ints(let values): 8 * values.count
        case .texts(let values): values.reduce(0) { $0 + $1.utf8.count }
        case .byteArrays(let values): values.reduce(0) { $0 + ($1?.count ?? 0) }
        }
    }

    /// The number of values, besides the header of an array.
    var elementCount: Int {
        switch self {
        case .int, .bytes, .text: 1
        case .ints(let values): 5 + values.count
        case .texts(let values): 5 + values.count
        case .byteArrays(let values): 5 + values.count
        }
    }

    func append(to bytes: inout [UInt8]) {
        switch self {
        case .int(let value): bytes.append(bigEndian: Int64(value))
        case .bytes(let value): bytes += value
        case .text(let value): bytes += value.utf8
        case .ints(let values):
            Self.append(count: values.count, type: 20, to: &bytes)
            for value in values {
                bytes.append(bigEndian: Int32(8))
                bytes.append(bigEndian: Int64(value))
            }
        case .texts(let values):
            Self.append(count: values.count, type: 25, to: &bytes)
            for value in values {
                bytes.append(bigEndian: Int32(truncatingIfNeeded: value.utf8.count))
                bytes += value.utf8
            }
        case .byteArrays(let values):
            Self.append(count: values.count, type: 17, hasNull: values.contains(nil), to: &bytes)
            for value in values {
                bytes.append(bigEndian: Int32(truncatingIfNeeded: value?.count ?? -1))
                if let value { bytes += value }
            }
        }
    }

    /// An array's header. `type` is the OID of the elements' type, which is the same in every
    /// PostgreSQL.
    private static func append(
        count: Int, type: Int32, hasNull: Bool = false, to bytes: inout [UInt8]
    ) {
        bytes.append(bigEndian: Int32(count == 0 ? 0 : 1))
        bytes.append(bigEndian: Int32(hasNull ? 1 : 0))
        bytes.append(bigEndian: type)
        guard count > 0 else { return }
        bytes.append(bigEndian: Int32(truncatingIfNeeded: count))
        bytes.append(bigEndian: Int32(1))
    }
}

extension [UInt8] {
    mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }
}
