import ReorderEngine

/// A list read from a file.
package struct ImportedList: Sendable {
    /// The list's id in the file, or its name if the file has several lists.
    package var id: String?
    /// The program from which the list comes, if ids of its lists are those of no other program.
    package var program: String?
    package var list: ReorderableList
    /// The ids of sections and tasks that a list document does not have.
    package var madeIDs: Set<String> = []
    /// In the order of their lines.
    package var remarks: [ImportRemark] = []

    /// The text from which the list's id follows: its id or name in the file, or else the file's name
    /// without its extension; after the program, so that a list of another program has another id.
    /// Nil if neither exists.
    package func idText(fileName: String?) -> String? {
        (id ?? fileName).map { [program, $0].compactMap(\.self).joined(separator: "-") }
    }
}

/// Why a file is rejected as a whole.
package struct ImportError: Error, Sendable, Equatable {
    /// Numbered from 1; nil if the error concerns the whole file.
    package var line: Int?
    /// The JSON Pointer of the error in a JSON document.
    package var pointer: String?
    /// The error, as a sentence.
    package var reason: String
    /// The names of an unknown table's columns, and a proposal for them as options.
    package var header: [String] = []
    package var columns: [String] = []

    package init(line: Int? = nil, pointer: String? = nil, reason: String) {
        self.line = line
        self.pointer = pointer
        self.reason = reason
    }
}
