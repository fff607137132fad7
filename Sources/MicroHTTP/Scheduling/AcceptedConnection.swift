import Glibc

/// An accepted connection that is passed to an event loop.
struct AcceptedConnection: Sendable {
    let socket: Int32
    let peer: sockaddr_storage
    let peerLength: socklen_t
    /// Counts the connection for its client; nil if connections per client are not limited.
    let share: ClientConnectionLimit.Share?
    /// Its place among the connections of its loop.
    let slot: ConnectionSlot

    func withPeer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        withUnsafePointer(to: peer) { peer in
            peer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, peerLength) }
        }
    }
}
