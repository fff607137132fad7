import MicroHTTP
import ReorderJSON
import ReorderStore

// The decisions of the servers, compared with the model of the rules.

extension Checker {
    func checkRules(of commits: [ListCommit]) {
        let requests = Dictionary(grouping: commits) { commit in
            (try? ChangeDocument(json: commit.change))?.client ?? ""
        }
        for (tag, commits) in requests {
            guard let attempt = attempts[tag] else {
                checkDevice(tag, commits)
                continue
            }
            let intention = attempt.intention
            let difference = RuleChecks(journal: journal).difference(
                commits, of: intention, since: floor(of: attempt))
            if let difference {
                fail(
                    "a decision follows the rules",
                    "\(tag) \(intention.target) \(intention.body) \(commits[0].list) "
                        + "v\(commits[0].version): \(difference)")
            }
        }
    }

    /// Checks a commit of the client library. Its batches have the same client id, so it is one of
    /// those that are not answered.
    private func checkDevice(_ client: String, _ commits: [ListCommit]) {
        guard let first = commits.first else { return }
        let open = (batches[client] ?? []).filter {
            $0.answeredAfter == nil && $0.intention.list == first.list
        }
        var differences: [String] = []
        // Their results are replayed, also refusals.
        let answered = (batches[client] ?? []).filter { $0.answeredAfter == restores }
            .flatMap(\.intention.operations)
        for attempt in open {
            // Operations that were decided before are not applied again, also if their response is not sent yet.
            let hasEarlier = attempt.intention.operations.contains { operation in
                hasChange(of: operation) && !commits.contains { isOf(operation, $0) }
            }
            guard !hasEarlier, Set(answered).isDisjoint(with: attempt.intention.operations),
                journal.operations.isDisjoint(with: attempt.intention.operations)
            else { return }
            let difference = RuleChecks(journal: journal).difference(
                commits, of: attempt.intention, since: floor(of: attempt))
            guard let difference else { return }
            differences.append(difference)
        }
        guard let difference = differences.last else { return }
        fail(
            "a decision follows the rules",
            "\(client) \(first.list) v\(first.version): \(difference)")
    }

    /// Whether a change was made by the step of an operation.
    func isOf(_ operation: String, _ commit: ListCommit) -> Bool {
        (try? ChangeDocument(json: commit.change))?.opID.map(Self.step) == Self.step(operation)
    }

    /// Checks the response to a batch of the client library: its change is stored.
    func checkBatch(_ facts: ResponseFacts, _ attempt: Attempt, _ place: String) {
        let intention = attempt.intention
        guard facts.status == 200, facts.isChanged == true, !intention.operations.isEmpty,
            let list = intention.list, let version = facts.version
        else { return }
        let stored = journal.versions[intention.client ?? ""] ?? []
        if !stored.contains(where: { $0 == (list, version) }) {
            fail("an acknowledged change is stored", "\(place): \(list) v\(version)")
        }
        journal.decide(intention.operations)
    }

    func checkRefusal(
        _ response: Response, _ facts: ResponseFacts, _ attempt: Attempt, _ place: String
    ) {
        let isUnchanged = response.status == 200 && facts.isChanged == false && !facts.isDryRun
        // The results of operations are replayed, too, also those that were refused.
        guard !facts.isReplay, !facts.text.contains("\"replayed\":true"),
            let list = attempt.intention.list,
            isUnchanged || (400..<500).contains(response.status)
        else { return }
        // Operations that were applied before are not applied again.
        guard !attempt.intention.attempts.contains(where: { journal.versions[$0.tag] != nil }),
            journal.operations.isDisjoint(with: attempt.intention.operations)
        else { return }
        let difference = RuleChecks(journal: journal).difference(
            refusal: isUnchanged ? nil : facts.code, of: attempt.intention,
            since: floor(of: attempt)[list] ?? 1)
        if let difference {
            fail("a refusal follows the rules", "\(place) \(attempt.intention.body): \(difference)")
        }
    }
}
