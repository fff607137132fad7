/// JSON Pointers (RFC 6901), built only once something is wrong.
enum JSONPointer {
    /// One step a level of nesting: 0 before the first member or element, the offset of the
    /// current name's contents in an object, -1 minus the current index in an array.
    typealias Step = Int

    /// The longest name, in bytes, that a pointer repeats to the client.
    static let longestName = 128

    /// The pointer along `path`. It ends before a name that is too long to repeat: it then points
    /// at the object that holds it.
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
