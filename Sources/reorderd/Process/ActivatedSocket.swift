import Foundation
import MicroHTTP

/// A listening socket inherited from the service manager (`sd_listen_fds(3)`). It is bound before
/// the server starts, and stays open while the server restarts. So clients can connect meanwhile.
struct ActivatedSocket {
    let descriptor: Int32
    /// The address that the socket is bound to.
    let host: String

    /// The number that the protocol gives to the first inherited descriptor.
    private static let first: Int32 = 3

    struct InvalidSocketError: Error {
        let reason: String
    }

    /// Returns nil if no socket was passed to this process.
    init?(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(InvalidSocketError) {
        guard let process = environment["LISTEN_PID"].flatMap(Int32.init), process == getpid(),
            let count = environment["LISTEN_FDS"].flatMap(Int.init), count > 0
        else { return nil }
        // With more descriptors, the server would not know which one to use.
        guard count == 1 else {
            throw InvalidSocketError(
                reason: "LISTEN_FDS is \(count), but the server accepts one socket only")
        }
        guard let address = ClientAddress(boundTo: Self.first) else {
            throw InvalidSocketError(reason: "the inherited descriptor is not a TCP socket")
        }
        descriptor = Self.first
        host = "\(address)"
    }
}
