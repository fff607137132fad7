import Dispatch
import Foundation
import Logging
import ReorderEngine
import ReorderJSON
import ReorderService
import ReorderStore
import SQLiteStore
import Synchronization
import Testing

@testable import ReorderClient

/// The real service over the real file store, without threads and sockets in front: each request is
/// answered before the next one. It can be stopped and started again on what the store kept.
///
/// The batch's JSON is read here, and what became of an `opId` is remembered here, beyond restarts.
final class SimulatedServer {
    struct Answer {
        var status: Int
        var body: [UInt8]
    }

    let list = "l"
    private let folder: URL
    private var store: SQLiteListStore
    private var service: ListService
    private var results: [String: String] = [:]
    /// How often each task came into the list, by all changes there ever were.
    private(set) var insertions: [TaskID: Int] = [:]
    private var counted = 0

    init(_ content: ReorderableList) throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "reorderd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        (store, service) = try Self.open(folder)
        _ = try write(.create(content), client: nil).get()
        counted = try snapshot().version
    }

    private static func open(_ folder: URL) throws -> (SQLiteListStore, ListService) {
        let store = try SQLiteListStore(path: folder.appending(path: "lists.db").path)
        let service = ListService(
            store: store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { Issue.record("the store lost a sync: \($0)") })
        return (store, service)
    }

    func restart() throws {
        try service.stop()
        (store, service) = try Self.open(folder)
    }

    func stop() throws {
        try service.stop()
        try FileManager.default.removeItem(at: folder)
    }

    // MARK: The service

    func snapshot() throws -> ListSnapshot {
        try waiting { service.snapshot(of: list, $0) }.get()
    }

    func write(
        _ action: WriteRequest.Action, client: String?
    ) throws -> Result<WriteAnswer, ServiceError> {
        let precondition: Precondition = if case .put = action { .exists } else { .none }
        let result = waiting { completion in
            service.write(
                WriteRequest(
                    list: list, action: action, precondition: precondition, client: client),
                completion)
        }
        try count()
        return result
    }

    /// The operations that were answered: done or refused.
    var answeredOperations: Set<String> { Set(results.keys) }

    func changes(after version: Int) throws -> [StoredChange]? {
        try store.changes(of: list, after: version, limit: 10_000)
    }

    /// Forgets all but the last few changes.
    func forget() throws {
        while try store.forgetChanges(olderThan: .max, keepingLast: 5, limit: 256) {}
    }

    private func count() throws {
        for change in try changes(after: counted) ?? [] {
            let change = try ChangeDocument(json: change.bytes)
            #expect(change.version == counted + 1)
            counted = change.version
            for case .insert(let task) in change.operations { insertions[task.id, default: 0] += 1 }
        }
    }

    private func waiting<Value: Sendable>(
        _ body: (@escaping @Sendable (Value) -> Void) -> Void
    ) -> Value {
        let slot = Slot<Value>()
        body { slot.fill($0) }
        return slot.wait()
    }

    // MARK: Requests

    func answer(_ request: ClientRequest) throws -> Answer {
        let client = request.headers.first { $0.name == "Client-Id" }?.value
        let url = try #require(URLComponents(string: request.target))
        switch (request.method, url.path) {
        case ("GET", "/lists/\(list)"):
            let snapshot = try snapshot()
            return Answer(
                status: 200,
                body: ListDocument.json(
                    id: list, version: snapshot.version, of: snapshot.list))
        case ("GET", "/lists/\(list)/changes"):
            let since = try #require(
                url.queryItems?.first { $0.name == "since" }?.value.flatMap { Int($0) })
            guard let changes = try changes(after: since) else {
                return Answer(status: 410, body: Array(#"{"code":"history_gone"}"#.utf8))
            }
            let page = changes.map { String(decoding: $0.bytes, as: UTF8.self) }
                .joined(separator: ",")
            return Answer(
                status: 200, body: Array(#"{"changes":[\#(page)],"more":false}"#.utf8))
        case ("POST", "/lists/\(list)/batch"):
            return try batch(request.body, client: client)
        default:
            Issue.record("\(request.method) \(request.target)")
            return Answer(status: 404, body: [])
        }
    }

    private func batch(_ body: [UInt8], client: String?) throws -> Answer {
        var reader = JSONReader(try JSONText(checking: body))
        var operations: [PendingOperation] = []
        try reader.beginObject()
        while let name = reader.nextMember() {
            guard case "ops" = name else { continue }
            try reader.beginArray()
            while reader.nextElement() {
                operations.append(try PendingOperation(json: Array(reader.readRaw().utf8)))
            }
        }
        let fresh = operations.filter { results[$0.id] == nil }
        var version = try snapshot().version
        if !fresh.isEmpty {
            let answer = try write(
                .batch(fresh.map(\.intent.command), isAtomic: false), client: client
            ).get()
            version = answer.version
            guard case .batch(let outcomes) = answer.result else {
                throw ServiceError.unavailable
            }
            for (operation, outcome) in zip(fresh, outcomes) {
                switch outcome {
                case .success: results[operation.id] = #"{"status":200}"#
                case .failure:
                    results[operation.id] =
                        #"{"status":409,"problem":{"code":"refused","detail":"No."}}"#
                }
            }
        }
        let told = operations.compactMap { results[$0.id] }.joined(separator: ",")
        return Answer(
            status: 200, body: Array(#"{"version":\#(version),"results":[\#(told)]}"#.utf8))
    }
}

private final class Slot<Value: Sendable>: Sendable {
    private let value = Mutex<Value?>(nil)
    private let filled = DispatchSemaphore(value: 0)

    func fill(_ value: Value) {
        self.value.withLock { $0 = value }
        filled.signal()
    }

    func wait() -> Value {
        while true {
            filled.wait()
            if let value = value.withLock({ $0 }) { return value }
        }
    }
}

extension Intent {
    fileprivate var command: ListCommand {
        switch self {
        case .move(let request): .move(request)
        case .create(let content, let destination): .create(content, at: destination)
        case .update(let task, let changes):
            .update(
                task,
                TaskPatch(
                    title: changes.title, done: changes.done, locked: changes.locked,
                    data: changes.data))
        case .collapse(let task, let collapsed): .collapse(task, collapsed)
        case .delete(let task): .delete(task)
        case .settings(let update): .settings(update)
        case .createSection(let section, let title, let position):
            .createSection(section, title: title, position: position)
        case .renameSection(let section, let title): .renameSection(section, title: title)
        case .moveSection(let section, let position): .moveSection(section, position: position)
        case .deleteSection(let section, let tasks): .deleteSection(section, tasks: tasks)
        }
    }
}
