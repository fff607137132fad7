import RandomRuns
import Testing

@testable import ReorderEngine

/// Random operations on a forest and on nested arrays; all query results must be equal.
@Suite struct ForestModelTests {
    @Test func smallForestsMatchTheModelAfterEachOperation() {
        run(percent: 10, nodes: 40, checkingEvery: 1)
    }

    @Test func largerForestsMatchTheModel() {
        run(percent: 50, nodes: 400, checkingEvery: 500)
    }

    /// A copy is unchanged while the original changes, and then the original while the copy changes.
    @Test(arguments: [Forest.FanOut.narrow, .wide])
    func changedCopiesAreIndependent(fanOut: Forest.FanOut) {
        var random = SeededGenerator(seed: RandomRun.seed)
        var pair = ForestPair(fanOut: fanOut)
        for round in 0..<RandomRun.operations(percent: 5) / 50 {
            var copy = pair
            for _ in 0..<50 { _ = pair.step(target: 500, using: &random) }
            #expect(copy.difference() == nil, "round \(round), seed \(RandomRun.seed)")
            for _ in 0..<10 { _ = copy.step(target: 500, using: &random) }
            for pair in [copy, pair] {
                #expect(pair.difference() == nil, "round \(round), seed \(RandomRun.seed)")
                #expect(pair.forest.checkInvariants() == nil, "seed \(RandomRun.seed)")
            }
        }
    }

    private func run(percent: Int, nodes: Int, checkingEvery interval: Int) {
        for fanOut in [Forest.FanOut.narrow, .wide] {
            var random = SeededGenerator(seed: RandomRun.seed)
            var pair = ForestPair(fanOut: fanOut)
            let steps = RandomRun.operations(percent: percent) / 2
            for step in 0..<steps {
                // The target size oscillates, so that trees grow and shrink completely.
                let target = step * 4 / steps % 2 == 0 ? nodes : nodes / 10
                var wrong = pair.step(target: target, using: &random)
                if step % interval == 0 {
                    wrong = wrong ?? pair.forest.checkInvariants()
                }
                if step % (interval * 4) == 0 {
                    wrong = wrong ?? pair.difference()
                }
                if let wrong {
                    Issue.record("\(wrong) at operation \(step), seed \(RandomRun.seed)")
                    return
                }
            }
        }
    }
}
