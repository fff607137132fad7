package enum HTTPServerError: Error, Equatable, Sendable {
    case cannotResolve(host: String, reason: String)
    /// The inherited descriptor is not a listening TCP socket.
    case noListeningSocket(descriptor: Int32)
    case cannotListen(host: String, port: Int, reason: String)
    /// Descriptors, threads or memory ran out.
    case noEventLoop
    case startedBefore
}

extension HTTPServerError: CustomStringConvertible {
    /// The reason, without the address, which the caller knows.
    package var description: String {
        switch self {
        case .cannotResolve(_, let reason): "the host has no address (\(reason))"
        case .noListeningSocket: "the inherited descriptor is not a listening TCP socket"
        case .cannotListen(_, _, let reason): reason
        case .noEventLoop: "descriptors, threads or memory ran out"
        case .startedBefore: "the server was started before"
        }
    }
}
