import ListModel
import RandomRuns
import ReorderEngine

// Moves by the rows of versions that the person has seen, and moves of sections to other lists.

extension RandomWrites {
    /// A version of a list that a person may still see, and its state then.
    private typealias Seen = (version: Int, state: ListModel)

    private mutating func seen(_ list: String, _ journal: Journal) -> Seen? {
        guard let history = journal.lists[list], history.list != nil else { return nil }
        let version = max(history.firstShown, history.version - random.below(6))
        return history.states[version].map { (version, ListModel($0)) }
    }

    /// Moves rows of an earlier version, within the list or to another one.
    mutating func seenMove(_ path: String, _ list: String, _ journal: Journal) -> Intention? {
        guard let seen = seen(list, journal), !seen.state.rows.isEmpty else { return nil }
        let others = lists.keys.filter { $0 != list }.sorted()
        if !others.isEmpty, random.chance(30) {
            let other = others[random.below(others.count)]
            guard let target = self.seen(other, journal) else { return nil }
            let move = MoveRequest(
                rowSubject(seen.state), to: Destination(rowDestination(target.state)))
            return intention(
                "move rows to list", .post, "\(path)/move",
                "{\(move.members),\"toList\":\"\(other)\",\"version\":\(token(seen, journal)),"
                    + "\"toVersion\":\(token(target, journal))}", list: list,
                .seenMove(move, at: seen.version, to: other, atOther: target.version))
        }
        let move = usual(in: seen.state) { writes in
            MoveRequest(
                writes.rowSubject(seen.state), to: Destination(writes.rowDestination(seen.state)))
        }
        return intention(
            "move rows", .post, "\(path)/move",
            "{\(move.members),\"version\":\(token(seen, journal))}", list: list,
            .seenMove(move, at: seen.version, to: nil, atOther: nil))
    }

    /// A drop at a row of an earlier version of the own list, which some clients name like another one.
    mutating func seenDrop(
        of subject: MoveRequest.Subject, in list: String, _ journal: Journal
    ) -> (body: String, Decision)? {
        guard let seen = seen(list, journal) else { return nil }
        let place = Destination(rowDestination(seen.state))
        let names = ["version", "toVersion"]
        let name = names[random.below(2)]
        let members =
            [place.members, "\"\(name)\":\(token(seen, journal))"]
            + (name == "toVersion" ? ["\"toList\":\"\(list)\""] : [])
        return (
            "{\(members.joined(separator: ","))}",
            .seenMove(MoveRequest(subject, to: place), at: seen.version, to: nil, atOther: nil)
        )
    }

    private func token(_ seen: Seen, _ journal: Journal) -> String {
        "\"\(Token(seen.version, epoch: journal.epoch).text)\""
    }

    private mutating func rowSubject(_ list: ListModel) -> MoveRequest.Subject {
        let count = list.rows.count
        let row = random.below(max(1, count))
        switch random.below(4) {
        case 0: return .rows(Array(Set([row, random.below(max(1, count))])).sorted())
        case 1:
            let section = list.sections[random.below(list.sections.count)].id
            return .path(section, row: random.below(3))
        default: return .row(row)
        }
    }

    private mutating func rowDestination(_ list: ListModel) -> RowDestination {
        let row = random.below(list.rows.count + 2)
        switch random.below(5) {
        case 0:
            let section = list.sections[random.below(list.sections.count)].id
            return RowDestination(.path(section, row: random.below(4)))
        case 1: return RowDestination(.offset(row))
        case 2: return RowDestination(.row(row), level: random.below(2))
        default: return RowDestination(.row(row))
        }
    }

    /// Moves a section, usually to a list without it.
    mutating func sectionTransfer(_ path: String, _ list: String) -> Intention? {
        let sections = lists[list]?.sections.map(\.id) ?? []
        let others = lists.keys.filter { $0 != list }.sorted()
        guard !sections.isEmpty, !others.isEmpty else { return nil }
        var pairs: [(section: SectionID, list: String)] = []
        for other in others {
            let taken = lists[other]?.sections.map(\.id) ?? []
            pairs += sections.filter { !taken.contains($0) }.map { ($0, other) }
        }
        guard !pairs.isEmpty else { return nil }
        let pair = pairs[random.below(pairs.count)]
        let position = random.chance(50) ? random.below(3) : nil
        let members = position.map { ",\"position\":\($0)" } ?? ""
        return intention(
            "move section to list", .post, "\(path)/sections/\(pair.section)/move",
            "{\"toList\":\"\(pair.list)\"\(members)}", list: list,
            .sectionTransfer(pair.section, to: pair.list, position: position))
    }
}
