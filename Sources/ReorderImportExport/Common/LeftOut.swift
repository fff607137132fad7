/// What is left out of many tasks, for one remark about all of them.
struct LeftOut {
    private var properties: Set<String> = []
    private var lines: ClosedRange<Int>?
    /// Objects by their kind.
    private var objects: [String: (count: Int, lines: ClosedRange<Int>)] = [:]

    mutating func add(properties names: some Sequence<String>, _ lines: ClosedRange<Int>) {
        for name in names {
            properties.insert(name)
            self.lines = lines.joined(with: self.lines)
        }
    }

    mutating func add(object kind: String, _ lines: ClosedRange<Int>) {
        let old = objects[kind]
        objects[kind] = ((old?.count ?? 0) + 1, lines.joined(with: old?.lines))
    }

    func report(_ remarks: inout ImportRemarks) {
        if let lines {
            let names = properties.sorted().joined(separator: ", ")
            remarks.add(.leftOut, "\(names) of tasks", lines: lines)
        }
        for (kind, (count, lines)) in objects.sorted(by: { $0.key < $1.key }) {
            remarks.add(
                .leftOut, count == 1 ? kind : "\(kind), and \(count - 1) more", lines: lines)
        }
    }
}

extension ClosedRange<Int> {
    /// The range from the start of the first to the end of the last.
    func joined(with other: ClosedRange<Int>?) -> ClosedRange<Int> {
        guard let other else { return self }
        return Swift.min(lowerBound, other.lowerBound)...Swift.max(upperBound, other.upperBound)
    }
}
