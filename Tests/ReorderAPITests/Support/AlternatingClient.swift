import Synchronization

/// Sends requests to several servers in turn, like a load balancer.
final class AlternatingClient: APIClient {
    private let clients: [any APIClient]
    private let count = Atomic<Int>(0)

    init(_ clients: [any APIClient]) {
        self.clients = clients
    }

    private var next: any APIClient {
        clients[count.add(1, ordering: .relaxed).oldValue % clients.count]
    }

    func send(_ call: APIRequest) throws -> APIResponse { try next.send(call) }
    func open(_ call: APIRequest) throws -> any EventReader { try next.open(call) }
    func fresh() -> any APIClient { AlternatingClient(clients.map { $0.fresh() }) }
}
