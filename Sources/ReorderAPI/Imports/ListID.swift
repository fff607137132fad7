import Foundation
import ReorderCrypto
import ReorderJSON

/// The ids of imported lists whose files contain none.
package enum ListID {
    /// The bytes of a file name's digest in an id: different names get different ids.
    private static let digestBytes = 8

    /// The id for a file's name without its extension: the name itself if it is a valid id.
    /// Otherwise its valid characters and 16 hexadecimal digits of its SHA-256, so that the same
    /// name gives the same id in each import.
    package static func make(fromFileName name: String) -> String {
        if Identifier.isValid(name) { return name }
        // Systems differ in how they store accents.
        let name = name.precomposedStringWithCanonicalMapping
        return make(name, digestOf: Array(name.utf8))
    }

    /// The id for a list without an id, of a file without a name: words of its title and a digest of
    /// its content, so that the same list is not imported twice.
    package static func make(fromTitle title: String, content: [UInt8]) -> String {
        make(title, digestOf: Array(title.utf8) + [0] + content)
    }

    private static func make(_ name: String, digestOf bytes: [UInt8]) -> String {
        let digest = SHA256.digest(of: bytes).prefix(digestBytes)
            .map { String(format: "%02x", $0) }.joined()
        let words = name.utf8.split { !Identifier.isByte($0) || $0 == UInt8(ascii: "-") }
            .map { String(decoding: Array($0), as: UTF8.self) }
        let readable = words.isEmpty ? "list" : words.joined(separator: "-")
        return "\(readable.prefix(Identifier.maximumBytes - 1 - digest.count))-\(digest)"
    }
}
