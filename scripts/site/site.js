// Copy buttons, and the search page.
for (const block of document.querySelectorAll(".site pre")) {
    const button = document.createElement("button")
    button.textContent = "Copy"
    button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(block.querySelector("code").textContent)
        button.textContent = "Copied"
        setTimeout(() => { button.textContent = "Copy" }, 2000)
    })
    const frame = document.createElement("div")
    frame.className = "code"
    block.replaceWith(frame)
    frame.append(block, button)
}

const form = document.getElementById("search")
if (form) {
    const pagefind = await import(new URL("pagefind/pagefind.js", import.meta.url))
    await pagefind.options({ baseUrl: new URL(".", import.meta.url).pathname, excerptLength: 25 })
    const status = document.getElementById("status")
    const list = document.getElementById("results")
    // A page has to have all words of a search, and these are not in the reference.
    const fillers = /\b(a|an|the|how|what|where|when|why|which|is|are|do|does|can|i|to|in|of|for|with|on|my)\b/gi

    const show = async query => {
        const words = query.replace(fillers, " ").trim() || query
        const results = []
        for (const part of ["guide", "reference"]) {
            results.push(...(await pagefind.search(words, { filters: { part } })).results)
        }
        const pages = await Promise.all(results.slice(0, 20).map(result => result.data()))
        if (form.q.value !== query) return
        status.textContent = results.length ? `${results.length} pages` : query ? "No page has these words." : ""
        list.replaceChildren(...pages.map(page => {
            const item = document.createElement("li")
            const link = (url, text) => Object.assign(document.createElement("a"), { href: url, textContent: text })
            const kind = Object.assign(document.createElement("small"), { textContent: page.meta.kind })
            // Pagefind escapes the page's text, and marks the words that were found.
            const excerpt = Object.assign(document.createElement("p"), { innerHTML: page.excerpt })
            const sections = document.createElement("p")
            sections.className = "links"
            sections.append(...page.sub_results.filter(part => part.url.includes("#")).slice(0, 3)
                .map(part => link(part.url, part.title)))
            item.append(link(page.url, page.meta.title), " ", kind, excerpt, sections)
            return item
        }))
        history.replaceState(null, "", query ? `?q=${encodeURIComponent(query)}` : location.pathname)
    }

    form.hidden = false
    form.addEventListener("input", () => show(form.q.value))
    form.addEventListener("submit", event => { event.preventDefault(); show(form.q.value) })
    form.q.value = new URLSearchParams(location.search).get("q") ?? ""
    await show(form.q.value)
    form.q.focus()
}
