// Sphinx's search passes over numbers. The codes of HTTP are in the index as words: http504.
addEventListener("DOMContentLoaded", () => {
    if (typeof Search === "undefined") return;
    const codes = /\b(429|502|503|504)\b/g;
    const parse = Search._parseQuery;
    Search._parseQuery = (query) => parse(query.replace(codes, "http$1"));
    // it has begun by now, without them
    const query = new URLSearchParams(location.search).get("q") ?? "";
    if (query.match(codes)) {
        document.getElementById("search-results").replaceChildren();
        Search.performSearch(query);
    }
});
