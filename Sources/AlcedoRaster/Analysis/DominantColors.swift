package import AlcedoPixels
import Glibc

/// The colours of a picture in groups of similar ones, the largest group first.
package struct DominantColors {
    /// A group of similar colours.
    package struct Group: Sendable {
        /// The mean of its straight sRGB components, from 0 to 1: red, green, blue.
        package let color: SIMD3<Double>

        /// Its share of the opaque area, from 0 to 1.
        package let share: Double
    }

    package let groups: [Group]

    /// The longer side that `bitmap` should have: more pixels take longer and change nothing.
    package static let side = 128

    /// A colour of the histogram, in Oklab, whose distances are those that people see.
    private struct Sample {
        let place: SIMD3<Double>
        let color: SIMD3<Double>
        let weight: Double
    }

    /// Colours that are closer than about two just noticeable differences are one.
    private static let leastSpread = 0.02 * 0.02

    private static let rounds = 8

    /// Groups the colours of `bitmap`; at most `count` groups, fewer of a picture with few colours.
    package init(_ bitmap: Bitmap, count: Int) throws(CodecError) {
        let samples = Self.samples(try bitmap.standard())
        guard !samples.isEmpty else {
            groups = []
            return
        }
        var clusters = [samples]
        while clusters.count < count, let parts = Self.split(&clusters) { clusters += parts }
        let refined = Self.refined(samples, clusters.map(Self.center))
        let whole = samples.reduce(0) { $0 + $1.weight }
        groups = refined.map { members in
            let weight = members.reduce(0) { $0 + $1.weight }
            let sum = members.reduce(SIMD3<Double>()) { $0 + $1.color * $1.weight }
            return Group(color: sum / weight, share: weight / whole)
        }
        .sorted { $0.share > $1.share }
    }

    /// The means of up to 32 levels of each channel, weighted by opacity.
    private static func samples(_ bitmap: Bitmap) -> [Sample] {
        var sums = [SIMD4<Double>](repeating: SIMD4(), count: 1 << 15)
        bitmap.withUnsafeBytes { pixels in
            for index in stride(from: 0, to: pixels.count, by: 4) {
                let alpha = bitmap.alpha == .opaque ? 255 : Int(pixels[index + 3])
                guard alpha > 0 else { continue }
                let pixel = SIMD4(
                    Double(pixels[index + 2]), Double(pixels[index + 1]), Double(pixels[index]), Double(alpha)
                )
                func level(_ offset: Int) -> Int { min(31, Int(pixels[index + offset]) * 32 / (alpha + 1)) }
                sums[level(2) << 10 | level(1) << 5 | level(0)] += pixel
            }
        }
        return sums.filter { $0.w > 0 }.map { sum in
            let color = SIMD3(sum.x, sum.y, sum.z) / sum.w
            return Sample(place: oklab(color), color: color, weight: sum.w)
        }
    }

    /// Removes the group that spreads most and returns its two halves; nil if none spreads.
    private static func split(_ clusters: inout [[Sample]]) -> [[Sample]]? {
        let spreads = clusters.map {
            members -> (spread: SIMD3<Double>, center: SIMD3<Double>, cost: Double) in
            let middle = center(members)
            let weight = members.reduce(0) { $0 + $1.weight }
            let sum = members.reduce(SIMD3<Double>()) {
                let distance = $1.place - middle
                return $0 + distance * distance * $1.weight
            }
            let spread = sum / weight
            return (spread, middle, spread.sum() < leastSpread ? 0 : sum.sum())
        }
        guard let index = spreads.indices.max(by: { spreads[$0].cost < spreads[$1].cost }),
            spreads[index].cost > 0
        else { return nil }
        let (spread, middle, _) = spreads[index]
        let axis = (0..<3).max { spread[$0] < spread[$1] } ?? 0
        let members = clusters.remove(at: index)
        // Neither is empty, as the mean is between the members.
        return [
            members.filter { $0.place[axis] <= middle[axis] },
            members.filter { $0.place[axis] > middle[axis] },
        ]
    }

    /// The members of groups around centres that follow them (Lloyd's algorithm).
    private static func refined(_ samples: [Sample], _ centers: [SIMD3<Double>]) -> [[Sample]] {
        var centers = centers
        var groups: [[Sample]] = []
        for _ in 0..<rounds {
            groups = [[Sample]](repeating: [], count: centers.count)
            for sample in samples {
                let nearest = centers.indices.min {
                    distance(sample.place, centers[$0]) < distance(sample.place, centers[$1])
                }
                groups[nearest ?? 0].append(sample)
            }
            groups.removeAll(where: \.isEmpty)
            centers = groups.map(center)
        }
        return groups
    }

    private static func distance(_ a: SIMD3<Double>, _ b: SIMD3<Double>) -> Double {
        let difference = a - b
        return (difference * difference).sum()
    }

    private static func center(_ members: [Sample]) -> SIMD3<Double> {
        let weight = members.reduce(0) { $0 + $1.weight }
        return members.reduce(SIMD3<Double>()) { $0 + $1.place * $1.weight } / weight
    }

    /// Oklab (bottosson.github.io/posts/oklab) of sRGB components from 0 to 1.
    private static func oklab(_ color: SIMD3<Double>) -> SIMD3<Double> {
        func light(_ value: Double) -> Double {
            value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }
        let (r, g, b) = (light(color.x), light(color.y), light(color.z))
        let l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
        let m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
        let s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
        return SIMD3(
            0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
            1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
            0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s)
    }
}
