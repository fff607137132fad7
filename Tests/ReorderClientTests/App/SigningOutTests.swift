import Foundation
import ReorderEngine
import Testing

@testable import ReorderClient

/// The store after it has signed out.
@MainActor @Suite struct SigningOutTests {
    private func withStore(
        _ body: (ReorderStore, ScriptedServer) async throws -> Void
    ) async throws {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let server = ScriptedServer()
        try await body(
            ReorderStore(client: ReorderClient(storage: folder, transport: server)), server)
    }

    @Test func everyCallIsRefused() async throws {
        try await withStore { store, server in
            let list = store.list("l")
            try await eventually { list.phase == .online }
            #expect(list.rename("a", to: "A") && list.canUndo)
            try await eventually { list.waitingCount == 0 }
            try store.signOut()
            let client = store.client
            let count = server.targets.count
            await #expect(throws: ClientError.closed) { try await store.createList("New") }
            await #expect(throws: ClientError.closed) { try await store.search("a") }
            await #expect(throws: ClientError.closed) { try await client.list("l") }
            await #expect(throws: ClientError.closed) { try await client.lists() }
            await #expect(throws: ClientError.closed) { try await client.deleteList("l") }
            await #expect(throws: ClientError.closed) { try await client.reverse("l") }
            await #expect(throws: ClientError.closed) { try await client.history(of: "l") }
            store.retryNow()
            client.handle(.foreground)
            client.handle(.interval)
            #expect(await !store.flush())
            #expect(store.list("l") === list && store.list("m").phase == .signedOut)
            #expect(store.lists.isEmpty && store.index.phase == .signedOut)
            #expect(await !list.refreshNow())
            #expect(!list.rename("a", to: "B") && !list.undo() && !list.setCollapsed("a", true))
            #expect(await !list.move(["a"], toList: "m"))
            #expect(list.notice?.message.contains("You have signed out.") == true)
            #expect(list.phase == .signedOut && list.rows.isEmpty)
            #expect(server.targets.count == count)
            let path = client.folder.url.path
            #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
        }
    }

    @Test func filesThatCannotBeDeletedAreAnError() async throws {
        try await withStore { store, _ in
            let list = store.list("l")
            try await eventually { list.isLoaded }
            let folder = store.client.folder.url
            try FileManager.default.removeItem(at: folder)
            try Data().write(to: folder)
            guard case .storage = #expect(throws: ClientError.self, performing: store.signOut)
            else {
                Issue.record("another error")
                return
            }
            #expect(list.phase == .signedOut && list.rows.isEmpty)
            try FileManager.default.removeItem(at: folder)
            try store.signOut()
        }
    }

    /// One file that can't be deleted leaves no other.
    @Test func allOtherFilesAreDeleted() async throws {
        let url = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: url) }
        let folder = OutboxFolder(url: url)
        try folder.create()
        let lists = (0..<5).map { "l\($0)" }
        for list in lists { try Data().write(to: folder.file(of: list)) }
        #expect(throws: DeviceFileError.self) {
            try folder.removeFiles { file in
                guard !file.path.hasSuffix("l2.reorder") else { throw DeviceFileError(EPERM) }
                try FileManager.default.removeItem(at: file)
            }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == ["l2.reorder"])
    }
}
