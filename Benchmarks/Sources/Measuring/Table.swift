/// A printed table: one row for each operation, one column for each size, with the ratio to the
/// first size.
package struct Table {
    private let title: String
    private let sizes: [Int]
    private var rows: [(name: String, values: [Double?])] = []

    package init(_ title: String, sizes: [Int]) {
        self.title = title
        self.sizes = sizes
    }

    package mutating func set(_ name: String, size: Int, to value: Double) {
        guard let column = sizes.firstIndex(of: size) else { return }
        let row = rows.firstIndex { $0.name == name }
        if row == nil { rows.append((name, sizes.map { _ in nil })) }
        rows[row ?? rows.count - 1].values[column] = value
    }

    /// Sets a value if it is the first or the lowest.
    package mutating func lower(_ name: String, size: Int, to value: Double) {
        let known = sizes.firstIndex(of: size).flatMap { column in
            rows.first { $0.name == name }?.values[column]
        }
        set(name, size: size, to: min(value, known ?? value))
    }

    package func write() {
        let heads = sizes.enumerated().map { index, size in
            Self.pad(Self.grouped(size), 12) + (index > 0 ? Self.pad("ratio", 8) : "")
        }
        print("\n" + Self.padEnd(title, 34) + heads.joined())
        for row in rows {
            let cells = row.values.enumerated().map { index, value in
                let ratio = value.flatMap { value in row.values[0].map { value / $0 } }
                return Self.pad(value.map { Self.decimal($0, digits: $0 < 10 ? 1 : 0) } ?? "–", 12)
                    + (index > 0
                        ? Self.pad(ratio.map { Self.decimal($0, digits: 2) } ?? "–", 8) : "")
            }
            print(Self.padEnd(row.name, 34) + cells.joined())
        }
    }

    private static func decimal(_ value: Double, digits: Int) -> String {
        let scale = digits == 0 ? 1.0 : digits == 1 ? 10.0 : 100.0
        let scaled = Int((value * scale).rounded())
        let whole = grouped(scaled / Int(scale))
        let rest = String(scaled % Int(scale))
        return digits == 0
            ? whole : whole + "." + String(repeating: "0", count: digits - rest.count) + rest
    }

    private static func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index % 3 == 0 { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(1, width - text.count)) + text
    }

    private static func padEnd(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}
