import ReorderEngine
import ReorderJSON

/// The names of tasks as resources, the last segments of their paths. Nearly all follow from the task's id, so that no other
/// task has to be looked at: `<id>.ics`, in which an id has `~` and two hexadecimal digits for each byte that ids can't have.
///
/// Ids are unique in the server, but names only in a list. So an id can end with `~~` and a suffix that is not part
/// of the name.
enum ResourceName {
    private static let maximumBytes = 255

    private static let ending = ".ics"
    private static let escape = UInt8(ascii: "~")

    /// The beginning of the id of a task whose name does not follow from its id.
    private static let unnamed = "~~"

    /// Whether a name can be a segment of a path.
    static func isValid(_ name: String) -> Bool {
        (1...maximumBytes).contains(name.utf8.count) && name != "." && name != ".."
            && name.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "/") }
    }

    /// An id from which no name follows.
    static func unnamedID(_ random: String) -> TaskID { unnamed + random }

    /// The id from which a name follows; nil if there is none.
    static func id(for name: String) -> TaskID? {
        guard name.hasSuffix(ending), name.utf8.count > ending.utf8.count else { return nil }
        let id = escaped(name.dropLast(ending.count))
        return Identifier.isValid(id) ? id : nil
    }

    /// The name that follows from an id.
    static func name(for id: String) -> String {
        guard id.utf8.contains(escape) else { return id + ending }
        let end = suffixStart(id) ?? id.endIndex
        guard let stem = unescaped(id[..<end].utf8), escaped(stem[...]) == id[..<end],
            !stem.isEmpty, isValid(stem + ending)
        else { return id + ending }
        return stem + ending
    }

    /// Another id from which the same name follows; nil if it would be too long.
    ///
    /// - Parameter suffix: characters of ids without `~`.
    static func id(_ id: String, suffix: String) -> String? {
        let longer = "\(id[..<(suffixStart(id) ?? id.endIndex)])~~\(suffix)"
        return Identifier.isValid(longer) ? longer : nil
    }

    private static func suffixStart(_ id: String) -> String.Index? {
        id.utf8.firstRange(of: "~~".utf8)?.lowerBound
    }

    private static func escaped(_ stem: Substring) -> String {
        var id = ""
        for byte in stem.utf8 {
            if Identifier.isByte(byte), byte != escape {
                id.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                id += "~" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return id
    }

    private static func unescaped(_ id: Substring.UTF8View) -> String? {
        var bytes: [UInt8] = []
        var rest = id
        while let byte = rest.popFirst() {
            guard byte == escape else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(Substring(rest.prefix(2))), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
