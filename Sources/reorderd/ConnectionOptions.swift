import ArgumentParser
import MicroHTTP

/// What clients may take of the server before they have asked for anything.
struct ConnectionOptions: ParsableArguments {
    @Option(help: "Connections open at once; more wait.")
    var maxConnections = 10_000

    @Option(
        help: """
            Connections that one address (of IPv6: one /64 network) may have open at once, event streams \
            too; others are closed as they come. 0: any number. Behind a proxy all have the proxy's address.
            """)
    var maxConnectionsPerClient = 0

    @Option(help: "A connection on which nothing happens for so many seconds is closed.")
    var idleTimeoutSeconds = 60

    @Option(
        help: """
            A request that has not come as a whole after so many seconds is answered 408, and its \
            connection closed; so is a connection that brings none. A client has the same time to read a \
            response, and a second more for each 4 KiB, but at most 60 s more. What the server itself waits \
            for does not count. 0: never.
            """)
    var requestTimeoutSeconds = 30

    @Option(help: "The largest body of a request, in bytes.")
    var maxBodyBytes = 8 << 20

    @Option(
        help: """
            What the bodies of all requests may take together, in bytes; one of over 64 KiB that finds no room \
            is answered 503.
            """)
    var maxBodiesBytes = 256 << 20

    @Option(
        help: """
            The memory, in bytes, that response bodies of over 64 KiB may take until their clients have read \
            them. A response that finds no room is answered 503. One client may hold a quarter of it; one \
            larger body may be on its way beside that.
            """)
    var maxResponsesBytes = 256 << 20

    func validate() throws {
        try check(1...1_000_000, maxConnections, "--max-connections")
        try check(0...1_000_000, maxConnectionsPerClient, "--max-connections-per-client")
        try check(1...86_400, idleTimeoutSeconds, "--idle-timeout-seconds")
        try check(0...3_600, requestTimeoutSeconds, "--request-timeout-seconds")
        try check(1...(1 << 30), maxBodyBytes, "--max-body-bytes")
        try check(1...(1 << 40), maxBodiesBytes, "--max-bodies-bytes")
        try check((1 << 20)...(1 << 40), maxResponsesBytes, "--max-responses-bytes")
        guard maxBodiesBytes >= maxBodyBytes else {
            throw ValidationError(
                "--max-bodies-bytes (\(maxBodiesBytes)) is less than --max-body-bytes (\(maxBodyBytes)), "
                    + "so that the largest body never finds room.")
        }
    }

    func apply(to configuration: inout HTTPServer.Configuration) {
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
    /// Refuses a value that is not in its range.
    func check(_ range: ClosedRange<Int>, _ value: Int, _ name: String) throws {
        guard range.contains(value) else {
            throw ValidationError("\(name) is \(range.lowerBound) to \(range.upperBound).")
        }
    }
}
