import RandomRuns
import ReorderEngine
import Synchronization
import Testing

@testable import ReorderService

@Suite struct PublishedListsTests {
    private static func snapshot(_ id: String, _ version: Int, exists: Bool = true) -> Snapshot {
        var list = WorkingList(id: id)
        list.version = version
        list.exists = exists
        return Snapshot(list)
    }

    /// A trivial store beside the published lists. A load reads it in one step and ends in another,
    /// with publications in between.
    @Test func whatIsFoundIsWhatWasPublishedLast() throws {
        let seed = RandomRun.seed
        var random = SeededGenerator(seed: seed)
        let bytes = Self.snapshot("l", 1).byteCount
        let published = PublishedLists(limitBytes: 3 * bytes)
        let ids = (0..<8).map { "l\($0)" }
        var stored: [String: (version: Int, exists: Bool)] = [:]
        var loads: [String: Snapshot] = [:]
        let loaded = Mutex<[(id: String, version: Int)]>([])
        var floors: [String: [Int]] = [:]
        func read(_ id: String) -> Snapshot {
            Self.snapshot(id, stored[id]?.version ?? 0, exists: stored[id]?.exists ?? false)
        }
        for step in 0..<RandomRun.operations() {
            let id = ids.randomElement(using: &random) ?? ""
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let count = Int.random(in: 1...2, using: &random)
                let changed = Set([id] + ids.shuffled(using: &random).prefix(count - 1))
                for id in changed {
                    stored[id] = (
                        (stored[id]?.version ?? 0) + 1, Int.random(in: 0..<5, using: &random) > 0
                    )
                }
                published.publish(changed.map(read))
            case 4..<7:
                if let found = published.find(id) {
                    #expect(
                        found.version == stored[id]?.version, "REORDERD_SEED=\(seed), step \(step)")
                    #expect(
                        found.exists == stored[id]?.exists, "REORDERD_SEED=\(seed), step \(step)")
                } else {
                    floors[id, default: []].append(stored[id]?.version ?? 0)
                    let isFirst = published.wait(for: id) { result in
                        let version = (try? result.get().version) ?? -1
                        loaded.withLock { $0.append((id, version)) }
                    }
                    #expect(isFirst == (loads[id] == nil))
                    if isFirst { loads[id] = read(id) }
                }
            default:
                guard let id = loads.keys.sorted().randomElement(using: &random),
                    let snapshot = loads[id]
                else { continue }
                loads[id] = published.loaded(id, .success(snapshot)) ? nil : read(id)
            }
            let ended = loaded.withLock { loaded -> [(id: String, version: Int)] in
                defer { loaded = [] }
                return loaded
            }
            for (id, version) in ended {
                let floor = floors[id]?.removeFirst() ?? 0
                #expect(version >= floor, "REORDERD_SEED=\(seed), step \(step): \(id)")
            }
            #expect(published.count <= 5)
            #expect(published.orderCount <= 2 * published.count + 64)
        }
    }

    @Test func aPinnedListStaysAlsoIfItDoesNotExist() {
        let published = PublishedLists(limitBytes: 0)
        published.pin("l")
        published.publish([Self.snapshot("l", 3, exists: false)])
        published.publish([Self.snapshot("m", 1)])
        #expect(published.find("l")?.version == 3)
        published.pin("l")
        published.unpin("l")
        #expect(published.find("l") != nil)
        published.unpin("l")
        #expect(published.find("l") == nil)
        #expect(published.pinCount == 0)
    }

    @Test func anOlderVersionIsNotPublished() {
        let published = PublishedLists(limitBytes: 1 << 20)
        published.publish([Self.snapshot("l", 2)])
        published.publish([Self.snapshot("l", 1), Self.snapshot("l", 1, exists: false)])
        #expect(published.find("l")?.version == 2)
        #expect(published.bytes == published.find("l")?.byteCount)
    }
}
