import Foundation

/// A size in the format of Kingfisher's identifiers, `(100.0, 50.0)`.
func identifierText(_ size: CGSize) -> String {
    "(\(Double(size.width)), \(Double(size.height)))"
}

/// A point in the format of Kingfisher's identifiers, `(0.5, 0.5)`.
func identifierText(_ point: CGPoint) -> String {
    "(\(Double(point.x)), \(Double(point.y)))"
}
