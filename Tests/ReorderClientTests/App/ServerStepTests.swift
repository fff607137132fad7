import Foundation
import ReorderEngine
import ReorderJSON
import ReorderService
import Testing

@testable import ReorderClient

/// Undo of what the server made: it is in one order with the other steps.
@MainActor @Suite struct ServerStepTests {
    private func shown(_ list: LiveList) -> String {
        list.rows.map { $0.title + ($0.isCompleted ? "!" : "") }.joined(separator: " ")
    }

    private func open(_ store: ReorderStore, _ id: String = "l") async throws -> LiveList {
        let list = store.list(id)
        try await eventually { list.isLoaded && list.phase == .online }
        return list
    }

    @Test func stepsOfTheServerAreUndoneInTheOrderInWhichTheyWereMade() async throws {
        try await withServer { server in
            let list = try await open(ReorderStore(client: server.client()))
            #expect(!list.canUndo)
            var states = [shown(list)]
            @MainActor func note(_ state: String) async throws {
                try await eventually { shown(list) == state }
                states.append(state)
            }
            #expect(list.rename("a", to: "d"))
            try await note("d b c")
            #expect(await list.sort(by: "title"))
            try await note("b c d")
            #expect(await !list.sort(by: "title"))
            #expect(list.setCompleted("b"))
            try await note("b! c d")
            #expect(await list.reverse())
            try await note("d c b!")
            #expect(await list.removeDone())
            try await note("d c")
            let history = try await list.client.history(of: "l")
            let rename = try #require(history.changes.last { $0.mayUndo })
            #expect(await list.undo(rename))
            try await note("a c")
            for state in states.dropLast().reversed() {
                #expect(list.undo())
                try await eventually { shown(list) == state }
            }
            #expect(!list.canUndo && list.notice == nil)
            for state in states.dropFirst() {
                #expect(list.redo())
                try await eventually { shown(list) == state }
            }
            #expect(!list.canRedo && list.notice == nil)
            // Without waiting.
            for _ in states.dropFirst() { #expect(list.undo()) }
            #expect(list.redo())
            try await eventually { list.undoStack.running == nil }
            #expect(shown(list) == "d b c" && list.notice == nil)
            for _ in states.dropFirst(2) { #expect(list.redo()) }
            try await eventually { list.undoStack.running == nil }
            #expect(shown(list) == "a c" && list.notice == nil && !list.canRedo)
        }
    }

    /// Another list has got the ids of deleted tasks meanwhile.
    @Test func anUndoGivesNewIDsToTasksWhoseIDsAreInUse() async throws {
        try await withServer { server in
            let list = try await open(ReorderStore(client: server.client()))
            #expect(list.rename("c", to: "C"))
            #expect(list.move(["c"], onto: "b") && list.delete(["b"]))
            try await eventually { list.waitingCount == 0 && shown(list) == "a" }
            let other = try ReorderableList(
                settings: ListSettings(title: "M"), sections: [],
                tasks: [.init(content: TaskContent(id: "c", title: "other"))])
            _ = try server.service.write(WriteRequest(list: "m", action: .create(other)))
            #expect(list.undo())
            let ids = { list.rows.map(\.id) }
            try await eventually {
                list.waitingCount == 0 && shown(list) == "a b C" && ids()[1].utf8.count == 36
            }
            #expect(ids()[2].utf8.count == 36 && list.rows[2].level == 1 && list.notice == nil)
            #expect(list.redo())
            try await eventually { list.waitingCount == 0 && shown(list) == "a" }
            #expect(list.undo())
            try await eventually { list.waitingCount == 0 && shown(list) == "a b C" }
            // The steps before are those of the tasks with the new ids.
            #expect(list.undo() && list.undo())
            try await eventually { list.waitingCount == 0 && shown(list) == "a b c" }
            #expect(list.rows.allSatisfy { $0.level == 0 } && list.notice == nil)
        }
    }

    /// The steps after the undo were made without a network.
    @Test func whatFollowsAnUndoIsMadeWithTheNewIDs() async throws {
        try await withServer { server in
            let network = LossyTransport(server.transport)
            let list = try await open(ReorderStore(client: server.client(over: network)))
            #expect(list.delete(["b"]))
            try await eventually { list.waitingCount == 0 && shown(list) == "a c" }
            let other = try ReorderableList(
                settings: ListSettings(title: "M"), sections: [],
                tasks: [.init(content: TaskContent(id: "b", title: "other"))])
            _ = try server.service.write(WriteRequest(list: "m", action: .create(other)))
            network.isCut = true
            network.loseAnswers(0)
            #expect(list.undo() && list.rename("b", to: "typed") && list.move(["c"], onto: "b"))
            network.isCut = false
            _ = await list.refreshNow()
            try await eventually { list.waitingCount == 0 && shown(list) == "a typed c" }
            #expect(list.rows[2].level == 1 && list.notice == nil)
            #expect(list.undo() && list.undo())
            try await eventually { list.waitingCount == 0 && shown(list) == "a b c" }
            #expect(list.rows[2].level == 0 && list.notice == nil)
        }
    }

    @Test func aTaskThatOthersHaveBroughtBackIsNotCreatedTwice() async throws {
        try await withServer { server in
            let network = LossyTransport(server.transport)
            let list = try await open(ReorderStore(client: server.client(over: network)))
            #expect(list.delete(["b"]))
            try await eventually { list.waitingCount == 0 && shown(list) == "a c" }
            network.isCut = true
            network.loseAnswers(0)
            let create = Command.create(TaskContent(id: "b", title: "b"), at: Destination())
            _ = try server.service.write(WriteRequest(list: "l", action: .command(create)))
            #expect(list.undo() && list.waitingCount == 1)
            network.isCut = false
            _ = await list.refreshNow()
            try await eventually { list.waitingCount == 0 && list.notice != nil }
            #expect(shown(list) == "a c b")
        }
    }

    /// Only the way back has the member `undo`, and only if the list has limits.
    @Test(arguments: [false, true])
    func aMovedSectionComesBackToItsPlace(hasLimits: Bool) async throws {
        try await withServer { server in
            let network = RecordingTransport(server.transport)
            let store = ReorderStore(client: server.client(over: network))
            try await store.client.createList("m", title: "M")
            let list = try await open(store)
            if hasLimits { #expect(list.update(SettingsUpdate(maxTasksPerSection: .set(9)))) }
            for title in ["S", "T", "U"] { #expect(list.createSection(title) != nil) }
            let titles = { list.sections.compactMap { $0.id == nil ? nil : $0.title } }
            let section = try #require(list.sections[2].id)
            #expect(await list.moveSection(section, toList: "m"))
            try await eventually { titles() == ["S", "U"] }
            #expect(list.undo())
            try await eventually { titles() == ["S", "T", "U"] }
            #expect(list.redo())
            try await eventually { titles() == ["S", "U"] }
            let undos = network.sent.filter { $0.contains(#""undo":true"#) }
            #expect(undos.map { $0.hasPrefix("POST /lists/m/") } == (hasLimits ? [true] : []))
            #expect(await !list.moveSection("none", toList: "m"))
            #expect(list.notice != nil)
        }
    }

    /// The server does not refuse what an undo puts back, nor an exchange of two full sections.
    @Test func theServerTakesTheUndoIntoAnOverfullSection() async throws {
        try await withServer { server in
            let list = try await open(ReorderStore(client: server.client()))
            let s = try #require(list.createSection("S"))
            let t = try #require(list.createSection("T"))
            #expect(list.limitSection(t, to: 1))
            #expect(
                list.move(["a", "b"], to: .end(of: s)) && list.move(["c"], to: .end(of: t)))
            #expect(list.update(SettingsUpdate(maxTasksPerSection: .set(1))))
            #expect(list.move(["a"], to: .end(of: nil)) && list.delete(["b"]))
            #expect(list.undo() && list.undo())
            try await eventually { list.waitingCount == 0 }
            #expect(list.notice == nil)
            #expect(list.row("a")?.section == s && list.row("b")?.section == s)
            try await list.client.createList("m", title: "M")
            #expect(await list.move(["a"], toList: "m"))
            try await eventually { list.row("a") == nil }
            #expect(list.undo())
            try await eventually { list.row("a")?.section == s }
            #expect(list.notice == nil)
            #expect(await list.moveSection(s, toList: "m"))
            try await eventually { list.row("a") == nil }
            #expect(list.undo())
            try await eventually { list.row("a")?.section == s && list.canRedo }
            #expect(list.row("b")?.section == s && list.notice == nil)
            #expect(list.limitSection(s, to: 2))
            let hasMoved = list.step { _ = list.move(["a"], to: .end(of: t)) }
            #expect(!hasMoved && list.notice != nil)
            list.dismissNotice()
            let hasExchanged = list.step {
                _ = list.move(["a"], to: .end(of: t))
                _ = list.move(["c"], to: .end(of: s))
            }
            #expect(hasExchanged)
            try await eventually { list.waitingCount == 0 }
            #expect(list.notice == nil)
            #expect(list.row("a")?.section == t && list.row("c")?.section == s)
        }
    }

    @Test func aDeletedListIsRestoredByTheIndex() async throws {
        try await withServer { server in
            let store = ReorderStore(client: server.client())
            try await store.createList("Party", id: "party")
            try await eventually { store.index.waitingCount == 0 }
            try await store.deleteList("party")
            #expect(store.lists.isEmpty)
            await #expect(throws: ClientError.listNotFound) { try await store.deleteList("party") }
            #expect(store.index.undo())
            try await eventually { store.lists.map(\.listID) == ["party"] }
            #expect(try await store.client.lists().contains { $0.id == "party" })
            #expect(store.index.redo())
            try await eventually { store.lists.isEmpty }
            #expect(try await !store.client.lists().contains { $0.id == "party" })
        }
    }

    /// An undo manager keeps for redo what it gets during its undo.
    @Test func theUndoManagerGetsTheWayBackAtOnce() async throws {
        try await withServer { server in
            let store = ReorderStore(client: server.client())
            try await store.client.createList("m", title: "M")
            let list = try await open(store)
            var registered: [(step: UUID, direction: UndoStack.Direction)] = []
            list.registerUndo = { registered.append(($0.id, $1)) }
            #expect(await list.move(["b"], toList: "m"))
            #expect(await list.reverse())
            try await eventually { shown(list) == "c a" }
            #expect(registered.map(\.direction) == [.undo, .undo])
            list.reverse(registered[1].step, .undo)
            #expect(registered.last?.direction == .redo)
            list.reverse(registered[0].step, .undo)
            #expect(registered.map(\.direction) == [.undo, .undo, .redo, .redo])
            try await eventually { shown(list) == "a b c" }
            list.reverse(registered[3].step, .redo)
            try await eventually { shown(list) == "a c" }
        }
    }

    @Test func anUndoThatDoesNotReachTheServerCanBeTriedAgain() async throws {
        try await withServer { server in
            let network = LossyTransport(server.transport)
            let list = try await open(ReorderStore(client: server.client(over: network)))
            #expect(await list.reverse())
            network.isCut = true
            #expect(list.undo())
            try await eventually { list.notice != nil }
            #expect(list.canUndo && !list.canRedo)
            network.isCut = false
            list.dismissNotice()
            #expect(list.undo())
            try await eventually { shown(list) == "a b c" && list.canRedo }
        }
    }

    @Test func anUndoThatOthersPreventHasAReason() async throws {
        try await withServer { server in
            let list = try await open(ReorderStore(client: server.client()))
            #expect(list.setCompleted("b"))
            #expect(await list.removeDone())
            let other = try await server.client("pad").list("l")
            try other.create("Taken", id: "b")
            await other.settle()
            #expect(list.undo())
            try await eventually { list.notice?.message.hasSuffix(".") == true }
            #expect(list.canUndo && !list.canRedo)
            other.close()
        }
    }
}
