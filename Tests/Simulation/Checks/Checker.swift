import MicroHTTP
import ReorderEngine
import ReorderJSON
import ReorderService
import ReorderStore

/// Compares each response with the journal at the moment when the server sends it.
final class Checker {
    private(set) var journal = Journal()
    /// The journals of the epochs before the restores, by epoch.
    private var formerJournals: [String: Journal] = [:]
    /// The number of restores of the store so far.
    private(set) var restores = 0
    /// The newest version of each list that a client has seen in a response.
    private(set) var seen: [String: Int] = [:]
    private(set) var attempts: [String: Attempt] = [:]
    /// The batches of each device that have no response.
    private(set) var batches: [String: [Attempt]] = [:]
    private(set) var violation: Violation?
    private(set) var responseCounts: [Int: Int] = [:]
    /// How often requests of each kind were answered, and how often they succeeded.
    private(set) var actions: [String: Uses] = [:]
    /// How often rare states were reached.
    private(set) var reached: [String: Int] = [:]
    /// The sizes of the servers' pieces of work.
    var pieces = PieceSizes()
    var commitCount = 0
    /// The simulated time in nanoseconds.
    var now: () -> UInt64 = { 0 }
    private let retention = ResponseRetention.standard

    func fail(_ rule: String, _ details: String) {
        if violation == nil { violation = Violation(rule: rule, details: details) }
    }

    /// Counts a rare state.
    func reach(_ state: String) { reached[state, default: 0] += 1 }

    /// A client sends a request.
    func attempt(_ intention: Intention) -> Attempt {
        let attempt = Attempt(intention, floor: seen, restores)
        attempts[attempt.tag] = attempt
        if !intention.operations.isEmpty {
            batches[intention.client ?? "", default: []].append(attempt)
        }
        return attempt
    }

    /// The operator has restored the store from a backup.
    func restore(_ backup: Journal, epoch: String) {
        formerJournals[journal.epoch] = journal
        journal = Journal(restoring: backup, epoch: epoch)
        restores += 1
        seen = [:]
    }

    /// The journal of an epoch: the present one, or one that a restore has ended.
    func journal(of epoch: String) -> Journal? {
        epoch == journal.epoch ? journal : formerJournals[epoch]
    }

    /// The versions that responses had shown when an attempt was sent. Versions from before a
    /// restore do not count.
    func floor(of attempt: Attempt) -> [String: Int] {
        attempt.restores == restores ? attempt.floor : [:]
    }

    /// Whether a response to the request is stored long enough that a repetition now finds it. The servers'
    /// clocks can be wrong by some hours. How long it stays after that depends on restarts: see `ServiceClock`.
    private func isStored(_ intention: Intention, since time: UInt64) -> Bool {
        let seconds = Double(
            intention.hasKey ? retention.requestSeconds : retention.operationSeconds)
        let age = Double(now() - time) / 1e9
        return age < seconds - 3 * 3_600
    }

    // MARK: Commits

    /// The tasks that a list has had.
    private(set) var knownTasks: Set<TaskID> = []
    /// The digest of what a target had with an entity tag.
    var taggedContents: [String: UInt64] = [:]

    /// The steps of devices that have changed a list, also those that a restore has lost.
    private var madeSteps: Set<Substring> = []

    /// Whether a change has been made by the step of an operation of a device. The change has the id of the step's
    /// first operation; the ids of a step differ in what follows the dot.
    func hasChange(of operation: String) -> Bool { madeSteps.contains(Self.step(operation)) }

    static func step(_ operation: String) -> Substring {
        operation.prefix { $0 != "." }
    }

    func committed(_ commits: [ListCommit]) {
        commitCount += commits.count
        for commit in commits { knownTasks.formUnion(commit.insertedTasks) }
        do throws(Violation) {
            try journal.append(commits)
        } catch {
            return fail(error.rule, error.details)
        }
        for commit in commits {
            let change = try? ChangeDocument(json: commit.change)
            if let id = change?.opID { madeSteps.insert(Self.step(id)) }
            guard let tag = change?.client, let attempt = attempts[tag] else { continue }
            check(attempt, commit, beside: commits)
            checkAccess(of: commit, attempt)
            countRareStates(attempt, commit)
        }
        checkRules(of: commits)
    }

    /// - Parameter commits: those that became durable at the same moment.
    private func check(_ attempt: Attempt, _ commit: ListCommit, beside commits: [ListCommit]) {
        let place = "\(attempt.tag) \(commit.list) v\(commit.version)"
        if attempt.isRefused {
            fail("a refused request stores nothing", place)
        }
        let versions = (journal.versions[attempt.tag] ?? []).filter { $0.list == commit.list }
        if versions.count > 1 {
            // Steps are made at the same moment.
            let first = commits.first { $0.list == commit.list }?.version ?? .max
            guard case .batch(_, .steps(let steps)) = attempt.intention.decision,
                versions.count <= steps.count, versions.allSatisfy({ $0.version >= first })
            else { return fail("a request is applied once", place) }
        }
        if attempt.committedAt == nil { attempt.committedAt = now() }
        guard attempt.intention.isOnce else { return }
        let applied = attempt.intention.attempts.filter { journal.versions[$0.tag] != nil }
        let stored = applied.filter {
            isStored(attempt.intention, since: $0.committedAt ?? now())
        }
        if stored.count > 1 {
            fail("a repeated request is applied once", "\(place), tags \(applied.map(\.tag))")
        }
    }

    // MARK: Responses

    /// A server sends a response.
    func sends(_ response: Response, to attempt: Attempt) {
        responseCounts[response.status, default: 0] += 1
        let isRefusal = attempt.intention.access.map { !$0.isAllowed || response.status == 401 }
        actions[attempt.intention.action, default: Uses()].add(
            response.status < 400 || isRefusal ?? false)
        attempt.answeredAfter = restores
        let facts = ResponseFacts(response)
        let intention = attempt.intention
        let place = "\(attempt.tag) \(intention.method.rawValue) \(intention.target)"
        checkAccess(response, attempt, place)
        if response.status >= 400, let code = facts.code { reach("refusal \(code)") }
        guard response.status < 500 else {
            return checkFailure(response, facts, attempt, place)
        }
        for shown in facts.versions(of: intention) {
            if shown.version > journal.version(shown.list) {
                fail(
                    "a response shows only what is durable",
                    "\(place): \(shown.list) v\(shown.version), durable is "
                        + "v\(journal.version(shown.list))")
            }
            if !facts.isReplay,
                ![.readChanges, .readHistory, .readFeed, .sync, .guest].contains(intention.kind),
                shown.version < floor(of: attempt)[shown.list] ?? 0
            {
                fail(
                    "a request sees what earlier responses showed",
                    "\(place): \(shown.list) v\(shown.version), seen was "
                        + "v\(floor(of: attempt)[shown.list] ?? 0)")
            }
        }
        checkTag(response, attempt, place)
        switch intention.kind {
        case .write:
            checkWrite(response, facts, attempt, place)
            checkRefusal(response, facts, attempt, place)
            checkShownTasks(response, facts, attempt, place)
        case .readList: checkDocument(response, facts, attempt, place)
        case .readChanges: checkChanges(response, facts, attempt, place)
        case .readHistory: checkHistory(response, attempt, place)
        case .readTask: checkTask(response, facts, attempt, place)
        case .readTasks: checkTasks(response, attempt, place)
        case .readPage: checkPage(response, attempt, place)
        case .readIndex: checkIndex(response, attempt, place)
        // Their clients check them.
        case .readFeed, .events, .guest: break
        case .sync:
            checkBatch(facts, attempt, place)
            if !intention.operations.isEmpty { checkRefusal(response, facts, attempt, place) }
        }
        if facts.code == "request_in_progress", !attempt.hasMetAnother {
            fail("a key is free when its request has ended", place)
        }
        if response.status == 404, facts.code == "list_not_found", let list = intention.list,
            !intention.body.contains("toList"), !intention.target.contains("folds=")
        {
            let history = journal.lists[list]
            let floor = floor(of: attempt)[list] ?? 0
            let versions = floor...max(floor, lastVersion(of: list, for: intention))
            if versions.allSatisfy({ history?.existing.contains($0) ?? false }) {
                fail("a list that exists is found", place)
            }
        }
    }

    /// The last version of a list that a refusal can be based on. A repeated request gets its stored
    /// response, so it does not see that it has deleted the list itself.
    private func lastVersion(of list: String, for intention: Intention) -> Int {
        let deletion = intention.attempts.lazy.filter { attempt in
            intention.isOnce
                && self.isStored(intention, since: attempt.committedAt ?? self.now())
        }
        .flatMap { self.journal.versions[$0.tag] ?? [] }
        .first { $0.list == list && self.journal.lists[list]?.states[$0.version] == nil }
        return deletion.map { $0.version - 1 } ?? journal.version(list)
    }

    private func checkFailure(
        _ response: Response, _ facts: ResponseFacts, _ attempt: Attempt, _ place: String
    ) {
        guard response.status == 503 else {
            return fail("no request fails inside", "\(place): \(response.status) \(facts.text)")
        }
        guard attempt.intention.kind == .write, facts.code != "outcome_unknown" else { return }
        attempt.isRefused = true
        if let stored = journal.versions[attempt.tag]?.first {
            fail(
                "a refused request stores nothing", "\(place): 503, but stored as \(stored)")
        }
    }

    private func checkWrite(
        _ response: Response, _ facts: ResponseFacts, _ attempt: Attempt, _ place: String
    ) {
        let own = journal.versions[attempt.tag] ?? []
        guard (200..<300).contains(response.status), facts.isChanged ?? true else {
            if let stored = own.first {
                fail(
                    "a response says what was stored",
                    "\(place): \(response.status) unchanged, but stored as \(stored)")
            }
            attempt.isRefused = true
            return
        }
        guard let list = facts.list ?? attempt.intention.list, let version = facts.version,
            facts.isDryRun == false, facts.isChanged != nil || response.status == 204
        else { return }
        checkPast(facts, attempt, place)
        checkDeleted(list, version, attempt, place)
        guard !attempt.intention.target.hasPrefix("/drags") || facts.isChanged == true else {
            return
        }
        let tags = attempt.intention.attempts.map(\.tag)
        let isStored = tags.contains { tag in
            journal.versions[tag]?.contains { $0 == (list, version) } ?? false
        }
        if !isStored {
            fail("an acknowledged change is stored", "\(place): \(list) v\(version)")
        }
        if attempt.intention.target.hasSuffix("/restore"), !facts.isReplay {
            checkRestored(list, version, place)
        }
        if let undone = attempt.intention.undone, version == undone + 1, !facts.isReplay,
            let history = journal.lists[list], let before = history.states[undone - 1]
        {
            let after = history.states[version]
            if after?.withoutLastChanges != before.withNewIDs(of: after).withoutLastChanges {
                fail("an undo restores the list", "\(place): \(list) v\(version)")
            }
        }
    }

    /// Checks that a list that was restored from the bin is the one that was deleted.
    private func checkRestored(_ list: String, _ version: Int, _ place: String) {
        guard let states = journal.lists[list]?.states else { return }
        let last = (1..<version).last { states[$0] != nil }
        if states[version] != last.flatMap({ states[$0] })?.withNewIDs(of: states[version]) {
            fail("a restored list is the deleted one", "\(place): \(list) v\(version)")
        }
    }

    /// Checks that the request names no state from before a restore.
    private func checkPast(_ facts: ResponseFacts, _ attempt: Attempt, _ place: String) {
        let intention = attempt.intention
        if let token = intention.precondition, !token.isOf(journal.epoch), !facts.isReplay {
            fail("an entity tag from before a restore matches nothing", "\(place): \(token.text)")
        }
    }

    private func checkChanges(
        _ response: Response, _ facts: ResponseFacts, _ attempt: Attempt, _ place: String
    ) {
        guard response.status == 200, let list = attempt.intention.list,
            let since = attempt.intention.since, let history = journal.lists[list]
        else { return }
        if let token = attempt.intention.since, !token.isOf(journal.epoch) {
            fail("a token from before a restore is refused", "\(place): \(token.text)")
        }
        if (facts.version ?? 0) < floor(of: attempt)[list] ?? 0 {
            fail("a request sees what earlier responses showed", place)
        }
        var rest = response.body[...]
        guard let start = rest.firstRange(of: Array("\"changes\":[".utf8)) else {
            return fail("changes are readable", place)
        }
        rest = rest[start.upperBound...]
        var version = since.version
        while let change = history.changes[version + 1], rest.starts(with: change) {
            version += 1
            rest = rest.dropFirst(change.count)
            if rest.first == UInt8(ascii: ",") { rest = rest.dropFirst() }
        }
        if rest.first != UInt8(ascii: "]") {
            fail("changes are those of the journal", "\(place): after v\(version)")
        }
    }

    /// A client receives a response.
    func receives(_ response: Response, _ attempt: Attempt) {
        guard response.status < 500, attempt.answeredAfter == restores,
            attempt.intention.kind != .guest
        else { return }
        for shown in ResponseFacts(response).versions(of: attempt.intention) {
            seen[shown.list] = max(seen[shown.list] ?? 0, shown.version)
        }
    }

    /// A client receives an event of a stream, or a sync machine reaches a version.
    func shows(_ list: String, _ version: Int, _ place: String) {
        if version > journal.version(list) {
            fail(
                "an event shows only what is durable",
                "\(place): \(list) v\(version), durable is v\(journal.version(list))")
        }
    }
}
