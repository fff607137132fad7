import ReorderStore

extension DiskRun {
    enum Action: CustomStringConvertible {
        case append([ListCommit], [StoredResponse])
        case prune(olderThan: Int64, keepingLast: Int, limit: Int)
        case removeResponses(expiredAt: Int64, limit: Int)
        case pruneBin(deletedBefore: Int64, limit: Int)
        case tidy(steps: Int)
        case reopen
        /// Another program begins a read transaction, or ends it.
        case toggleReader

        var description: String {
            switch self {
            case .append(let commits, let responses):
                let list = commits.map { commit in
                    let isDeletion = commit.stateAfter == .deleted
                    return "\(commit.list) \(commit.version)\(isDeletion ? " deleted" : "")"
                        + " +\(commit.insertedTasks.count) -\(commit.deletedTasks.count)"
                        + " \(commit.change.count) bytes"
                }
                return "append \(list.joined(separator: ", ")); \(responses.count) responses"
            case .prune(let time, let count, let limit):
                return "prune older than \(time) but the last \(count), limit \(limit)"
            case .removeResponses(let time, let limit):
                return "remove responses expired at \(time), limit \(limit)"
            case .pruneBin(let time, let limit):
                return "empty the bin of lists deleted before \(time), limit \(limit)"
            case .tidy(let steps): return "tidy in \(steps) steps"
            case .reopen: return "reopen"
            case .toggleReader: return "toggle the reader"
            }
        }
    }
}
