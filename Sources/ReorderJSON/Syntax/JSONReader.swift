/// A cursor over a checked text, for decoding without an intermediate tree. The syntax is valid;
/// only types can be wrong.
///
/// ```swift
/// var reader = JSONReader(text)
/// try reader.beginObject()
/// while let name = reader.nextMember() {
///     switch name {
///     case "task": task = try reader.readString()
///     case "position": position = try reader.readInt()
///     default: throw reader.unknownMember(allowed: ["task", "position"])
///     }
/// }
/// guard let task else { throw reader.missingMember("task") }
/// ```
///
/// A member or element whose value is not read is skipped. An object or array that was begun must
/// be read to its end, with `nextMember` or `nextElement`, before anything after it.
package struct JSONReader: ~Copyable {
    let bytes: [UInt8]
    var position = 0
    /// The start of the current member's or element's value.
    private var valueStart = -1
    private var path: [JSONPointer.Step] = []
    /// Whether the documents of a later version can be read: their unknown members are ignored.
    package var ignoresUnknownMembers = false

    /// Starts at the text's outermost value.
    package init(_ text: JSONText) {
        bytes = text.bytes
        skipSpaces()
    }

    /// The kind of the next value. As for all reading functions, that value must exist. O(1).
    package var peek: JSONKind { JSONKind(firstByte: bytes[position]) }

    /// Begins an object. Throws if the next value is not an object.
    package mutating func beginObject() throws(JSONTypeError) {
        try begin(.object)
    }

    /// Begins an array. Throws if the next value is not an array.
    package mutating func beginArray() throws(JSONTypeError) {
        try begin(.array)
    }

    /// Advances to the innermost object's next member and returns its name; at the end of the
    /// object, leaves it and returns nil.
    package mutating func nextMember() -> JSONName? {
        guard advance(to: ASCII.closeBrace) else { return nil }
        let start = position + 1
        let (name, end) = bytes.withUnsafeBufferPointer { bytes in
            let end = bytes.quoteOrBackslash(from: start)
            if bytes[end] == ASCII.quote {
                return (JSONName(UnsafeBufferPointer(rebasing: bytes[start..<end])), end)
            }
            var name: [UInt8] = []
            let quote = bytes.decodeString(from: start, into: &name)
            return (name.withUnsafeBufferPointer { JSONName($0) }, quote)
        }
        path[path.count - 1] = start
        position = end + 1
        skipSpaces()
        position += 1
        beginValue()
        return name
    }

    /// The string value of a member of the next object, or nil if it does not have the member. Does
    /// not advance. It serves objects in which one member decides which other members are valid.
    package mutating func peekString(ofMember literal: StaticString) throws(JSONTypeError)
        -> String?
    {
        let (position, valueStart, depth) = (position, valueStart, path.count)
        try beginObject()
        var value: String?
        while value == nil, let name = nextMember() {
            if literal ~= name { value = try readString() }
        }
        path.removeSubrange(depth...)
        (self.position, self.valueStart) = (position, valueStart)
        return value
    }

    /// The name of the current member of the innermost open object.
    package var memberName: String {
        guard let start = path.last, start > 0 else { return "" }
        var name: [UInt8] = []
        _ = bytes.withUnsafeBufferPointer { $0.decodeString(from: start, into: &name) }
        return String(decoding: name, as: UTF8.self)
    }

    /// Advances to the innermost array's next element; at the end of the array, leaves it and
    /// returns false.
    package mutating func nextElement() -> Bool {
        guard advance(to: ASCII.closeBracket) else { return false }
        path[path.count - 1] -= 1
        beginValue()
        return true
    }

    @inline(__always)
    private mutating func begin(_ kind: JSONKind) throws(JSONTypeError) {
        try expect(kind)
        position += 1
        path.append(0)
    }

    /// Skips the rest of the current value and a comma. If `end` is next, leaves the innermost
    /// array or object and returns false.
    @inline(__always)
    private mutating func advance(to end: UInt8) -> Bool {
        if position == valueStart { skip() }
        skipSpaces()
        if bytes[position] == ASCII.comma {
            position += 1
            skipSpaces()
        } else if bytes[position] == end {
            position += 1
            path.removeLast()
            return false
        }
        return true
    }

    @inline(__always)
    private mutating func beginValue() {
        skipSpaces()
        valueStart = position
    }

    @inline(__always)
    mutating func skipSpaces() {
        while position < bytes.count, ASCII.isSpace(bytes[position]) { position += 1 }
    }

    @inline(__always)
    func expect(_ kind: JSONKind) throws(JSONTypeError) {
        if peek != kind { throw error(.wrongType(expected: kind, found: peek)) }
    }
}

extension JSONReader {
    /// The JSON Pointer of the next value or the one read last. After `nextMember` or `nextElement`
    /// has left an object or array, it is the pointer of the object or array.
    package var pointer: String {
        bytes.withUnsafeBufferPointer { JSONPointer.text(path, in: $0) }
    }

    /// The error for a current member that the object must not have.
    ///
    /// - Parameter allowed: the members that it may have; empty if the client can't know them.
    package func unknownMember(allowed: [JSONName] = []) -> JSONTypeError {
        error(.unknownMember(memberName, allowed: allowed.map(\.description)))
    }

    /// Handles a current member that this version does not know.
    func passUnknownMember(allowed: [JSONName]) throws(JSONTypeError) {
        if !ignoresUnknownMembers { throw unknownMember(allowed: allowed) }
    }

    /// The error for a member that is missing in the object that was just left.
    package func missingMember(_ name: StaticString) -> JSONTypeError {
        error(.missingMember("\(name)"))
    }

    /// The error for the value that was read last; `reason` is a sentence for the client.
    package func invalid(_ reason: String) -> JSONTypeError { error(.invalid(reason)) }

    @inline(never)
    func error(_ kind: JSONTypeError.Kind) -> JSONTypeError {
        JSONTypeError(kind: kind, pointer: pointer)
    }
}
