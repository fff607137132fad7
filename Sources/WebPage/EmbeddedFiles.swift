import CEmbeddedFiles

/// The files embedded in the program: the contract, the web page and the JavaScript client.
package enum EmbeddedFiles {
    /// The contents of the files by name. Names of the client's files begin with `client/`, those of its form in
    /// one file with `bundle/`.
    private static let all: [String: [UInt8]] = {
        var count = 0
        let files = UnsafeBufferPointer(start: embedded_files(&count), count: count)
        return Dictionary(
            uniqueKeysWithValues: files.map { file in
                let bytes = UnsafeBufferPointer(start: file.bytes, count: file.count)
                return (String(cString: file.name), Array(bytes))
            })
    }()

    package static let contract = LineGroups.writtenOut(all["openapi.yaml"] ?? [])
    package static let contractAsJSON = all["openapi.json"] ?? []
    static let document = all["index.html"] ?? []

    /// The files of the JavaScript client, sorted by name.
    package static let client = files(in: "client/")

    /// The JavaScript client in one file, and its types.
    package static let clientBundle = files(in: "bundle/")

    /// The web page's files other than `index.html`, sorted by name. Its script and its style sheet are
    /// bundles, which `scripts/page-bundle` makes.
    package static let page = files { name in
        name.contains("/") || others.contains(name) ? nil : name
    }

    private static let others: Set = ["openapi.yaml", "openapi.json", "index.html"]

    private static func files(in folder: String) -> [WebFile] {
        files { $0.hasPrefix(folder) ? String($0.dropFirst(folder.count)) : nil }
    }

    private static func files(_ name: (String) -> String?) -> [WebFile] {
        all.compactMap { key, contents in
            name(key).map { WebFile(name: $0, contents: contents) }
        }
        .sorted { $0.name < $1.name }
    }
}
