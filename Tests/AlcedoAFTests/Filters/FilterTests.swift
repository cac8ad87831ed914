import AlcedoAF
import AlcedoPixels
import AlcedoTestSupport
import Foundation
import Testing

struct `Filters` {
    private let image: Image
    private let size = CGSize(width: 12, height: 8)

    init() throws {
        image = Image(bitmap: try stripes(third: 10, height: 20), scale: 2)
    }

    @Test func `AlamofireImage's filters do what the methods of images do`() throws {
        let pairs: [(any ImageFilter, Image)] = [
            (ScaledToSizeFilter(size: size), image.af.imageScaled(to: size)),
            (AspectScaledToFitSizeFilter(size: size), image.af.imageAspectScaled(toFit: size)),
            (AspectScaledToFillSizeFilter(size: size), image.af.imageAspectScaled(toFill: size)),
            (RoundedCornersFilter(radius: 3), image.af.imageRounded(withCornerRadius: 3)),
            (
                RoundedCornersFilter(radius: 3, divideRadiusByImageScale: true),
                image.af.imageRounded(withCornerRadius: 3, divideRadiusByImageScale: true)
            ),
            (CircleFilter(), image.af.imageRoundedIntoCircle()),
            (
                ScaledToSizeWithRoundedCornersFilter(size: size, radius: 3),
                image.af.imageScaled(to: size).af.imageRounded(withCornerRadius: 3)
            ),
            (
                AspectScaledToFillSizeWithRoundedCornersFilter(
                    size: size, radius: 3, divideRadiusByImageScale: true),
                image.af.imageAspectScaled(toFill: size).af.imageRounded(
                    withCornerRadius: 3, divideRadiusByImageScale: true)
            ),
            (
                ScaledToSizeCircleFilter(size: size),
                image.af.imageScaled(to: size).af.imageRoundedIntoCircle()
            ),
            (
                AspectScaledToFillSizeCircleFilter(size: size),
                image.af.imageAspectScaled(toFill: size).af.imageRoundedIntoCircle()
            ),
        ]
        for (filter, expected) in pairs {
            let result = filter.filter(image)
            #expect(result.size == expected.size)
            #expect(try result.bitmap().pixels == expected.bitmap().pixels, "\(filter)")
        }
    }

    @Test func `a filter is named by type and parameters, whole numbers as AlamofireImage shows them`() {
        let filters: [(any ImageFilter, String)] = [
            (ScaledToSizeFilter(size: size), "ScaledToSizeFilter-size:(12x8)"),
            (AspectScaledToFitSizeFilter(size: size), "AspectScaledToFitSizeFilter-size:(12x8)"),
            (AspectScaledToFillSizeFilter(size: size), "AspectScaledToFillSizeFilter-size:(12x8)"),
            (RoundedCornersFilter(radius: 12), "RoundedCornersFilter-radius:(12)-divided:(false)"),
            (CircleFilter(), "CircleFilter"),
            (BlurFilter(), "BlurFilter-parameters:([\"inputRadius\": 10])"),
            (
                ScaledToSizeCircleFilter(size: size), "ScaledToSizeFilter-size:(12x8)_CircleFilter"
            ),
            (
                AspectScaledToFillSizeWithRoundedCornersFilter(
                    size: size, radius: 4, divideRadiusByImageScale: true),
                "AspectScaledToFillSizeFilter-size:(12x8)_RoundedCornersFilter-radius:(4)-divided:(true)"
            ),
            (DynamicImageFilter("own") { $0 }, "own"),
            (
                DynamicCompositeImageFilter(CircleFilter(), DynamicImageFilter("own") { $0 }),
                "CircleFilter_own"
            ),
        ]
        for (filter, name) in filters { #expect(filter.identifier == name) }
    }

    @Test func `filters that create other pixels have other names`() {
        #expect(
            RoundedCornersFilter(radius: 12.2).identifier != RoundedCornersFilter(radius: 12.4).identifier)
        #expect(
            ScaledToSizeFilter(size: CGSize(width: 10.1, height: 10)).identifier
                != ScaledToSizeFilter(size: CGSize(width: 10.4, height: 10)).identifier)
    }

    @Test func `filters in a composite work from left to right`() throws {
        let filters: [any ImageFilter] = [20, 7, 31].map { width in
            DynamicImageFilter("\(width)") { image in
                let size = CGSize(width: width, height: 4)
                return image.af.imageScaled(to: size, scale: image.scale + CGFloat(width))
            }
        }
        let composite = DynamicCompositeImageFilter(filters)
        #expect(composite.identifier == "20_7_31")
        #expect(composite.filter(image).size.width == 31)
        #expect(composite.filter(image).scale == CGFloat(60))
    }

    @Test func `a filter's name has its parameters in one order`() {
        struct Many: CoreImageFilter {
            let filterName = "CIColorControls"
            var parameters: [String: Any] { ["b": 2, "c": 3.5, "a": 1] }
        }
        #expect(Many().identifier == "Many-parameters:([\"a\": 1, \"b\": 2, \"c\": 3.5])")
    }
}
