import Foundation
import ReorderAuth

/// Parses files that the operator writes: a file of tokens and a key set. An error message must
/// have one line and no content of the file.
enum AccessFiles {
    static func fault(in bytes: [UInt8]) -> String? {
        tokensFault(in: bytes) ?? keysFault(in: bytes)
    }

    private static func tokensFault(in bytes: [UInt8]) -> String? {
        guard let text = String(validating: bytes, as: UTF8.self) else { return nil }
        let lineCount = text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
        do throws(TokenTable.FormatError) {
            let table = try TokenTable(text)
            guard table.count <= lineCount else { return "there are more tokens than lines" }
            let control = AccessControl(tokens: table)
            control.use(try TokenTable(text))
            guard case .failure = control.access(for: ["Bearer "]) else {
                return "access is granted without a signature"
            }
        } catch {
            guard (1...lineCount).contains(error.line) else {
                return "the error names a line that does not exist"
            }
            return isOneLine(error.description) ? nil : "an error message has several lines"
        }
        return nil
    }

    private static func keysFault(in bytes: [UInt8]) -> String? {
        do {
            let keys = try JSONWebKeys(json: Data(bytes))
            guard (1...JSONWebKeys.maximumCount).contains(keys.count) else {
                return "the set has \(keys.count) keys"
            }
            // A token without a valid signature.
            let control = AccessControl(keys: keys, clock: { Date(timeIntervalSince1970: 0) })
            for header in ["eyJhbGciOiJIUzI1NiJ9", "eyJhbGciOiJFUzI1NiJ9", "eyJhbGciOiJSUzI1NiJ9"] {
                for signature in ["", String(repeating: "A", count: 86), "AQ"] {
                    let token = "Bearer \(header).eyJleHAiOjF9.\(signature)"
                    guard case .failure = control.access(for: [token]) else {
                        return "a token without a signature is accepted"
                    }
                }
            }
        } catch {
            return isOneLine("\(error)") ? nil : "an error message has several lines"
        }
        return nil
    }
}

/// Whether a text fits on one line of a log.
func isOneLine(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy {
        $0.properties.generalCategory != .control && $0.value != 0x2028 && $0.value != 0x2029
    }
}
