import CCurl
import Glibc
import ReorderWebhooks

/// A request of libcurl. Used by one thread.
final class CurlRequest {
    let handle: UnsafeMutableRawPointer
    private let allowsPrivate: Bool
    private let done: (WebhookOutcome) -> Void
    private var fields: UnsafeMutablePointer<curl_slist>?
    /// Whether an address of the receiver is not allowed. It is not named: whoever creates a webhook
    /// must not learn the addresses of other hosts in the server's network.
    private var isRefused = false
    private var receivedBytes = 0

    /// The time limit for a connection.
    static let connectSeconds = 5
    /// The maximum length of a response's body, which is not kept. Then the connection is closed; the
    /// status still counts.
    static let maximumResponseBytes = 64 << 10

    /// Returns nil if libcurl accepts an option not.
    init?(
        _ message: WebhookMessage, _ options: WebhookOptions,
        _ done: @escaping (WebhookOutcome) -> Void
    ) {
        guard let handle = curl_easy_init() else { return nil }
        self.handle = handle
        self.done = done
        allowsPrivate = options.allowsPrivate
        for (name, value) in message.fields {
            fields = curl_slist_append(fields, "\(name): \(value)")
        }
        // Without it, libcurl asks a receiver whether it wants a long body.
        fields = curl_slist_append(fields, "Expect:")
        guard configure(message, options) else {
            close()
            return nil
        }
    }

    private func configure(_ message: WebhookMessage, _ options: WebhookOptions) -> Bool {
        let numbers: [(CURLoption, Int)] = [
            (CURLOPT_POST, 1), (CURLOPT_FOLLOWLOCATION, 0), (CURLOPT_NOSIGNAL, 1),
            // With HTTP/2, webhooks of one host share a connection, which a timeout does not close.
            (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1)),
            // Looking up a name can't be interrupted; the thread does not wait for it at the end.
            (CURLOPT_QUICK_EXIT, 1),
            (CURLOPT_CONNECTTIMEOUT, Self.connectSeconds),
            (CURLOPT_TIMEOUT, Int(WebhookMessage.limitSeconds)),
            (CURLOPT_SSL_VERIFYPEER, 1), (CURLOPT_SSL_VERIFYHOST, 2),
        ]
        let texts = [
            (CURLOPT_URL, message.url),
            (CURLOPT_PROTOCOLS_STR, options.allowsHTTP ? "https,http" : "https"),
            // A proxy of the environment would connect to any address.
            (CURLOPT_PROXY, ""),
        ]
        let context = Unmanaged.passUnretained(self).toOpaque()
        let codes =
            numbers.map { micro_curl_number(handle, $0, $1) }
            + texts.map { micro_curl_text(handle, $0, $1) } + [
                micro_curl_pointer(handle, CURLOPT_HTTPHEADER, fields),
                micro_curl_body(handle, message.body, message.body.count),
                micro_curl_on_open(
                    handle,
                    { context, _, address in
                        guard let context, let address else { return -1 }
                        return Unmanaged<CurlRequest>.fromOpaque(context).takeUnretainedValue()
                            .open(address)
                    }, context),
                micro_curl_on_body(
                    handle,
                    { _, size, count, context in
                        guard let context else { return 0 }
                        return Unmanaged<CurlRequest>.fromOpaque(context).takeUnretainedValue()
                            .skip(size * count)
                    }, context),
            ]
        return codes.allSatisfy { $0 == CURLE_OK }
    }

    /// Opens a socket to an address if it is allowed. libcurl connects to exactly this address.
    private func open(_ address: UnsafeMutablePointer<curl_sockaddr>) -> curl_socket_t {
        // A longer address goes beyond the end of the structure.
        let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) ?? 0
        let isPublic = PublicAddress.contains(
            (UnsafeRawPointer(address) + offset).assumingMemoryBound(to: sockaddr.self))
        guard isPublic || allowsPrivate else {
            isRefused = true
            return -1
        }
        return socket(
            address.pointee.family, address.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
            address.pointee.protocol)
    }

    /// Discards a part of the response's body. Returns 0 to end the request.
    private func skip(_ byteCount: Int) -> Int {
        receivedBytes += byteCount
        return receivedBytes > Self.maximumResponseBytes ? 0 : byteCount
    }

    /// Reports the outcome. The handle is not in use any more.
    func end(_ code: CURLcode) {
        let status = micro_curl_status(handle)
        let retryAfter = Int(clamping: micro_curl_retry_after(handle))
        close()
        // The status is the receiver's answer, also if the body that follows does not end or is too long.
        if status >= 200 {
            return done(.response(status, retryAfter: retryAfter > 0 ? retryAfter : nil))
        }
        if isRefused, code == CURLE_COULDNT_CONNECT {
            return done(.failure("The receiver has no public address that accepts connections."))
        }
        done(.failure(String(cString: curl_easy_strerror(code)) + "."))
    }

    func close() {
        curl_easy_cleanup(handle)
        curl_slist_free_all(fields)
        fields = nil
    }
}
