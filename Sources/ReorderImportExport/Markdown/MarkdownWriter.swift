import ReorderEngine

/// Writes a list as Markdown: its title, its tasks, then each section's heading and tasks.
enum MarkdownWriter {
    static func write(_ list: ReorderableList) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(64 + list.count * 48)
        bytes.heading(1, list.settings.title)
        var followsHeading = true
        list.forEachLine { line in
            switch line {
            case .section(let section):
                bytes.append(Byte.lineFeed)
                bytes.heading(2, section.title)
                followsHeading = true
            case .task(let task):
                if followsHeading { bytes.append(Byte.lineFeed) }
                bytes.item(task)
                followsHeading = false
            }
        }
        return bytes
    }
}

extension [UInt8] {
    fileprivate mutating func heading(_ level: Int, _ title: String) {
        append(contentsOf: repeatElement(Byte.numberSign, count: level))
        end(with: MarkdownText.encode(title, inHeading: true))
    }

    fileprivate mutating func item(_ task: ListTask) {
        append(contentsOf: repeatElement(Byte.space, count: 2 * task.depth))
        append(contentsOf: (task.content.done ? "- [x]" : "- [ ]").utf8)
        end(with: MarkdownText.encode(task.content.title))
    }

    private mutating func end(with text: [UInt8]) {
        if !text.isEmpty { append(Byte.space) }
        append(contentsOf: text)
        append(Byte.lineFeed)
    }
}
