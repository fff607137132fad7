import ReorderAuth

/// A receiver of changes, as it is stored.
package struct Webhook: Sendable, Equatable, Codable {
    package let id: String
    package internal(set) var url: String
    /// Patterns of lists: ids, or prefixes followed by `*`.
    package internal(set) var lists: [String]
    package internal(set) var secret: WebhookSecret
    /// The secrets before the last rotations, the newest last; nil if there was none.
    package internal(set) var formerSecrets: [FormerSecret]?
    /// The id of the last event that an administrator has given up; nil if there is none.
    package internal(set) var skippedEvent: String?
    /// Milliseconds since 1970, like all times here.
    package let createdAt: Int64
    /// Who created it; nil if it is unknown.
    package var createdBy: String?
    package var progress: Progress

    /// A secret that still signs, so that a receiver has time to learn the new one.
    package struct FormerSecret: Sendable, Equatable, Codable {
        package var secret: WebhookSecret
        package var until: Int64
    }

    /// How far the delivery is, and how it went.
    package struct Progress: Sendable, Equatable, Codable {
        /// All changes up to this position of the journal were delivered, or are of other lists.
        package var position: Int
        /// The store's epoch at this position; nil if an earlier version has stored it.
        package var epoch: String?
        /// Whether events are delivered. The sender stops after a day of failures.
        package var isEnabled = true
        /// When the first attempt for the current event failed; nil if none has failed.
        package var failingSince: Int64?
        /// The failed attempts for the current event.
        package var failedAttempts = 0
        package var delivered = 0
        package var failed = 0
        /// The last attempts, the newest last.
        package var results: [Result] = []

        package init(position: Int, epoch: String) {
            self.position = position
            self.epoch = epoch
        }
    }

    /// The result of an attempt.
    package struct Result: Sendable, Equatable, Codable {
        /// The value of `webhook-id`.
        package var event: String
        package var at: Int64
        /// The status of the response; nil if there was none.
        package var status: Int?
        /// Why the attempt failed; nil if it did not.
        package var error: String?
    }

    /// The time for which a secret signs after a rotation, in milliseconds: a day.
    package static let formerSecretPeriod: Int64 = 24 * 60 * 60 * 1_000
    /// The number of former secrets that are kept.
    package static let keptSecrets = 10
    /// The maximum number of webhooks of a store.
    package static let maximumCount = 50
    /// The maximum number of webhooks whose lists an administrator of some lists has.
    package static let maximumCountOfSomeLists = 10
    /// The maximum length of a URL in bytes.
    package static let maximumURLBytes = 2_048
    /// The number of results that are kept.
    static let keptResults = 10

    /// The lists whose changes are delivered; none if the stored patterns are not valid.
    package var selection: ListPatterns { ListPatterns(lists) ?? .none }

    /// The host of the receiver, for logs and metrics. The rest of the URL can be a secret.
    package var receiver: String { WebhookURL.host(of: url) }

    /// The secrets that sign at this time.
    func secrets(at time: Int64) -> [WebhookSecret] {
        [secret] + (formerSecrets ?? []).reversed().filter { time < $0.until }.map(\.secret)
    }

    /// Takes another secret. All that signed before go on to sign for a time: an administrator who did not get
    /// the response rotates again, and the receiver may have only the first one.
    mutating func rotate(to new: WebhookSecret, at time: Int64) {
        guard new != secret else { return }
        let former = FormerSecret(secret: secret, until: time + Self.formerSecretPeriod)
        formerSecrets = ((formerSecrets ?? []).filter { time < $0.until } + [former])
            .suffix(Self.keptSecrets)
        secret = new
    }

    init(
        id: String, url: String, lists: [String], secret: WebhookSecret, createdAt: Int64,
        createdBy: String?, progress: Progress
    ) {
        self.id = id
        self.url = url
        self.lists = lists
        self.secret = secret
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.progress = progress
    }
}

/// All webhooks of a store, and the server that delivers for them.
struct WebhookSet: Sendable, Equatable, Codable {
    var webhooks: [Webhook] = []
    var sender: Sender?

    /// The server that delivers. While it works, it counts `beat` up every few seconds.
    struct Sender: Sendable, Equatable, Codable {
        var name: String
        var beat: Int
    }
}
