import CEmbeddedFiles

/// The files embedded in the program: the contract and the web page.
enum EmbeddedFiles {
    /// The contents of the files by name.
    private static let all: [String: [UInt8]] = {
        var count = 0
        let files = UnsafeBufferPointer(start: embedded_files(&count), count: count)
        return Dictionary(
            uniqueKeysWithValues: files.map { file in
                let bytes = UnsafeBufferPointer(start: file.bytes, count: file.count)
                return (String(cString: file.name), Array(bytes))
            })
    }()

    static let contract = all["openapi.yaml"] ?? []
    static let document = all["index.html"] ?? []

    /// The web page's files other than `index.html`, sorted by name.
    static let ofThePage =
        all.filter { $0.key != "openapi.yaml" && $0.key != "index.html" }
        .sorted { $0.key < $1.key }
        .map { WebFile(name: $0.key, contents: $0.value) }
}
