/// The marks of a fenced code block.
struct Fence {
    private let mark: UInt8
    private let count: Int

    init?(opening text: ArraySlice<UInt8>) {
        guard let mark = text.first, mark == Byte.backtick || mark == UInt8(ascii: "~") else {
            return nil
        }
        self.mark = mark
        count = text.prefix { $0 == mark }.count
        // Without this rule, code in a line of text would start a block.
        guard count >= 3, mark != Byte.backtick || !text.dropFirst(count).contains(mark) else {
            return nil
        }
    }

    func isClosed(by place: LineCursor) -> Bool {
        let text = place.text
        return place.indentation < LineCursor.codeIndentation && text.count >= count
            && text.allSatisfy { $0 == mark }
    }
}
