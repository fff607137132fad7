extension JSONText {
    /// Whether two JSON texts have the same value. White space, escaping and the order of members
    /// do not matter; numbers are equal if their texts are.
    ///
    /// Texts that ``JSONSyntax/check(_:maximumDepth:)`` refuses are equal only byte for byte.
    /// O(length · depth), and the cost of sorting the members of each object.
    package static func equal(_ first: String, _ second: String) -> Bool {
        if first.utf8.elementsEqual(second.utf8) { return true }
        guard let first = compacted(first), let second = compacted(second) else { return false }
        var pairs = [(first[...], second[...])]
        while let (first, second) = pairs.popLast() {
            guard first != second else { continue }
            guard let parts = pairedParts(of: first, and: second) else { return false }
            pairs += parts
        }
        return true
    }

    private static func compacted(_ text: String) -> [UInt8]? {
        guard let text = try? JSONText(checking: Array(text.utf8)) else { return nil }
        var reader = JSONReader(text)
        return Array(reader.readRaw().utf8)
    }

    /// The pairs of values that must be equal for the two texts to be equal; nil if they can't be
    /// equal.
    private static func pairedParts(
        of first: ArraySlice<UInt8>, and second: ArraySlice<UInt8>
    ) -> [(ArraySlice<UInt8>, ArraySlice<UInt8>)]? {
        guard let opening = first.first, opening == second.first,
            opening == ASCII.openBrace || opening == ASCII.openBracket
        else { return nil }
        let first = parts(of: first)
        let second = parts(of: second)
        guard first.elementsEqual(second, by: { $0.name == $1.name }) else { return nil }
        return zip(first, second).map { ($0.value, $1.value) }
    }

    /// A compact array's elements in order, or a compact object's members sorted by name.
    private static func parts(of text: ArraySlice<UInt8>) -> [Part] {
        let isObject = text.first == ASCII.openBrace
        var parts: [Part] = []
        text.withUnsafeBufferPointer { bytes in
            func slice(_ start: Int, _ end: Int) -> ArraySlice<UInt8> {
                text[text.startIndex + start..<text.startIndex + end]
            }
            var index = 1
            while index < bytes.count - 1 {
                let nameStart = index
                if isObject { index = bytes.endOfValue(from: index) + 1 }
                let valueStart = index
                index = bytes.endOfValue(from: index)
                parts.append(
                    Part(name: slice(nameStart, valueStart), value: slice(valueStart, index)))
                index += 1
            }
        }
        if isObject { parts.sort { $0.name.lexicographicallyPrecedes($1.name) } }
        return parts
    }

    private struct Part {
        /// With its quotes and colon; empty in an array.
        var name: ArraySlice<UInt8>
        var value: ArraySlice<UInt8>
    }
}
