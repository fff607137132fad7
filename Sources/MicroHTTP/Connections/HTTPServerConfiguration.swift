import Glibc

/// The address, the limits and the times of a server.
package struct HTTPServerConfiguration: Sendable {
    /// A name or an address, IPv4 or IPv6, with or without brackets.
    package var host = "127.0.0.1"
    /// 0 takes a free port.
    package var port = 0
    /// Event loops, each on a thread of its own. Default: the number of processors.
    package var threadCount = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))
    /// The maximum number of open connections. Further connections wait to be accepted.
    package var connectionLimit = 10_000
    /// The maximum size of a request's body.
    package var maximumBodyBytes = 8 << 20
    /// The maximum size of all request bodies together. A body counts from its first byte until
    /// its response is sent. A request gets 503 if its body has over 64 KiB and would exceed
    /// this limit. Each loop has an equal part of the limit.
    ///
    /// What readers have made of bodies (`BodyReader.memoryBytes`) has the same limit again, for all loops
    /// together.
    package var maximumBodiesBytes = 256 << 20
    /// The number of bytes that a body's reader gets at once. Each time that so many bytes have arrived, the
    /// client gets `requestTimeoutSeconds` again.
    package var bodySliceBytes = 256 << 10
    /// The maximum number of bytes beyond `maximumBodyBytes` that the server reads and
    /// discards, so that the client receives the refusal. If a body has more bytes, the server
    /// closes the connection.
    package var maximumDiscardedBytes = 64 << 20
    /// An idle connection is closed after this time and `requestTimeoutSeconds`.
    package var idleTimeoutSeconds = 60
    /// The maximum time from a request's line to its last byte. After it, the client gets 408.
    /// A new connection without a request is closed after this time. It is also a part of the
    /// time for reading a response. 0: no limit.
    package var requestTimeoutSeconds = 30.0
    /// A client that does not read a response within `requestTimeoutSeconds` plus the body's
    /// time at this rate is disconnected.
    package var slowestResponseBytesPerSecond = 4 << 10
    /// The body's time is at most this time, so that very large bodies have a limit too.
    package var maximumResponseSeconds = 60.0
    /// The maximum size of all response bodies over 64 KiB that clients have not read yet. A response
    /// that exceeds it is replaced with 503. See `ResponseBudget` for the part of one client.
    package var maximumResponsesBytes = 256 << 20
    /// The maximum number of connections and event streams of one client (an IPv4 address or an IPv6
    /// network of 64 bits); further ones are closed. 0: no limit.
    package var connectionsPerClient = 0
    /// The interval of heartbeats on a quiet event stream. A client that reads nothing for this time
    /// is disconnected. The connection of a client that has disappeared ends after twice this time.
    package var heartbeatSeconds = 15.0
    /// The maximum size of a request's line and header fields. Each connection reserves this memory.
    package var connectionMemoryBytes = 32 << 10
    /// The certificate; nil: no TLS. With TLS, all clients must use it, and event streams count as
    /// connections.
    package var tls: TLSIdentity?
    /// An inherited listening socket, used instead of `host` and `port`. The server closes it.
    package var listeningDescriptor: Int32?
    /// The clock of all time limits, heartbeats, waits and rates. A loop reads it when it has something to do.
    /// Only the time of a stop is always the system's.
    package var clock: MonotonicClock = monotonicNanoseconds

    package init() {}
}

/// The limits and times of one event loop.
struct LoopLimits {
    let maximumBodyBytes: Int
    /// Limits all bodies of this loop together. Bodies up to `smallBodyBytes` are accepted even
    /// if they exceed it.
    let maximumBodiesBytes: Int
    let maximumDiscardedBytes: Int
    let bodySliceBytes: Int
    let idleMilliseconds: Int
    /// 0: no limit.
    let requestMilliseconds: Int
    private let slowestBytesPerSecond: Int
    private let longestSendingMilliseconds: Int

    init(_ configuration: HTTPServerConfiguration) {
        maximumBodyBytes = configuration.maximumBodyBytes
        // The largest body fits, even if each of many loops has a small part.
        maximumBodiesBytes = max(
            maximumBodyBytes, configuration.maximumBodiesBytes / configuration.threadCount)
        maximumDiscardedBytes = configuration.maximumDiscardedBytes
        bodySliceBytes = configuration.bodySliceBytes
        idleMilliseconds = configuration.idleTimeoutSeconds * 1000
        requestMilliseconds = Int(configuration.requestTimeoutSeconds * 1000)
        slowestBytesPerSecond = configuration.slowestResponseBytesPerSecond
        longestSendingMilliseconds = Int(configuration.maximumResponseSeconds * 1000)
    }

    /// The time in which a client must read a response: the time for a request, plus the body's
    /// time at the slowest rate, which is at most `longestSendingMilliseconds`.
    func sendingMilliseconds(bytes: Int) -> Int {
        requestMilliseconds
            + min(longestSendingMilliseconds, bytes * 1000 / slowestBytesPerSecond)
    }

    /// Bodies up to this size are accepted even if other bodies use all the memory.
    static let smallBodyBytes = 64 << 10
}
