/// The value of `Content-Disposition` (RFC 6266): a file's name for the browser.
enum ContentDisposition {
    /// The maximum length of a title in a name in bytes. File systems allow 255 for a name.
    private static let maximumBytes = 200

    /// - Parameters:
    ///   - title: any text. Characters that a file system gives a meaning are replaced.
    ///   - id: the name if nothing is left of the title.
    ///   - ending: the extension, without its dot.
    static func attachment(_ title: String, or id: String, ending: String) -> String {
        let name = fileName(title)
        let file = "\(name.isEmpty ? id : name).\(ending)"
        let ascii = file.unicodeScalars.map { $0.isASCII && $0 != "%" ? Character($0) : "_" }
        let encoded = file.utf8.map { byte in
            isPlain(byte) ? String(UnicodeScalar(byte)) : hexadecimal(byte)
        }
        return "attachment; filename=\"\(String(ascii))\"; filename*=UTF-8''\(encoded.joined())"
    }

    /// A title without characters that file systems refuse or hide, or that reverse the text.
    private static func fileName(_ title: String) -> String {
        var name = String.UnicodeScalarView()
        var count = 0
        for scalar in title.unicodeScalars {
            let isRefused = "/\\:*?\"<>|".unicodeScalars.contains(scalar)
            let isHidden = [.control, .format, .lineSeparator, .paragraphSeparator].contains(
                scalar.properties.generalCategory)
            let safe = isRefused || isHidden ? "_" : scalar
            count += UTF8.width(safe)
            guard count <= maximumBytes else { break }
            name.append(safe)
        }
        let trimmed = String(name).split(separator: " ").joined(separator: " ")
        // A file whose name begins with a dot is hidden; Windows drops dots at the end.
        return String(trimmed.drop { $0 == "." }.reversed().drop { ". ".contains($0) }.reversed())
    }

    /// `attr-char` of RFC 5987.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$&+-.^_`|~".utf8.contains(byte)
        }
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
    }
}
