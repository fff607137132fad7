extension Request {
    /// The value of a preference (RFC 7240), such as `minimal` in `Prefer: return=minimal`; nil if the request does not have
    /// it, an empty string if it has no value. Of several ones with this name, the first counts.
    ///
    /// - Parameter name: in lower case.
    package func preference(_ name: String) -> String? {
        guard headers.contains("Prefer") else { return nil }
        for field in headers.all("Prefer") {
            for preference in parts(of: field[...], separatedBy: ",") {
                // The parameters of a preference come after a semicolon.
                let pair = parts(of: parts(of: preference, separatedBy: ";")[0], separatedBy: "=")
                guard pair[0].trimmingBlanks().lowercased() == name else { continue }
                return pair.count > 1 ? unquoted(pair[1].trimmingBlanks()) : ""
            }
        }
        return nil
    }
}

/// Splits a text at a separator. In quotes, the separator is part of the text.
private func parts(of text: Substring, separatedBy separator: Unicode.Scalar) -> [Substring] {
    var parts: [Substring] = []
    var start = text.startIndex
    var isQuoted = false
    var isEscaped = false
    for index in text.unicodeScalars.indices {
        let character = text.unicodeScalars[index]
        if isEscaped {
            isEscaped = false
        } else if isQuoted, character == "\\" {
            isEscaped = true
        } else if character == "\"" {
            isQuoted.toggle()
        } else if character == separator, !isQuoted {
            parts.append(text[start..<index])
            start = text.unicodeScalars.index(after: index)
        }
    }
    return parts + [text[start...]]
}

/// The content of a quoted string; another text unchanged.
private func unquoted(_ text: Substring) -> String {
    guard text.count >= 2, text.first == "\"", text.last == "\"" else { return String(text) }
    var content = ""
    var isEscaped = false
    for character in text.dropFirst().dropLast() {
        isEscaped = !isEscaped && character == "\\"
        if !isEscaped { content.append(character) }
    }
    return content
}
