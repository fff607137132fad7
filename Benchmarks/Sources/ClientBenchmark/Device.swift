import Foundation
import Measuring
@testable import ReorderClient
import Synchronization

/// A device with one list, and a server that responds when the benchmark says so.
@MainActor final class Device {
    let store: ReorderStore
    let server = Server()
    let folder: OutboxFolder
    let rows: Int

    /// A hundred sections; every tenth row has nine subtasks. The last section has one task with a tenth of all rows.
    init(rows: Int, waiting: Int) async throws {
        self.rows = rows
        folder = OutboxFolder(url: URL.temporaryDirectory.appending(path: UUID().uuidString))
        try folder.create()
        var records = [OutboxRecord.client("me"), .document(Self.document(rows, version: 3))]
        for index in 0..<waiting {
            let intent = Intent.update(taskID(index * 7 % rows), TaskChanges(title: "New \(index)"))
            records.append(
                .operation(PendingOperation(id: taskID(index), intent: intent).json()))
        }
        let file = records.reduce(into: OutboxRecord.fileHeader) { $0 += $1.bytes }
        try Data(file).write(to: folder.file(of: "l"))
        store = ReorderStore(client: ReorderClient(storage: folder.url, transport: server))
    }

    /// Opens the list.
    func open() async throws -> LiveList {
        let list = store.list("l")
        while !list.isLoaded || !server.hasStream { try await Task.sleep(for: .milliseconds(1)) }
        return list
    }

    func remove() { try? store.client.signOut() }

    nonisolated static func document(_ rows: Int, version: Int) -> [UInt8] {
        let sections = (0..<100).map { #"{"id":"s\#($0)","title":"Section \#($0)"}"# }
        var json = #"{"id":"l","title":"L","version":\#(version),"sections":["#
        json += sections.joined(separator: ",") + #"],"tasks":["#
        let block = rows / 10
        json += (0..<rows).map { row in
            let isLast = row >= rows - block
            let root = isLast ? rows - block : row - row % 10
            let section = isLast ? 99 : root * 99 / (rows - block)
            let parent = row == root ? "" : #","parent":"\#(taskID(root))""#
            let place = #""section":"s\#(section)"\#(parent)"#
            return #"{"id":"\#(taskID(row))","title":"\#(taskTitle(row))",\#(place)}"#
        }.joined(separator: ",")
        return Array((json + "]}").utf8)
    }
}

/// A network that keeps requests until the benchmark responds.
final class Server: Transport {
    private struct Pending {
        let request: ClientRequest
        let handler: @Sendable (TransportEvent) -> Void
    }

    private let pending = Mutex<[Pending]>([])

    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        pending.withLock { $0.append(Pending(request: request, handler: handler)) }
        return {}
    }

    var hasStream: Bool {
        pending.withLock { $0.contains { $0.request.target.hasSuffix("/events") } }
    }

    private func send(_ suffix: String, _ events: [TransportEvent], ends: Bool) {
        let found = pending.withLock { pending -> Pending? in
            guard let index = pending.lastIndex(where: { $0.request.target.hasSuffix(suffix) })
            else { return nil }
            return ends ? pending.remove(at: index) : pending[index]
        }
        for event in events { found?.handler(event) }
    }

    /// Begins the stream.
    func openStream() {
        send(
            "/events", [.head(status: 200, headers: ["content-type": "text/event-stream"])],
            ends: false)
    }

    /// Sends an event of the stream.
    func send(event: String, _ data: String) {
        send("/events", [.bytes(Array("event: \(event)\ndata: \(data)\n\n".utf8))], ends: false)
    }

    /// Sends a document.
    func respond(_ target: String, _ body: [UInt8]) {
        send(
            target,
            [
                .head(status: 200, headers: ["content-type": "application/json"]), .bytes(body),
                .end(isComplete: true),
            ], ends: true)
    }

    func isAsked(_ target: String) -> Bool {
        pending.withLock { $0.contains { $0.request.target.hasSuffix(target) } }
    }
}
