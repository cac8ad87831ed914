import AlcedoPixels

/// Draws antialiased shapes over each other; the unit is a pixel.
struct Painter {
    private let size: PixelSize
    private var colours: [Colour]

    init(_ size: PixelSize, background: (Point) -> Colour = { _ in .zero }) {
        self.size = size
        let unit = 1 / Float(size.height)
        colours = []
        colours.reserveCapacity(size.area)
        for row in 0..<size.height {
            for column in 0..<size.width {
                colours.append(background(Point(Float(column) + 0.5, Float(row) + 0.5) * unit))
            }
        }
    }

    /// Fills a shape with the signed distance `distance` (in pixels, negative inside), within a square around
    /// `centre`.
    mutating func fill(
        around centre: Point,
        reach: Float,
        colour: (Point) -> Colour,
        distance: (Point) -> Float
    ) {
        let (rows, columns) = (span(centre.y, reach, size.height), span(centre.x, reach, size.width))
        let width = size.width
        colours.withUnsafeMutableBufferPointer { colours in
            for row in rows {
                for column in columns {
                    let point = Point(Float(column) + 0.5, Float(row) + 0.5)
                    let coverage = clamp(0.5 - distance(point))
                    guard coverage > 0 else { continue }
                    let index = row * width + column
                    colours[index] = colours[index].under(colour(point), coverage)
                }
            }
        }
    }

    private func span(_ center: Float, _ reach: Float, _ limit: Int) -> Range<Int> {
        let from = min(max(0, Int(center - reach)), limit)
        return from..<min(max(from, Int(center + reach) + 2), limit)
    }

    mutating func disc(_ centre: Point, _ radius: Float, _ colour: Colour) {
        fill(
            around: centre, reach: radius + 1, colour: { _ in colour },
            distance: { ($0 - centre).length - radius })
    }

    /// Draws a sphere lit from the upper left.
    mutating func ball(_ centre: Point, _ radius: Float, _ colour: Colour) {
        fill(around: centre, reach: radius + 1) { point in
            let spot = (point - centre) / radius
            let shine = smooth(0.5, 0, (spot - Point(-0.35, -0.4)).length)
            return colour.lit(1.08 - 0.35 * spot.dot(Point(0.5, 0.8))).mixed(
                Colour(0xFFFFFF).alpha(colour.w), 0.75 * shine)
        } distance: {
            ($0 - centre).length - radius
        }
    }

    mutating func ring(_ centre: Point, _ radius: Float, width: Float, _ colour: Colour) {
        fill(around: centre, reach: radius + width + 1, colour: { _ in colour }) {
            abs(($0 - centre).length - radius) - width / 2
        }
    }

    /// Draws a line with round caps.
    mutating func line(_ from: Point, _ to: Point, width: Float, _ colour: Colour) {
        let along = to - from
        let squared = max(along.dot(along), 0.0001)
        fill(around: (from + to) / 2, reach: along.length / 2 + width + 1, colour: { _ in colour }) { point in
            (point - from - along * clamp((point - from).dot(along) / squared)).length - width / 2
        }
    }

    func bitmap(opaque: Bool = true) throws -> Bitmap {
        let (width, height) = (size.width, Float(size.height))
        return try paint(size, opaque: opaque) { place in
            colours[Int(place.y * height) * width + Int(place.x * height)]
        }
    }
}
