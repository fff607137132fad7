import Dispatch
import Foundation
import Logging
import MicroHTTP
import ReorderAPI
import ReorderEngine
import ReorderJSON
import ReorderService
import ReorderStore
import SQLiteStore
import Synchronization
import Testing

@testable import ReorderClient

/// The real server with the real file store, without sockets: each request is answered before the
/// next. It can be stopped, and restarted from its store.
final class SimulatedServer {
    struct Answer {
        var status: Int
        var body: [UInt8]
    }

    let list = "l"
    private let folder: URL
    private var store: SQLiteListStore
    private var service: ListService
    private var router: Router
    /// How often each task was inserted into the list, over all changes.
    private(set) var insertions: [TaskID: Int] = [:]
    private var counted = 0

    init(_ content: ReorderableList) throws {
        folder = FileManager.default.temporaryDirectory
            .appending(path: "reorderd-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        (store, service, router) = try Self.open(folder)
        _ = try write(.create(content), client: nil).get()
        counted = try snapshot().version
    }

    private static func open(_ folder: URL) throws -> (SQLiteListStore, ListService, Router) {
        let store = try SQLiteListStore(path: folder.appending(path: "lists.db").path)
        let service = ListService(
            store: store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { Issue.record("the store lost a sync: \($0)") })
        return (store, service, ReorderAPI(service: service).makeRouter())
    }

    func restart() throws {
        try service.stop()
        (store, service, router) = try Self.open(folder)
    }

    func stop() throws {
        try service.stop()
        try FileManager.default.removeItem(at: folder)
    }

    // MARK: The service

    /// The end of each id of an event.
    var epochSuffix: String { "-\(service.epoch)" }

    func snapshot() throws -> VersionedList { try service.versionedList(of: list) }

    func write(
        _ action: WriteRequest.Action, client: String?
    ) throws -> Result<WriteResult, ServiceError> {
        let precondition: Precondition = if case .put = action { .exists } else { .none }
        let request = WriteRequest(
            list: list, action: action, precondition: precondition, client: client)
        let result = Result { () throws(ServiceError) in try service.write(request) }
        try count()
        return result
    }

    func changes(after version: Int) throws -> [StoredChange]? {
        try store.changes(of: list, after: version, limit: 10_000)
    }

    /// Prunes all but the last few changes.
    func forget() throws {
        while try store.pruneChanges(olderThan: .max, keepingLast: 5, limit: 256) {}
    }

    private func count() throws {
        for change in try changes(after: counted) ?? [] {
            let change = try ChangeDocument(json: change.bytes)
            #expect(change.version == counted + 1)
            counted = change.version
            for case .insert(let task) in change.operations { insertions[task.id, default: 0] += 1 }
        }
    }

    // MARK: Requests

    func answer(_ request: ClientRequest) throws -> Answer {
        var request = request
        // Polls return immediately: no time passes in here.
        request.target.replace(/&wait=\d+/, with: "")
        let response = router.respond(to: Request(request))
        try count()
        return Answer(status: response.status, body: response.body)
    }
}
