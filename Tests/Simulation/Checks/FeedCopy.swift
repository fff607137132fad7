import Foundation
import ReorderJSON

/// What a client of the feed of all lists knows: the last version of each list that it was sent.
struct FeedCopy {
    /// Which lists the client follows.
    enum Selection {
        case all
        case named([String])
        case prefix(String)

        var query: String {
            switch self {
            case .all: ""
            case .named(let lists): "lists=\(lists.joined(separator: ","))"
            case .prefix(let prefix): "prefix=\(prefix)"
            }
        }

        func contains(_ list: String) -> Bool {
            switch self {
            case .all: true
            case .named(let lists): lists.contains(list)
            case .prefix(let prefix): list.hasPrefix(prefix)
            }
        }
    }

    /// An event of a stream or of a page.
    struct Event {
        var name: String
        var data: [UInt8]
    }

    /// The last version that the client has, as far as it is known. While nothing was sent, only a
    /// range is known: the server chose where the feed begins.
    private struct Known {
        var versions: ClosedRange<Int>
        /// Whether the client was sent the state of the list, and not a change. Changes before that
        /// state can follow.
        var isState = false
    }

    let selection: Selection
    /// Whether it is that of a webhook: changes do not name lists that are not selected, and no event tells of a list
    /// that a restore has lost.
    var isWebhook = false
    /// The token after the last event. With it the client continues.
    private(set) var place: String
    /// The number of events that it was sent.
    private(set) var eventCount = 0
    private var known: [String: Known] = [:]
    /// The epoch of what is known.
    private var epoch: String

    /// Begins at the server's current place.
    ///
    /// - Parameters:
    ///   - floor: the versions that responses had shown before the request.
    ///   - journal: the state when the response arrived.
    init(_ selection: Selection, at place: String, since floor: [String: Int], _ journal: Journal) {
        self.selection = selection
        self.place = place
        epoch = journal.epoch
        for (list, history) in journal.lists where selection.contains(list) {
            let least = min(floor[list] ?? 0, history.version)
            known[list] = Known(versions: least...history.version)
        }
    }

    /// A list of which the client lacks a change up to a version; nil if there is none.
    func missing(_ versions: [String: Int], _ journal: Journal) -> String? {
        if epoch != journal.epoch {
            // Without a list there is no event, and only an event shows a webhook's receiver the new epoch.
            let isEmpty = !versions.keys.contains(where: selection.contains)
            return isWebhook && isEmpty ? nil : "everything after a restore"
        }
        return firstMissing(versions).map { list, version in
            "\(list) v\(versions[list] ?? 0), has v\(version - 1)"
        }
    }

    /// The first change that the client lacks; nil if it lacks none.
    private func firstMissing(_ versions: [String: Int]) -> (list: String, version: Int)? {
        for (list, version) in versions.sorted(by: { $0.key < $1.key })
        where selection.contains(list) {
            let last = known[list]?.versions.upperBound ?? 0
            if last < version { return (list, last + 1) }
        }
        return nil
    }

    /// - Parameter connection: how the client waits for changes now.
    func lackedChange(on connection: String, _ journal: Journal) -> LackedChange? {
        guard epoch == journal.epoch,
            let missing = firstMissing(journal.lists.mapValues(\.version))
        else { return nil }
        return LackedChange(
            list: missing.list, version: missing.version, state: "\(connection) \(eventCount)")
    }

    /// Takes the events of a response, and the place after them.
    ///
    /// - Returns: what is wrong; nil if nothing is.
    mutating func take(_ events: [Event], next: String?, _ journal: Journal) -> String? {
        if let next, Self.token(next)?.isOf(journal.epoch) != true {
            return "the place \(next) is of another epoch"
        }
        if epoch != journal.epoch, !events.isEmpty || next != nil {
            if let event = events.first(where: \.isChange),
                !isWebhook || event.name != "created"
            {
                return "\(event.name) continues a feed from before a restore"
            }
            (known, epoch) = ([:], journal.epoch)
        }
        eventCount += events.count
        for event in events {
            if let difference = take(event, journal) { return difference }
        }
        if let next { place = next }
        return nil
    }

    private mutating func take(_ event: Event, _ journal: Journal) -> String? {
        guard let data = ParsedJSON.object(event.data), let list = data["list"] as? String else {
            return "an event can't be read"
        }
        guard selection.contains(list) else { return "\(list) is not of this feed" }
        guard let history = journal.lists[list] else { return "\(list) never existed" }
        let change = data["change"] as? [String: Any]
        guard let version = (change ?? data)["version"] as? Int, version <= history.version else {
            return "\(list): \(event.name) is not durable"
        }
        let before = known[list] ?? Known(versions: 0...0)
        guard change != nil else {
            known[list] = Known(versions: version...version, isState: true)
            guard data["epoch"] as? String == journal.epoch else { return "another epoch" }
            guard version >= before.versions.lowerBound else {
                return "\(list): the state v\(version) after v\(before.versions.lowerBound)"
            }
            let exists = history.existing.contains(version)
            return event.name == (exists ? "refetch" : "deleted")
                ? nil : "\(list) v\(version): \(event.name), exists: \(exists)"
        }
        guard let bytes = history.changes[version] else { return "\(list): no change v\(version)" }
        let isChange =
            isWebhook
            ? Self.shown(data)
                == Self.shown(["list": list, "change": ParsedJSON.object(bytes) ?? [:]])
            : event.data == Array("{\"list\":\"\(list)\",\"change\":".utf8) + bytes + [
                UInt8(ascii: "}")
            ]
        if !isChange {
            return "\(list) v\(version) is not the change of the journal"
        }
        if event.name != Self.name(of: version, history) {
            return "\(list) v\(version) has the event \(event.name)"
        }
        if before.isState, version <= before.versions.lowerBound { return nil }
        // A deletion or a creation can hide the changes before it.
        guard before.versions.contains(version - 1) || event.name != "change" else {
            return "\(list): v\(version) after v\(before.versions)"
        }
        known[list] = Known(versions: version...version)
        return nil
    }

    /// A change and its list, without the other list of a transfer.
    private static func shown(_ data: [String: Any]) -> NSDictionary {
        var data = data
        var change = data["change"] as? [String: Any]
        for name in ["toList", "fromList"] { change?[name] = nil }
        data["change"] = change
        data["event"] = nil
        return data as NSDictionary
    }

    /// The event of a change.
    private static func name(of version: Int, _ history: Journal.History) -> String {
        switch (history.existing.contains(version - 1), history.existing.contains(version)) {
        case (false, true): "created"
        case (true, false): "deleted"
        // The deletion of what the bin still had.
        case (false, false): "deleted"
        case (true, true): "change"
        }
    }

    static func token(_ place: String) -> Token? {
        place.dropFirst().split(separator: ".").first.flatMap { Token($0) }
    }
}

extension FeedCopy.Event {
    fileprivate var isChange: Bool { ParsedJSON.object(data)?["change"] != nil }
}

/// JSON of responses, read by a parser that is not the product's.
enum ParsedJSON {
    static func object(_ bytes: [UInt8]) -> [String: Any]? {
        try? JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any]
    }
}
