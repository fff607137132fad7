import MicroHTTP

extension Request {
    /// Makes sure that the query has only these parameters, each once. A misspelt `dryRun` that was
    /// ignored would be a move.
    func checkQuery(_ parameters: [String]) throws(Problem) {
        let query = query
        guard !query.raw.isEmpty else { return }
        var given: Set<String> = []
        for (name, _) in query.pairs {
            // The name goes into the answer, and is as long as the client likes.
            let shown = String(String.UnicodeScalarView(name.unicodeScalars.prefix(64)))
            guard parameters.contains(name) else {
                throw Problem(
                    .invalidQuery,
                    parameters.isEmpty
                        ? "There is no query parameter \"\(shown)\": this request takes none."
                        : "There is no query parameter \"\(shown)\". This request takes: "
                            + parameters.joined(separator: ", ") + ".")
            }
            guard given.insert(name).inserted else {
                throw Problem(.invalidQuery, "The query parameter \"\(shown)\" is repeated.")
            }
        }
    }

    /// A query parameter that is `true` or `false`; `false` where it is left out.
    func flag(_ name: String) throws(Problem) -> Bool {
        switch query[name] {
        case nil, "false": return false
        case "true": return true
        default:
            throw Problem(.invalidQuery, "The parameter \(name) is \"true\" or \"false\".")
        }
    }

    /// A query parameter that is a whole number.
    func number(
        _ name: String, in range: ClosedRange<Int>, default standard: Int
    ) throws(Problem) -> Int {
        guard let text = query[name] else { return standard }
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(text), range.contains(number)
        else {
            throw Problem(
                .invalidQuery,
                "The parameter \(name) is a whole number from \(range.lowerBound) to "
                    + "\(range.upperBound).")
        }
        return number
    }
}
