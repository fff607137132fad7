import ReorderJSON

/// Several commands for one list.
package struct Batch: Sendable {
    /// What is applied completely or not at all, and becomes a change.
    package enum Form: Sendable {
        /// All commands are one change. A refused command refuses the request.
        case atomic
        /// All commands are one change, but each is applied or refused by itself.
        case separate
        /// Each of these ranges of commands is a change of its own, applied completely or refused. They
        /// are in order and cover all commands.
        case steps([Range<Int>])
    }

    package var commands: [Command]
    package let form: Form
    /// One element for each command, nil for those without an id; nil if no command has one.
    package let keys: [OperationKey?]?

    package init(_ commands: [Command], _ form: Form, once keys: [OperationKey?]? = nil) {
        self.commands = commands
        self.form = form
        self.keys = keys
    }

    /// The ranges of commands that are applied completely or not at all.
    var parts: [Range<Int>] {
        switch form {
        case .atomic: [commands.indices]
        case .separate: commands.indices.map { $0..<$0 + 1 }
        case .steps(let steps): steps
        }
    }
}
