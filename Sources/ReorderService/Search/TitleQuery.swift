import Foundation

/// A text to find in titles.
///
/// Upper and lower case are equal, and so are different encodings of the same characters: texts are
/// decomposed (NFD), mapped to upper and then to lower case, and decomposed again, so "ß" equals
/// "SS". Accents count: "e" does not find "é".
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
            let title = String(decoding: title, as: UTF8.self)
            return isFound(in: Self.quicklyFolded(title) ?? Self.folded(title))
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

    static func folded(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.map(lowercased) }
        return Array(
            text.decomposedStringWithCanonicalMapping.uppercased().lowercased()
                .decomposedStringWithCanonicalMapping.utf8)
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    // MARK: Common characters

    /// The folded form of a character.
    private struct Form {
        var bytes: [UInt8]
        var startsWithMark: Bool
        var endsWithMark: Bool
    }

    /// The forms of U+0080 to U+052F: Latin, Greek and Cyrillic letters.
    private static let forms: [Form] = (UInt32(0x80)...0x52F).map { value in
        let text = Unicode.Scalar(value).map { String($0) } ?? ""
        let (form, decomposed) = (folded(text), text.decomposedStringWithCanonicalMapping)
        let scalars = [
            decomposed.unicodeScalars, String(decoding: form, as: UTF8.self).unicodeScalars,
        ]
        func isMark(_ scalar: Unicode.Scalar?) -> Bool {
            scalar.map { $0.properties.canonicalCombiningClass != .notReordered } ?? false
        }
        return Form(
            bytes: form, startsWithMark: scalars.contains { isMark($0.first) },
            endsWithMark: scalars.contains { isMark($0.last) })
    }

    /// The same as `folded`, which takes many times longer; nil for a text with other characters, or
    /// with several marks on a letter, whose order can change.
    static func quicklyFolded(_ text: String) -> [UInt8]? {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.utf8.count + 16)
        var endsWithMark = false
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x80:
                folded.append(lowercased(UInt8(scalar.value)))
                endsWithMark = false
            case 0x80...0x52F:
                let form = forms[Int(scalar.value) - 0x80]
                if endsWithMark, form.startsWithMark { return nil }
                folded += form.bytes
                endsWithMark = form.endsWithMark
            // Punctuation, Chinese characters and emoji are their own forms.
            case 0x2010...0x2027, 0x4E00...0x9FFF, 0x1F300...0x1FAFF:
                folded += Array(String(scalar).utf8)
                endsWithMark = false
            default: return nil
            }
        }
        return folded
    }
}
