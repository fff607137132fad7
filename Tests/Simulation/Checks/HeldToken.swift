/// A token that a client holds. It is a trivial model of access: what its grants allow, and whether it has ended.
final class HeldToken {
    struct Grant {
        var scope: String
        /// Ids of lists, or prefixes followed by `*`.
        var lists: [String]

        var json: String { "{\"scope\":\"\(scope)\",\"lists\":\(lists)}" }
    }

    /// Whether requests with the token are accepted.
    enum Force {
        case accepted, ended
        /// Another server may not know it yet, or the outcome of a request is unknown.
        case unknown
    }

    let text: String
    let grants: [Grant]
    /// In seconds since 1970; nil if it does not expire.
    let expires: Double?
    /// Its id; nil if it is signed.
    let id: String?
    /// The list of a link; nil for other tokens.
    let link: String?
    /// The version of the list after which a link shows changes.
    var historyAfter = 0
    /// The number of restores of the store when it was made. After a restore, nothing is known about it.
    let restores: Int
    private let madeAt: UInt64
    private weak var maker: ServerProcess?
    /// Whether a request that revokes it was sent.
    var isPerhapsRevoked = false
    private var revokedAt = UInt64.max
    private weak var revoker: ServerProcess?
    /// When the deletion of a link's list was noticed.
    private var lostListAt = UInt64.max

    /// A server of a shared store knows of a token that another one has made or revoked after this time.
    private static let newsTime = 60 * Scheduler.second

    /// - Parameter attempt: the request that made it; nil if it is signed.
    init(
        _ text: String, _ grants: [Grant], expires: Double?, id: String? = nil,
        link: String? = nil, madeBy attempt: Attempt? = nil, at time: UInt64, restores: Int
    ) {
        (self.text, self.grants, self.expires) = (text, grants, expires)
        (self.id, self.link, self.restores) = (id, link, restores)
        (madeAt, maker) = (time, attempt?.process)
    }

    // MARK: Grants

    private static let scopes = ["read", "write", "purge", "admin"]

    /// Whether a grant has this scope or a larger one for the list.
    func allows(_ scope: String, _ list: String) -> Bool {
        grants.contains { grant in
            grant.lists.contains { $0.last == "*" ? list.hasPrefix($0.dropLast()) : $0 == list }
                && Self.includes(grant.scope, scope)
        }
    }

    /// Whether a grant has this scope or a larger one for any list.
    func allows(_ scope: String) -> Bool { grants.contains { Self.includes($0.scope, scope) } }

    private static func includes(_ scope: String, _ needed: String) -> Bool {
        if needed == "metrics" || scope == "metrics" { return [needed, "admin"].contains(scope) }
        return scopes.firstIndex(of: scope) ?? 0 >= scopes.firstIndex(of: needed) ?? 0
    }

    /// Whether it allows everything that other grants allow.
    func includes(_ others: [Grant]) -> Bool {
        let other = HeldToken("", others, expires: nil, at: 0, restores: 0)
        // Each pattern has one of these lists that no smaller pattern has. Only `*` has the last one.
        let lists = (0..<10).map(Writer.list) + ["f0", "lx", "x", "other"]
        return lists.allSatisfy { list in
            Self.scopes.allSatisfy { !other.allows($0, list) || allows($0, list) }
        } && (!other.grants.contains { $0.scope == "metrics" } || allows("metrics"))
    }

    // MARK: Its end

    /// A server has revoked it.
    func end(by attempt: Attempt, at time: UInt64) {
        (revokedAt, revoker) = (time, attempt.process)
    }

    /// - Parameter date: the server's time, in seconds since 1970.
    func force(
        at process: ServerProcess?, date: Double, now: UInt64, _ journal: Journal, _ restores: Int
    ) -> Force {
        if let expires {
            if date >= expires { return .ended }
            if date > expires - 0.01 { return .unknown }
        }
        guard id != nil else { return .accepted }
        guard let process, self.restores == restores else { return .unknown }
        if let link, !journal.has(link), lostListAt == .max { lostListAt = now }
        if revokedAt < .max || lostListAt < .max {
            if revoker === process { return .ended }
            let end = min(revokedAt, lostListAt)
            return now > end + Self.newsTime ? .ended : .unknown
        }
        if isPerhapsRevoked { return .unknown }
        // A link ends with its list, also if nobody has noticed that.
        if link != nil { return .unknown }
        let isKnown =
            process === maker || process.startedAt > madeAt || now > madeAt + Self.newsTime
        return isKnown ? .accepted : .unknown
    }
}

/// What a request with a token needs.
struct NeededAccess {
    let token: HeldToken
    /// The scopes that lists need.
    var lists: [(scope: String, list: String)] = []
    /// The scope that any list needs.
    var any = "read"
    /// Whether a link may be used.
    var allowsLinks = true
    /// Whether the list of a named task is not known, so that the request can be refused all the same.
    var dependsOnTask = false
    /// The grants of a token to make, which must be among those of this one.
    var made: [HeldToken.Grant] = []

    var isAllowed: Bool {
        token.allows(any) && lists.allSatisfy { token.allows($0.scope, $0.list) }
            && (allowsLinks || token.link == nil) && (made.isEmpty || token.includes(made))
    }
}
