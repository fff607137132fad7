import Foundation
import ReorderEngine
import Testing

@testable import ReorderClient

/// Lists of several devices with a server.
@MainActor @Suite struct LiveListTests {
    private func shown(_ list: LiveList) -> String { list.rows.map(\.title).joined(separator: " ") }

    /// Waits until a list is displayed and in sync.
    private func open(_ store: ReorderStore, _ id: String = "l") async throws -> LiveList {
        let list = store.list(id)
        try await eventually { list.isLoaded && list.phase == .online }
        return list
    }

    @Test func devicesFollowEachOther() async throws {
        try await withServer { server in
            let phone = try await open(ReorderStore(client: server.client("phone")))
            let pad = try await open(ReorderStore(client: server.client("pad")))
            #expect(shown(phone) == "a b c" && phone.title == "L")
            #expect(phone.move([0], to: 3, in: phone.sections[0]))
            #expect(shown(phone) == "b c a")
            try await eventually { shown(pad) == "b c a" }
            try await eventually { phone.waitingCount == 0 && !phone.rows[2].isWaiting }
            #expect(phone.rows[2].updatedAt != nil && phone.lastContact != nil)
            #expect(pad.createSection("S") != nil && pad.rename(to: "New"))
            try await eventually { phone.title == "New" && phone.sections.count == 2 }
            try await eventually { pad.waitingCount == 0 }
        }
    }

    @Test func changesWaitWithoutANetwork() async throws {
        try await withServer { server in
            let network = LossyTransport(server.transport)
            do {
                let store = ReorderStore(client: server.client(over: network))
                let list = try await open(store)
                network.isCut = true
                #expect(list.create("Milk") != nil && list.delete(["a"]))
                #expect(shown(list) == "b c Milk" && list.waitingCount == 2)
                #expect(list.rows[2].isWaiting && !list.rows[0].isWaiting)
                try await eventually { store.waitingCount == 2 }
                #expect(await !store.flush())
                #expect(await !list.refreshNow())
            }
            // The app starts again, still without a network. The files are free when the list has ended.
            let client = server.client("pad", over: network)
            let other = ReorderStore(client: client).list("l")
            try await eventually {
                if case .offline = other.phase { true } else { false }
            }
            #expect(!other.isLoaded && other.sections.isEmpty && other.create("x") == nil)
            network.isCut = false
            #expect(other.notice != nil)
            try await eventually {
                client.retryNow()
                return other.isLoaded
            }
        }
    }

    @Test func afterRefreshNowTheRowsAreThoseOfTheServer() async throws {
        try await withServer { server in
            let list = try await open(ReorderStore(client: server.client()))
            let other = try await server.client("pad").list("l")
            for count in 4...8 {
                try other.create("x")
                await other.settle()
                #expect(await list.refreshNow() && list.rows.count == count)
            }
        }
    }

    /// Changes of an earlier run are sent although no screen opens the list.
    @Test func whatWaitsIsSentAfterALaunch() async throws {
        try await withServer { server in
            let network = LossyTransport(server.transport)
            let first = server.client(over: network)
            let list = try await first.list("l")
            network.isCut = true
            try list.create("Milk")
            list.close()
            network.isCut = false
            let store = ReorderStore(client: server.client(over: network))
            try await eventually {
                try server.service.versionedList(of: "l").list.count == 4
            }
            try await eventually { store.waitingCount == 0 }
        }
    }

    @Test func refusedChangesAreANotice() async throws {
        try await withServer { server in
            let network = LossyTransport(server.transport)
            let store = ReorderStore(client: server.client(over: network))
            let list = try await open(store)
            network.isCut = true
            #expect(list.move([0], to: 3, in: list.sections[0]) && list.canUndo)
            #expect(list.rename("b", to: "B"))
            let other = try await server.client("pad").list("l")
            try other.update("a", TaskChanges(locked: true))
            await other.settle()
            network.isCut = false
            _ = await list.refreshNow()
            try await eventually { list.notice != nil && shown(list) == "a B c" }
            #expect(list.notice?.message == "The row is locked." && list.notice?.tasks == ["a"])
            #expect(list.rows[0].isLocked)
            // It is undone already: only the new title is left.
            #expect(list.undo() && shown(list) == "a b c" && !list.canUndo)
            list.dismissNotice()
            #expect(list.notice == nil)
            try await eventually { list.waitingCount == 0 }
            #expect(list.notice == nil)
        }
    }

    @Test func severalRowsAreOneChangeAlsoWhenUndone() async throws {
        try await withServer { server in
            let list = try await open(ReorderStore(client: server.client()))
            let version = { try server.service.versionedList(of: "l").version }
            let before = try version()
            #expect(list.delete(["a", "b", "c"]))
            try await eventually { list.waitingCount == 0 }
            #expect(try version() == before + 1)
            #expect(list.undo())
            try await eventually { list.waitingCount == 0 }
            #expect(shown(list) == "a b c")
            #expect(try version() == before + 2)
        }
    }

    @Test func rowsThatAreDeletedTogetherReturnTogether() async throws {
        try await withServer { server in
            let network = LossyTransport(server.transport)
            let list = try await open(ReorderStore(client: server.client(over: network)))
            network.isCut = true
            #expect(list.delete(["a", "b"]))
            let other = try await server.client("pad").list("l")
            try other.update("b", TaskChanges(locked: true))
            await other.settle()
            network.isCut = false
            _ = await list.refreshNow()
            try await eventually { list.notice != nil && shown(list) == "a b c" }
            #expect(list.notice?.tasks == ["a", "b"] && !list.canUndo)
        }
    }

    @Test func aStepThatOthersHaveChangedIsNotUndone() async throws {
        try await withServer { server in
            let list = try await open(ReorderStore(client: server.client()))
            let other = try await open(ReorderStore(client: server.client("pad")))
            #expect(list.rename("a", to: "mine"))
            #expect(list.delete(["b"]))
            try await eventually { shown(other) == "mine c" }
            #expect(other.rename("a", to: "theirs"))
            try await eventually { shown(list) == "theirs c" }
            #expect(list.undo() && shown(list) == "theirs b c")
            #expect(!list.undo() && shown(list) == "theirs b c")
            #expect(list.notice?.tasks == ["a"])
            #expect(
                list.notice?.message == "It can't be undone, because it was changed meanwhile.")
            #expect(!list.canUndo && list.canRedo)
            #expect(other.delete(["b"]) == false || other.delete(["c"]))
            try await eventually { other.waitingCount == 0 && list.waitingCount == 0 }
            // Others have deleted it already: nothing is left to do again.
            try await eventually { shown(list) == shown(other) }
        }
    }

    /// Begins a drag of the second of three tasks, and waits until the list shows it.
    private func lift(_ client: ReorderClient, seenIn list: LiveList) async throws -> Substring {
        let answer = await client.answer(
            to: ClientRequest(
                method: "POST", target: "/lists/l/drags", headers: [ClientRequest.json],
                body: Array(#"{"task":"b"}"#.utf8)))
        #expect(answer.status == 201)
        try await eventually { list.rows.map(\.isDraggedByOthers) == [false, true, false] }
        let text = String(decoding: answer.body, as: UTF8.self)
        return try #require(text.firstMatch(of: /"drag":"([^"]+)"/)?.output.1)
    }

    @Test func dragsOfOthersAreShown() async throws {
        try await withServer { server in
            let list = try await open(ReorderStore(client: server.client()))
            let client = server.client("pad")
            let drag = try await lift(client, seenIn: list)
            _ = await client.answer(
                to: ClientRequest(method: "DELETE", target: "/drags/\(drag)"))
            try await eventually { !list.rows.contains(where: \.isDraggedByOthers) }
        }
    }

    @Test func aDeletedListSaysWhyItHasNoRows() async throws {
        try await withServer { server in
            let list = try await open(ReorderStore(client: server.client()))
            #expect(list.placeholder == nil)
            try await server.client("pad").deleteList("l")
            try await eventually { list.phase == .notFound }
            #expect(list.placeholder != nil)
        }
    }

    @Test func discardedChangesCanNotBeUndone() async throws {
        try await withServer { server in
            let network = LossyTransport(server.transport)
            let list = try await open(ReorderStore(client: server.client(over: network)))
            #expect(list.rename("a", to: "A"))
            try await eventually { list.waitingCount == 0 }
            network.isCut = true
            #expect(list.delete(["b"]) && shown(list) == "A c")
            #expect(list.discardWaiting())
            #expect(shown(list) == "A b c" && list.waitingCount == 0)
            network.isCut = false
            #expect(list.undo())
            #expect(shown(list) == "a b c" && !list.canUndo)
        }
    }

    /// Only the stream reports the end of a drag.
    @Test func dragsOfOthersAreShownWhileTheListIsOnline() async throws {
        try await withServer { server in
            let network = LossyTransport(server.transport)
            let list = try await open(ReorderStore(client: server.client(over: network)))
            _ = try await lift(server.client("pad"), seenIn: list)
            network.isCut = true
            network.endStreams()
            try await eventually { !list.rows.contains(where: \.isDraggedByOthers) }
        }
    }

    @Test func tasksMoveToAnotherListAndBack() async throws {
        try await withServer { server in
            let store = ReorderStore(client: server.client())
            let list = try await open(store)
            let id = try await store.createList("Other", id: "m")
            let other = try await open(store, id)
            #expect(await list.move(["b", "a"], toList: "m"))
            try await eventually { shown(list) == "c" && shown(other) == "b a" }
            #expect(list.undo())
            try await eventually { shown(list) == "a b c" && shown(other) == "" && list.canRedo }
            #expect(list.redo())
            try await eventually { shown(list) == "c" && shown(other) == "b a" }
            #expect(await !list.move(["c"], toList: "unknown"))
            #expect(list.notice?.message == "The list does not exist.")
        }
    }

    @Test func theListHasDataOfItsOwn() async throws {
        try await withServer { server in
            let list = try await open(ReorderStore(client: server.client()))
            let other = try await open(ReorderStore(client: server.client("pad")))
            #expect(list.updateListData(#"{"color": "red", "size": 1}"#))
            #expect(list.updateListData(#"{"color":null}"#))
            try await eventually { other.snapshot.settings.data == #"{"size":1}"# }
            #expect(list.undo())
            try await eventually {
                other.snapshot.settings.data == #"{"color":"red","size":1}"#
            }
            #expect(list.undo() && list.snapshot.settings.data == nil)
            try await eventually { other.snapshot.settings.data == nil && list.waitingCount == 0 }
            #expect(!list.updateListData("{"))
        }
    }

    @Test func theIndexHasTheLists() async throws {
        try await withServer { server in
            let store = ReorderStore(client: server.client())
            #expect(store.lists.isEmpty)
            let first = try await store.createList("First")
            let second = try await store.createList("Second", id: "second")
            #expect(store.lists.map(\.title) == ["First", "Second"])
            #expect(store.lists.map(\.listID) == [first, second])
            let pad = ReorderStore(client: server.client("pad"))
            try await eventually { pad.lists.map(\.listID) == [first, second] }
            #expect(pad.index.move([1], to: 0, in: pad.index.sections[0]))
            try await eventually { store.lists.map(\.listID) == [second, first] }
            #expect(try await store.search("Fir").isEmpty == false)
            await #expect(throws: ClientError.refused(.idTaken("second"))) {
                try await store.createList("Again", id: "second")
            }
        }
    }

    @Test func signingOutDeletesTheFiles() async throws {
        try await withServer { server in
            let network = LossyTransport(server.transport)
            let client = server.client(over: network)
            let store = ReorderStore(client: client)
            let list = try await open(store)
            network.isCut = true
            #expect(list.create("Milk") != nil)
            let path = client.folder.url.path
            #expect(try !FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
            try store.signOut()
            #expect(list.phase == .signedOut && list.rows.isEmpty && store.waitingCount == 0)
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
            #expect(list.create("Bread") == nil && store.list("l").phase == .signedOut)
            // A request can be on its way when the user signs out, so the network stays cut.
            let again = try await open(ReorderStore(client: server.client()))
            #expect(shown(again) == "a b c")
        }
    }

    @Test func aReleasedListIsSentAndTheSameObjectWhileHeld() async throws {
        try await withServer { server in
            let store = ReorderStore(client: server.client())
            weak var released: LiveList?
            do {
                let list = try await open(store)
                #expect(store.list("l") === list)
                #expect(list.create("Milk") != nil)
                released = list
            }
            try await eventually { released == nil }
            try await eventually { try server.service.versionedList(of: "l").list.count == 4 }
            try await eventually { store.client.openRunner("l") == nil }
        }
    }
}
