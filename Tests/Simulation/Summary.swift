/// What several simulations have done.
struct Summary {
    /// A sum over simulations.
    private struct Total {
        var runs = 0
        var steps = 0
        var hours = 0.0

        mutating func add(_ result: SimulationResult) {
            runs += 1
            steps += result.steps
            hours += result.simulatedSeconds / 3_600
        }

        var text: String {
            let hours = hours < 1_000 ? "\(Int(hours)) hours" : "\(Int(hours / 24)) days"
            return "\(runs) simulations, \(steps) steps, \(hours)"
        }
    }

    private var all = Total()
    /// By the faults of the scenarios.
    private var byFault: [Scenario.Fault: Total] = [:]
    private var commits = 0
    private var responses: [Int: Int] = [:]
    private var actions: [String: Uses] = [:]
    private var faults: [String: Int] = [:]
    private var reached: [String: Int] = [:]
    var runs: Int { all.runs }

    mutating func add(_ result: SimulationResult) {
        all.add(result)
        for fault in result.scenario.faults { byFault[fault, default: Total()].add(result) }
        commits += result.commits
        responses.merge(result.responses, uniquingKeysWith: +)
        actions.merge(result.actions) { one, other in
            Uses(count: one.count + other.count, successes: one.successes + other.successes)
        }
        faults.merge(result.faults, uniquingKeysWith: +)
        reached.merge(result.reached, uniquingKeysWith: +)
    }

    /// The kinds of requests that hardly ever succeed, so that hardly anything of them is simulated.
    var rareSuccesses: [String] {
        actions.filter { $0.value.count >= 300 && $0.value.percent < 10 }.keys.sorted()
    }

    /// - Parameter seconds: the duration of all simulations in real time.
    func text(seconds: Double) -> String {
        func list(_ counts: [(String, some CustomStringConvertible)]) -> String {
            counts.sorted { $0.0 < $1.0 }.map { "\($0.0): \($0.1)" }.joined(separator: ", ")
        }
        var lines = ["\(all.text) in simulated time, \(commits) commits"]
        if seconds >= 1 {
            lines[0] += ", \(Int(Double(all.steps) / seconds * 60)) steps per minute"
        }
        lines.append("responses \(list(responses.map { ("\($0.key)", $0.value) }))")
        lines.append(
            "requests and successes "
                + list(actions.map { ($0.key, "\($0.value.count) \($0.value.percent) %") }))
        lines.append("rare states \(list(reached.map { ($0.key, $0.value) }))")
        lines.append("events of faults \(list(faults.map { ($0.key, $0.value) }))")
        for fault in Scenario.Fault.allCases {
            if let total = byFault[fault] { lines.append("with \(fault.rawValue): \(total.text)") }
        }
        return lines.joined(separator: "\n")
    }
}

extension Uses {
    fileprivate var percent: Int { successes * 100 / max(1, count) }
}
