import Foundation

/// A text to find in titles.
///
/// Upper and lower case are equal, and so are different encodings of the same characters (canonical
/// caseless matching, Unicode D145). For case, texts are mapped to upper case and then to lower case,
/// so "ß" equals "SS". Accents count: "e" does not find "é".
package struct TitleQuery: Sendable, Equatable {
    /// The maximum length, in bytes of UTF-8.
    package static let maximumBytes = 256

    private let pattern: [UInt8]
    private let isASCII: Bool
    /// For each prefix of the pattern: the length of its longest proper prefix that is also its end.
    /// With this table a search is linear, whatever pattern and title are (Knuth, Morris, Pratt).
    private let borders: [Int]

    /// - Parameter text: not empty.
    package init(_ text: String) {
        pattern = Self.folded(text)
        isASCII = pattern.allSatisfy { $0 < 0x80 }
        var borders = Array(repeating: 0, count: pattern.count)
        for end in pattern.indices.dropFirst() {
            var length = borders[end - 1]
            while length > 0, pattern[length] != pattern[end] { length = borders[length - 1] }
            borders[end] = pattern[length] == pattern[end] ? length + 1 : 0
        }
        self.borders = borders
    }

    /// Whether a title contains the text. O(length of the title).
    package func matches(_ title: UnsafeBufferPointer<UInt8>) -> Bool {
        guard title.allSatisfy({ $0 < 0x80 }) else {
            return isFound(in: Self.folded(String(decoding: title, as: UTF8.self)))
        }
        return isASCII && isFound(in: title.lazy.map(Self.lowercased))
    }

    private func isFound(in title: some Collection<UInt8>) -> Bool {
        var length = 0
        var end = title.startIndex
        while end != title.endIndex {
            let byte = title[end]
            title.formIndex(after: &end)
            while length > 0, length == pattern.count || pattern[length] != byte {
                length = borders[length - 1]
            }
            if pattern[length] == byte { length += 1 }
            if length == pattern.count, !Self.isMark(title[end...]) { return true }
        }
        return false
    }

    /// Whether a text begins with a combining mark. It then belongs to the character before it.
    private static func isMark(_ text: some Collection<UInt8>) -> Bool {
        guard let first = text.first, first >= 0x80 else { return false }
        let scalar = String(decoding: text.prefix(4), as: UTF8.self).unicodeScalars.first
        return scalar.map { $0.properties.canonicalCombiningClass != .notReordered } ?? false
    }

    private static func folded(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.map(lowercased) }
        return Array(
            text.decomposedStringWithCanonicalMapping.uppercased().lowercased()
                .decomposedStringWithCanonicalMapping.utf8)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }
}
