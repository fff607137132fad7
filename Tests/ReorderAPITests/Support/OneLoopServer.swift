import ReorderAPI
import ReorderAuth
import ReorderService
import ReorderStore
import StoreTesting
import Testing
import Waiting

@testable import MicroHTTP

/// A server with one event loop. Its time stands still until a test advances it.
struct OneLoopServer {
    let service: ListService
    let port: Int
    let clock: TestClock
    private let server: HTTPServer

    /// - Parameter route: changes the router before the server starts.
    init(
        _ store: any ListStore = MemoryListStore(epoch: testEpoch), access: AccessControl? = nil,
        clock: TestClock = .stopped, route: (Router) -> Void = { _ in }
    ) throws {
        self.clock = clock
        service = .quiet(store, environment: clock.environment)
        let router = ReorderAPI(service: service, access: access).makeRouter()
        route(router)
        var configuration = HTTPServerConfiguration()
        configuration.threadCount = 1
        configuration.stopTime()
        configuration.clock = clock.http
        server = HTTPServer(configuration, router: router)
        port = try server.start()
    }

    var client: SocketClient { SocketClient(port: port) }

    func connect() throws -> SocketClient.Connection { try .init(port: port) }

    /// Advances the time, and waits until the loop has read what clients sent before, and done what
    /// is due.
    func advance(seconds: Double = 0) throws {
        clock.advance(seconds: seconds)
        // The loop reads the clock in each turn. When it responds to the second request, the turn of
        // the first one is over.
        for _ in 0..<2 { _ = try client.get("/healthz") }
    }

    /// The number of open connections, with that of this request.
    func openConnections() throws -> Int {
        // The loop counts its connections at the end of each turn. So the count has this connection from its first request on.
        let client = client
        _ = try client.get("/healthz")
        let text = String(decoding: try client.get("/metrics").body, as: UTF8.self)
        let line = text.split(separator: "\n").first { $0.hasPrefix("reorderd_connections ") }
        return try #require(line?.split(separator: " ").last.flatMap { Int($0) })
    }

    /// Completes all requests, whatever time they take.
    func stop() throws {
        server.stop(graceSeconds: hangSeconds)
        try server.waitUntilNothingIsReserved()
        try service.stopIdle()
    }

    // MARK: Refusals that need another server than most tests

    /// The response to a request whose body does not arrive.
    static func tooLate() throws -> APIResponse {
        let server = try OneLoopServer()
        let connection = try server.connect()
        connection.write(
            Array("POST /lists HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{".utf8))
        try server.advance()
        try server.advance(seconds: HTTPServerConfiguration().requestTimeoutSeconds)
        let answer = try connection.readAnswer()
        try server.stop()
        return answer
    }

    /// The second response of a server that allows one request.
    static func tooOften() throws -> APIResponse {
        let server = try OneLoopServer {
            $0.rates = RequestRates(RateLimiter(perSecond: 1, burst: 1))
        }
        _ = try server.client.get("/lists")
        let answer = try server.client.get("/lists")
        try server.stop()
        return answer
    }
}

extension HTTPServer {
    /// Waits until the memory of all responses is free again. Call it after the stop.
    func waitUntilNothingIsReserved() throws { try waitUntil { budget.isFree } }
}
