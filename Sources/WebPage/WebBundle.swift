import MicroHTTP

/// A file for browsers.
package struct WebFile: Sendable {
    package let name: String
    package let contents: [UInt8]

    package var mediaType: String {
        if name.hasSuffix(".js") { return "text/javascript" }
        if name.hasSuffix(".css") { return "text/css" }
        // No media type for TypeScript is registered.
        if name.hasSuffix(".ts") { return "text/plain; charset=utf-8" }
        if name.hasSuffix(".png") { return "image/png" }
        if name.hasSuffix(".webmanifest") { return "application/manifest+json" }
        return "image/svg+xml"
    }

    package init(name: String, contents: [UInt8]) {
        self.name = name
        self.contents = contents
    }
}

/// The prepared responses for a document, and for its files under a path that changes with their
/// contents.
///
/// The document refers only to files of its own build, and the content at a path never changes. So
/// browsers can cache the files permanently, and never mix the files of two builds.
package struct WebBundle: Sendable {
    /// Which pages may use the files.
    package enum Readers: Sendable {
        case ownPage, pagesOfAllOrigins
    }

    /// A hash of all files, used as a path segment.
    package let build: String
    package let document: CodedResponse
    private let files: [String: CodedResponse]

    /// The web page: `index.html` and its files.
    package static let page = WebBundle(
        document: EmbeddedFiles.document, type: "text/html", files: EmbeddedFiles.page,
        readers: .ownPage)

    /// The JavaScript client: a module that exports the client of this build, and the client's files.
    package static let client = WebBundle(
        document: Array("export * from \"./BUILD/client.js\";\n".utf8), type: "text/javascript",
        files: EmbeddedFiles.client, readers: .pagesOfAllOrigins)

    /// The JavaScript client in one file, and its types, by name. Their paths stay the same, so browsers
    /// revalidate them.
    package static let clientInOneFile = Dictionary(
        uniqueKeysWithValues: EmbeddedFiles.clientBundle.map { file in
            var hash = ContentHash()
            hash.add(file.contents)
            let headers = headers(
                type: file.mediaType, tag: hash.hexadecimal, caching: "no-cache",
                .pagesOfAllOrigins)
            let response = Response(status: 200, headers: headers, body: file.contents)
            return (file.name, CodedResponse(response))
        })

    /// - Parameter document: the document. `BUILD` in it is replaced by the build.
    package init(document: [UInt8], type: String, files: [WebFile], readers: Readers) {
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
                headers: Self.headers(type: type, tag: build, caching: "no-cache", readers),
                body: Array(text.split(separator: "BUILD").joined(separator: build).utf8)))
        self.files = Dictionary(
            uniqueKeysWithValues: files.map { [build] file in
                var headers = Self.headers(
                    type: file.mediaType, tag: build,
                    caching: "max-age=31536000, immutable", readers)
                // The service worker is in the folder of its build, but opens the page at `/`.
                if file.name == "worker.js" { headers["Service-Worker-Allowed"] = "/" }
                let response = Response(status: 200, headers: headers, body: file.contents)
                return (file.name, CodedResponse(response))
            })
    }

    /// Returns a file of this build, or nil if no such file exists or the path is from another
    /// build.
    package func file(_ name: String, build: String) -> CodedResponse? {
        build == self.build ? files[name] : nil
    }

    /// Scripts, styles and images must come from the server itself, inline scripts are disabled,
    /// and scripts can't turn strings into markup. The page's only trusted types policy, `worker`,
    /// makes the address of the service worker.
    private static let policy = """
        default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
        connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
        require-trusted-types-for 'script'; trusted-types worker
        """

    private static func headers(
        type: String, tag: String, caching: String, _ readers: Readers
    ) -> HeaderFields {
        var headers: HeaderFields = [
            "Content-Type": type,
            "ETag": "\"\(tag)\"",
            "Cache-Control": caching,
            "Content-Security-Policy": policy,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Opener-Policy": "same-origin",
            "Cross-Origin-Resource-Policy": "same-origin",
        ]
        if case .pagesOfAllOrigins = readers {
            headers["Cross-Origin-Resource-Policy"] = "cross-origin"
            headers["Access-Control-Allow-Origin"] = "*"
        }
        return headers
    }
}

/// The 64-bit FNV-1a hash. It distinguishes builds and needs no cryptographic strength.
package struct ContentHash {
    private var state: UInt64 = 0xCBF2_9CE4_8422_2325

    package init() {}

    package mutating func add(_ bytes: [UInt8]) {
        for byte in bytes {
            state = (state ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
        }
    }

    package var hexadecimal: String {
        let digits = String(state, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
