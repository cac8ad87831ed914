/// Formats a number of bytes, such as `15.4 KB`; units are powers of 1,000.
package func byteText(_ count: Int) -> String {
    let units = ["bytes", "KB", "MB", "GB", "TB"]
    var value = Double(count)
    var unit = 0
    while value >= 999.95, unit < units.count - 1 {
        value /= 1000
        unit += 1
    }
    return unit == 0 ? "\(count) bytes" : "\((value * 10).rounded() / 10) \(units[unit])"
}
