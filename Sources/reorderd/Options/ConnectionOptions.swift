import ArgumentParser
import MicroHTTP

/// The limits on clients' connections and on the memory of requests and responses.
struct ConnectionOptions: ParsableArguments {
    @Option(help: "The maximum number of open connections. Further connections wait.")
    var maxConnections = 10_000

    @Option(
        help: """
            The maximum number of open connections of one address (IPv6: of one /64 network), \
            including event streams. Further connections are closed. 0: no maximum. Behind a \
            proxy, all clients have the proxy's address.
            """)
    var maxConnectionsPerClient = 0

    @Option(
        help: """
            After SIGTERM or SIGINT, keep serving for this many seconds before the stop. During this \
            time /readyz returns 503, so that load balancers stop using the server, and each response \
            ends its connection. A second signal ends the time.
            """)
    var drainSeconds = 0

    @Option(help: "Close connections that are idle for this many seconds.")
    var idleTimeoutSeconds = 60

    @Option(
        help: """
            The time, in seconds, that a client has to send a request. A client that takes longer \
            gets 408, and its connection is closed. A new connection without a request is closed \
            too. To read a response, a client has the same time, plus one second for each 4 KiB, \
            but at most 60 s more. The time that the server takes does not count. 0: no limit.
            """)
    var requestTimeoutSeconds = 30

    @Option(
        help: """
            The maximum size of a request's body, in bytes. If the body is a list in lines (NDJSON), \
            the maximum size of a line.
            """)
    var maxBodyBytes = 8 << 20

    @Option(
        help: """
            The memory, in bytes, for the bodies of all requests together. If a body of more than \
            64 KiB does not fit, its request gets 503. The lists that are read from lines may take \
            the same memory again.
            """)
    var maxBodiesBytes = 256 << 20

    @Option(
        help: """
            The memory, in bytes, for response bodies of more than 64 KiB that clients have not \
            read yet. If a response does not fit, its request gets 503. One client may use a \
            quarter of the memory. In addition, one body at a time may be larger than that quarter.
            """)
    var maxResponsesBytes = 256 << 20

    func validate() throws {
        try check(1...1_000_000, maxConnections, "--max-connections")
        try check(0...1_000_000, maxConnectionsPerClient, "--max-connections-per-client")
        try check(0...3_600, drainSeconds, "--drain-seconds")
        try check(1...86_400, idleTimeoutSeconds, "--idle-timeout-seconds")
        try check(0...3_600, requestTimeoutSeconds, "--request-timeout-seconds")
        try check(1...(1 << 30), maxBodyBytes, "--max-body-bytes")
        try check(1...(1 << 40), maxBodiesBytes, "--max-bodies-bytes")
        try check((1 << 20)...(1 << 40), maxResponsesBytes, "--max-responses-bytes")
        guard maxConnectionsPerClient < maxConnections || maxConnectionsPerClient == 0 else {
            throw ValidationError(
                "--max-connections-per-client must be less than --max-connections (\(maxConnections))."
            )
        }
        guard maxBodiesBytes >= maxBodyBytes else {
            throw ValidationError(
                "--max-bodies-bytes (\(maxBodiesBytes)) is less than --max-body-bytes (\(maxBodyBytes)): "
                    + "the largest body would never fit.")
        }
    }

    func apply(to configuration: inout HTTPServerConfiguration) {
        configuration.connectionLimit = maxConnections
        configuration.connectionsPerClient = maxConnectionsPerClient
        configuration.idleTimeoutSeconds = idleTimeoutSeconds
        configuration.requestTimeoutSeconds = Double(requestTimeoutSeconds)
        configuration.maximumBodyBytes = maxBodyBytes
        configuration.maximumBodiesBytes = maxBodiesBytes
        configuration.maximumResponsesBytes = maxResponsesBytes
    }
}

extension ParsableArguments {
    /// Throws a `ValidationError` if the value is outside its range.
    func check(_ range: ClosedRange<Int>, _ value: Int, _ name: String) throws {
        guard range.contains(value) else {
            throw ValidationError(
                "\(name) must be from \(range.lowerBound) to \(range.upperBound).")
        }
    }
}
