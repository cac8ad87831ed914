import Alcedo
import Foundation

/// An effect of the detail page.
enum Effect: CaseIterable {
    case blackAndWhite
    case tint
    case blur
    // Before the corners: rounding cuts off what is outside of the border.
    case border
    case roundCorners

    var title: String {
        switch self {
        case .blackAndWhite: "Black and white"
        case .tint: "Tint"
        case .blur: "Blur"
        case .roundCorners: "Round corners"
        case .border: "Border"
        }
    }

    private var processor: any ImageProcessor {
        switch self {
        case .blackAndWhite: BlackWhiteProcessor()
        case .tint: TintImageProcessor(tint: Color(red: 0.05, green: 0.55, blue: 0.6, alpha: 0.35))
        case .blur: BlurImageProcessor(blurRadius: 10)
        case .roundCorners: RoundCornerImageProcessor(radius: .heightFraction(0.088))
        case .border:
            BorderImageProcessor(border: Border(color: .white, lineWidth: 14, radius: .heightFraction(0.08)))
        }
    }

    /// A chain of all effects after downsampling to `size`.
    static func processor(for effects: Set<Effect>, size: CGSize) -> any ImageProcessor {
        let reduce: any ImageProcessor = DownsamplingImageProcessor(size: size)
        return allCases.filter(effects.contains).reduce(reduce) { $0 |> $1.processor }
    }
}
