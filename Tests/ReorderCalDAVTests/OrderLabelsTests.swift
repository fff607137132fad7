import RandomRuns
import ReorderEngine
import Testing

@testable import ReorderCalDAV

@Suite struct OrderLabelsTests {
    private let now: Int64 = 1_796_000_000_000

    private func repaired(_ keys: [Int?], changedAt: Int64? = nil) -> [Int] {
        OrderLabels(
            repairing: keys.map { OrderLabels.Sibling(key: $0, changedAt: changedAt) }, now: now
        ).keys
    }

    @Test func newTasksAtTheEndGetTheTime() {
        let time = OrderKey.at(now)
        #expect(repaired([nil]) == [time])
        #expect(repaired([nil, nil]) == [time - 1_000, time])
        #expect(repaired([time + 5, nil]) == [time + 5, time + 6])
    }

    @Test func oneMovedTaskGetsTheMiddle() {
        #expect(repaired([500_000_000, 600_000_000, 550_000_000 - 1]).count == 3)
        #expect(
            repaired([500_000_000, 900_000_000, 600_000_000, 700_000_000]) == [
                500_000_000, 550_000_000, 600_000_000, 700_000_000,
            ])
    }

    @Test func withoutRoomFewTasksGetNewKeys() {
        let given: [Int?] = [500_000_000, nil, 500_000_001, 600_000_000, 700_000_000]
        let keys = repaired(given)
        #expect(zip(given, keys).count { $0 != $1 } == 2)
        #expect(zip(keys, keys.dropFirst()).allSatisfy { $0 < $1 })
    }

    @Test func equalKeysStayUntilTheirTasksAreQuiet() {
        let keys: [Int?] = [500_000_000, 600_000_000, 600_000_000, 700_000_000]
        #expect(repaired(keys, changedAt: now - 29_999) == keys.compactMap(\.self))
        let later = repaired(keys, changedAt: now - 30_000)
        #expect(zip(later, later.dropFirst()).allSatisfy { $0 < $1 })
        let labels = OrderLabels(
            repairing: keys.map { OrderLabels.Sibling(key: $0, changedAt: now) }, now: now)
        #expect(labels.nextCheck == now + 30_000)
    }

    @Test func otherKeysStayUntilTheirTasksAreQuiet() {
        let keys: [Int?] = [-1_003, 6_000, 500_000_000, 1 << 31]
        #expect(repaired(keys, changedAt: now - 29_999) == keys.compactMap(\.self))
        let later = repaired(keys, changedAt: now - 30_000)
        #expect(later.allSatisfy(OrderKey.made.contains))
        #expect(later[2] == 500_000_000)
    }

    @Test func aKeyNamesAPlace() {
        let keys = [10, 20, 30].map { OrderLabels.Sibling(key: OrderKey.made.lowerBound + $0) }
        let labels = OrderLabels(repairing: keys, now: now)
        func place(_ key: Int, isNew: Bool) -> Int {
            labels.place(of: OrderKey.made.lowerBound + key, isNew: isNew)
        }
        #expect(place(5, isNew: false) == 0)
        #expect(place(20, isNew: false) == 1)
        #expect(place(20, isNew: true) == 2)
        #expect(place(99, isNew: true) == 3)
    }

    /// Keys ascend, and where there is room, as few as possible change.
    @Test func randomKeysAscend() {
        var random = SeededGenerator(seed: RandomRun.seed)
        for _ in 0..<RandomRun.operations(20_000) {
            let count = random.below(12)
            let isTight = random.chance(30)
            let keys: [Int?] = (0..<count).map { _ in
                if random.chance(20) { return nil }
                switch random.below(4) {
                case 0:
                    return [0, 99_999_999, 100_000_000, 999_999_999, 1 << 31].randomElement(
                        using: &random)
                case 1 where isTight: return 500_000_000 + random.below(count)
                default: return OrderKey.made.lowerBound + random.below(OrderKey.made.count)
                }
            }
            let new = repaired(keys)
            #expect(new.count == count)
            #expect(
                zip(new, new.dropFirst()).allSatisfy { $0 < $1 },
                "seed \(RandomRun.seed): \(keys) to \(new)")
            #expect(repaired(new) == new)
            for (old, key) in zip(keys, new) where old != key {
                #expect(OrderKey.made.contains(key), "seed \(RandomRun.seed): \(keys) to \(new)")
            }
            let known = keys.compactMap(\.self)
            guard known.allSatisfy({ $0 > 200_000_000 && $0 < 900_000_000 }), !isTight else {
                continue
            }
            let most = longestIncreasingSubsequence(of: known).count
            let kept = zip(keys, new).filter { $0 == $1 }.count
            #expect(kept == most, "seed \(RandomRun.seed): \(keys) to \(new)")
        }
    }
}
