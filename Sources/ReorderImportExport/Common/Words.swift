extension String {
    /// Without spaces and tabs at both ends.
    var trimmed: String { Array(utf8)[...].trimmed.text }

    /// The texts between commas and semicolons. A mark after one forms one character with it, so
    /// that this must not look at characters.
    var separatedTexts: [String] {
        unicodeScalars.split { $0 == "," || $0 == ";" }.map { String($0).trimmed }
            .filter { !$0.isEmpty }
    }
}

extension String {
    /// The texts between spaces. Not by characters: a mark after a space forms one with it.
    var words: [String] {
        unicodeScalars.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    }
}

extension [String] {
    /// The words up to the last one that is not a label.
    func joined(untilLast isLabel: (String) -> Bool) -> String {
        let end = lastIndex { !$0.isEmpty && !isLabel($0) }.map { $0 + 1 } ?? 0
        return self[..<end].joined(separator: " ")
    }
}
