import Foundation
import ReorderEngine
import Testing

@testable import ReorderClient

/// Changes of a list whose file is still being read, and of extensions.
@MainActor @Suite struct EarlyChangeTests {
    /// A store with a list `l` on the device that is too large to be opened at once, without a network.
    private func withLargeList(_ body: (ReorderStore) async throws -> Void) async throws {
        let folder = OutboxFolder(url: URL.temporaryDirectory.appending(path: UUID().uuidString))
        defer { try? FileManager.default.removeItem(at: folder.url) }
        try folder.create()
        let title = String(repeating: "x", count: 200)
        let tasks = (0..<700).map { #"{"id":"t\#($0)","title":"\#(title)"}"# }
        let json = #"{"id":"l","title":"L","version":3,"tasks":[\#(tasks.joined(separator: ","))]}"#
        let records = [OutboxRecord.client("me"), .document(Array(json.utf8))]
        let file = records.reduce(into: OutboxRecord.fileHeader) { $0 += $1.bytes }
        try Data(file).write(to: folder.file(of: "l"))
        let client = ReorderClient(storage: folder.url, transport: NoNetwork())
        try await body(ReorderStore(client: client))
    }

    @Test func changesWaitUntilTheListIsRead() async throws {
        try await withLargeList { store in
            let list = store.list("l")
            let milk = try #require(list.create("quick add"))
            #expect(!list.isLoaded && list.waitingCount == 1 && list.notice == nil)
            #expect(list.rename(milk, to: "Milk") && list.setCompleted("t1"))
            #expect(list.delete(["t2", "t3"]))
            var bread: TaskID?
            #expect(
                list.step {
                    bread = list.create("Bread")
                    list.move(["t5"], to: .start(of: nil))
                })
            #expect(list.setCollapsed("t4", true))
            try await eventually { list.isLoaded }
            #expect(list.rows.first?.id == "t5" && list.rows.last?.id == bread)
            #expect(list.row(milk)?.title == "Milk" && list.row("t1")?.isCompleted == true)
            #expect(list.row("t2") == nil && list.row("t3") == nil)
            #expect(list.notice == nil)
            try await eventually { list.row("t4")?.isCollapsed == true }
            #expect(list.waitingCount == 8)
            // In the order in which they were made.
            #expect(list.undo() && list.rows.first?.id == "t0" && list.row(bread ?? "") == nil)
            #expect(list.undo() && list.row("t2") != nil && list.row("t3") != nil)
            #expect(list.undo() && list.row("t1")?.isCompleted == false)
            #expect(list.undo() && list.row(milk)?.title == "quick add")
            #expect(list.undo() && list.row(milk) == nil && !list.canUndo)
        }
    }

    @Test func aChangeIsStoredBeforeTheListIsRead() async throws {
        try await withLargeList { store in
            let list = store.list("l")
            #expect(list.create("quick add") != nil)
            // As an app that ends now leaves it.
            let inbox = Inbox(url: store.client.folder.inbox(of: "l"))
            #expect(try inbox.operations().count == 1)
            try await eventually { list.isLoaded }
        }
    }

    @Test func whatTheServerWouldRejectIsRefusedAtOnce() async throws {
        try await withLargeList { store in
            let list = store.list("l")
            #expect(list.create(String(repeating: "x", count: 4_097)) == nil)
            #expect(list.notice?.message.contains("4096 bytes") == true)
            try await eventually { list.isLoaded }
            #expect(list.rows.count == 700)
        }
    }

    enum Occasion: CaseIterable { case flush, refreshNow, retryNow, interval }

    @Test(arguments: Occasion.allCases)
    func changesOfAnExtensionArrive(_ occasion: Occasion) async throws {
        try await withLargeList { store in
            let list = store.list("l")
            try await eventually { list.isLoaded }
            // The same number of bytes each time.
            for count in 1...3 {
                var stored = try #require(
                    try StoredList("l", storage: store.client.folder.url))
                let id = try stored.create("Milk")
                switch occasion {
                case .flush: await store.flush()
                case .refreshNow: await list.refreshNow()
                case .retryNow: store.retryNow()
                case .interval: store.client.handle(.interval)
                }
                try await eventually { list.rows.last?.id == id }
                #expect(list.waitingCount == count)
            }
        }
    }

    /// Nobody tells the store either.
    @Test func aListOpensWithChangesOfAnExtension() async throws {
        try await withLargeList { store in
            let open = try store.client.openNow("l")
            try await eventually { open.status.version == 3 }
            var stored = try #require(try StoredList("l", storage: store.client.folder.url))
            let id = try stored.create("Milk")
            let list = store.list("l")
            try await eventually { list.isLoaded }
            #expect(list.rows.last?.id == id && list.waitingCount == 1)
            open.close()
        }
    }

    /// Nobody tells the store.
    @Test func changesOfAnExtensionArriveByThemselves() async throws {
        try await withLargeList { store in
            store.client.follow(NotificationCenter())
            let list = store.list("l")
            try await eventually { list.isLoaded }
            var stored = try #require(try StoredList("l", storage: store.client.folder.url))
            let id = try stored.create("Milk")
            try await eventually { list.rows.last?.id == id }
        }
    }

    @Test func changesOfAnExtensionInAListThatIsNotOpenAreSent() async throws {
        try await withServer { server in
            let client = server.client()
            let list = try await client.list("l")
            list.close()
            let store = ReorderStore(client: client)
            var stored = try #require(try StoredList("l", storage: client.folder.url))
            try stored.create("Milk")
            #expect(await store.flush())
            #expect(try server.service.versionedList(of: "l").list.count == 4)
            try stored.create("Bread")
            client.handle(.interval)
            try await eventually { try server.service.versionedList(of: "l").list.count == 5 }
        }
    }
}
