import Foundation

/// The program `simulate`.
package struct Program {
    private var firstSeed: UInt64?
    private var steps = 3_000
    private var count: Int?
    private var seconds = Double.infinity
    private var scenario: Scenario?
    /// Faults that all scenarios have in addition.
    private var added: Set<Scenario.Fault> = []
    private var storyLines = 0
    private var isDigest = false
    private var shrinks = true

    package init(_ arguments: some Sequence<String>) {
        var arguments = Array(arguments)[...]
        func usage() -> Never {
            print(Self.help)
            exit(64)
        }
        while let option = arguments.popFirst() {
            switch option {
            case "--digest": isDigest = true
            case "--no-shrink": shrinks = false
            default:
                guard let value = arguments.popFirst() else { usage() }
                switch option {
                case "--seed": firstSeed = UInt64(value)
                case "--steps": steps = Int(value) ?? steps
                case "--count": count = Int(value)
                case "--hours": seconds = (Double(value) ?? 0) * 3_600
                case "--scenario": scenario = Scenario(value)
                case "--with":
                    let names = value.split(separator: ",").map(String.init)
                    let faults = names.compactMap(Scenario.Fault.init(rawValue:))
                    guard faults.count == names.count else { usage() }
                    added.formUnion(faults)
                case "--story": storyLines = Int(value) ?? 0
                default: usage()
                }
            }
        }
        if firstSeed != nil || scenario != nil, count == nil, seconds == .infinity { count = 1 }
    }

    private static let help = """
        simulate [--seed N] [--count N] [--hours H] [--steps N] [--scenario "TEXT"]
                 [--with FAULT,FAULT] [--story LINES] [--digest] [--no-shrink]
        """

    package func run() -> Never {
        var seed = firstSeed ?? UInt64.random(in: 0..<1 << 32)
        var summary = Summary()
        let start = Date()
        let end = Date(timeIntervalSinceNow: min(seconds, 1e9))
        while summary.runs < count ?? .max, Date() < end {
            var scenario = scenario ?? Scenario.random(seed: seed, steps: steps)
            scenario.faults.formUnion(added)
            if self.scenario != nil, firstSeed != nil { scenario.seed = seed }
            // So that a trap does not lose the seed.
            FileHandle.standardError.write(Data("seed \(scenario.seed)\n".utf8))
            let result = simulate(scenario, storyLines: storyLines)
            summary.add(result)
            if isDigest { print("\(scenario.text) digest=\(String(result.digest, radix: 16))") }
            if let violation = result.violation { report(result, violation) }
            if storyLines > 0 { print(result.story.joined(separator: "\n")) }
            seed += 1
        }
        // Two runs with the same seed print the same, except the speed.
        print(summary.text(seconds: isDigest ? 0 : Date().timeIntervalSince(start)))
        guard summary.rareSuccesses.isEmpty else {
            print(
                "FAILED: fewer than a tenth succeed: \(summary.rareSuccesses.joined(separator: ", "))"
            )
            exit(1)
        }
        exit(0)
    }

    private func report(_ result: SimulationResult, _ violation: Violation) -> Never {
        print("FAILED after \(result.steps) steps: \(violation.rule): \(violation.details)")
        print("  scripts/simulate --scenario \"\(result.scenario.text)\"")
        var shortest = result
        if shrinks {
            shortest = Shrinker(result).run()
            print("shortest: \(shortest.steps) steps")
            print("  scripts/simulate --scenario \"\(shortest.scenario.text)\"")
        }
        let story = simulate(shortest.scenario, storyLines: max(storyLines, 120))
        print(story.story.joined(separator: "\n"))
        if let violation = story.violation { print("\(violation.rule): \(violation.details)") }
        exit(1)
    }
}
