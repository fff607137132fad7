/// The ASCII bytes with a meaning in these formats.
enum Byte {
    static let tab = UInt8(ascii: "\t")
    static let lineFeed = UInt8(ascii: "\n")
    static let carriageReturn = UInt8(ascii: "\r")
    static let space = UInt8(ascii: " ")
    static let quote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let backtick = UInt8(ascii: "`")
    static let ampersand = UInt8(ascii: "&")
    static let numberSign = UInt8(ascii: "#")
    static let hyphen = UInt8(ascii: "-")

    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }

    static func isPunctuation(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x21...0x2F, 0x3A...0x40, 0x5B...0x60, 0x7B...0x7E: true
        default: false
        }
    }
}

extension ArraySlice<UInt8> {
    /// Without spaces and tabs at both ends.
    var trimmed: ArraySlice<UInt8> {
        let start = drop(while: Byte.isBlank)
        guard let last = start.lastIndex(where: { !Byte.isBlank($0) }) else { return [] }
        return start[...last]
    }

    var text: String { String(decoding: self, as: UTF8.self) }
}
