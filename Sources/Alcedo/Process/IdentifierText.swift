import Foundation

/// Points as Kingfisher's identifiers show them, `(100.0, 50.0)`, on every platform.
func identifierText(_ size: CGSize) -> String {
    "(\(Double(size.width)), \(Double(size.height)))"
}

/// A place as Kingfisher's identifiers show it, `(0.5, 0.5)`, on every platform.
func identifierText(_ point: CGPoint) -> String {
    "(\(Double(point.x)), \(Double(point.y)))"
}
