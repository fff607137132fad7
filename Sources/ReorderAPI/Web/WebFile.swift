import MicroHTTP

/// An embedded file of the web page.
struct WebFile: Sendable {
    let name: String
    let contents: [UInt8]

    /// All files other than `index.html`. A test compares them with the folder.
    static let all = EmbeddedFiles.ofThePage

    var mediaType: String {
        if name.hasSuffix(".js") { return "text/javascript" }
        if name.hasSuffix(".css") { return "text/css" }
        return "image/svg+xml"
    }
}

/// The prepared responses for the web page: its document, and its files under a path that changes
/// with their contents.
///
/// The document refers only to files of its own build, and the content at a path never changes. So
/// browsers can cache the files permanently, and never mix the files of two builds.
struct WebPage: Sendable {
    /// A hash of all files, used as a path segment.
    let build: String
    let document: CodedResponse
    private let files: [String: CodedResponse]

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
        self.document = CodedResponse(
            Response(
                status: 200,
                headers: Self.headers(type: "text/html", tag: build, caching: "no-cache"),
                body: Array(text.split(separator: "BUILD").joined(separator: build).utf8)))
        self.files = Dictionary(
            uniqueKeysWithValues: files.map { [build] file in
                let headers = Self.headers(
                    type: file.mediaType, tag: build,
                    caching: "max-age=31536000, immutable")
                let response = Response(status: 200, headers: headers, body: file.contents)
                return (file.name, CodedResponse(response))
            })
    }

    /// Returns a file of this build, or nil if no such file exists or the path is from another
    /// build.
    func file(_ name: String, build: String) -> CodedResponse? {
        build == self.build ? files[name] : nil
    }

    /// Scripts, styles and images must come from the server itself, inline scripts are disabled,
    /// and scripts can't turn strings into markup.
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

/// The 64-bit FNV-1a hash. It distinguishes builds and needs no cryptographic strength.
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
