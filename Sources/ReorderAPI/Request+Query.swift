import MicroHTTP

extension Request {
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
