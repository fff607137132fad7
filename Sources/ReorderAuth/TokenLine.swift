import Foundation
import ReorderJSON

/// One line of a token file.
package struct TokenLine: Sendable {
    package var name: String
    package var digest: TokenDigest
    package var grants: Grants
    /// The grants as written.
    private var forms: [GrantForm]

    package struct FormatError: Error, CustomStringConvertible {
        package var reason: String
        package var description: String { reason }

        init(reason: String) { self.reason = reason }
    }

    package init(
        name: String, digest: TokenDigest, grants forms: [GrantForm]
    ) throws(FormatError) {
        guard TokenTable.isValid(name: name) else {
            throw FormatError(
                reason:
                    "name must have 1 to \(TokenTable.maximumNameBytes) bytes, without characters "
                    + "that control lines or directions")
        }
        do throws(Grants.FormatError) {
            grants = try Grants(forms: forms)
        } catch {
            let member = forms.count == 1 ? "lists" : "grants"
            throw FormatError(reason: "\(member) is invalid. \(error.reason)")
        }
        self.name = name
        self.digest = digest
        self.forms = forms
    }

    init(json: String) throws(FormatError) {
        let members: Members
        do {
            members = try StrictJSON.decode(Members.self, from: Array(json.utf8))
        } catch let error as JSONError {
            throw FormatError(
                reason: error.kind == .duplicateMember
                    ? "a member occurs twice" : "it is not a JSON object")
        } catch let DecodingError.keyNotFound(key, _) {
            throw FormatError(reason: "\(key.stringValue) is missing")
        } catch let DecodingError.typeMismatch(_, context) {
            let member = context.codingPath.first.map { "\($0.stringValue) has" } ?? "it has"
            throw FormatError(reason: "\(member) the wrong type")
        } catch let fault as Grants.FormatError {
            throw FormatError(reason: "grants is invalid. \(fault.reason)")
        } catch let fault as FormatError {
            throw fault
        } catch {
            throw FormatError(reason: "a value is null")
        }
        guard let digest = TokenDigest(hexadecimal: members.sha256) else {
            throw FormatError(reason: "sha256 must have 64 hexadecimal digits")
        }
        try self.init(name: members.name, digest: digest, grants: members.grants)
    }

    /// The line without its line end. A single grant is written without `grants`.
    package var json: String {
        let grants = forms.map(Self.members(of:))
        let access =
            grants.count == 1 ? grants[0] : #""grants":[{\#(grants.joined(separator: "},{"))}]"#
        return #"{"name":\#(Self.text(name)),"sha256":"\#(digest.hexadecimal)",\#(access)}"#
    }

    private static func members(of form: GrantForm) -> String {
        let lists = form.patterns.map { #","lists":\#(text($0))"# } ?? ""
        return #""scope":"\#(form.scope.name)"\#(lists)"#
    }

    private static func text(_ value: some Encodable) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        return (try? encoder.encode(value)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }

    private struct Members: Decodable {
        var name: String
        var sha256: String
        var grants: [GrantForm]

        private enum Key: String, CodingKey {
            case name, sha256, scope, lists, grants
        }

        init(from decoder: any Decoder) throws {
            guard try decoder.hasOnly(Key.self) else {
                throw FormatError(
                    reason: "it has a member other than name, sha256, scope, lists and grants")
            }
            let members = try decoder.container(keyedBy: Key.self)
            name = try members.decode(String.self, forKey: .name)
            sha256 = try members.decode(String.self, forKey: .sha256)
            guard members.contains(.grants) else {
                grants = [try Self.grant(members)]
                return
            }
            guard !members.contains(.scope), !members.contains(.lists) else {
                throw FormatError(reason: "it has grants, so it must have neither scope nor lists")
            }
            grants = try members.decode(GrantForms.self, forKey: .grants).all
        }

        private static func grant(_ members: KeyedDecodingContainer<Key>) throws -> GrantForm {
            guard members.contains(.scope) else {
                throw FormatError(reason: "scope or grants is missing")
            }
            guard
                let scope = AccessScope(name: try members.decode(String.self, forKey: .scope))
            else {
                throw FormatError(reason: "scope must be \(AccessScope.names)")
            }
            guard members.contains(.lists) else { return GrantForm(scope) }
            return GrantForm(scope, try members.decode(Texts.self, forKey: .lists).all)
        }
    }
}
