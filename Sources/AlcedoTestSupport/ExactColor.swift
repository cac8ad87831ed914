import Foundation

/// Colours converted to sRGB in double precision, by the standards' formulas.
package struct ExactColor: Sendable, CustomStringConvertible {
    package enum Transfer: Sendable {
        case sRGB
        case gamma(Double)
        case pq
        case hlg
    }

    package var name: String
    /// Chromaticities of red, green and blue, and of white.
    package var primaries: [[Double]]
    package var white: [Double]
    package var transfer: Transfer

    package var description: String { name }

    private static let d65 = [0.3127, 0.329]
    private static let bt709 = [[0.64, 0.33], [0.3, 0.6], [0.15, 0.06]]
    private static let bt2020 = [[0.708, 0.292], [0.17, 0.797], [0.131, 0.046]]

    package static let linear = Self(name: "linear", primaries: bt709, white: d65, transfer: .gamma(1))
    package static let displayP3 = Self(
        name: "Display P3", primaries: [[0.68, 0.32], [0.265, 0.69], [0.15, 0.06]], white: d65,
        transfer: .sRGB)
    package static let adobeRGB = Self(
        name: "Adobe RGB", primaries: [[0.64, 0.33], [0.21, 0.71], [0.15, 0.06]], white: d65,
        transfer: .gamma(563 / 256.0))
    package static let proPhoto = Self(
        name: "ProPhoto", primaries: [[0.7347, 0.2653], [0.1596, 0.8404], [0.0366, 0.0001]],
        white: [0.3457, 0.3585], transfer: .gamma(1.8))
    package static let pq = Self(name: "PQ", primaries: bt2020, white: d65, transfer: .pq)
    package static let hlg = Self(name: "HLG", primaries: bt2020, white: d65, transfer: .hlg)

    /// The level of sRGB from 0 to 255 of red, green and blue from 0 to 1.
    package func sRGB(_ levels: [Double]) -> [Double] {
        let lights = levels.map(transfer.light)
        return Self.product(matrix, lights).map(Self.level)
    }

    package static func level(_ light: Double) -> Double {
        let light = min(max(light, 0), 1)
        return 255 * (light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055)
    }

    /// sRGB's level of CIE L*a*b* relative to D50.
    package static func sRGB(lab: [Double]) -> [Double] {
        let middle = (lab[0] + 16) / 116
        let roots: [Double] = [middle + lab[1] / 500, middle, middle - lab[2] / 200]
        let xyz = zip(roots, d50).map { (root, white) -> Double in
            let share: Double = root > 6 / 29.0 ? pow(root, 3) : (root - 4 / 29.0) * 108 / 841
            return white * share
        }
        let space = Self.linear
        return product(inverse(space.profileMatrix), xyz).map(level)
    }

    // MARK: - Matrices

    /// The columns of a matrix to XYZ relative to D50, as in a profile.
    package var profileColumns: [[Double]] { (0..<3).map { column in profileMatrix.map { $0[column] } } }

    private static let d50 = [0.9642, 1, 0.8249]

    private var matrix: [[Double]] {
        Self.product(Self.inverse(Self.linear.profileMatrix), profileMatrix)
    }

    private var profileMatrix: [[Double]] {
        func xyz(_ point: [Double]) -> [Double] {
            [point[0] / point[1], 1, (1 - point[0] - point[1]) / point[1]]
        }
        let columns = primaries.map(xyz)
        let rows = (0..<3).map { row in columns.map { $0[row] } }
        let scales = Self.product(Self.inverse(rows), xyz(white))
        let toXYZ = rows.map { row in zip(row, scales).map { $0 * $1 } }
        let bradford = [[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]]
        let (from, to) = (Self.product(bradford, xyz(white)), Self.product(bradford, Self.d50))
        let ratios: [Double] = zip(to, from).map { $0 / $1 }
        let adapted = zip(bradford, ratios).map { row, ratio in row.map { $0 * ratio } }
        return Self.product(Self.inverse(bradford), Self.product(adapted, toXYZ))
    }

    private static func product(_ matrix: [[Double]], _ vector: [Double]) -> [Double] {
        matrix.map { row in row[0] * vector[0] + row[1] * vector[1] + row[2] * vector[2] }
    }

    private static func product(_ one: [[Double]], _ other: [[Double]]) -> [[Double]] {
        one.map { row in (0..<3).map { column in product([row], other.map { $0[column] })[0] } }
    }

    private static func inverse(_ matrix: [[Double]]) -> [[Double]] {
        func minor(_ row: Int, _ column: Int) -> Double {
            let (a, b) = ((row + 1) % 3, (row + 2) % 3)
            let (c, d) = ((column + 1) % 3, (column + 2) % 3)
            return matrix[a][c] * matrix[b][d] - matrix[a][d] * matrix[b][c]
        }
        let determinant: Double = product([matrix[0]], (0..<3).map { minor(0, $0) })[0]
        return (0..<3).map { row in (0..<3).map { column -> Double in minor(column, row) / determinant } }
    }
}

extension ExactColor.Transfer {
    /// Light from 0 to 1, which is white; HDR light is compressed as the documentation says.
    package func light(_ value: Double) -> Double {
        switch self {
        case .sRGB: return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        case .gamma(let exponent): return pow(value, exponent)
        case .pq:
            // SMPTE ST 2084.
            let (m1, m2) = (2610 / 16384.0, 2523 / 4096.0 * 128)
            let (c1, c2, c3) = (3424 / 4096.0, 2413 / 4096.0 * 32, 2392 / 4096.0 * 32)
            let power = pow(value, 1 / m2)
            return Self.compressed(10_000 * pow(max(power - c1, 0) / (c2 - c3 * power), 1 / m1))
        case .hlg:
            // ITU-R BT.2100, on a display of 1,000 cd/m².
            let a = 0.17883277
            let (b, c) = (1 - 4 * a, 0.5 - a * log(4 * a))
            let scene = value <= 0.5 ? value * value / 3 : (exp((value - c) / a) + b) / 12
            return Self.compressed(1000 * pow(scene, 1.2))
        }
    }

    /// White is 203 cd/m² (ITU-R BT.2408); light above three quarters of it is compressed.
    private static func compressed(_ candelas: Double) -> Double {
        let share = candelas / 203
        return share <= 0.75 ? share : 0.75 + 0.25 * (share - 0.75) / (share - 0.5)
    }
}
