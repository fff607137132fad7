import Foundation

/// A text to find in titles.
///
/// Upper and lower case, accents and different encodings of the same characters make no difference:
/// titles and texts are compared in their folded form. The web page's own search folds in the same
/// way; both pass the same test vectors.
package struct TitleQuery: Sendable, Equatable {
    /// The maximum length, in bytes of UTF-8.
    package static let maximumBytes = 256

    private let pattern: [UInt8]
    private let isASCII: Bool
    /// For each prefix of the pattern: the length of its longest proper prefix that is also its end.
    /// With this table a search is linear, whatever pattern and title are (Knuth, Morris, Pratt).
    private let borders: [Int]

    /// - Parameter text: a text of accents only is found in no title.
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
        guard !pattern.isEmpty else { return false }
        guard title.allSatisfy({ $0 < 0x80 }) else {
            let title = String(decoding: title, as: UTF8.self)
            return isFound(in: Self.quicklyFolded(title) ?? Self.folded(title))
        }
        return isASCII && isFound(in: title.lazy.map(Self.lowercased))
    }

    private func isFound(in title: some Sequence<UInt8>) -> Bool {
        var length = 0
        for byte in title {
            while length > 0, pattern[length] != byte { length = borders[length - 1] }
            if pattern[length] == byte { length += 1 }
            if length == pattern.count { return true }
        }
        return false
    }

    // MARK: Folding

    /// Decomposes the text (NFKD), so "ﬁ" equals "fi", and removes the accents. Maps it to upper and
    /// then to lower case, so "ß" equals "SS". This can make further accents: "İ" becomes "i̇".
    static func folded(_ text: String) -> [UInt8] {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.map(lowercased) }
        return Array(
            withoutAccents(withoutAccents(text).uppercased().lowercased()).utf8)
    }

    private static func withoutAccents(_ text: String) -> String {
        var plain = String.UnicodeScalarView()
        var piece = String.UnicodeScalarView()
        var markCount = 0
        func appendPiece() {
            let scalars = String(piece).decomposedStringWithCompatibilityMapping.unicodeScalars
            for scalar in scalars {
                if let letters = letters[scalar] {
                    plain.append(contentsOf: letters.unicodeScalars)
                } else if !accents.contains(where: { $0.contains(scalar.value) }) {
                    plain.append(scalar)
                }
            }
            piece = String.UnicodeScalarView()
            markCount = 0
        }
        for scalar in text.unicodeScalars {
            piece.append(scalar)
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            markCount = isMark ? markCount + 1 : 0
            if markCount == maximumMarks { appendPiece() }
        }
        appendPiece()
        return String(plain)
    }

    /// After this number of marks in a row, a piece of a text ends, as in the Stream-Safe Text Format of
    /// Unicode's annex 15. Marks are sorted, which takes quadratic time, and a title can have 2,000.
    private static let maximumMarks = 30

    /// The accents and other marks that make no difference: those of Latin, Greek and Cyrillic letters,
    /// Hebrew and Arabic points, the marks of kana, and variation selectors. The vowel signs of Indic
    /// scripts make a difference.
    private static let accents: [ClosedRange<UInt32>] = [
        0x300...0x36F, 0x483...0x487, 0x591...0x5BD, 0x5BF...0x5BF, 0x5C1...0x5C2, 0x5C4...0x5C5,
        0x5C7...0x5C7, 0x610...0x61A, 0x64B...0x65F, 0x670...0x670, 0x6D6...0x6DC, 0x6DF...0x6E4,
        0x6E7...0x6E8, 0x6EA...0x6ED, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF,
        0x3099...0x309A, 0xFE00...0xFE0F, 0xFE20...0xFE2F,
    ]

    /// Letters whose stroke Unicode does not decompose, and ligatures.
    private static let letters: [Unicode.Scalar: String] = [
        "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ħ": "h", "Ħ": "H", "ŧ": "t",
        "Ŧ": "T", "ı": "i", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE",
    ]

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
    }

    // MARK: Common characters

    /// The folded forms of the Latin, Greek and Cyrillic letters, and of punctuation.
    private static let letterForms = forms(of: 0x80...0x52F)
    private static let punctuationForms = forms(of: 0x2000...0x206F)

    private static func forms(of range: ClosedRange<UInt32>) -> [[UInt8]] {
        range.map { value in Unicode.Scalar(value).map { folded(String($0)) } ?? [] }
    }

    /// The same as `folded`, which takes many times longer; nil for a text with other characters.
    /// Character by character, because without accents no order of marks can change.
    static func quicklyFolded(_ text: String) -> [UInt8]? {
        var folded: [UInt8] = []
        folded.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0..<0x80: folded.append(lowercased(UInt8(scalar.value)))
            case 0x80...0x52F: folded += letterForms[Int(scalar.value) - 0x80]
            case 0x2000...0x206F: folded += punctuationForms[Int(scalar.value) - 0x2000]
            // Chinese characters and emoji are their own forms.
            case 0x4E00...0x9FFF, 0x1F300...0x1FAFF: folded += Array(String(scalar).utf8)
            case 0xFE0F: break
            default: return nil
            }
        }
        return folded
    }
}
