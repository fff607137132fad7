import Foundation
import ReorderImportExport

/// The name of an imported file: the id and title of a list that has none in the file.
package struct ImportedFileName: Sendable {
    /// Without its folder and its extension; nil for a file without a name.
    private let stem: String?

    /// - Parameter path: nil for a file without a name, such as standard input.
    package init(_ path: String?) {
        let name = path?.split(separator: "/").last ?? ""
        let dot = name.lastIndex(of: ".").flatMap { $0 > name.startIndex ? $0 : nil }
        let stem = name[..<(dot ?? name.endIndex)]
        self.stem = stem.allSatisfy { $0 == "." } ? nil : String(stem)
    }

    /// The title for a list without one. Todoist names its backups "Title [id].csv".
    package func title(in format: ListFileFormat) -> String {
        guard let stem else { return "Imported" }
        guard format == .todoist, stem.hasSuffix("]"), let range = stem.range(of: " [") else {
            return stem
        }
        return String(stem[..<range.lowerBound])
    }

    /// The id of a list: its id in the file, or made from the file's name, or else from its content.
    package func id(of imported: ImportedList, in document: [UInt8]) -> String {
        imported.idText(fileName: stem).map(ListID.make(fromFileName:))
            ?? ListID.make(fromTitle: imported.list.settings.title, content: document)
    }
}
