// Sphinx's search leads to a page. This leads on to the cell that has the words: window.searchCells holds the texts of
// each page, a part for each place that has an address. Sphinx also passes over numbers; the codes of HTTP are in its
// index as words: http504.
document.addEventListener("DOMContentLoaded", () => {
    // before Search begins
    if (typeof Search === "undefined") return;
    const parse = Search._parseQuery;
    Search._parseQuery = (query) => parse(query.replace(/\b(429|502|503|504)\b/g, "http$1"));

    const letters = /[\p{L}\p{N}_]+/gu;
    const stemmer = new Stemmer();
    /** How a word begins, whatever its ending; a text that has the word itself counts more. */
    const sought = (query) =>
        (query.toLowerCase().replace(/http(\d{3})/g, "$1").match(letters) ?? []).map((word) => {
            const starts = (some) => new RegExp(`(?<![\\p{L}\\p{N}_])${some}`, "giu");
            return [starts(stemmer.stemWord(word)), starts(`${word}(?![\\p{L}\\p{N}_])`)];
        });
    /** Words explain more than code. */
    function fits([, heading, text, code], words) {
        let sum = 0;
        for (const [stem, exact] of words) {
            if (stem.test(text)) sum += 100;
            stem.lastIndex = 0;
            sum += 10 * (heading.match(stem)?.length ?? 0) + Math.min(text.match(exact)?.length ?? 0, 9);
        }
        return code ? sum / 2 : sum;
    }
    function around(text, words) {
        const at = words.map(([stem]) => text.search(stem)).find((place) => place >= 0) ?? 0;
        const from = text.lastIndexOf(" ", Math.max(at - 60, 0)) + 1;
        const until = text.length > at + 100 ? text.lastIndexOf(" ", at + 100) : text.length;
        return `${from > 0 ? "… " : ""}${text.slice(from, Math.max(until, at + 20))}${until < text.length ? " …" : ""}`;
    }

    const perform = Search._performSearch;
    Search._performSearch = (query, ...terms) => {
        const words = sought(query);
        const found = perform(query, ...terms).map((result) => {
            const [page, title, anchor] = result;
            const parts = (window.searchCells?.[page] ?? []).filter((part) => anchor === "" || anchor === `#${part[0]}`);
            const fit = parts.map((part) => fits(part, words));
            const best = parts[fit.indexOf(Math.max(...fit))];
            if (!words.length || !best || Math.max(...fit) === 0) return result;
            const [cell, heading, text] = best;
            const named = heading && !title.includes(heading) ? `${title} > ${heading}` : title;
            return [page, named, anchor || `#${cell}`, around(text, words), ...result.slice(4)];
        });
        // the last one comes first
        const place = ([page, , anchor]) => page + anchor;
        return found.filter((one, i) => !found.slice(i + 1).some((other) => place(other) === place(one)));
    };
});
