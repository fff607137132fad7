import Foundation
import ReorderEngine
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
            var deltas = list.deltas.makeAsyncIterator()
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
            #expect(await deltas.next() != nil)
            try waitUntil { list.status.pending == 3 }
            #expect(list.snapshot.tasks.map(\.id) == [milk, "b", "c"])
            #expect(list["c"]?.content.done == true)
            // Once: neither from the inbox again, nor twice for a reader.
            client.retryNow()
            list.close()
            let again = try await client.list("l")
            #expect(again.status.pending == 3)
            let third = try #require(try StoredList("l", storage: folder))
            #expect(third.snapshot.tasks.map(\.id) == [milk, "b", "c"])
            server.isCut = false
            again.retryNow()
            try waitUntil { again.status.pending == 0 }
            again.close()
        }
    }

    /// The app had ended after it stored an operation and before it emptied the inbox.
    @Test func anOperationThatIsTakenOverTwiceWaitsOnce() throws {
        var client = try MachineUnderTest()
        let operation = PendingOperation(id: "x", intent: .delete("a"))
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
        let operations = (0..<3).map { PendingOperation(id: "\($0)", intent: .delete("t\($0)")) }
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
        #expect(throws: FileError.self) { try file.append([4]) }
        try other.append([5])
        other.close(isWorthless: false)
        file.setHeld(true)
        #expect(throws: FileError.self) { try file.append([6]) }
        #expect(try file.read() == [2, 3, 5])
        file.close(isWorthless: false)
    }

    @Test func aFileThatNobodyElseUsedIsLockedAgain() throws {
        let url = URL.temporaryDirectory.appending(path: "outbox-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: url) }
        let file = try OutboxFile(url)
        file.setHeld(false)
        file.setHeld(true)
        #expect(throws: FileError.self) { try OutboxFile(url) }
        try file.append([1])
        #expect(try file.read() == [1])
        file.close(isWorthless: false)
    }
}
