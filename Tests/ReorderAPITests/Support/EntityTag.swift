import StoreTesting

/// The token of a list's version in a server under test: its entity tag without quotes, and the id of
/// the event that leads to it.
func versionToken(_ version: Int) -> String { "\(version)-\(testEpoch)" }

/// The entity tag of a list at a version; with a list, that of a task in this list.
///
/// - Parameter coding: the content coding of the response.
func entityTag(_ version: Int, in list: String? = nil, coding: String? = nil) -> String {
    let place = list.map { "@\($0)" } ?? ""
    return "\"\(versionToken(version))\(place)\(coding.map { "+\($0)" } ?? "")\""
}
