import CMicroHTTPD
import Glibc

extension EventLoop {
    /// The set of TLS connections; nil if the process has no more descriptors.
    func makeTLSSet(
        _ identity: TLSIdentity, _ configuration: HTTPServer.Configuration
    ) -> TLSSet? {
        TLSSet(identity, configuration, deadlines: deadlines) {
            [unowned self] socket, peer, length, share in
            adopt(socket, peer, length, share, slot: nil)
        }
    }

    /// Passes a socket to libmicrohttpd, which owns it from now on, even if it refuses it.
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
