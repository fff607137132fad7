import MicroHTTP

extension Request {
    /// The parameters that a query can have several times.
    private static let repeatable = ["filter", "column"]

    /// Checks that the query is percent-encoded UTF-8, and has only these parameters, each at most once,
    /// except `repeatable`. If a misspelt `dryRun` were ignored, the request would change the list.
    func checkQuery(_ parameters: [String]) throws(Problem) {
        guard !query.pairs.isEmpty else { return }
        if let name = query.malformedName {
            throw Problem(
                .invalidQuery,
                "The query parameter \(shown(name)) is not percent-encoded UTF-8. Write % as %25, and "
                    + "other characters as their UTF-8 bytes, such as %C3%A9 for \u{E9}.")
        }
        for (index, name) in query.pairs.lazy.map(\.name).enumerated() {
            guard parameters.contains(name) else {
                throw Problem(
                    .invalidQuery,
                    parameters.isEmpty
                        ? "Unknown query parameter \(shown(name)). This request has no query parameters."
                        : "Unknown query parameter \(shown(name)). This request accepts: "
                            + parameters.joined(separator: ", ") + ".")
            }
            // Apart from the repeatable ones, at most as many names as there are parameters come before.
            guard !Self.repeatable.contains(name) else { continue }
            guard !query.pairs[..<index].contains(where: { $0.name == name }) else {
                throw Problem(.invalidQuery, "The query parameter \(shown(name)) is repeated.")
            }
        }
    }

    /// A name in quotes. It is repeated in the response, so its length is limited.
    private func shown(_ name: String) -> String {
        "\"\(String.UnicodeScalarView(name.unicodeScalars.prefix(64)))\""
    }

    /// Returns the value of a Boolean query parameter; false if it is omitted.
    func flag(_ name: String) throws(Problem) -> Bool { try optionalFlag(name) ?? false }

    /// Returns the value of a Boolean query parameter; nil if it is omitted.
    func optionalFlag(_ name: String) throws(Problem) -> Bool? {
        switch query[name] {
        case nil: return nil
        case "false": return false
        case "true": return true
        default:
            throw Problem(.invalidQuery, "The parameter \(name) must be \"true\" or \"false\".")
        }
    }

    /// Returns the value of a query parameter that is a whole number.
    func number(
        _ name: String, in range: ClosedRange<Int>, default standard: Int
    ) throws(Problem) -> Int {
        guard let text = query[name] else { return standard }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text), range.contains(number)
        else {
            throw Problem(
                .invalidQuery,
                "The parameter \(name) must be a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound).")
        }
        return number
    }
}
