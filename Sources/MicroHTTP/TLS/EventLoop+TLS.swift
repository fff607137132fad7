import CMicroHTTPD
import Glibc

extension EventLoop {
    /// Creates the set of TLS connections; nil if the process has no more descriptors.
    func makeTLSSet(
        _ identity: TLSIdentity, _ configuration: HTTPServer.Configuration
    ) -> TLSSet? {
        TLSSet(identity, configuration, deadlines: deadlines) {
            [unowned self] socket, peer, length, share in
            adopt(socket, peer, length, share, slot: nil)
        }
    }

    /// Passes a socket to libmicrohttpd. From now on libmicrohttpd owns it, even if this returns
    /// false.
    ///
    /// - Parameter slot: nil with TLS, because `TLSConnection` has it.
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
