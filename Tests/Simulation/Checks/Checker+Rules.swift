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
            guard let intention = attempts[tag]?.intention else { continue }
            if let difference = RuleChecks(journal: journal).difference(commits, of: intention) {
                fail(
                    "a decision follows the rules",
                    "\(tag) \(intention.target) \(intention.body) \(commits[0].list) "
                        + "v\(commits[0].version): \(difference)")
            }
        }
    }

    func checkRefusal(
        _ response: Response, _ facts: ResponseFacts, _ attempt: Attempt, _ place: String
    ) {
        let isUnchanged = response.status == 200 && facts.isChanged == false && !facts.isDryRun
        guard !facts.isReplay, let list = attempt.intention.list,
            isUnchanged || (400..<500).contains(response.status)
        else { return }
        let difference = RuleChecks(journal: journal).difference(
            refusal: isUnchanged ? nil : facts.code, of: attempt.intention,
            since: floor(of: attempt)[list] ?? 1)
        if let difference {
            fail("a refusal follows the rules", "\(place) \(attempt.intention.body): \(difference)")
        }
    }
}
