import CCurl

/// Reads a document of another server with libcurl.
package enum CurlDownload {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    private final class Body {
        var bytes: [UInt8] = []
    }

    /// The maximum length of a document.
    package static let maximumBytes = 256 << 10

    /// Reads a document; blocks for at most 10 seconds. Redirects are not followed. The address may be a
    /// private one, because an administrator has chosen the URL.
    package static func bytes(
        of url: String, schemes: String = "https"
    ) throws(Failure) -> [UInt8] {
        micro_curl_begin()
        guard let handle = curl_easy_init() else {
            throw Failure(description: "libcurl can't begin")
        }
        defer { curl_easy_cleanup(handle) }
        let body = Body()
        let codes = [
            micro_curl_number(handle, CURLOPT_NOSIGNAL, 1),
            micro_curl_number(handle, CURLOPT_FOLLOWLOCATION, 0),
            micro_curl_number(handle, CURLOPT_CONNECTTIMEOUT, 5),
            micro_curl_number(handle, CURLOPT_TIMEOUT, 10),
            micro_curl_number(handle, CURLOPT_SSL_VERIFYPEER, 1),
            micro_curl_number(handle, CURLOPT_SSL_VERIFYHOST, 2),
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
                    return part.count
                }, Unmanaged.passUnretained(body).toOpaque()),
        ]
        guard codes.allSatisfy({ $0 == CURLE_OK }) else {
            throw Failure(description: "libcurl lacks an option")
        }
        let code = withExtendedLifetime(body) { curl_easy_perform(handle) }
        guard code == CURLE_OK else {
            let isTooLong = code == CURLE_WRITE_ERROR
            throw Failure(
                description: isTooLong
                    ? "it has more than \(maximumBytes) bytes"
                    : String(cString: curl_easy_strerror(code)))
        }
        let status = micro_curl_status(handle)
        guard status == 200 else { throw Failure(description: "status \(status)") }
        return body.bytes
    }
}
