import Glibc
import RandomRuns
import ReorderEngine
import ReorderJSON
import ReorderStore
import StoreTesting
import Synchronization
import Testing
import Waiting

@testable import ReorderService

/// Many threads use a few lists, over a store that sometimes fails. `REORDERD_SEED` determines each
/// thread's requests (not their order), `REORDERD_OPERATIONS` their number.
@Suite struct ConcurrentRunTests {
    private static let threads = 8
    private static let lists = ["l1", "l2", "l3"]
    private static let tasks = (0..<40).map { "t\($0)" }

    /// The cases: memory for all lists, or for none, so that each list leaves memory as soon as
    /// possible; few large commits, or many.
    @Test(arguments: [256 << 20, 0], [2_000, 2])
    func versionsHaveNoGapsAndReplayingTheJournalGivesEachList(
        cacheBytes: Int, largeTasks: Int
    ) throws {
        let seed = RandomRun.seed
        let operations = min(RandomRun.operations(4_000), 100_000)
        let shown = Comment(rawValue: "REORDERD_SEED=\(seed)")
        let store = RandomlyFailingStore(seed: seed)
        var limits = ServiceLimits(cacheBytes: cacheBytes)
        limits.largeCommit = LargeCommit(tasks: largeTasks)
        let service = ListService.quiet(store, limits: limits)
        let log = AnswerLog()

        try onThreads(Self.threads) { thread in
            var random = SeededGenerator(seed: seed &+ UInt64(thread))
            for _ in 0..<operations / Self.threads {
                Self.step(service, log, &random)
            }
        }

        let acknowledged = log.acknowledged.withLock { $0 }
        #expect(log.faults.withLock { $0 }.isEmpty, shown)
        #expect(store.overlaps.withLock { $0 }.isEmpty, shown)
        var holders: [String: String] = [:]
        for id in Self.lists {
            let stored = try store.memory.load(id)
            let last = stored?.version ?? 0
            // A list that has the id of a permanently deleted one hides its changes.
            let hidden = try store.memory.prunedVersion(of: id)
            let changes = try #require(
                try store.memory.changes(of: id, after: hidden, limit: .max))
            #expect(changes.map(\.version) == Array(hidden..<last).map { $0 + 1 }, shown)
            #expect(acknowledged[id, default: []].sorted() == Array(0..<last).map { $0 + 1 }, shown)
            let replayed = try stored?.content?.replayed()
            let list = try? service.read(id).value().list
            #expect(list == replayed, shown)
            for task in replayed?.tasks.map(\.id) ?? [] {
                #expect(holders.updateValue(id, forKey: task) == nil, shown)
            }
        }
        // Restored tasks can have new ids.
        let tasks = Set(Self.tasks).union(holders.keys)
        #expect(try store.memory.lists(containing: Array(tasks)) == holders, shown)
        try service.stopIdle()
    }

    /// Sends one request, waits for its response, and checks it.
    private static func step(
        _ service: ListService, _ log: AnswerLog, _ random: inout SeededGenerator
    ) {
        let list = lists[random.below(lists.count)]
        // The request must see everything that was acknowledged before it began.
        let seen = log.seen(list)
        do {
            if random.chance(30) {
                if case .success(let snapshot) = try service.read(list).wait() {
                    log.note(list, snapshot.version, atLeast: seen, isNew: false)
                }
                return
            }
            let request = try request(on: list, &random)
            var seenTarget = 0
            if case .transfer(_, let target) = request.action { seenTarget = log.seen(target) }
            if case .success(let answer) = try service.ask(request).wait(), !request.isDryRun {
                log.note(list, answer.version, atLeast: seen, isNew: answer.changed)
                if case .transferred(_, _, let to) = answer.result {
                    log.note(to.list, to.version, atLeast: seenTarget, isNew: true)
                }
            }
        } catch {
            log.faults.withLock { $0.append("\(error)") }
        }
    }

    private static func request(
        on list: String, _ random: inout SeededGenerator
    ) throws -> WriteRequest {
        let task = tasks[random.below(tasks.count)]
        switch random.below(100) {
        case ..<2:
            return WriteRequest(list: list, action: .deleteList(isPermanent: random.chance(30)))
        case ..<6: return WriteRequest(list: list, action: .restore)
        case ..<10:
            let content = try ReorderableList.flat(tasks.filter { _ in random.chance(20) })
            return WriteRequest(list: list, action: .put(content), precondition: .exists)
        case ..<20: return try .make(list, tasks.filter { _ in random.chance(10) })
        case ..<45: return .create(task, in: list)
        case ..<60: return WriteRequest(list: list, action: .command(.delete(task)))
        case ..<70:
            return WriteRequest(list: list, action: .command(.collapse(task, random.chance(50))))
        case ..<82:
            let destination = Destination(place: .init(.section(nil), position: random.below(5)))
            let target = lists[random.below(lists.count)]
            return WriteRequest(
                list: list,
                action: .transfer(MoveRequest(.task(task), to: destination), to: target))
        default:
            let parent = Destination.Siblings.subtasks(of: tasks[random.below(tasks.count)])
            let siblings = random.chance(50) ? parent : .section(nil)
            let move = MoveRequest(
                .task(task),
                to: Destination(place: .init(siblings, position: random.below(10))))
            var request = WriteRequest(list: list, action: .command(.move(move)))
            request.isDryRun = random.chance(10)
            return request
        }
    }
}

/// The responses that the threads received.
private final class AnswerLog: Sendable {
    let acknowledged = Mutex<[String: [Int]]>([:])
    let faults = Mutex<[String]>([])
    private let highest = Mutex<[String: Int]>([:])

    func seen(_ list: String) -> Int { highest.withLock { $0[list] ?? 0 } }

    func note(_ list: String, _ version: Int, atLeast seen: Int, isNew: Bool) {
        if version < seen + (isNew ? 1 : 0) {
            faults.withLock { $0.append("\(list) \(version) was answered after \(seen)") }
        }
        if isNew { acknowledged.withLock { $0[list, default: []].append(version) } }
        highest.withLock { $0[list] = max($0[list] ?? 0, version) }
    }
}

/// A memory store in which about every twentieth `append` fails. It records each list that is in
/// two appends at the same time.
final class RandomlyFailingStore: ForwardingStore {
    let memory = MemoryListStore()
    let overlaps = Mutex<Set<String>>([])
    private let active = Mutex<Set<String>>([])
    private let random: Mutex<SeededGenerator>

    init(seed: UInt64) {
        random = Mutex(SeededGenerator(seed: ~seed))
    }

    func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        let lists = Set(commits.map(\.list))
        let shared = active.withLock { active in
            defer { active.formUnion(lists) }
            return active.intersection(lists)
        }
        overlaps.withLock { $0.formUnion(shared) }
        defer { active.withLock { $0.subtract(lists) } }
        sched_yield()
        if random.withLock({ $0.chance(5) }) { throw .unavailable(reason: "chance") }
        try memory.append(commits, responses: responses, beforeVisible: beforeVisible)
    }

    func destination() -> any ListStore { memory }
}
