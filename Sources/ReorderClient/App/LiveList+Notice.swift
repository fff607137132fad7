import Foundation
import ReorderEngine

extension LiveList {
    /// What the user should know about changes that were refused: one text for all of them.
    ///
    /// The text is in English. To translate it, add a table `ReorderClient.strings` to the app; its keys are the English sentences.
    public struct Notice: Sendable, Equatable, Identifiable {
        struct Entry: Sendable, Equatable {
            var code: String
            var detail: String
            var tasks: [TaskID]
        }

        /// Identifies the refusals that the notice is about.
        public let id: String
        /// One or more sentences in the user's language.
        public let message: String
        /// The tasks of the refused changes, for example to scroll to one of them.
        public let tasks: [TaskID]
        /// The changes that the server refused, after they were undone here.
        package let refusals: [Refused]

        /// - Returns: nil if nothing was refused.
        init?(refusals: [Refused], local: [Entry]) {
            let entries =
                refusals.map { Entry(code: $0.code, detail: $0.detail, tasks: $0.tasks) } + local
            guard !entries.isEmpty else { return nil }
            var reasons: [String] = []
            var known: Set<String> = []
            for sentence in entries.lazy.map(\.sentence) where known.insert(sentence).inserted {
                reasons.append(sentence)
            }
            self.refusals = refusals
            tasks = entries.flatMap(\.tasks)
            message = Self.text(entries.count, reasons)
            id = "\(refusals.last?.id ?? "").\(entries.count)"
        }

        private static func text(_ count: Int, _ reasons: [String]) -> String {
            guard count > 1 else { return reasons[0] }
            let first = String(
                format: localized("%d changes could not be made."), locale: .current, count)
            return ([first] + reasons).joined(separator: " ")
        }
    }

    /// Forgets the refused changes of ``notice``.
    public func dismissNotice() {
        localRefusals = []
        if let refusals = notice?.refusals, !refusals.isEmpty { synced?.acknowledge(refusals) }
        notice = nil
    }

    func report(_ error: ClientError, _ tasks: [TaskID] = []) {
        let code = if case .refused(let refusal) = error { refusal.code } else { "" }
        localRefusals.append(
            Notice.Entry(code: code, detail: error.localizedDescription, tasks: tasks))
        draft?.isRefused = true
        refreshNotice()
    }

    func reportUndoConflict(_ task: TaskID?) {
        localRefusals.append(
            Notice.Entry(code: "undo_conflict", detail: "", tasks: task.map { [$0] } ?? []))
        refreshNotice()
    }

    func refreshNotice() {
        set(\.notice, Notice(refusals: refusals, local: localRefusals))
    }
}

extension LiveList.Notice.Entry {
    /// The reason in the user's language.
    fileprivate var sentence: String {
        switch code {
        case "section_not_found": localized(Refusal.anchorGone.sentence)
        case "forbidden": localized("You may not change this list.")
        case "list_not_found": localized("The list does not exist.")
        case "undo_conflict": localized("It can't be undone, because it was changed meanwhile.")
        default:
            localized(
                (Refusal.ofPlaces + [.taskNotFound("")]).first { $0.code == code }?.sentence
                    ?? detail)
        }
    }
}

/// The app's translation of an English text.
func localized(_ english: String) -> String {
    Bundle.main.localizedString(forKey: english, value: english, table: "ReorderClient")
}
