/// Names of properties of many tasks that are not in the list, for one remark.
struct LeftOutNames {
    private var names: Set<String> = []
    private var lines: ClosedRange<Int>?

    mutating func add(_ name: String, _ lines: ClosedRange<Int>) {
        names.insert(name)
        self.lines = lines.joined(with: self.lines)
    }

    /// - Parameter what: whose properties they are.
    func report(_ what: String, _ remarks: inout ImportRemarks) {
        guard let lines else { return }
        let names = names.sorted().joined(separator: ", ")
        remarks.add(.leftOut, "\(names) \(what)", lines: lines)
    }
}

extension ClosedRange<Int> {
    /// The range from the start of the first to the end of the last.
    func joined(with other: ClosedRange<Int>?) -> ClosedRange<Int> {
        guard let other else { return self }
        return Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
    }
}
