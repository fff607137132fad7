/// The names of members in the open objects.
///
/// The names of a small object are compared one by one, by their fingerprints first. A larger
/// object gets a hash table with a seed of the process, so that no choice of names makes the check
/// quadratic.
struct MemberNames {
    /// The position of an object's names.
    struct Mark {
        fileprivate var start: Int
        fileprivate var hasTable = false
    }

    struct Entry {
        fileprivate var fingerprint: UInt64
        fileprivate var offset: Int
    }

    private static let maximumScanned = 16
    /// The memory for them is at most 1 KiB, which is on the stack.
    static let entriesOnStack = 64

    private let text: UnsafeBufferPointer<UInt8>
    private let entries: UnsafeMutableBufferPointer<Entry>
    private var entryCount = 0
    private var tables: [NameTable] = []
    private var decoded: [UInt8] = []

    /// - Parameter entries: memory for names. If it is full, an object gets a table.
    init(_ text: UnsafeBufferPointer<UInt8>, _ entries: UnsafeMutableBufferPointer<Entry>) {
        self.text = text
        self.entries = entries
    }

    /// Marks the start of an object.
    @inline(__always)
    func mark() -> Mark { Mark(start: entryCount) }

    /// Removes an object's names.
    @inline(__always)
    mutating func remove(_ mark: Mark) {
        entryCount = mark.start
        if mark.hasTable { tables.removeLast() }
    }

    /// Adds the name at `contents` to the innermost object; returns false if the object has it
    /// already. O(length) expected, independent of the number of members.
    @inline(__always)
    mutating func insert(_ contents: Range<Int>, escaped: Bool, into mark: inout Mark) -> Bool {
        guard escaped else {
            let name = UnsafeBufferPointer(rebasing: text[contents])
            return insert(name, at: contents.lowerBound, into: &mark)
        }
        decoded.removeAll(keepingCapacity: true)
        _ = text.decodeString(from: contents.lowerBound, into: &decoded)
        let name = decoded
        return name.withUnsafeBufferPointer { insert($0, at: contents.lowerBound, into: &mark) }
    }

    @inline(__always)
    private mutating func insert(
        _ name: UnsafeBufferPointer<UInt8>, at offset: Int, into mark: inout Mark
    ) -> Bool {
        if mark.hasTable { return tables[tables.count - 1].insert(name, at: offset, in: text) }
        let fingerprint = name.fingerprint
        for index in mark.start..<entryCount
        where entries[index].fingerprint == fingerprint
            && text.hasName(name, at: entries[index].offset)
        {
            return false
        }
        if entryCount - mark.start == Self.maximumScanned || entryCount == entries.count {
            return insertIntoNewTable(name, at: offset, mark: &mark)
        }
        entries[entryCount] = Entry(fingerprint: fingerprint, offset: offset)
        entryCount += 1
        return true
    }

    @inline(never)
    private mutating func insertIntoNewTable(
        _ name: UnsafeBufferPointer<UInt8>, at offset: Int, mark: inout Mark
    ) -> Bool {
        var table = NameTable()
        for entry in entries[mark.start..<entryCount] { table.insertNew(entry.offset, in: text) }
        tables.append(table)
        mark.hasTable = true
        return tables[tables.count - 1].insert(name, at: offset, in: text)
    }
}

/// A set of names, stored as the offsets of their contents in the text: eight bytes per slot. So
/// even a body that consists only of names needs a bounded multiple of its size.
private struct NameTable {
    private var slots = [Int](repeating: 0, count: 64)
    private var count = 0

    /// Returns false if the name is present already.
    mutating func insert(
        _ name: UnsafeBufferPointer<UInt8>, at offset: Int, in text: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        var slot = name.hash & (slots.count - 1)
        while slots[slot] != 0 {
            if text.hasName(name, at: slots[slot]) { return false }
            slot = (slot + 1) & (slots.count - 1)
        }
        slots[slot] = offset
        count += 1
        if count * 2 > slots.count { grow(in: text) }
        return true
    }

    /// Adds a name that is not present.
    mutating func insertNew(_ offset: Int, in text: UnsafeBufferPointer<UInt8>) {
        text.withName(at: offset) { name in
            var slot = name.hash & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = offset
        }
        count += 1
    }

    private mutating func grow(in text: UnsafeBufferPointer<UInt8>) {
        let offsets = slots
        slots = [Int](repeating: 0, count: offsets.count * 2)
        count = 0
        for offset in offsets where offset != 0 { insertNew(offset, in: text) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// A number that is equal for equal names, and rarely for others.
    @inline(__always)
    fileprivate var fingerprint: UInt64 {
        let length = UInt64(truncatingIfNeeded: count) << 56
        if count >= 8 { return word(at: 0) ^ word(at: count - 8) << 3 ^ length }
        var word: UInt64 = 0
        for byte in self { word = word << 8 | UInt64(byte) }
        return word ^ length
    }

    fileprivate var hash: Int {
        var hasher = Hasher()
        hasher.combine(bytes: UnsafeRawBufferPointer(self))
        return hasher.finalize()
    }

    /// Calls `body` with the decoded name whose contents begin at `offset`.
    fileprivate func withName<Result>(
        at offset: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result
    ) -> Result {
        let stop = quoteOrBackslash(from: offset)
        if self[stop] == ASCII.quote {
            return body(UnsafeBufferPointer(rebasing: self[offset..<stop]))
        }
        var name: [UInt8] = []
        _ = decodeString(from: offset, into: &name)
        return name.withUnsafeBufferPointer(body)
    }

    /// Whether the name whose contents begin at `offset` is `name`. Stops at the first difference.
    fileprivate func hasName(_ name: UnsafeBufferPointer<UInt8>, at offset: Int) -> Bool {
        for index in name.indices {
            let byte = self[offset + index]
            if byte == ASCII.backslash { return withName(at: offset) { $0.sameBytes(as: name) } }
            if byte == ASCII.quote || byte != name[index] { return false }
        }
        return self[offset + name.count] == ASCII.quote
    }
}
