/// Finds a smaller scenario that breaks the same rule.
struct Shrinker {
    private var best: SimulationResult
    private let rule: String
    /// The number of seeds to try for each smaller scenario. Another seed often breaks the rule
    /// sooner.
    private let seedsPerTry = 12

    init(_ failed: SimulationResult) {
        best = failed
        rule = failed.violation?.rule ?? ""
        best.scenario.steps = failed.busySteps
    }

    mutating func take(_ scenario: Scenario) -> Bool {
        for offset in 0..<UInt64(seedsPerTry) {
            var scenario = scenario
            scenario.seed = best.scenario.seed &+ offset
            let result = simulate(scenario)
            guard result.violation?.rule == rule else { continue }
            best = result
            best.scenario.steps = min(scenario.steps, result.busySteps)
            return true
        }
        return false
    }

    func run() -> SimulationResult {
        var shrinker = self
        while shrinker.shrinkOnce() {}
        return shrinker.best
    }

    private mutating func shrinkOnce() -> Bool {
        var isSmaller = false
        for fault in Scenario.Fault.allCases where best.scenario.faults.contains(fault) {
            var smaller = best.scenario
            smaller.faults.remove(fault)
            isSmaller = take(smaller) || isSmaller
        }
        for (name, path) in Scenario.numbers.sorted(by: { $0.key < $1.key }) {
            let least = ["steps": 1, "servers": 1, "lists": 1, "tasks": 2][name] ?? 0
            for value in [
                least, best.scenario[keyPath: path] / 2, best.scenario[keyPath: path] - 1,
            ]
            where value >= least && value < best.scenario[keyPath: path] {
                var smaller = best.scenario
                smaller[keyPath: path] = value
                if take(smaller) {
                    isSmaller = true
                    break
                }
            }
        }
        return isSmaller
    }
}
