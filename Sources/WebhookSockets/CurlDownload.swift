import CCurl

/// Reads a document of another server with libcurl.
package enum CurlDownload {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    package struct Response {
        /// 0 if none arrived.
        package let status: Int
        package let body: [UInt8]
        /// Why the response is not complete; nil if it is.
        package let failure: String?
    }

    private final class Body {
        var bytes: [UInt8] = []
        let isEnough: (_ bytes: [UInt8]) -> Bool

        init(_ isEnough: @escaping (_ bytes: [UInt8]) -> Bool) { self.isEnough = isEnough }
    }

    /// The maximum length of a document.
    package static let maximumBytes = 256 << 10

    /// Reads a document; blocks for at most 10 seconds.
    package static func bytes(
        of url: String, schemes: String = "https"
    ) throws(Failure) -> [UInt8] {
        let response = try response(of: url, schemes: schemes)
        if let failure = response.failure { throw Failure(description: failure) }
        guard response.status == 200 else {
            throw Failure(description: "status \(response.status)")
        }
        return response.body
    }

    /// Requests a URL; blocks for at most the time. Redirects are not followed. The address may be a
    /// private one, because an administrator has chosen the URL.
    ///
    /// - Parameters:
    ///   - isLocal: whether the server is on this machine: the request uses no proxy, and any certificate will do.
    ///   - isEnough: whether the rest of the body is not needed.
    /// - Throws: if nothing was requested.
    package static func response(
        of url: String, schemes: String = "https,http", token: String? = nil, isLocal: Bool = false,
        limitSeconds: Int = 10,
        isEnough: @escaping (_ body: [UInt8]) -> Bool = { _ in false }
    ) throws(Failure) -> Response {
        micro_curl_begin()
        guard let handle = curl_easy_init() else {
            throw Failure(description: "libcurl can't begin")
        }
        defer { curl_easy_cleanup(handle) }
        let fields = token.flatMap { curl_slist_append(nil, "Authorization: Bearer \($0)") }
        defer { curl_slist_free_all(fields) }
        let body = Body(isEnough)
        let codes = [
            micro_curl_number(handle, CURLOPT_NOSIGNAL, 1),
            micro_curl_number(handle, CURLOPT_FOLLOWLOCATION, 0),
            micro_curl_number(handle, CURLOPT_CONNECTTIMEOUT, 5),
            micro_curl_number(handle, CURLOPT_TIMEOUT, limitSeconds),
            micro_curl_number(handle, CURLOPT_SSL_VERIFYPEER, isLocal ? 0 : 1),
            micro_curl_number(handle, CURLOPT_SSL_VERIFYHOST, isLocal ? 0 : 2),
            isLocal ? micro_curl_text(handle, CURLOPT_NOPROXY, "*") : CURLE_OK,
            micro_curl_pointer(handle, CURLOPT_HTTPHEADER, fields),
            micro_curl_text(handle, CURLOPT_URL, url),
            micro_curl_text(handle, CURLOPT_PROTOCOLS_STR, schemes),
            micro_curl_text(handle, CURLOPT_USERAGENT, "reorderd"),
            micro_curl_on_body(
                handle,
                { bytes, size, count, context in
                    guard let bytes, let context else { return 0 }
                    let body = Unmanaged<Body>.fromOpaque(context).takeUnretainedValue()
                    let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
                    guard body.bytes.count + part.count <= CurlDownload.maximumBytes else {
                        return 0
                    }
                    body.bytes += part
                    return body.isEnough(body.bytes) ? 0 : part.count
                }, Unmanaged.passUnretained(body).toOpaque()),
        ]
        guard codes.allSatisfy({ $0 == CURLE_OK }) else {
            throw Failure(description: "libcurl lacks an option")
        }
        let code = withExtendedLifetime(body) { curl_easy_perform(handle) }
        let failure: String? =
            switch code {
            case CURLE_OK: nil
            case CURLE_WRITE_ERROR:
                isEnough(body.bytes) ? nil : "it has more than \(maximumBytes) bytes"
            default: String(cString: curl_easy_strerror(code))
            }
        return Response(status: micro_curl_status(handle), body: body.bytes, failure: failure)
    }
}
