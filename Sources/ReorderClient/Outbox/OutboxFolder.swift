import Foundation

/// The folder with the files of lists.
struct OutboxFolder: Sendable {
    let url: URL

    private static let suffix = ".reorder"

    /// Creates the folder, if it does not exist, and gives files of earlier versions their current names.
    func create() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        let path = url.path(percentEncoded: false)
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where name.hasSuffix(Self.suffix) {
            let current = Self.name(String(name.dropLast(Self.suffix.count)))
            guard current != name else { continue }
            try FileManager.default.moveItem(
                at: url.appending(path: name), to: url.appending(path: current))
        }
        #if canImport(Darwin)
            // A copy on another device would send the same operations under the same client id.
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            var folder = url
            try folder.setResourceValues(values)
            #if !os(macOS)
                // New files inherit it. Readable while the device is locked, so that operations can be sent.
                try FileManager.default.setAttributes(
                    [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
                    ofItemAtPath: path)
            #endif
        #endif
    }

    /// The file of a list.
    func file(of list: String) -> URL { url.appending(path: Self.name(list)) }

    /// The file with the operations that extensions have made.
    func inbox(of list: String) -> URL { file(of: list).appendingPathExtension("inbox") }

    /// A file name without capital letters, because some file systems do not distinguish them: `Home` is `%48ome.reorder`.
    static func name(_ list: String) -> String {
        let letters = list.unicodeScalars.map { letter in
            ("A"..."Z").contains(letter) ? "%" + String(letter.value, radix: 16) : String(letter)
        }
        return letters.joined() + suffix
    }
}
