import Glibc
import Synchronization

@testable import MicroHTTP

/// Holds responders until a test answers them, or lets them go.
final class Shelf: Sendable {
    private let responders = Mutex<[(Request, Responder)]>([])

    func put(_ request: Request, _ responder: Responder) {
        responders.withLock { $0.append((request, responder)) }
    }

    /// Waits until `count` requests have arrived, and takes them.
    func take(_ count: Int) -> [(Request, Responder)] {
        while responders.withLock({ $0.count }) < count { usleep(1000) }
        return responders.withLock { held in
            defer { held = [] }
            return held
        }
    }

    /// A router with `/late/:id`, whose requests wait here, and the echo router's `/lists/:id`.
    func router() -> Router {
        var router = Router.echo()
        router.on(.get, "/late/:id") { self.put($0, $1) }
        return router
    }
}

/// Runs `body` on a thread of its own and waits for it.
func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    LoopThread(body)?.join()
}
