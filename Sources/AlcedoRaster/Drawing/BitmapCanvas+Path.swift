import CCairo

extension BitmapCanvas {
    /// Lines and curves, to be filled or stroked.
    ///
    ///     var triangle = BitmapCanvas.Path()
    ///     triangle.move(x: 10, y: 10)
    ///     triangle.line(x: 50, y: 10)
    ///     triangle.line(x: 30, y: 40)
    ///     triangle.close()
    public struct Path: Sendable, Hashable {
        private enum Step: Hashable {
            case move(x: Double, y: Double)
            case line(x: Double, y: Double)
            case curve(x1: Double, y1: Double, x2: Double, y2: Double, x: Double, y: Double)
            case close
        }

        private var steps: [Step] = []

        /// Creates an empty path.
        public init() {}

        /// Starts a new line at a point.
        public mutating func move(x: Double, y: Double) { append(.move(x: x, y: y), x, y) }

        /// Goes straight to a point; the first point of a path is its start.
        public mutating func line(x: Double, y: Double) { append(.line(x: x, y: y), x, y) }

        /// Goes to (`x`, `y`) in a cubic Bézier curve with these control points.
        public mutating func curve(x1: Double, y1: Double, x2: Double, y2: Double, x: Double, y: Double) {
            append(.curve(x1: x1, y1: y1, x2: x2, y2: y2, x: x, y: y), x1, y1, x2, y2, x, y)
        }

        /// Goes straight back to where the line started.
        public mutating func close() { steps.append(.close) }

        private mutating func append(_ step: Step, _ coordinates: Double...) {
            precondition(coordinates.allSatisfy(\.isFinite), "coordinates must be finite")
            steps.append(step)
        }

        func add(to context: borrowing CairoContext) {
            for step in steps {
                switch step {
                case .move(let x, let y): cairo_move_to(context.handle, x, y)
                case .line(let x, let y): cairo_line_to(context.handle, x, y)
                case .curve(let x1, let y1, let x2, let y2, let x, let y):
                    cairo_curve_to(context.handle, x1, y1, x2, y2, x, y)
                case .close: cairo_close_path(context.handle)
                }
            }
        }
    }
}
