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

    @Test func aCopyIsUnchangedWhileTheOriginalChanges() {
        var random = SeededGenerator(seed: RandomRun.seed)
        var pair = ForestPair(fanOut: .wide)
        for round in 0..<RandomRun.operations(percent: 1) / 50 {
            let copy = pair
            for _ in 0..<50 { _ = pair.step(target: 500, using: &random) }
            #expect(copy.difference() == nil, "round \(round), seed \(RandomRun.seed)")
            #expect(copy.forest.checkInvariants() == nil, "seed \(RandomRun.seed)")
        }
        #expect(pair.difference() == nil, "seed \(RandomRun.seed)")
    }

    @Test func changedCopiesAreIndependent() {
        var random = SeededGenerator(seed: RandomRun.seed)
        var one = ForestPair(fanOut: .narrow)
        for _ in 0..<300 { _ = one.step(target: 300, using: &random) }
        var other = one
        for _ in 0..<RandomRun.operations(percent: 1) {
            _ = one.step(target: 300, using: &random)
            _ = other.step(target: 300, using: &random)
        }
        for pair in [one, other] {
            #expect(pair.difference() == nil, "seed \(RandomRun.seed)")
            #expect(pair.forest.checkInvariants() == nil, "seed \(RandomRun.seed)")
        }
    }

    private func run(percent: Int, nodes: Int, checkingEvery interval: Int) {
        for fanOut in [Forest.FanOut.narrow, .wide] {
            var random = SeededGenerator(seed: RandomRun.seed)
            var pair = ForestPair(fanOut: fanOut)
            for step in 0..<RandomRun.operations(percent: percent) / 2 {
                // The target size oscillates, so that trees grow and shrink completely.
                let target = step / 2_000 % 2 == 0 ? nodes : nodes / 10
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
