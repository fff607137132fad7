import Foundation

@testable import ReorderClient

/// A network in which every request fails.
struct NoNetwork: Transport {
    func start(
        _ request: ClientRequest, _ handler: @escaping @Sendable (TransportEvent) -> Void
    ) -> @Sendable () -> Void {
        DispatchQueue.global().async { handler(.end(isComplete: false)) }
        return {}
    }
}
