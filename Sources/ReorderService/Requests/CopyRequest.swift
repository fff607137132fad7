import ReorderEngine

/// A copy of a list, or of a task with its subtree.
package struct CopyRequest: Sendable {
    package enum Subject: Sendable {
        /// - Parameters:
        ///   - at: where the copy goes; empty: in the same list directly after the task, in another
        ///     list to the end of the tasks without a section.
        ///   - list: the list that receives the copy; nil: the list of the task.
        case task(TaskID, at: Destination, to: String?)
        /// The title of the new list; nil: the same title.
        case list(title: String?)
    }

    package var subject: Subject
    /// Returns the ids of the copies, one after another. Called for each decision of the request.
    package var makeIDs: @Sendable () -> () -> TaskID

    package init(_ subject: Subject, makeIDs: @escaping @Sendable () -> () -> TaskID) {
        self.subject = subject
        self.makeIDs = makeIDs
    }
}
