import Foundation

/// Points as Kingfisher's identifiers show them, `(100.0, 50.0)`, on every platform.
func identifierText(_ size: CGSize) -> String {
    "(\(Double(size.width)), \(Double(size.height)))"
}
