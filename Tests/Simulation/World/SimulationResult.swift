/// How often something was done.
package struct Uses: Sendable {
    package var count = 0
    package var successes = 0

    mutating func add(_ isSuccess: Bool) {
        count += 1
        if isSuccess { successes += 1 }
    }
}

/// The result of a simulation.
package struct SimulationResult: Sendable {
    package var scenario: Scenario
    package var violation: Violation?
    package var digest: UInt64
    package var steps: Int
    /// The number of steps while clients were not away.
    package var busySteps: Int
    package var simulatedSeconds: Double
    package var commits: Int
    /// The number of responses by status.
    package var responses: [Int: Int]
    package var actions: [String: Uses]
    /// How often rare states were reached.
    package var reached: [String: Int]
    package var faults: [String: Int]
    package var story: [String]
}

/// Runs a scenario.
///
/// - Parameter storyLines: the number of lines to keep for people.
package func simulate(_ scenario: Scenario, storyLines: Int = 0) -> SimulationResult {
    let story = storyLines > 0 ? Story(limit: storyLines) : nil
    let world = World(scenario, story: story)
    world.run()
    let scheduler = world.scheduler
    if story != nil {
        let counts = scheduler.stepCounts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let most = counts.prefix(6).map { "\($0.key): \($0.value)" }.joined(separator: ", ")
        scheduler.tell("most steps: \(most)")
    }
    return SimulationResult(
        scenario: scenario, violation: world.checker.violation, digest: scheduler.digest,
        steps: scheduler.stepCount, busySteps: scheduler.stepCount - world.quietSteps,
        simulatedSeconds: Double(scheduler.now) / 1e9,
        commits: world.checker.commitCount, responses: world.checker.responseCounts,
        actions: world.checker.actions, reached: world.checker.reached,
        faults: scheduler.faultCounts, story: (story?.lines ?? []).suffix(storyLines))
}
