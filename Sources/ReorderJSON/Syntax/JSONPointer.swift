/// JSON Pointers (RFC 6901), created only for errors.
enum JSONPointer {
    /// A step for each level of nesting: 0 before the first member or element; in an object, the
    /// offset of the current name's contents; in an array, -1 minus the current index.
    typealias Step = Int

    /// The maximum length of a name in a pointer, in bytes.
    static let longestName = 128

    /// The pointer of `path`. It ends before a name that is too long, and then points at that
    /// name's object.
    static func text(_ path: some Sequence<Step>, in bytes: UnsafeBufferPointer<UInt8>) -> String {
        var pointer = ""
        for step in path where step != 0 {
            if step < 0 {
                pointer += "/\(-1 - step)"
                continue
            }
            var name: [UInt8] = []
            _ = bytes.decodeString(from: step, into: &name)
            guard name.count <= longestName else { break }
            pointer += "/"
            for scalar in String(decoding: name, as: UTF8.self).unicodeScalars {
                switch scalar {
                case "~": pointer += "~0"
                case "/": pointer += "~1"
                default: pointer.unicodeScalars.append(scalar)
                }
            }
        }
        return pointer
    }
}
