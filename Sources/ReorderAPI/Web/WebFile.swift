import MicroHTTP

/// A file of the web page, as it was embedded.
struct WebFile: Sendable {
    let name: String
    let contents: [UInt8]

    /// All of them but `index.html`. A test compares them with the folder.
    static let all = EmbeddedFiles.ofThePage

    var mediaType: String {
        if name.hasSuffix(".js") { return "text/javascript" }
        if name.hasSuffix(".css") { return "text/css" }
        return "image/svg+xml"
    }
}

/// The web page, ready to be sent: its document, and its files under a path that changes with them.
///
/// A document names the files of its own build only, and what a path names never changes. So a
/// browser may keep the files for good, and never mixes those of two builds.
struct WebPage: Sendable {
    /// Names the contents of all files, as a path segment.
    let build: String
    let document: Response
    private let files: [String: Response]

    static let embedded = WebPage(document: EmbeddedFiles.document, files: WebFile.all)

    init(document: [UInt8], files: [WebFile]) {
        var hash = ContentHash()
        for file in files {
            hash.add(Array(file.name.utf8))
            hash.add(file.contents)
        }
        hash.add(document)
        build = hash.hexadecimal
        let text = String(decoding: document, as: UTF8.self)
        self.document = Response(
            status: 200,
            headers: Self.headers(
                type: "text/html", tag: build, caching: "no-cache"),
            body: Array(text.split(separator: "BUILD").joined(separator: build).utf8))
        self.files = Dictionary(
            uniqueKeysWithValues: files.map { [build] file in
                let headers = Self.headers(
                    type: file.mediaType, tag: build,
                    caching: "max-age=31536000, immutable")
                return (file.name, Response(status: 200, headers: headers, body: file.contents))
            })
    }

    /// A file of this build; `nil` where there is no such file, or the path is another build's.
    func file(_ name: String, build: String) -> Response? {
        build == self.build ? files[name] : nil
    }

    /// Scripts, styles and images are the server's own, nothing runs that stands in a document, and
    /// scripts can't turn strings into markup.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
        connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types 'none'
        """

    private static func headers(type: String, tag: String, caching: String) -> HeaderFields {
        [
            "Content-Type": type,
            "ETag": "\"\(tag)\"",
            "Cache-Control": caching,
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        ]
    }
}

/// FNV-1a of 64 bits: tells builds apart, and is no secret.
struct ContentHash {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ bytes: [UInt8]) {
        for byte in bytes {
            state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
    }

    var hexadecimal: String {
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
