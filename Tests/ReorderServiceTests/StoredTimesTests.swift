import Foundation
import ReorderEngine
import ReorderJSON
import ReorderStore
import StoreTesting
import Testing

@testable import ReorderService

/// Lists that servers stored before they stored times.
@Suite struct StoredTimesTests {
    private static let snapshot = """
        {"id":"l","title":"L","version":1,"elementsOffset":0,"collapseSubElements":false,\
        "moves":"anywhere","sections":[],"count":2,"rows":2,"tasks":[\
        {"id":"a","title":"A","section":null,"parent":null,"position":0,"row":0,"depth":0,\
        "collapsed":false,"locked":false,"done":true,"subtasks":0},\
        {"id":"b","title":"B","section":null,"parent":null,"position":1,"row":1,"depth":0,\
        "collapsed":false,"locked":false,"done":false,"subtasks":0}]}
        """
    private static let changes = [
        #"{"version":1,"at":"2025-01-01T00:00:00.000Z","ops":[{"op":"replace"}]}"#,
        #"{"version":2,"at":"2025-01-02T00:00:00.000Z","ops":[{"op":"move","task":"b","section":null,"parent":null,"position":0}]}"#,
        #"{"version":3,"at":"2025-01-03T00:00:00.000Z","ops":[{"op":"insert","task":{"id":"c","title":"C","section":null,"parent":null,"position":0,"row":0,"depth":0,"collapsed":false,"locked":false,"done":false,"subtasks":0}}]}"#,
    ]

    private func store() throws -> MemoryListStore {
        let store = MemoryListStore()
        for (index, change) in Self.changes.enumerated() {
            let commit = ListCommit(
                list: "l", version: index + 1, at: 0, change: Array(change.utf8),
                snapshot: index == 0 ? Array(Self.snapshot.utf8) : nil,
                stateAfter: .exists(title: "L", count: index == 2 ? 3 : 2, open: 0),
                insertedTasks: [["a", "b"], [], ["c"]][index], deletedTasks: [])
            try store.append([commit])
        }
        return store
    }

    private func times(_ service: ListService, _ task: TaskID) throws -> TaskStamps? {
        try service.read("l").value().list.task(task)?.content.stamps
    }

    @Test func theyAreReadWithTheTimesThatTheirChangesGive() throws {
        let service = ListService.quiet(try store())
        defer { try? service.stopIdle() }
        let list = try service.read("l").value().list
        #expect(list.task("a")?.content.stamps == TaskStamps())
        #expect(list.task("b")?.content.stamps == TaskStamps(updatedAt: 1_735_776_000_000))
        #expect(list.task("c")?.content.stamps == TaskStamps())
        #expect(list.times == ListTimes(updatedAt: 1_735_862_400_000))
    }

    @Test func theyGetTimesWhenTheyChange() throws {
        let store = try store()
        var service = ListService.quiet(store)
        _ = try service.ask(
            WriteRequest(
                list: "l", action: .command(.update("b", TaskUpdate(done: true))))
        ).value()
        let changed = try #require(try times(service, "b"))
        #expect(changed.createdAt == nil)
        #expect(changed.completedAt == changed.updatedAt)
        #expect(try service.read("l").value().list.times.updatedAt == changed.updatedAt)
        let before = try service.read("l").value().list
        try service.stopIdle()
        service = ListService.quiet(store)
        #expect(try service.read("l").value().list == before)
        // The document without times is still the same list.
        let document = try ListDocument(json: Array(Self.snapshot.utf8)).makeList()
        let put = WriteRequest(list: "l", action: .put(document), precondition: .exists)
        _ = try service.ask(put).value()
        #expect(try service.ask(put).value().changed == false)
        #expect(try times(service, "a") == TaskStamps())
        try service.stopIdle()
    }
}
