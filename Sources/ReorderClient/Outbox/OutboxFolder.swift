import Foundation

/// The folder with the files of lists.
struct OutboxFolder: Sendable {
    let url: URL

    private static let suffix = ".reorder"
    private static let inboxSuffix = suffix + ".inbox"

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

    /// Deletes the files of all lists.
    ///
    /// - Throws: the first error, after it has deleted the other files.
    func removeFiles(_ remove: (URL) throws -> Void = FileManager.default.removeItem) throws {
        let path = url.path(percentEncoded: false)
        guard FileManager.default.fileExists(atPath: path) else { return }
        var failure: (any Error)?
        for name in try FileManager.default.contentsOfDirectory(atPath: path)
        where name.contains(Self.suffix) {
            do {
                try remove(url.appending(path: name))
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private var names: [String] {
        let path = url.path(percentEncoded: false)
        return (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
    }

    /// The lists with operations that wait to be sent, and those whose files can't be read now. O(bytes of all files).
    func waitingLists() -> Set<String> {
        Set(
            names.lazy.filter { $0.hasSuffix(Self.suffix) || $0.hasSuffix(Self.inboxSuffix) }
                .filter { name in
                    guard let file = try? Data(contentsOf: url.appending(path: name)) else {
                        return true
                    }
                    return OutboxRecord.waitingCount(in: Array(file)) > 0
                }.compactMap { Self.list($0) })
    }

    /// The lists with operations of extensions that the app has not taken over, with the sizes of their inboxes in bytes. O(files).
    func inboxes() -> [String: Int] {
        var sizes: [String: Int] = [:]
        for name in names where name.hasSuffix(Self.inboxSuffix) {
            let path = url.appending(path: name).path(percentEncoded: false)
            let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            guard let size, size > 0, let list = Self.list(name) else { continue }
            sizes[list] = size
        }
        return sizes
    }

    /// The list of a file name.
    private static func list(_ name: String) -> String? {
        name.range(of: suffix, options: .backwards).flatMap {
            name[..<$0.lowerBound].removingPercentEncoding
        }
    }

    /// The file of a list.
    func file(of list: String) -> URL { url.appending(path: Self.name(list)) }

    /// The file with the operations that extensions have made.
    func inbox(of list: String) -> URL { file(of: list).appendingPathExtension("inbox") }

    /// The file with the first rows of a list, for widgets.
    func excerpt(of list: String) -> URL { file(of: list).appendingPathExtension("excerpt") }

    /// The name of a folder for any text: see `name`. Characters that are not safe in a path are encoded.
    static func folderName(_ text: String) -> String {
        text.utf8.map { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"):
                String(UnicodeScalar(byte))
            default: "%" + String(byte, radix: 16)
            }
        }.joined()
    }

    /// A file name without capital letters, because some file systems do not distinguish them: `Home` is `%48ome.reorder`.
    static func name(_ list: String) -> String {
        let letters = list.unicodeScalars.map { letter in
            ("A"..."Z").contains(letter) ? "%" + String(letter.value, radix: 16) : String(letter)
        }
        return letters.joined() + suffix
    }
}
