import RawHTTP
import Synchronization
import Waiting

@testable import MicroHTTP

/// A server's clock. It stands still until a test advances it, so that no time limit of the server
/// passes because the machine is slow.
final class TestClock: Sendable {
    private let nanoseconds = Atomic<Int>(1_000_000_000)

    var now: MonotonicClock { { [self] in nanoseconds.load(ordering: .sequentiallyConsistent) } }

    func advance(seconds: Double) {
        nanoseconds.add(Int(seconds * 1e9), ordering: .sequentiallyConsistent)
    }

    /// Advances the clock of a server with one event loop, and waits until the loop has read what
    /// clients sent before, and done what is due.
    func advance(seconds: Double = 0, port: Int) throws {
        advance(seconds: seconds)
        // The loop reads the clock in each turn. When it responds to the second request, the turn
        // of the first one is over.
        let client = try RawClient(port: port)
        for _ in 0..<2 { _ = try client.get("/") }
    }
}

/// Runs `body` against a server on a free port, stops it, and waits until it has reserved nothing.
func withServer(
    threadCount: Int = 2, clock: TestClock = TestClock(), _ router: Router,
    configure: (inout HTTPServerConfiguration) -> Void = { _ in },
    _ body: (_ port: Int, _ server: HTTPServer) throws -> Void
) throws {
    var configuration = HTTPServerConfiguration()
    configuration.threadCount = threadCount
    configuration.clock = clock.now
    // libmicrohttpd has a clock of its own.
    configuration.idleTimeoutSeconds = 10 * Int(hangSeconds)
    configure(&configuration)
    let server = HTTPServer(configuration, router: router)
    let port = try server.start()
    defer { server.stop(graceSeconds: 0) }
    try body(port, server)
    server.stop(graceSeconds: 0)
    // A handler can still have its response.
    try waitUntil { server.budget.isFree }
}

extension Router {
    /// A router with routes that echo their input.
    static func echo() -> Router {
        let router = Router()
        router.on(.get, "/") { $1.respond(.text("root")) }
        router.on(.get, "/lists/:id") { request, responder in
            responder.respond(.text("list \(request.pathParameters["id"] ?? "-")"))
        }
        router.on(.put, "/lists/:id") { request, responder in
            responder.respond(.text("put \(request.body.count)"))
        }
        router.on(.post, "/lists/:id/move") { request, responder in
            responder.respond(.text("move \(request.pathParameters["id"] ?? "-")"))
        }
        router.on(.get, "/lists/special") { $1.respond(.text("special")) }
        router.on(.post, "/task/") { $1.respond(.text("task with a slash")) }
        return router
    }
}

extension Response {
    static func text(_ text: String) -> Response {
        Response(status: 200, headers: ["Content-Type": "text/plain"], body: Array(text.utf8))
    }
}

/// A body in the chunked coding.
func chunked(_ bytes: [UInt8], chunk: Int) -> [UInt8] {
    var coded: [UInt8] = []
    var rest = bytes[...]
    while !rest.isEmpty {
        let piece = rest.prefix(chunk)
        coded += Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10]
        rest = rest.dropFirst(chunk)
    }
    return coded + Array("0\r\n\r\n".utf8)
}
