import CMicroHTTPD
import Glibc

// The callbacks of libmicrohttpd. It calls them on the loop's thread, within MHD_run or MHD_stop_daemon.
//
// `context` is the loop, kept alive by its thread. A connection's context is its ClientConnection.
// `notifyOfConnection` retains it when the connection opens, and releases it when the connection
// closes. A request's context is its exchange. The ClientConnection keeps it until `endExchange`.

func notifyOfConnection(
    _ context: UnsafeMutableRawPointer?, _ connection: OpaquePointer?,
    _ connectionContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _ event: MHD_ConnectionNotificationCode
) {
    guard let context, let connection, let connectionContext else { return }
    let loop = Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
    if event == .CONNECTION_NOTIFY_STARTED {
        let client = loop.connectionOpened(connection)
        connectionContext.pointee = Unmanaged.passRetained(client).toOpaque()
    } else if let client = connectionContext.pointee {
        connectionContext.pointee = nil
        loop.connectionClosed(Unmanaged<ClientConnection>.fromOpaque(client).takeRetainedValue())
    }
}

func beginExchange(
    _ context: UnsafeMutableRawPointer?, _ target: UnsafePointer<CChar>?,
    _ connection: OpaquePointer?
) -> UnsafeMutableRawPointer? {
    guard let context, let connection,
        let clientContext = micro_mhd_connection_context(connection)
    else { return nil }
    let loop = Unmanaged<EventLoop>.fromOpaque(context).takeUnretainedValue()
    let client = Unmanaged<ClientConnection>.fromOpaque(clientContext).takeUnretainedValue()
    loop.exchangeBegan()
    return Unmanaged.passUnretained(client.begin(target: target)).toOpaque()
}

func endExchange(
    _: UnsafeMutableRawPointer?, _: OpaquePointer?,
    _ exchangeContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?,
    _: MHD_RequestTerminationCode
) {
    guard let exchange = exchangeContext?.pointee else { return }
    exchangeContext?.pointee = nil
    let ended = Unmanaged<ConnectionExchange>.fromOpaque(exchange).takeUnretainedValue()
    ended.ended()
    ended.loop.exchangeEnded()
}

/// libmicrohttpd asks for the first piece of a stream's body when it has sent the head. This
/// returns an error, so that libmicrohttpd sends nothing more and closes its descriptor.
func readStream(
    _ exchange: UnsafeMutableRawPointer?, _: UInt64, _: UnsafeMutablePointer<CChar>?, _: Int
) -> Int {
    if let exchange {
        Unmanaged<ConnectionExchange>.fromOpaque(exchange).takeUnretainedValue().beginStream()
    }
    return micro_mhd_end_with_error()
}

func handleExchange(
    _: UnsafeMutableRawPointer?, _: OpaquePointer?, _ target: UnsafePointer<CChar>?,
    _ method: UnsafePointer<CChar>?, _ version: UnsafePointer<CChar>?,
    _ data: UnsafePointer<CChar>?, _ dataCount: UnsafeMutablePointer<Int>?,
    _ exchangeContext: UnsafeMutablePointer<UnsafeMutableRawPointer?>?
) -> MHD_Result {
    guard let target, let method, let version, let dataCount,
        let exchange = exchangeContext?.pointee
    else { return .NO }
    let count = dataCount.pointee
    dataCount.pointee = 0
    return Unmanaged<ConnectionExchange>.fromOpaque(exchange).takeUnretainedValue().proceed(
        RequestLine(method: method, target: target, version: version), data: data,
        dataCount: count)
}

/// Leaves the target escaped, because the router must split it into segments before it decodes
/// them.
func leaveEscaped(
    _: UnsafeMutableRawPointer?, _: OpaquePointer?, _ text: UnsafeMutablePointer<CChar>?
) -> Int {
    text.map { strlen($0) } ?? 0
}
