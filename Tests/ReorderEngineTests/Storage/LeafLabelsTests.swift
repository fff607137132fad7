import RandomRuns
import Testing

@testable import ReorderEngine

@Suite struct LeafLabelsTests {
    private let capacity = 41

    /// A leaf as a plain array: the label of each node, in order.
    private func check(_ labels: LeafLabels, are expected: [Int]) {
        #expect(labels.checkInvariants(count: expected.count, hasWeights: false) == nil)
        for (index, label) in expected.enumerated() {
            #expect(labels.label(at: index) == label)
            #expect(labels.index(of: UInt8(label)) == index)
            #expect(
                labels.label(after: label)
                    == (index + 1 < expected.count ? expected[index + 1] : 127))
        }
    }

    /// Inserts, and brings the plain array up to date as whoever lists the nodes does.
    private func insert(_ index: Int, _ labels: inout LeafLabels, _ plain: inout [Int]) -> Int {
        let before = plain
        let (label, changed) = labels.insert(at: index, among: plain.count, capacity: capacity)
        plain.insert(label, at: index)
        #expect(!changed.contains(index))
        for other in changed {
            let step = other < index ? -1 : 1
            #expect(plain[other] == before[other < index ? other : other - 1])
            plain[other] += step
        }
        return changed.count
    }

    @Test func theyAscendAsTheNodesDoWhateverComesAndGoes() {
        var random = SeededGenerator(seed: RandomRun.seed)
        for _ in 0..<20 {
            var (labels, plain): (LeafLabels, [Int]) = (LeafLabels(), [])
            // Where it happens is chance, or always the same gap.
            let gap = random.chance(50) ? random.below(capacity) : nil
            for _ in 0..<400 {
                if plain.count < capacity, plain.isEmpty || random.chance(60) {
                    let index = min(gap ?? random.below(plain.count + 1), plain.count)
                    _ = insert(index, &labels, &plain)
                } else {
                    let index = random.below(plain.count)
                    labels.remove(UInt8(plain.remove(at: index)))
                }
                check(labels, are: plain)
            }
        }
    }

    @Test func aLeafThatGrowsAtItsEndMakesNobodyGiveWay() {
        var (labels, plain): (LeafLabels, [Int]) = (LeafLabels(), [])
        for count in 0..<capacity { #expect(insert(count, &labels, &plain) == 0) }
        check(labels, are: plain)
    }

    @Test(arguments: 1...41)
    func someAreSpreadWithRoomWhereTheLeafGrows(count: Int) {
        for end in [Forest.Split.first, .middle, .last] {
            var labels = LeafLabels(of: count, capacity: capacity, growing: end)
            var plain = (0..<count).map { labels.label(at: $0) }
            check(labels, are: plain)
            guard end != .middle else { continue }
            while plain.count < capacity {
                #expect(insert(end == .last ? plain.count : 0, &labels, &plain) == 0)
            }
        }
    }

    @Test func theFirstAreTakenOutOrKept() {
        for count in 0...capacity {
            var kept = LeafLabels(of: capacity, capacity: capacity, growing: .middle)
            let all = (0..<capacity).map { kept.label(at: $0) }
            var rest = kept
            kept.keepFirst(count)
            check(kept, are: Array(all.prefix(count)))
            rest.removeFirst(count)
            check(rest, are: Array(all.dropFirst(count)))
        }
    }

    @Test func whetherThereAreWeightsIsKeptBesideThem() {
        var labels = LeafLabels(of: capacity, capacity: capacity, growing: .last)
        labels.hasWeights = true
        #expect(labels.checkInvariants(count: capacity, hasWeights: true) == nil)
        labels.keepFirst(5)
        labels.removeFirst(2)
        _ = labels.insert(at: 3, among: 3, capacity: capacity)
        #expect(labels.hasWeights)
        #expect(labels.checkInvariants(count: 4, hasWeights: true) == nil)
        labels.hasWeights = false
        #expect(labels.checkInvariants(count: 4, hasWeights: false) == nil)
    }
}
