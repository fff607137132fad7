import Foundation
import MicroHTTP

/// A listening socket that the service manager hands over (`sd_listen_fds(3)`): it is bound before the
/// server runs, and stays while it restarts, so that no connection is refused meanwhile.
struct ActivatedSocket {
    let descriptor: Int32
    /// The address that it is bound to.
    let host: String

    /// The first descriptor that is handed over, where there is one.
    private static let first: Int32 = 3

    struct Refusal: Error {
        let reason: String
    }

    /// nil where none is meant for this process.
    init?(
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(Refusal) {
        guard let process = environment["LISTEN_PID"].flatMap(Int32.init), process == getpid(),
            let count = environment["LISTEN_FDS"].flatMap(Int.init), count > 0
        else { return nil }
        // It is not known what the others are for.
        guard count == 1 else {
            throw Refusal(
                reason: "\(count) descriptors were inherited (LISTEN_FDS); the server takes one")
        }
        guard let address = ClientAddress(boundTo: Self.first) else {
            throw Refusal(reason: "the inherited descriptor is not a TCP socket")
        }
        descriptor = Self.first
        host = "\(address)"
    }
}
