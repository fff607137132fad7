import RandomRuns
import Testing

@testable import ReorderEngine

@Suite struct ForestTests {
    @Test func aHandleIsReusedAfterRemoval() {
        var forest = Forest()
        let node = forest.insert(into: Forest.root, at: 0)
        forest.remove(node) { #expect($0 == node) }
        #expect(forest.insert(into: Forest.root, at: 0) == node)
        #expect(forest.checkInvariants() == nil)
    }

    @Test func consecutiveEmptySectionsAreSkipped() {
        var forest = Forest()
        let first = forest.insert(into: Forest.root, at: 0)
        for position in 1...200 {
            _ = forest.insert(into: Forest.root, at: position, isRow: false)
        }
        let last = forest.insert(into: Forest.root, at: 201)
        #expect(forest.rows().map(\.node) == [first, last])
        #expect(forest.row(of: last) == 1)
    }

    @Test func aChainOfAHundredThousandLevelsWorks() {
        var forest = Forest()
        let bottom = forest.insert(into: Forest.root, at: 0)
        var top = bottom
        let levels = 100_000
        // Built from the bottom: each new node gets the existing chain as its subtree.
        for _ in 1..<levels {
            let next = forest.insert(into: Forest.root, at: 0)
            forest.move(top, into: next, at: 0)
            top = next
        }
        #expect(forest.height(of: top) == levels)
        #expect(forest.depth(of: bottom) == levels - 1)
        #expect(forest.row(of: bottom) == levels - 1)
        #expect(forest.node(atRow: levels - 1) == bottom)
        #expect(forest.checkInvariants() == nil)
        var length = 0
        for _ in forest.preorder(of: Forest.root) { length += 1 }
        #expect(length == levels + 1)
        let leaf = forest.insert(into: bottom, at: 0)
        #expect(forest.height(of: top) == levels + 1)
        forest.remove(leaf) { _ in }
        #expect(forest.height(of: top) == levels)
        var freed = 0
        forest.remove(top) { _ in freed += 1 }
        #expect(freed == levels)
        #expect(forest.rowCount == 0)
        #expect(forest.checkInvariants() == nil)
    }

    @Test func aWideSequenceKeepsPositionsThroughMoves() {
        var forest = Forest()
        var random = SeededGenerator(seed: RandomRun.seed)
        let count = 5_000
        var plain: [NodeID] = []
        for position in 0..<count { plain.append(forest.insert(into: Forest.root, at: position)) }
        for _ in 0..<count {
            let from = Int.random(in: 0..<count, using: &random)
            let to = Int.random(in: 0..<count, using: &random)
            let node = plain.remove(at: from)
            plain.insert(node, at: to)
            forest.move(node, into: Forest.root, at: to)
            #expect(forest.position(of: node) == to, "seed \(RandomRun.seed)")
        }
        #expect(Array(forest.children(of: Forest.root)) == plain, "seed \(RandomRun.seed)")
        while plain.count > 10 {
            let node = plain.remove(at: Int.random(in: 0..<plain.count, using: &random))
            forest.remove(node) { _ in }
        }
        #expect(forest.rows().map(\.node) == plain, "seed \(RandomRun.seed)")
        #expect(forest.checkInvariants() == nil, "seed \(RandomRun.seed)")
    }
}
