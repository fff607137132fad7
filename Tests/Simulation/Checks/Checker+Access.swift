import Foundation
import MicroHTTP
import ReorderStore

// Nobody reads or changes what the grants do not allow.

extension Checker {
    private static var rule: String { "nobody reads or changes what the grants do not allow" }

    private func force(_ token: HeldToken, _ attempt: Attempt) -> HeldToken.Force {
        token.force(
            at: attempt.process, date: attempt.process?.date ?? 0, now: now(), journal, restores)
    }

    /// A request with a token arrives at a server.
    func arrives(_ attempt: Attempt) {
        attempt.force = attempt.intention.access.map { force($0.token, attempt) }
    }

    func checkAccess(of commit: ListCommit, _ attempt: Attempt) {
        guard let access = attempt.intention.access else { return }
        let place = "\(attempt.tag) \(commit.list) v\(commit.version)"
        if attempt.force == .ended { fail(Self.rule, "\(place): the token has ended") }
        if !access.isAllowed || !access.token.allows("write", commit.list) {
            fail(Self.rule, "\(place): changed with \(access.token.grants)")
        }
    }

    func checkAccess(_ response: Response, _ attempt: Attempt, _ place: String) {
        guard let access = attempt.intention.access else { return }
        let token = access.token
        let status = response.status
        let after = force(token, attempt)
        if status == 401 {
            // Tickets expire by the clocks of servers, which can be wrong.
            if attempt.force == .accepted, after == .accepted, !attempt.intention.hasTicket {
                fail("a token that has not ended is accepted", "\(place): \(token.grants)")
            }
            let credential = attempt.intention.hasTicket ? "a ticket" : "a token"
            return reach("\(credential) that is refused")
        }
        if status < 300 {
            if attempt.force == .ended { fail(Self.rule, "\(place): the token has ended") }
            if !access.isAllowed { fail(Self.rule, "\(place): \(status) with \(token.grants)") }
            reach(token.grants.count > 1 ? "an access of several grants" : "an access of one grant")
        }
        if status == 403 {
            if access.isAllowed, !access.dependsOnTask {
                fail("the grants allow it", "\(place) with \(token.grants)")
            }
            reach("a refusal of access")
        }
        guard response.stream == nil, let body = ParsedJSON.object(response.plainBody) else {
            return
        }
        if let list = listShown(in: body, to: token, attempt.intention) {
            fail(Self.rule, "\(place): shows \(list) with \(token.grants)")
        }
        if let version = (body["changes"] as? [[String: Any]])?
            .compactMap({ $0["version"] as? Int }).min(), version <= token.historyAfter
        {
            fail(Self.rule, "\(place): a link shows the earlier change v\(version)")
        }
        if status == 200, attempt.intention.target.hasPrefix("/lists?") {
            checkIndex(body, attempt, token, place)
        }
    }

    func hasEnded(_ token: HeldToken, for attempt: Attempt) -> Bool {
        force(token, attempt) == .ended
    }

    /// An event arrives at the client of a stream.
    ///
    /// - Parameter tokenHasEnded: whether the token had ended when the server sent the event.
    func checkEvent(_ data: [UInt8], _ attempt: Attempt, tokenHasEnded: Bool) {
        guard let access = attempt.intention.access else { return }
        if tokenHasEnded {
            fail("a stream ends with its token", attempt.tag)
        }
        if let body = ParsedJSON.object(data),
            let list = listShown(in: body, to: access.token, attempt.intention)
        {
            fail(Self.rule, "\(attempt.tag): an event shows \(list)")
        }
    }

    /// A list that a response names, and that the client may not read.
    private func listShown(
        in value: Any, to token: HeldToken, _ intention: Intention, of name: String = ""
    ) -> String? {
        func isHidden(_ list: String) -> Bool {
            (journal.lists[list] != nil) && !token.allows("read", list)
                && !intention.target.contains(list) && !intention.body.contains(list)
        }
        switch value {
        case let object as [String: Any]:
            return object.lazy.compactMap { name, value in
                self.listShown(in: value, to: token, intention, of: name)
            }.first
        case let array as [Any]:
            return array.lazy.compactMap {
                self.listShown(in: $0, to: token, intention, of: name)
            }.first
        case let text as String where name == "detail":
            return journal.lists.keys.first { isHidden($0) && text.contains("\"\($0)\"") }
        // The changes of one list name the lists that its tasks moved to and from.
        case let text as String where ["toList", "fromList"].contains(name):
            let isOfList =
                intention.target.hasPrefix("/lists/")
                && (intention.kind == .events || intention.target.contains("changes?limit"))
            return !isOfList && isHidden(text) ? text : nil
        case let text as String where ["list", "link", "id"].contains(name):
            return isHidden(text) ? text : nil
        default: return nil
        }
    }

    /// The index has each list that the client may read, and that exists all the time.
    private func checkIndex(
        _ body: [String: Any], _ attempt: Attempt, _ token: HeldToken, _ place: String
    ) {
        let ids = (body["lists"] as? [[String: Any]])?.compactMap { $0["id"] as? String } ?? []
        let floor = floor(of: attempt)
        for (id, history) in journal.lists where token.allows("read", id) && !ids.contains(id) {
            let versions = min(floor[id] ?? 0, history.version)...history.version
            if versions.allSatisfy(history.existing.contains) {
                fail("the grants allow it", "\(place): \(id) is missing with \(token.grants)")
            }
        }
    }
}
