import Synchronization
import Testing

@testable import ReorderClient

/// A client whose copy of a list is from a former store of the server. In the new store, the list has
/// the same version and other tasks.
@Suite struct NewStoreTests {
    /// A network in which another server can take the place of the first.
    private final class Network: Transport {
        private let server: Mutex<any Transport>

        init(_ server: ServerUnderTest) { self.server = Mutex(server.transport) }

        func turn(to server: ServerUnderTest) {
            let transport = server.transport
            self.server.withLock { $0 = transport }
        }

        func start(
            _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
        ) -> @Sendable () -> Void {
            server.withLock(\.self).start(request, handler)
        }
    }

    @Test func anOpenListShowsTheListOfTheNewStore() async throws {
        try await withServer(tasks: ["x", "y"]) { later in
            var opened: SyncedList?
            try await withServer { former in
                let network = Network(former)
                let list = try await later.client(over: network).list("l")
                #expect(list.snapshot.tasks.map(\.id) == ["a", "b", "c"])
                network.turn(to: later)
                opened = list
            }
            let list = try #require(opened)
            try await list.retryUntilItShows(["x", "y"])
            // Both stores have their first version, so only the epoch has told them apart.
            #expect(list.status.version == 1)
            try list.move(["x"], to: .after("y"))
            try await list.settleRetrying()
            #expect(try await later.snapshot().list.tasks.map(\.id) == ["y", "x"])
            list.close()
        }
    }

    @Test func aStoredListIsReplacedByTheListOfTheNewStore() async throws {
        try await withServer(tasks: ["c", "x", "a"]) { later in
            try await withServer { former in
                try await later.client(over: former.transport).list("l").close()
            }
            let offline = try await later.client(over: NoNetwork()).list("l")
            #expect(offline.snapshot.tasks.map(\.id) == ["a", "b", "c"])
            try offline.move(["a"], to: .after("c"))
            offline.close()
            let list = try await later.client().list("l")
            try await list.settleRetrying()
            #expect(try await later.snapshot().list.tasks.map(\.id) == ["c", "a", "x"])
            try await list.retryUntilItShows(["c", "a", "x"])
            list.close()
        }
    }
}

extension SyncedList {
    fileprivate func retryUntilItShows(_ ids: [String]) async throws {
        while snapshot.tasks.map(\.id) != ids {
            runner.retryNow()
            try await Task.sleep(for: .milliseconds(10))
        }
    }
}
