/// Writes metrics in Prometheus' text format, version 0.0.4.
///
/// Each metric is begun once, then gets all its samples, so that they are adjacent.
package struct MetricsText: Sendable {
    package enum Kind: String, Sendable {
        case counter, gauge, histogram
    }

    package typealias Labels = [(name: StaticString, value: String)]

    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    package private(set) var bytes: [UInt8] = []
    private var name = ""

    package init() {}

    /// Begins a metric.
    ///
    /// - Parameters:
    ///   - name: consists of letters, digits and underscores; a counter's name ends with `_total`.
    ///   - help: one line for people.
    package mutating func begin(_ name: String, _ kind: Kind, _ help: String) {
        self.name = name
        write("# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n")
    }

    /// Adds a sample to the current metric.
    package mutating func sample(_ value: Int, _ labels: Labels = []) {
        line("", labels, "\(value)")
    }

    /// Adds a fractional sample.
    package mutating func sample(_ value: Double, _ labels: Labels = []) {
        line("", labels, "\(value)")
    }

    /// Writes a metric with one sample.
    package mutating func only(_ name: String, _ kind: Kind, _ help: String, _ value: Int) {
        begin(name, kind, help)
        sample(value)
    }

    /// Writes the samples of a histogram.
    ///
    /// - Parameter unitsInOne: the number of the distribution's units in one unit of the metric,
    ///   for example 1,000,000,000 for nanoseconds and seconds.
    package mutating func histogram(
        _ distribution: Distribution, _ labels: Labels = [], unitsInOne: Int = 1
    ) {
        var count = 0
        for (bound, inBucket) in zip(distribution.upper, distribution.counts) {
            count += inBucket
            line("_bucket", labels + [("le", number(bound, unitsInOne))], "\(count)")
        }
        count += distribution.counts.last ?? 0
        line("_bucket", labels + [("le", "+Inf")], "\(count)")
        line("_sum", labels, number(distribution.sum, unitsInOne))
        line("_count", labels, "\(count)")
    }

    private func number(_ value: Int, _ unitsInOne: Int) -> String {
        unitsInOne == 1 ? "\(value)" : "\(Double(value) / Double(unitsInOne))"
    }

    private mutating func line(_ suffix: String, _ labels: Labels, _ value: String) {
        write(name)
        write(suffix)
        for (index, label) in labels.enumerated() {
            write(index == 0 ? "{" : ",")
            write("\(label.name)=\"")
            write(escaped: label.value)
            write("\"")
        }
        write(labels.isEmpty ? " " : "} ")
        write(value)
        write("\n")
    }

    private mutating func write(_ text: String) { bytes += text.utf8 }

    private mutating func write(escaped text: String) {
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\\"): bytes += "\\\\".utf8
            case UInt8(ascii: "\""): bytes += "\\\"".utf8
            case UInt8(ascii: "\n"): bytes += "\\n".utf8
            default: bytes.append(byte)
            }
        }
    }
}
