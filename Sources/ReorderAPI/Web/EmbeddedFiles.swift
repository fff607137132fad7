import CEmbeddedFiles

/// The files that are part of the program: the contract, and those of the web page.
enum EmbeddedFiles {
    /// Their contents by their names.
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

    /// Those of the web page but its document, in the order of their names.
    static let ofThePage =
        all.filter { $0.key != "openapi.yaml" && $0.key != "index.html" }
        .sorted { $0.key < $1.key }
        .map { WebFile(name: $0.key, contents: $0.value) }
}
