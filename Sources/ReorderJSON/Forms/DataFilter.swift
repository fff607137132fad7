/// A condition for the `data` of a task, as a query writes it: `data.due<2026-12-01`.
package struct DataFilter: Sendable, Equatable {
    private let path: DataPath
    private let test: Test

    private enum Test: Equatable {
        case exists
        case isMissing
        case compares(Comparison, JSONScalar)
    }

    /// The comparisons. Longer texts are first, because they begin with shorter ones.
    private enum Comparison: String, CaseIterable {
        case different = "!="
        case lessOrEqual = "<="
        case greaterOrEqual = ">="
        case less = "<"
        case greater = ">"
        case equal = "="

        /// - Parameter order: negative if the value is less than the operand, 0 if it is equal.
        func accepts(_ order: Int) -> Bool {
            switch self {
            case .equal: order == 0
            case .different: order != 0
            case .less: order < 0
            case .lessOrEqual: order <= 0
            case .greater: order > 0
            case .greaterOrEqual: order >= 0
            }
        }
    }

    /// - Throws: if the text is not a condition.
    package init(_ text: String) throws(DataQueryError) {
        var rest = Array(text.utf8)[...]
        let isMissing = rest.first == UInt8(ascii: "!")
        if isMissing { rest.removeFirst() }
        path = try DataPath(beginning: &rest)
        if rest.isEmpty {
            test = isMissing ? .isMissing : .exists
            return
        }
        let comparison = Comparison.allCases.first { rest.starts(with: $0.rawValue.utf8) }
        guard let comparison, !isMissing else {
            throw DataQueryError(
                reason:
                    "After the path comes nothing, or one of = != < <= > >= and a value, without "
                    + "spaces, such as data.due<2026-12-01. With ! before the path, nothing comes "
                    + "after it. A name with other characters than letters, digits, _ and - is a JSON "
                    + "string in quotes.")
        }
        test = .compares(
            comparison, try Self.value(Array(rest.dropFirst(comparison.rawValue.utf8.count))))
    }

    /// The value that a text means: a JSON number, true, false, null or JSON string, or else the text
    /// itself.
    private static func value(_ text: [UInt8]) throws(DataQueryError) -> JSONScalar {
        let json: [UInt8]?
        if text.first == ASCII.quote {
            json = DataPath.canonicalString(text)
            guard json != nil else {
                throw DataQueryError(reason: "A value that begins with \" must be a JSON string.")
            }
        } else {
            guard !isOtherSyntax(text) else {
                throw DataQueryError(
                    reason:
                        "The value comes right after one of = != < <= > >=, such as data.n=1. A "
                        + "value that has |, that begins with one of = < > ! ~ ', or that begins or ends "
                        + "with a space, is a JSON string in quotes, such as data.label=\"a|b\".")
            }
            json = try literal(text)
        }
        return json.flatMap { $0.withUnsafeBufferPointer { JSONScalar($0) } } ?? .string(text)
    }

    /// Whether a value without quotes looks like a part of a language that filters do not have: `==`,
    /// `<>`, spaces around a sign, or alternatives.
    private static func isOtherSyntax(_ text: [UInt8]) -> Bool {
        guard let first = text.first, let last = text.last else { return false }
        return "=<>!~'".utf8.contains(first) || ASCII.isSpace(first) || ASCII.isSpace(last)
            || text.contains(UInt8(ascii: "|"))
    }

    /// The text, if it is a number or a literal name.
    private static func literal(_ text: [UInt8]) throws(DataQueryError) -> [UInt8]? {
        guard !text.isEmpty else { return nil }
        do {
            return try JSONText(checking: text).bytes
        } catch {
            guard error.kind == .numberOutOfRange else { return nil }
            throw DataQueryError(reason: "The number is too large.")
        }
    }

    /// Whether the condition is true. O(length of the data).
    ///
    /// - Parameter data: canonical text; nil if the task has none.
    package func matches(_ data: UnsafeBufferPointer<UInt8>?) -> Bool {
        let value = data.flatMap { path.value(in: $0) }
        switch test {
        case .exists: return value != nil
        case .isMissing: return value == nil
        case .compares(.different, let operand):
            return !(value.map { Self.compare($0, .equal, operand) } ?? false)
        case .compares(let comparison, let operand):
            return value.map { Self.compare($0, comparison, operand) } ?? false
        }
    }

    /// Compares a value, or any element of an array. Objects, and values of another type, do not match.
    private static func compare(
        _ text: UnsafeBufferPointer<UInt8>, _ comparison: Comparison, _ operand: JSONScalar
    ) -> Bool {
        func matches(_ value: UnsafeBufferPointer<UInt8>) -> Bool {
            operand.order(of: value).map(comparison.accepts) ?? false
        }
        guard text[0] == ASCII.openBracket else { return matches(text) }
        var index = 1
        while text[index] != ASCII.closeBracket {
            let end = text.endOfValue(from: index)
            if matches(UnsafeBufferPointer(rebasing: text[index..<end])) { return true }
            index = text[end] == ASCII.comma ? end + 1 : end
        }
        return false
    }
}
