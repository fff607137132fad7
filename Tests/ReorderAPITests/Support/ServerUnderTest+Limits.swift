import Logging
import MicroHTTP
import ReorderAPI
import ReorderService

/// Responses of servers with other limits than the one under test.
extension ServerUnderTest {
    /// The response to a request whose body does not arrive.
    func tooLate() throws -> APIResponse {
        try withLimits(configure: { $0.requestTimeoutSeconds = 0.05 }) { port in
            let connection = try SocketClient.Connection(port: port)
            connection.write(
                Array("POST /lists HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{".utf8))
            return try connection.readAnswer()
        }
    }

    /// The second response of a server that allows one request.
    func tooOften() throws -> APIResponse {
        try withLimits(route: {
            $0.rates = RequestRates(RateLimiter(perSecond: 0.001, burst: 1))
        }) { port in
            let client = SocketClient(port: port)
            _ = try client.get("/lists")
            return try client.get("/lists")
        }
    }

    func withLimits<Result>(
        configure: (inout HTTPServer.Configuration) -> Void = { _ in },
        route: (Router) -> Void = { _ in }, _ body: (_ port: Int) throws -> Result
    ) throws -> Result {
        let service = ListService(
            store: memory, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
            onLost: { _ in })
        let router = ReorderAPI(service: service).makeRouter()
        route(router)
        var configuration = HTTPServer.Configuration()
        configuration.removeTimeouts()
        configure(&configuration)
        let server = HTTPServer(configuration, router: router)
        let port = try server.start()
        defer { server.stop(graceSeconds: 0) }
        return try body(port)
    }
}

extension HTTPServer.Configuration {
    /// Removes the time limits, so that a busy machine does not close connections.
    mutating func removeTimeouts() {
        idleTimeoutSeconds = 0
        requestTimeoutSeconds = 0
    }
}
