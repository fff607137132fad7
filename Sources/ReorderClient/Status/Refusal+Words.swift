import ReorderEngine

extension Refusal {
    /// The error code of the server for the same refusal.
    var code: String { words.code }

    /// One sentence in English.
    var sentence: String { words.sentence }

    private var words: (code: String, sentence: String) {
        switch self {
        case .taskNotFound: ("task_not_found", "The task does not exist any more.")
        case .sectionNotFound: ("section_not_found", "The section does not exist any more.")
        case .idTaken(let id): ("id_taken", "The id \(id) is in use already.")
        case .anchorGone: ("anchor_gone", "The place does not exist any more.")
        case .rowNotFound: ("row_not_found", "The list does not have this row.")
        case .rowNotInSection: ("row_not_in_section", "The list does not have this row.")
        case .levelNotPossible: ("level_not_possible", "The task can't have this level here.")
        case .cycle: ("cycle", "A task can't be moved into itself.")
        case .locked: ("locked", "The row is locked.")
        case .notSiblings:
            ("not_siblings", "In this list, tasks can only be moved among their siblings.")
        case .depthLimit: ("depth_limit", "A task can have at most 15 others above it.")
        case .maxDepth: ("max_depth", "In this list, tasks can't be nested so deep.")
        case .sectionFull: ("section_full", "The section is full.")
        case .parentFull: ("parent_full", "A task would have too many subtasks for this list.")
        }
    }

    /// The refusals of a place by the rules of a list.
    static let ofPlaces: [Refusal] = [
        .anchorGone, .cycle, .locked, .notSiblings, .depthLimit, .maxDepth, .sectionFull,
        .parentFull,
    ]
}
