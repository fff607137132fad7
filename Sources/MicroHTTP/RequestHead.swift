/// The target and the header fields of one request in a single allocation.
///
/// The target's bytes come first. Each field follows as the lengths of its name and its value, two
/// bytes each, then the name and the value: looking one up walks them, which for the few fields that
/// requests have is faster than making a dictionary for every request.
struct RequestHead: Sendable {
    let bytes: [UInt8]
    let targetLength: Int
    /// Length of the target's part before the first `?`.
    let pathLength: Int

    var path: ArraySlice<UInt8> { bytes[..<pathLength] }
    var query: ArraySlice<UInt8> { bytes[min(pathLength + 1, targetLength)..<targetLength] }

    /// Calls `body` with the ranges of each field's name and value until it returns false.
    func forEachField(_ body: (_ name: Range<Int>, _ value: Range<Int>) -> Bool) {
        var index = targetLength
        while index + 4 <= bytes.count {
            let name = index + 4..<index + 4 + length(at: index)
            let value = name.upperBound..<name.upperBound + length(at: index + 2)
            guard body(name, value) else { return }
            index = value.upperBound
        }
    }

    private func length(at index: Int) -> Int {
        Int(bytes[index]) << 8 | Int(bytes[index + 1])
    }
}

/// Collects a head into bytes that keep their capacity from one request to the next.
struct RequestHeadBuilder {
    private var bytes: [UInt8] = []
    private var targetLength = 0
    private var pathLength = 0

    /// Starts a head. `query` is nil where the target has no `?`.
    mutating func begin(path: UnsafeBufferPointer<UInt8>, query: UnsafeBufferPointer<UInt8>?) {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(contentsOf: path)
        pathLength = path.count
        if let query {
            bytes.append(UInt8(ascii: "?"))
            bytes.append(contentsOf: query)
        }
        targetLength = bytes.count
    }

    /// Adds a field. One longer than 65,535 bytes is cut: the server's limit is well below that.
    mutating func add(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
        let name = name.prefix(0xFFFF)
        let value = value.prefix(0xFFFF)
        bytes.append(UInt8(name.count >> 8))
        bytes.append(UInt8(name.count & 0xFF))
        bytes.append(UInt8(value.count >> 8))
        bytes.append(UInt8(value.count & 0xFF))
        bytes.append(contentsOf: name)
        bytes.append(contentsOf: value)
    }

    func finish() -> RequestHead {
        // A copy of exactly this size; the builder keeps its own bytes for the next request.
        let copy = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            count = buffer.initialize(fromContentsOf: bytes)
        }
        return RequestHead(bytes: copy, targetLength: targetLength, pathLength: pathLength)
    }
}
