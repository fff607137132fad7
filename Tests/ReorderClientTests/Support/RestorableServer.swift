import Logging
import MicroHTTP
import ReorderAPI
import ReorderEngine
import ReorderService
import ReorderStore
import StoreTesting
import Synchronization
import Testing

@testable import ReorderClient

/// A server in the test's process, whose store can be restored from a backup. It answers each request at once.
final class RestorableServer {
    private var store: RecordedStore
    private var service: ListService
    private var router: Router
    /// The number of restores so far.
    private var restores = 0

    init(_ lists: [String: ReorderableList]) throws {
        store = try RecordedStore(epoch: "0", [])
        (service, router) = Self.open(store)
        for (id, list) in lists {
            _ = try service.write(WriteRequest(list: id, action: .create(list)))
        }
    }

    private static func open(_ store: RecordedStore) -> (ListService, Router) {
        let service = ListService(
            store: store, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { Issue.record("\($0)") })
        return (service, ReorderAPI(service: service).makeRouter())
    }

    /// A long poll is answered as if its time were over.
    func respond(to request: ClientRequest) -> Response {
        var request = request
        request.target.replace(/&wait=\d+/, with: "")
        return router.respond(to: Request(request))
    }

    func list(_ id: String) throws -> ReorderableList {
        try service.versionedList(of: id).list
    }

    /// A backup of this moment.
    var backup: Int { store.writes.withLock(\.count) }

    func restore(_ backup: Int) throws {
        try service.stopIdle()
        restores += 1
        store = try RecordedStore(
            epoch: "\(restores)", store.writes.withLock { Array($0.prefix(backup)) })
        (service, router) = Self.open(store)
    }

    func stop() throws { try service.stopIdle() }
}

/// A store in memory that remembers what was written.
private final class RecordedStore: ForwardingStore {
    typealias Write = (commits: [ListCommit], responses: [StoredResponse])

    let epoch: String
    let writes = Mutex<[Write]>([])
    private let memory = MemoryListStore()

    /// - Parameter epoch: a digit.
    init(epoch: String, _ writes: [Write]) throws {
        self.epoch = String(repeating: epoch, count: 12)
        for write in writes { try append(write.commits, responses: write.responses) }
    }

    func destination() -> any ListStore { memory }

    func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        try memory.append(commits, responses: responses, beforeVisible: beforeVisible)
        writes.withLock { $0.append((commits, responses)) }
    }
}
