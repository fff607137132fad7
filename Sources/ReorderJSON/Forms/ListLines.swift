import ReorderEngine

/// Reads a list from lines of JSON (NDJSON): the list's document without tasks in the first line, and then one task
/// of a document in each line. It keeps no text, so a list of any size can be read in pieces.
package struct ListLines: Sendable {
    /// Why a line is refused.
    package struct Fault: Error, Equatable, Sendable {
        package enum Reason: Equatable, Sendable {
            case notJSON(JSONError)
            case wrongType(JSONTypeError)
            /// The indices of its tasks are those in the list, not the numbers of lines.
            case wrongDocument(ReorderableList.DocumentError)
            case lineTooLong(maximumBytes: Int)
            case tooManyTasks(maximum: Int)
        }

        /// The number of the line, from 1.
        package var line: Int
        package var reason: Reason
    }

    package let maximumLineBytes: Int
    package let maximumTasks: Int
    /// The number of lines that were read.
    package private(set) var lineCount = 0
    /// The id in the first line.
    package private(set) var id: String?
    /// The list with the tasks that were read; nil before the first line.
    package private(set) var list: ReorderableList?

    /// - Parameters:
    ///   - maximumLineBytes: the limit of a line, without its line feed.
    ///   - maximumTasks: the limit of the list.
    package init(maximumLineBytes: Int, maximumTasks: Int) {
        self.maximumLineBytes = maximumLineBytes
        self.maximumTasks = maximumTasks
    }

    /// The approximate memory of the list in bytes. O(1).
    package var memoryBytes: Int { list?.memoryBytes ?? 0 }

    /// Reads the lines that end in these bytes. O(bytes), and O(log n) for each task.
    ///
    /// - Parameter makeID: creates the ids of sections and tasks without one.
    /// - Returns: the number of bytes that were read. The next bytes to read begin after them.
    package mutating func read(_ bytes: [UInt8], makeID: () -> String) throws(Fault) -> Int {
        var start = 0
        while let end = bytes[start...].firstIndex(of: ASCII.lineFeed) {
            try readLine(bytes[start..<end], makeID: makeID)
            start = end + 1
        }
        guard bytes.count - start <= maximumLineBytes else { throw tooLong }
        return start
    }

    /// Reads the last lines. A line feed after the last line may be missing.
    ///
    /// - Returns: the complete list.
    package mutating func readEnd(
        _ bytes: [UInt8], makeID: () -> String
    ) throws(Fault) -> ReorderableList {
        let start = try read(bytes, makeID: makeID)
        if start < bytes.count || lineCount == 0 {
            try readLine(bytes[start...], makeID: makeID)
        }
        guard let list else { throw fault(.notJSON(.noText)) }
        return list
    }

    private mutating func readLine(
        _ line: ArraySlice<UInt8>, makeID: () -> String
    ) throws(Fault) {
        guard line.count <= maximumLineBytes else { throw tooLong }
        let text: JSONText
        do throws(JSONError) {
            text = try JSONText(checking: Array(line), maximumDepth: FormLimits.nesting)
        } catch {
            throw fault(.notJSON(error))
        }
        if list == nil {
            list = try readHead(text, makeID: makeID)
        } else {
            try readTask(text, makeID: makeID)
        }
        lineCount += 1
    }

    private mutating func readHead(
        _ text: JSONText, makeID: () -> String
    ) throws(Fault) -> ReorderableList {
        var reader = JSONReader(text)
        let document: ListDocument
        do throws(JSONTypeError) {
            document = try ListDocument(from: &reader, makeID: makeID)
            guard document.tasks.isEmpty else {
                throw JSONTypeError(
                    kind: .invalid("Send each task as a line of its own."), pointer: "/tasks")
            }
        } catch {
            throw fault(.wrongType(error))
        }
        id = document.id
        do throws(ReorderableList.DocumentError) {
            return try document.makeList()
        } catch {
            throw fault(.wrongDocument(error))
        }
    }

    private mutating func readTask(_ text: JSONText, makeID: () -> String) throws(Fault) {
        guard let count = list?.count, count < maximumTasks else {
            throw fault(.tooManyTasks(maximum: maximumTasks))
        }
        var reader = JSONReader(text)
        let task: ReorderableList.Entry
        do throws(JSONTypeError) {
            task = try ListDocument.readTask(from: &reader, makeID: makeID)
        } catch {
            throw fault(.wrongType(error))
        }
        do throws(ReorderableList.DocumentError) {
            try list?.append(task)
        } catch {
            throw fault(.wrongDocument(error))
        }
    }

    private var tooLong: Fault { fault(.lineTooLong(maximumBytes: maximumLineBytes)) }

    private func fault(_ reason: Fault.Reason) -> Fault {
        Fault(line: lineCount + 1, reason: reason)
    }
}

extension JSONError {
    fileprivate static let noText = JSONError(kind: .empty, pointer: "", offset: 0)
}
