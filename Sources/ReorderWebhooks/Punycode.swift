import Foundation

/// Names of hosts with other letters than those of ASCII.
enum Punycode {
    /// The form of a name that name servers know: each label with other letters is encoded (RFC 3492),
    /// after it is made comparable: compatible characters and uppercase letters become one form.
    ///
    /// Returns nil if the name can't be one of a host.
    static func host(_ name: String) -> String? {
        let text = name.precomposedStringWithCompatibilityMapping.lowercased()
            .precomposedStringWithCompatibilityMapping
        let dots: Set<Unicode.Scalar> = [".", "\u{3002}"]
        var labels: [String] = []
        for label in text.unicodeScalars.split(
            omittingEmptySubsequences: false, whereSeparator: dots.contains)
        {
            guard let encoded = Self.label(Array(label)), encoded.utf8.count <= 63 else {
                return nil
            }
            labels.append(encoded)
        }
        return labels.joined(separator: ".")
    }

    private static func label(_ scalars: [Unicode.Scalar]) -> String? {
        guard scalars.allSatisfy(isAllowed) else { return nil }
        var basic = ""
        for scalar in scalars where scalar.isASCII { basic.unicodeScalars.append(scalar) }
        guard basic.unicodeScalars.count < scalars.count else { return basic }
        return "xn--" + encode(scalars.map(\.value), basic: basic)
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.isASCII else { return WebhookURL.isHostCharacter(Character(scalar)) }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .modifierLetter, .otherLetter, .nonspacingMark, .spacingMark,
            .decimalNumber:
            return true
        default: return false
        }
    }

    /// The algorithm of RFC 3492, section 6.3. O(n²) for a label of n characters.
    private static func encode(_ points: [UInt32], basic: String) -> String {
        var output = basic.isEmpty ? "" : basic + "-"
        var (next, delta, bias) = (128, 0, 72)
        let basicCount = basic.unicodeScalars.count
        var handled = basicCount
        while handled < points.count {
            let least = Int(points.filter { $0 >= next }.min() ?? 0)
            delta += (least - next) * (handled + 1)
            next = least
            for point in points {
                if point < next { delta += 1 }
                guard point == next else { continue }
                var (rest, base) = (delta, 36)
                while true {
                    let threshold = min(max(base - bias, 1), 26)
                    guard rest >= threshold else { break }
                    output.append(digit(threshold + (rest - threshold) % (36 - threshold)))
                    rest = (rest - threshold) / (36 - threshold)
                    base += 36
                }
                output.append(digit(rest))
                bias = adapt(delta, count: handled + 1, isFirst: handled == basicCount)
                delta = 0
                handled += 1
            }
            delta += 1
            next += 1
        }
        return output
    }

    private static func digit(_ value: Int) -> Character {
        Character(Unicode.Scalar(UInt8(value < 26 ? 97 + value : 22 + value)))
    }

    private static func adapt(_ delta: Int, count: Int, isFirst: Bool) -> Int {
        var (delta, steps) = (isFirst ? delta / 700 : delta / 2, 0)
        delta += delta / count
        while delta > 455 {
            delta /= 35
            steps += 36
        }
        return steps + 36 * delta / (delta + 38)
    }
}
