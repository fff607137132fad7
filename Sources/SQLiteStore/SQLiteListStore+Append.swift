import ReorderStore

extension SQLiteListStore {
    package func append(_ commits: [ListCommit], responses: [StoredResponse]) throws(StoreError) {
        try append(commits, responses: responses) {}
    }

    package func append(
        _ commits: [ListCommit], responses: [StoredResponse], beforeVisible: () -> Void
    ) throws(StoreError) {
        guard !commits.isEmpty || !responses.isEmpty else { return }
        // Responses beside deletions, such as the service's probe, are small.
        let addsContent = commits.contains { $0.outcome != .deleted } || commits.isEmpty
        let need = addsContent ? SpaceNeed.content : .removal
        if try isLarge(commits) {
            return try appendLarge(
                commits, responses: responses, need, beforeVisible: beforeVisible)
        }
        beforeVisible()
        try write(needing: need) { journal in
            try journal.append(commits, responses: responses)
            mark.advance(to: journal.lastChange)
        }
    }
}
