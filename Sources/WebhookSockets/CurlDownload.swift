import CCurl

/// What libcurl has received of a response.
package struct CurlResponse {
    /// 0 before the head has arrived.
    package var status = 0
    /// With names in lower case.
    package var fields: [String: String] = [:]
    package var body: [UInt8] = []
    /// Why the response is not complete; nil if it is.
    package var failure: String?
}

/// Reads a document of another server with libcurl.
package enum CurlDownload {
    package struct Failure: Error, CustomStringConvertible {
        package var description: String
    }

    private final class Receiver {
        var response = CurlResponse()
        let isEnough: (_ body: [UInt8]) -> Bool

        init(isEnough: @escaping (_ body: [UInt8]) -> Bool) { self.isEnough = isEnough }

        func add(_ part: UnsafeRawBufferPointer) -> Int {
            guard response.body.count + part.count <= CurlDownload.maximumBytes else { return 0 }
            response.body += part
            return isEnough(response.body) ? 0 : part.count
        }

        func add(field line: UnsafeRawBufferPointer) -> Int {
            let parts = String(decoding: line, as: UTF8.self).split(separator: ":", maxSplits: 1)
            if parts.count == 2 {
                response.fields[parts[0].lowercased()] = String(
                    parts[1].drop { $0 == " " }.prefix { !$0.isNewline })
            }
            return line.count
        }
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

    /// Requests a URL. Redirects are not followed. The address may be a private one, because an
    /// administrator has chosen the URL.
    ///
    /// - Parameters:
    ///   - fields: lines of the request's head.
    ///   - isEnough: whether the rest of the body is not needed.
    /// - Throws: if there was no request.
    package static func response(
        of url: String, schemes: String, fields: [String] = [], limitSeconds: Int = 10,
        isEnough: @escaping (_ body: [UInt8]) -> Bool = { _ in false }
    ) throws(Failure) -> CurlResponse {
        micro_curl_begin()
        guard let handle = curl_easy_init() else {
            throw Failure(description: "libcurl can't begin")
        }
        defer { curl_easy_cleanup(handle) }
        var list: UnsafeMutablePointer<curl_slist>?
        for field in fields { list = curl_slist_append(list, field) }
        defer { curl_slist_free_all(list) }
        let receiver = Receiver(isEnough: isEnough)
        let context = Unmanaged.passUnretained(receiver).toOpaque()
        let codes = [
            micro_curl_number(handle, CURLOPT_NOSIGNAL, 1),
            micro_curl_number(handle, CURLOPT_FOLLOWLOCATION, 0),
            micro_curl_number(handle, CURLOPT_PATH_AS_IS, 1),
            micro_curl_number(handle, CURLOPT_CONNECTTIMEOUT, 5),
            micro_curl_number(handle, CURLOPT_TIMEOUT, limitSeconds),
            micro_curl_number(handle, CURLOPT_SSL_VERIFYPEER, 1),
            micro_curl_number(handle, CURLOPT_SSL_VERIFYHOST, 2),
            micro_curl_text(handle, CURLOPT_URL, url),
            micro_curl_text(handle, CURLOPT_PROTOCOLS_STR, schemes),
            micro_curl_text(handle, CURLOPT_USERAGENT, "reorderd"),
            micro_curl_pointer(handle, CURLOPT_HTTPHEADER, list),
            micro_curl_on_field(
                handle,
                { bytes, size, count, context in
                    guard let bytes, let context else { return 0 }
                    return Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
                        .add(field: UnsafeRawBufferPointer(start: bytes, count: size * count))
                }, context),
            micro_curl_on_body(
                handle,
                { bytes, size, count, context in
                    guard let bytes, let context else { return 0 }
                    return Unmanaged<Receiver>.fromOpaque(context).takeUnretainedValue()
                        .add(UnsafeRawBufferPointer(start: bytes, count: size * count))
                }, context),
        ]
        guard codes.allSatisfy({ $0 == CURLE_OK }) else {
            throw Failure(description: "libcurl lacks an option")
        }
        let code = withExtendedLifetime(receiver) { curl_easy_perform(handle) }
        var response = receiver.response
        response.status = micro_curl_status(handle)
        if code == CURLE_WRITE_ERROR {
            let isEnough = isEnough(response.body)
            response.failure = isEnough ? nil : "it has more than \(maximumBytes) bytes"
        } else if code != CURLE_OK {
            response.failure = String(cString: curl_easy_strerror(code))
        }
        return response
    }
}
