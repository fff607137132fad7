import MicroHTTP
import ReorderJSON
import ReorderStore

/// A request that a client wants to make. It is sent once or several times.
final class Intention {
    enum Kind {
        /// Changes lists.
        case write
        case readList, readTask, readIndex, readChanges, events
        /// A request of the client library. The library's state machine is checked instead.
        case sync
    }

    let id: String
    let kind: Kind
    let method: HTTPMethod
    let target: String
    let body: String
    var headers: [(String, String)] = []
    /// The list that the path names; nil if it names a task or a drag.
    let list: String?
    /// Whether it has an idempotency key or only ops with ids, so that it is applied only once,
    /// even if it is sent several times.
    var isOnce = false
    /// The version of the list that it undoes.
    var undone: Int?
    /// The version after which it reads changes.
    var since: Int?
    /// The digest and the tag of the document that the client has.
    var copy: (tag: String, digest: UInt64)?
    var attempts: [Attempt] = []

    init(
        _ id: String, _ kind: Kind, _ method: HTTPMethod, _ target: String, _ body: String = "",
        list: String? = nil
    ) {
        self.id = id
        self.kind = kind
        self.method = method
        self.target = target
        self.body = body
        self.list = list
    }
}

/// One sending of an intention. Its tag is the client id of its changes.
final class Attempt {
    let intention: Intention
    let tag: String
    /// The versions that responses had shown when it was sent.
    let floor: [String: Int]
    /// Whether a response said that nothing was stored.
    var isRefused = false
    /// Whether a server is handling it.
    var isAtServer = false

    init(_ intention: Intention, floor: [String: Int]) {
        self.intention = intention
        tag = "\(intention.id).\(intention.attempts.count)"
        self.floor = floor
        intention.attempts.append(self)
    }

    var request: Request {
        var headers = HeaderFields()
        for (name, value) in intention.headers { headers.add(name, value) }
        if headers["Client-Id"] == nil { headers.add("Client-Id", tag) }
        if !intention.body.isEmpty, headers["Content-Type"] == nil {
            headers.add("Content-Type", "application/json")
        }
        return Request(
            method: intention.method, target: intention.target, headers: headers,
            body: Array(intention.body.utf8))
    }
}

/// Compares each response with the journal at the moment when the server sends it.
final class Checker {
    let journal = Journal()
    /// The newest version of each list that a client has seen in a response.
    private(set) var seen: [String: Int] = [:]
    private var attempts: [String: Attempt] = [:]
    private(set) var violation: Violation?
    private(set) var responseCounts: [Int: Int] = [:]
    var commitCount = 0

    func fail(_ rule: String, _ details: String) {
        if violation == nil { violation = Violation(rule: rule, details: details) }
    }

    /// A client sends a request.
    func attempt(_ intention: Intention) -> Attempt {
        let attempt = Attempt(intention, floor: seen)
        attempts[attempt.tag] = attempt
        return attempt
    }

    // MARK: Commits

    func committed(_ commits: [ListCommit]) {
        commitCount += commits.count
        do throws(Violation) {
            try journal.append(commits)
        } catch {
            return fail(error.rule, error.details)
        }
        for commit in commits {
            guard let tag = (try? ChangeDocument(json: commit.change))?.client,
                let attempt = attempts[tag]
            else { continue }
            check(attempt, commit)
        }
    }

    private func check(_ attempt: Attempt, _ commit: ListCommit) {
        let place = "\(attempt.tag) \(commit.list) v\(commit.version)"
        if attempt.isRefused {
            fail("a refused request stores nothing", place)
        }
        if journal.versions[attempt.tag]?.filter({ $0.list == commit.list }).count != 1 {
            fail("a request is applied once", place)
        }
        guard attempt.intention.isOnce else { return }
        let applied = attempt.intention.attempts.filter { journal.versions[$0.tag] != nil }
        if applied.count > 1 {
            fail("a repeated request is applied once", "\(place), tags \(applied.map(\.tag))")
        }
    }

    // MARK: Responses

    /// A server sends a response.
    func sends(_ response: Response, to attempt: Attempt) {
        responseCounts[response.status, default: 0] += 1
        let facts = ResponseFacts(response)
        let intention = attempt.intention
        let place = "\(attempt.tag) \(intention.method.rawValue) \(intention.target)"
        guard response.status < 500 else {
            return checkFailure(response, facts, attempt, place)
        }
        for shown in facts.versions(list: intention.list) {
            if shown.version > journal.version(shown.list) {
                fail(
                    "a response shows only what is durable",
                    "\(place): \(shown.list) v\(shown.version), durable is "
                        + "v\(journal.version(shown.list))")
            }
            if !facts.isReplay, ![.readChanges, .sync].contains(intention.kind),
                shown.version < attempt.floor[shown.list] ?? 0
            {
                fail(
                    "a request sees what earlier responses showed",
                    "\(place): \(shown.list) v\(shown.version), seen was "
                        + "v\(attempt.floor[shown.list] ?? 0)")
            }
        }
        switch intention.kind {
        case .write: checkWrite(response, facts, attempt, place)
        case .readList: checkDocument(response, facts, attempt, place)
        case .readChanges: checkChanges(response, facts, attempt, place)
        case .readTask, .readIndex, .events, .sync: break
        }

        if facts.code == "request_in_progress",
            !intention.attempts.contains(where: { $0 !== attempt && $0.isAtServer })
        {
            fail("a key is free when its request has ended", place)
        }
        if response.status == 404, facts.code == "list_not_found", let list = intention.list,
            !intention.body.contains("toList")
        {
            let history = journal.lists[list]
            let floor = attempt.floor[list] ?? 0
            let versions = floor...max(floor, journal.version(list))
            if versions.allSatisfy({ history?.existing.contains($0) ?? false }) {
                fail("a list that exists is found", place)
            }
        }
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
        if let undone = attempt.intention.undone, version == undone + 1, !facts.isReplay,
            let history = journal.lists[list], let before = history.recent[undone - 1]
        {
            if history.recent[version] != before {
                fail("an undo restores the list", "\(place): \(list) v\(version)")
            }
        }
    }

    private func checkDocument(
        _ response: Response, _ facts: ResponseFacts, _ attempt: Attempt, _ place: String
    ) {
        guard let list = attempt.intention.list, let version = facts.version else { return }
        let expected = journal.lists[list]?.documents[version]
        if response.status == 200, expected != Journal.digest(response.body) {
            fail("a document is the fold of the changes", "\(place): v\(version) \(facts.text)")
        }
        if response.status == 304, expected != attempt.intention.copy?.digest {
            fail("an entity tag identifies the content", "\(place): v\(version)")
        }
    }

    private func checkChanges(
        _ response: Response, _ facts: ResponseFacts, _ attempt: Attempt, _ place: String
    ) {
        guard response.status == 200, let list = attempt.intention.list,
            let since = attempt.intention.since, let history = journal.lists[list]
        else { return }
        if (facts.version ?? 0) < attempt.floor[list] ?? 0 {
            fail("a request sees what earlier responses showed", place)
        }
        var rest = response.body[...]
        guard let start = rest.firstRange(of: Array("\"changes\":[".utf8)) else {
            return fail("changes are readable", place)
        }
        rest = rest[start.upperBound...]
        var version = since
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
        guard response.status < 500 else { return }
        for shown in ResponseFacts(response).versions(list: attempt.intention.list) {
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
