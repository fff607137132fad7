import Logging
import RandomRuns
import ReorderStore
import Testing

@testable import ReorderService

/// Random claims of keys and reservations of task ids, compared with the rules that they follow.
@Suite struct RandomClaimsTests {
    /// No key has two holders, and a claim waits only while another claim has one of its keys,
    /// whichever claims are released first: those that hold keys, or those that wait.
    @Test func eachKeyHasOneHolderAndNoClaimWaitsForFreeKeys() throws {
        var random = SeededGenerator(seed: RandomRun.seed)
        let service = ListService(
            store: MemoryListStore(), logger: Logger(label: "test"), onLost: { _ in })
        let context = RequestContext(service)
        let claims = KeyClaims()
        var open: [(claim: KeyClaim, isImmediate: Bool)] = []
        for step in 0..<RandomRun.operations(percent: 25) {
            let keys = Set((0..<1 + random.below(3)).map { _ in random.below(6) }).sorted().map {
                StoredResponseKey(.list, of: "l", "\($0)")
            }
            switch random.below(open.count > 8 ? 3 : 6) {
            case 0, 1, 2:
                guard !open.isEmpty else { continue }
                open.remove(at: random.below(open.count)).claim.release()
            case 3:
                if let claim = claims.claimNow(keys[0], for: context) { open.append((claim, true)) }
            default: open.append((claims.claim(keys, for: context), false))
            }
            var (held, waiting): (Set<StoredResponseKey>, [KeyClaim]) = ([], [])
            for (claim, isImmediate) in open {
                guard isImmediate || claim.granted.result != nil else {
                    waiting.append(claim)
                    continue
                }
                #expect(held.isDisjoint(with: claim.keys), "seed \(RandomRun.seed), \(step)")
                held.formUnion(claim.keys)
            }
            for claim in waiting {
                #expect(!held.isDisjoint(with: claim.keys), "seed \(RandomRun.seed), \(step)")
            }
            let counts = claims.counts
            try #require(
                counts == (held.count, waiting.count), "seed \(RandomRun.seed), \(step)")
        }
        for claim in open.shuffled(using: &random) { claim.claim.release() }
        #expect(claims.counts == (0, 0))
        try service.stop()
    }

    /// A reservation takes all ids or none, also if it is divided into pieces.
    @Test(arguments: [1, 2, 5, 1_000])
    func aRefusedReservationLeavesNothingBehind(piece: Int) throws {
        var random = SeededGenerator(seed: RandomRun.seed)
        let reservations = TaskReservations(piece: piece)
        let lists = (0..<3).map { CachedList(id: "l\($0)") }
        var holders: [String: (list: Int, count: Int)] = [:]
        for step in 0..<RandomRun.operations(percent: 10) {
            let list = random.below(3)
            let ids = Set((0..<1 + random.below(9)).map { _ in "t\(random.below(16))" }).sorted()
            switch random.below(10) {
            case 0..<5:
                let blocker = reservations.reserve(ids, for: lists[list])
                let isFree = ids.allSatisfy { holders[$0].map { $0.list == list } ?? true }
                #expect((blocker == nil) == isFree, "seed \(RandomRun.seed), \(step)")
                guard isFree else { break }
                for id in ids { holders[id] = (list, (holders[id]?.count ?? 0) + 1) }
            case 5..<9:
                reservations.release(ids, of: lists[list])
                for id in ids {
                    guard let holder = holders[id], holder.list == list else { continue }
                    holders[id] = holder.count > 1 ? (list, holder.count - 1) : nil
                }
            default:
                reservations.releaseAll(of: lists[list])
                holders = holders.filter { $0.value.list != list }
            }
            try #require(reservations.count == holders.count, "seed \(RandomRun.seed), \(step)")
        }
        for list in lists { reservations.releaseAll(of: list) }
        #expect(reservations.count == 0)
    }
}
