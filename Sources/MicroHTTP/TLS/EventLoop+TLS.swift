import CMicroHTTPD
import Glibc

extension EventLoop {
    /// The encrypted connections; nil if descriptors ran out.
    func makeTLSSet(
        _ identity: TLSIdentity, _ configuration: HTTPServer.Configuration
    ) -> TLSSet? {
        TLSSet(identity, configuration, deadlines: deadlines) {
            [unowned self] socket, peer, length, share in
            adopt(socket, peer, length, share, slot: nil)
        }
    }

    /// Has libmicrohttpd serve a socket, which it owns from now on, even if it refuses it.
    ///
    /// - Parameter slot: nil if the connection is counted elsewhere.
    func adopt(
        _ socket: Int32, _ peer: UnsafePointer<sockaddr>, _ length: socklen_t,
        _ share: ClientConnectionLimit.Share?, slot: ConnectionSlot?
    ) -> Bool {
        pendingShare = share
        pendingSlot = slot
        defer {
            pendingShare = nil
            pendingSlot = nil
        }
        return MHD_add_connection(daemon, socket, peer, length) == .YES
    }
}
