/// A program's words for words of `TableWords`, by their meaning.
typealias ProgramWords = [TableRole: [String: String]]

/// Words that programs and people write for states and priorities.
enum TableWords {
    static let cancelled: Set<String> = ["cancelled", "canceled", "won't do"]

    /// Whether a state means done; nil for unknown words.
    static func done(_ word: String) -> Bool? {
        switch word.lowercased() {
        case "0", "false", "no", "n", "open", "todo", "to do", "to-do", "not started",
            "not done", "in progress", "incomplete", "uncompleted", "pending", "active", "normal",
            "needsaction", "needs action", "needs-action", "notstarted", "inprogress", "in-process",
            "waitingonothers", "deferred", "backlog", "unchecked", "☐", "nein":
            false
        case "1", "true", "yes", "y", "x", "done", "complete", "completed", "closed", "finished",
            "archived", "checked", "☑", "✓", "✔", "ja", "erledigt":
            true
        default: nil
        }
    }

    /// The priority of a word, nil inside for none; nil for unknown words.
    static func priority(_ word: String) -> Int?? {
        switch word.lowercased() {
        case "0", "4", "p4", "none", "no", "normal", "no priority": .some(nil)
        case "1", "p1", "a", "h", "high", "highest", "urgent", "critical", "hoch": 1
        case "2", "p2", "b", "m", "medium", "med", "mittel": 2
        case "3", "p3", "c", "l", "low", "lowest", "niedrig": 3
        default: nil
        }
    }
}
