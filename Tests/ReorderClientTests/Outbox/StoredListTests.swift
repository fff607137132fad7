import Foundation
import ReorderEngine
import ReorderJSON
import Testing
import Waiting

@testable import ReorderClient

/// The files of an app beside its widgets and extensions.
@Suite struct StoredListTests {
    private func withFolder(_ body: (URL) async throws -> Void) async throws {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder)
    }

    @Test func aListIsReadWhileTheAppHasItOpen() async throws {
        try await withFolder { folder in
            #expect(try StoredList("l", storage: folder) == nil)
            let server = ScriptedServer()
            let list = try await ReorderClient(storage: folder, transport: server).list("l")
            server.isCut = true
            try list.create("Milk")
            let stored = try #require(try StoredList("l", storage: folder))
            #expect(stored.snapshot.tasks.map(\.content.title) == ["a", "b", "c", "Milk"])
            #expect(try StoredList("other", storage: folder) == nil)
            #expect(throws: ClientError.self) { try StoredList("no/id", storage: folder) }
            list.close()
        }
    }

    @Test func operationsOfAnExtensionAreSentByTheApp() async throws {
        try await withFolder { folder in
            let server = ScriptedServer()
            let client = ReorderClient(storage: folder, transport: server)
            let list = try await client.list("l")
            server.isCut = true

            var stored = try #require(try StoredList("l", storage: folder))
            let milk = try stored.create("Milk", at: Destination(before: "b"))
            try stored.setDone("c")
            try stored.delete("a")
            #expect(stored.snapshot.tasks.map(\.id) == [milk, "b", "c"])
            #expect(throws: ClientError.refused(.taskNotFound("a"))) { try stored.delete("a") }
            // Another extension, before the app has taken them over.
            let second = try #require(try StoredList("l", storage: folder))
            #expect(second.snapshot.tasks.map(\.id) == [milk, "b", "c"])

            client.retryNow()
            try waitUntil { list.status.pending == 3 }
            #expect(list.snapshot.tasks.map(\.id) == [milk, "b", "c"])
            #expect(list.snapshot.task("c")?.content.done == true)
            // Once: neither from the inbox again, nor twice for a reader.
            client.retryNow()
            list.close()
            let again = try await client.list("l")
            #expect(again.status.pending == 3)
            let third = try #require(try StoredList("l", storage: folder))
            #expect(third.snapshot.tasks.map(\.id) == [milk, "b", "c"])
            server.isCut = false
            again.runner.retryNow()
            try waitUntil { again.status.pending == 0 }
            again.close()
        }
    }

    /// A widget has too little memory for a large list.
    @Test func anExcerptHasTheFirstRowsOfALargeList() async throws {
        let tasks = (1...250).map { "t\($0)" }
        try await withServer(tasks: tasks) { server async throws in
            let folder = server.storage.appending(path: "phone")
            let client = server.client()
            let excerpt = { try StoredList(excerptOf: "l", storage: folder) }
            #expect(try excerpt() == nil)
            #expect(throws: ClientError.self) {
                try StoredList(excerptOf: "no/id", storage: folder)
            }
            let list = try await client.list("l")
            try list.move(["t2"], to: .inside("t1"))
            try list.collapse("t1")
            _ = try list.perform([.settings(SettingsUpdate(title: "Many"))])
            client.openRunner("l")?.setHeld(false)
            try waitUntil { try excerpt()?.snapshot.settings.title == "Many" }
            var widget = try #require(try excerpt())
            #expect(widget.snapshot.tasks.map(\.id) == ["t1"] + tasks[2...100])
            #expect(widget.count == 250)

            try widget.setDone("t3")
            try widget.delete("t4")
            let milk = try widget.create("Milk")
            #expect(throws: ClientError.refused(.taskNotFound("t200"))) {
                try widget.delete("t200")
            }
            for stored in [widget, try #require(try excerpt())] {
                #expect(stored.count == 250)
                #expect(stored.snapshot.task("t3")?.content.done == true)
                #expect(!stored.snapshot.contains("t4") && stored.snapshot.contains(milk))
            }
            client.retryNow()
            try waitUntil {
                try Inbox(url: OutboxFolder(url: folder).inbox(of: "l")).operations().isEmpty
            }
            let later = try #require(try excerpt())
            #expect(later.snapshot.tasks.map(\.id) == ["t1", "t3"] + tasks[4...101])
            #expect(later.snapshot.task("t3")?.content.done == true && later.count == 250)
            #expect(Array(list.snapshot.tasks).last?.id == milk)

            // A power cut.
            try Data("{".utf8).write(to: OutboxFolder(url: folder).excerpt(of: "l"))
            #expect(try excerpt() == nil)
            try list.delete("t5")
            list.close()
            try waitUntil { try excerpt()?.count == 249 }
        }
    }

    @Test func signingOutRemovesExcerptsForGood() async throws {
        try await withServer { server async throws in
            let folder = server.storage.appending(path: "phone")
            let client = server.client()
            let list = try await client.list("l")
            try list.create("Milk")
            let runner = try #require(client.openRunner("l"))
            runner.queue.sync { runner.writeExcerpt() }
            #expect(try StoredList(excerptOf: "l", storage: folder)?.count == 4)
            try list.create("Bread")
            try client.signOut()
            runner.queue.sync { runner.writeExcerpt() }
            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
            #expect(names.isEmpty)
        }
    }

    /// The app had ended after it stored an operation and before it emptied the inbox.
    @Test func anOperationThatIsTakenOverTwiceWaitsOnce() throws {
        var client = try MachineUnderTest()
        let operation = PendingOperation(id: "x", command: .delete("a"))
        client.update { machine, now in
            machine.writing = .waiting(until: .infinity)
            for _ in 0..<2 { try? machine.adopt([operation], at: now) }
        }
        #expect(client.machine.local?.pending == [operation])
    }

    /// Operations that a full disk can't take stay in the inbox.
    @Test func anInboxIsEmptiedOnlyAfterItsOperationsAreStored() throws {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try OutboxFolder(url: folder).create()
        let inbox = Inbox(url: OutboxFolder(url: folder).inbox(of: "l"))
        let operations = (0..<3).map { PendingOperation(id: "\($0)", command: .delete("t\($0)")) }
        for operation in operations { try inbox.append([operation]) }
        struct Full: Error {}
        #expect(throws: Full.self) { try inbox.take { _ in throw Full() } }
        #expect(try inbox.operations() == operations)
        // A crash left a part of a record.
        let file = try FileHandle(forWritingTo: inbox.url)
        try file.seekToEnd()
        try file.write(contentsOf: Data([9, 9]))
        try file.close()
        try inbox.append([operations[0]])
        try inbox.take { #expect($0 == operations + [operations[0]]) }
        #expect(try inbox.operations().isEmpty)
    }

    /// Otherwise a power cut could lose them.
    @Test func anInboxIsEmptiedAfterItsOperationsAreOnTheDisk() throws {
        let folder = URL.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try OutboxFolder(url: folder).create()
        let inbox = Inbox(url: OutboxFolder(url: folder).inbox(of: "l"))
        try inbox.append([PendingOperation(id: "x", command: .delete("a"))])
        var client = try MachineUnderTest()
        client.update { machine, _ in machine.writing = .waiting(until: .infinity) }
        let runner = ListRunner(
            machine: client.machine, transport: ScriptedServer(), storage: client.storage,
            inbox: inbox, clock: { 0 }, onStop: { _ in })
        let before = client.storage.bytes.count
        #expect(runner.takeInbox())
        #expect(client.storage.bytes.count > before)
        #expect(client.storage.synced == client.storage.bytes.count)
        #expect(try inbox.operations().isEmpty)
    }

    /// After a crash it would be sent again under another id.
    @Test func whatIsNotOnTheDiskIsNotSent() async throws {
        let storage = MemoryStorage()
        let server = ScriptedServer()
        let runner = ListRunner(
            machine: try TroubledDevice.machine(storage), transport: server, storage: storage,
            inbox: nil, clock: ReorderClient.uptime, onStop: { _ in })
        let list = SyncedList(
            id: "l", runner: runner, handle: try #require(runner.open()))
        try waitUntil { list.status.version == 3 }
        storage.failsToSync = true
        try list.delete("a")
        #expect(await !runner.flush())
        #expect(!server.targets.contains { $0.hasSuffix("/batch") })
        storage.failsToSync = false
        #expect(await runner.flush())
        #expect(server.targets.contains { $0.hasSuffix("/batch") })
        list.close()
    }

    /// Only while the app is in the background may others use its files.
    @Test func theAppHasItsFilesAgainInTheForeground() async throws {
        try await withServer { server in
            let client = server.client()
            let list = try await client.list("l")
            let url = OutboxFolder(url: server.storage.appending(path: "phone")).file(of: "l")
            #expect(throws: DeviceFileError.self) { try OutboxFile(url) }
            client.handle(.background)
            client.handle(.foreground)
            #expect(throws: DeviceFileError.self) { try OutboxFile(url) }
            list.close()
        }
    }

    /// In the background, the app must not keep a lock.
    @Test func aFileInTheBackgroundIsUnlockedAndStillWritten() throws {
        let url = URL.temporaryDirectory.appending(path: "outbox-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let file = try OutboxFile(url)
        file.setHeld(false)
        try file.append([1])
        try file.prepare([2])
        try file.replace(keepingFrom: 1)
        try file.append([3])
        // Another client may use it meanwhile; the first one notices that and writes no more.
        let other = try OutboxFile(url)
        #expect(try other.read() == [2, 3])
        #expect(throws: DeviceFileError.self) { try file.append([4]) }
        try other.append([5])
        other.close(isWorthless: false)
        file.setHeld(true)
        #expect(throws: DeviceFileError.self) { try file.append([6]) }
        #expect(try file.read() == [2, 3, 5])
        file.close(isWorthless: false)
    }

    @Test func aFileThatAnotherClientUsesIsNotWritten() throws {
        let url = URL.temporaryDirectory.appending(path: "outbox-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let file = try OutboxFile(url)
        file.setHeld(false)
        let other = try OutboxFile(url)
        file.setHeld(true)
        #expect(file.isLost)
        #expect(throws: DeviceFileError.self) { try file.append([1]) }
        #expect(try file.read() == [])
        other.close(isWorthless: false)
        file.close(isWorthless: false)
    }

    @Test func aFileThatNobodyElseUsedIsLockedAgain() throws {
        let url = URL.temporaryDirectory.appending(path: "outbox-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let file = try OutboxFile(url)
        file.setHeld(false)
        file.setHeld(true)
        #expect(throws: DeviceFileError.self) { try OutboxFile(url) }
        try file.append([1])
        #expect(try file.read() == [1])
        file.close(isWorthless: false)
    }
}
