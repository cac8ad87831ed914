import AlcedoPixels

// Another cached variant of the image as its placeholder.

extension ImageSetting {
    /// Shows the best cached variant of the image until the image is loaded.
    ///
    /// A variant that memory has decoded is shown before this returns. Others are decoded, or read from disk, on other
    /// threads, and are shown only if nothing of the image is shown by then.
    func showVariant(during load: Load) {
        let (options, key, size) = (load.options, load.source.cacheKey, target.pixelSize)
        let cache = options.targetCache ?? KingfisherManager.shared.cache
        guard options.reads(.memory) || options.reads(.disk) else { return }
        // The image itself may be in memory by now, and is delivered next.
        let variants = options.reads(.memory) ? cache.memoryStorage.variants(ofKey: key) : []
        let inMemory = variants.filter { $0.identifier != options.processor.identifier }.map(\.value)
        let ready = inMemory.filter { !target.isScreen || $0.pixels(covering: size) != nil }
        if let image = size.best(of: ready) { return show(image, during: load) }
        if let image = size.best(of: inMemory) { return decode(image, covering: size, during: load) }
        guard options.reads(.disk) else { return }
        cache.readVariant(ofKey: key, size: size, options: options) { image in
            guard let image else { return }
            onMain { decode(image, covering: size, during: load) }
        }
    }

    private func decode(_ image: Image, covering size: PixelSize?, during load: Load) {
        guard isPending(load) else { return }
        guard target.isScreen else { return show(image, during: load) }
        image.decode(covering: size) { image, bitmap in
            if bitmap != nil, isPending(load) { show(image, during: load) }
        }
    }

    private func show(_ image: Image, during load: Load) {
        target.setPlaceholder(image, options: load.options)
    }

    /// Whether the target waits for this load, and shows no preview of it.
    private func isPending(_ load: Load) -> Bool {
        state.current.value == load.identifier && !load.hasPreview.value
    }
}

extension PixelSize? {
    /// The best image for this size; the largest for an unknown size.
    fileprivate func best(of images: [Image]) -> Image? {
        (self ?? .unlimited).bestIndex(of: images.map(\.pixelSize)).map { images[$0] }
    }
}
