import Foundation
import Synchronization

/// The tokens that were made over HTTP and are in effect. The cost of a lookup or a change does not depend on their
/// number.
final class IssuedTokens: Sendable {
    fileprivate struct Entry: Sendable {
        let bytes: [UInt8]
        /// nil if the bytes are not valid.
        let access: TokenAccess?
        /// See `EventTickets`; nil without access.
        let ticketName: String?
        let isLink: Bool
        let list: String?
        let maker: String?
        /// Milliseconds since 1970; `.max` if it does not expire.
        let expiresAt: Int64
    }

    fileprivate struct State {
        var names: TicketNames
        var entries: [String: Entry] = [:]
        /// The keys are hashes of secrets, so the time of a lookup reveals nothing that helps to find a token.
        var digests: [TokenDigest: TokenAccess] = [:]
        var ticketNames: [String: TokenAccess] = [:]
        var counts = Counts()
        /// No token expires before.
        var nextExpiry = Int64.max
        /// Tokens that have expired and are still stored.
        var expired: [String] = []
    }

    fileprivate struct Counts {
        var tokens = 0
        var links = 0
        var linksToList: [String: Int] = [:]
        var linksByMaker: [String?: Int] = [:]
    }

    private let state: Mutex<State>

    init(_ names: TicketNames) { state = Mutex(State(names: names)) }

    // MARK: Lookups

    func access(for digest: TokenDigest) -> TokenAccess? { state.withLock { $0.digests[digest] } }

    func access(forTicketName name: String) -> TokenAccess? {
        state.withLock { $0.ticketNames[name] }
    }

    /// The token with an id; nil if there is none or its content is not valid.
    func token(_ id: String) -> IssuedToken? {
        state.withLock { $0.entries[id]?.bytes }.flatMap(IssuedToken.init(bytes:))
    }

    /// Complexity: O(number of tokens) if one has expired since the last call, otherwise O(1).
    func counts(list: String?, maker: String?, at milliseconds: Int64) -> IssuedTokenCounts {
        state.withLock { state in
            state.expire(at: milliseconds)
            return IssuedTokenCounts(
                tokens: state.counts.tokens, links: state.counts.links,
                linksToList: list.flatMap { state.counts.linksToList[$0] } ?? 0,
                linksByMaker: state.counts.linksByMaker[maker] ?? 0)
        }
    }

    // MARK: Changes

    /// Replaces all tokens. The access of those that are gone is revoked.
    ///
    /// - Returns: whether an open stream has lost its access.
    func replace(with stored: [(id: String, bytes: [UInt8])]) -> Bool {
        let known = state.withLock { state in
            state.expired = []
            return Set(state.entries.keys)
        }
        return change(stored, removed: Array(known.subtracting(stored.map(\.id))))
    }

    /// Adds tokens, unless they are known, and removes others, whose access is revoked.
    ///
    /// - Parameter stored: the tokens' ids and content.
    /// - Returns: whether an open stream has lost its access.
    func change(_ stored: [(id: String, bytes: [UInt8])], removed: [String]) -> Bool {
        let (unknown, names) = state.withLock { state in
            (stored.filter { state.entries[$0.id]?.bytes != $0.bytes }, state.names)
        }
        // Outside the lock: requests do not wait for this.
        let added = unknown.map { ($0.id, entry($0.id, $0.bytes, names)) }
        return state.withLock { state in
            var hadStreams = false
            for id in removed + added.map(\.0) {
                guard let access = state.remove(id) else { continue }
                access.end()
                if access.hasStreams { hadStreams = true }
            }
            for (id, entry) in added { state.add(id, entry) }
            return hadStreams
        }
    }

    /// Replaces the names in tickets.
    func use(_ names: TicketNames) {
        state.withLock { state in
            state.names = names
            let entries = state.entries
            for id in entries.keys { _ = state.remove(id) }
            for (id, entry) in entries { state.add(id, self.entry(id, entry.bytes, names)) }
        }
    }

    /// The ids of some tokens that have expired and are still stored, each of them once.
    func takeExpired(limit: Int) -> [String] {
        state.withLock { state in
            let ids = state.expired.suffix(limit)
            state.expired.removeLast(ids.count)
            return Array(ids)
        }
    }

    /// Each token is a client of its own: an administrator for certain lists could otherwise choose a name
    /// whose stored responses belong to another client.
    private func entry(_ id: String, _ bytes: [UInt8], _ names: TicketNames) -> Entry {
        let token = IssuedToken(bytes: bytes)
        var access: TokenAccess?
        if let token, let digest = TokenDigest(hexadecimal: token.sha256),
            let grants = try? Grants(forms: token.grants)
        {
            access = TokenAccess(
                kind: "issued \(token.id)", name: token.name, grants: grants,
                expires: token.expiresAt.map { Date(timeIntervalSince1970: Double($0) / 1_000) },
                link: token.link, historyAfter: token.historyAfter ?? 0, issuedID: id,
                createdBy: token.createdBy, source: TokenAccess.Source(id: digest))
        }
        return Entry(
            bytes: bytes, access: access,
            ticketName: access?.source.id.map(names.name(of:)), isLink: token?.link != nil,
            list: token?.link, maker: token?.createdBy,
            expiresAt: token?.expiresAt ?? .max)
    }
}

/// Numbers of tokens that were made over HTTP and have not expired.
package struct IssuedTokenCounts: Sendable, Equatable {
    /// Without the links.
    package var tokens: Int
    package var links: Int
    package var linksToList: Int
    package var linksByMaker: Int
}

extension IssuedTokens.State {
    fileprivate mutating func add(_ id: String, _ entry: IssuedTokens.Entry) {
        entries[id] = entry
        nextExpiry = min(nextExpiry, entry.expiresAt)
        counts.add(1, entry)
        guard let access = entry.access, let digest = access.source.id else { return }
        digests[digest] = access
        if let name = entry.ticketName { ticketNames[name] = access }
    }

    /// - Returns: the access that must be revoked.
    fileprivate mutating func remove(_ id: String) -> TokenAccess? {
        guard let entry = entries.removeValue(forKey: id) else { return nil }
        counts.add(-1, entry)
        guard let access = entry.access, let digest = access.source.id else { return nil }
        digests[digest] = nil
        if let name = entry.ticketName { ticketNames[name] = nil }
        return access
    }

    fileprivate mutating func expire(at milliseconds: Int64) {
        guard nextExpiry <= milliseconds else { return }
        let ids = entries.filter { $0.value.expiresAt <= milliseconds }.map(\.key)
        for id in ids { remove(id)?.end() }
        expired += ids
        nextExpiry = entries.values.lazy.map(\.expiresAt).min() ?? .max
    }
}

extension IssuedTokens.Counts {
    fileprivate mutating func add(_ number: Int, _ entry: IssuedTokens.Entry) {
        guard entry.access != nil else { return }
        guard entry.isLink else { return tokens += number }
        links += number
        if let list = entry.list { Self.add(number, to: &linksToList[list]) }
        Self.add(number, to: &linksByMaker[entry.maker])
    }

    /// Static, because a method would copy the dictionary that has the count.
    private static func add(_ number: Int, to count: inout Int?) {
        let sum = (count ?? 0) + number
        count = sum > 0 ? sum : nil
    }
}
