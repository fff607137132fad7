import RandomRuns
import ReorderEngine
import ReorderJSON
import ReorderStore
import Testing

@testable import ReorderService

/// A list at earlier versions: from its last changes in memory, and from the store.
@Suite struct RecentStepsTests {
    /// What rows depend on.
    private struct Row: Equatable {
        var id: TaskID
        var placement: Placement
        var collapsed: Bool

        init(_ task: ListTask) {
            id = task.id
            placement = task.placement
            collapsed = task.content.collapsed
        }
    }

    private func rows(_ list: ReorderableList) -> [Row] { list.tasks.map(Row.init) }

    /// A list with random changes, at each version.
    private struct History {
        var random: SeededGenerator
        var lists: [ReorderableList]
        var changes: [[ListOperation]] = [[]]
        private var made = 0

        init(seed: UInt64) throws {
            random = SeededGenerator(seed: seed)
            let list = try ReorderableList(
                settings: ListSettings(title: "L", collapseSubElements: true),
                sections: [("s", "S"), ("t", "T")],
                tasks: (0..<12).map { number in
                    .init(
                        content: TaskContent(id: "a\(number)", title: "A", data: "{}"),
                        section: number < 4 ? nil : number < 8 ? "s" : "t",
                        parent: number % 4 == 0 ? nil : "a\(number - 1)")
                })
            lists = [list]
        }

        /// The current version; the first one is 1.
        var version: Int { lists.count }

        /// The changes from a version on, as another server has stored them.
        func stored(from first: Int) -> StoredListState {
            StoredListState(
                version: version, exists: true, snapshotVersion: 1, snapshotBytes: 1,
                changes: (first...version).map { version in
                    StoredChange(
                        version: version,
                        bytes: ChangeDocument(
                            version: version, at: .now, client: nil,
                            operations: changes[version - 1]
                        ).json())
                })
        }

        mutating func change() throws {
            var list = lists[lists.count - 1]
            let tasks = list.taskIDs
            let task = tasks.randomElement(using: &random) ?? ""
            let other = tasks.randomElement(using: &random) ?? ""
            let sections = list.sections.map(\.id)
            var operations: [ListOperation]?
            switch random.below(12) {
            case 0..<4:
                operations = try? list.move(
                    MoveRequest(.task(task), to: Destination(after: other))
                ).operations
            case 4..<7:
                made += 1
                operations = try? list.create(
                    TaskContent(id: "n\(made)", title: "N"),
                    at: Destination(place: .init(.subtasks(of: other), position: 0))
                ).operations
            case 7: operations = try? list.delete(task).operations
            case 8: operations = try? list.collapse(task, random.chance(50)).operations
            case 9: operations = try? list.update(task, TaskUpdate(title: "new"))
            case 10:
                operations = try? list.moveSection(
                    sections.randomElement(using: &random) ?? "", position: 0)
            default:
                made += 1
                operations =
                    sections.count > 2
                    ? try? list.deleteSection(sections[0], tasks: .keep).operations
                    : try? list.createSection("n\(made)", title: "S", position: 1)
            }
            guard let operations, !operations.isEmpty else { return try change() }
            lists.append(list)
            changes.append(operations)
        }
    }

    @Test func theStepsLeadBackToTheRowsOfEachVersion() throws {
        let seed = RandomRun.seed
        for number in 0..<UInt64(RandomRun.operations(2_000, percent: 1)) {
            var history = try History(seed: seed &+ number)
            var list = WorkingList(id: "l")
            (list.version, list.exists, list.list) = (1, true, history.lists[0])
            list.steps = RecentSteps(from: 1)
            // This server makes some of the changes, and gets others from the store.
            while history.version < 61 {
                let first = history.version + 1
                for _ in 0...history.random.below(4) { try history.change() }
                if history.random.chance(50) {
                    let isCaughtUp = list.catchUp(with: history.stored(from: first))
                    #expect(isCaughtUp)
                    continue
                }
                for version in first...history.version {
                    list.steps?.append(
                        history.changes[version - 1], to: version,
                        from: history.lists[version - 2])
                }
                (list.version, list.list) = (history.version, history.lists[history.version - 1])
            }
            let steps = try #require(list.steps)
            var cursor = steps.cursor(from: list.list)
            for version in (1...history.version).reversed() where history.random.chance(40) {
                #expect(steps.operationCount(backTo: version) != nil)
                let list = try cursor.list(at: version)
                #expect(rows(list) == rows(history.lists[version - 1]), "REORDERD_SEED=\(seed)")
            }
            #expect(steps.operationCount(backTo: 0) == nil)
        }
    }

    @Test func theNumberOfStepsIsLimited() throws {
        var list = try ReorderableList(
            settings: ListSettings(title: ""), sections: [],
            tasks: (0..<4_000).map { number in
                .init(
                    content: TaskContent(id: "a\(number)", title: ""),
                    parent: number < 2 ? nil : "a0")
            })
        var steps = RecentSteps(from: 1)
        for version in 2...1_200 {
            let before = list
            let outcome = try list.move(
                MoveRequest(.task("a\(version)"), to: Destination(after: "a1")))
            steps.append(outcome.operations, to: version, from: before)
        }
        #expect(steps.operationCount(backTo: 1_199) == 1)
        #expect(steps.operationCount(backTo: 200) == 1_000)
        #expect(steps.operationCount(backTo: 199) == nil)
        #expect(steps.byteCount < 300_000)
        // A change that is too large removes all.
        let before = list
        steps.append(try list.delete("a0").operations, to: 1_201, from: before)
        #expect(steps.operationCount(backTo: 1_200) == nil)
        #expect(steps.operationCount(backTo: 1_201) == 0)
        #expect(steps.byteCount == 0)
        steps.append([.replace], to: 1_202, from: list)
        #expect(steps.operationCount(backTo: 1_201) == nil)
    }

    @Test func theStoreHasTheListAtEachVersionFromTheOlderSnapshotOn() throws {
        let seed = RandomRun.seed
        for number in 0..<UInt64(10) {
            var history = try History(seed: seed &+ number)
            let store = MemoryListStore()
            let snapshots: Set = [1, 15, 30]
            for version in 1...40 {
                if version > 1 { try history.change() }
                let list = history.lists[version - 1]
                let change = ChangeDocument(
                    version: version, at: .now, client: nil,
                    operations: history.changes[version - 1])
                try store.append([
                    ListCommit(
                        list: "l", version: version, at: change.milliseconds,
                        change: change.json(),
                        snapshot: snapshots.contains(version)
                            ? ListDocument.json(id: "l", version: version, of: list) : nil,
                        stateAfter: .exists(
                            title: "L", count: list.count, open: list.openTopLevelCount))
                ])
            }
            let wanted = (1...40).filter { _ in history.random.chance(30) } + [40]
            var past = try #require(try PastList(of: "l", at: wanted, from: store))
            for version in wanted {
                let list = try past.list(at: version)
                let expected = version < 15 ? nil : rows(history.lists[version - 1])
                #expect(list.map(rows) == expected, "REORDERD_SEED=\(seed), \(version)")
            }
            #expect(try PastList(of: "l", at: [3, 14], from: store) == nil)
            #expect(try PastList(of: "none", at: [1], from: store) == nil)
        }
    }
}
