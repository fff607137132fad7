import CMicroHTTPD
import Glibc

extension EventLoop {
    /// The encrypted connections that come to a listening socket, which they own; nil where descriptors
    /// ran out.
    func makeTLSSet(
        _ identity: TLSIdentity, listener: Int32, limit: Int,
        _ configuration: HTTPServer.Configuration
    ) -> TLSSet? {
        TLSSet(
            identity, listener: listener, limit: limit, configuration, shares: shares,
            deadlines: deadlines
        ) { [unowned self] socket, peer, length, share in
            adopt(socket, peer, length, share)
        }
    }

    /// Has libmicrohttpd serve a socket of ours, on behalf of a client that has its share already. The
    /// socket is libmicrohttpd's, whatever comes of it.
    private func adopt(
        _ socket: Int32, _ peer: UnsafePointer<sockaddr>, _ length: socklen_t,
        _ share: ConnectionShares.Share?
    ) -> Bool {
        isAdopting = true
        pendingShare = share
        defer {
            isAdopting = false
            pendingShare = nil
        }
        return MHD_add_connection(daemon, socket, peer, length) == .YES
    }
}
