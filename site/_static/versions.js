// The page of cards by Java version: a question, a lesson, a Java, and as many cards as fit on a screen. What is chosen is
// in the address. Without this script the page shows all cards.
(() => {
    const STEP = 4;
    const cards = [...document.querySelectorAll("a.alone")].map((link) => ({ ...link.dataset, section: link.closest("section") }));
    const list = (text) => text.split(" ").filter(Boolean);
    const every = (name) => [...new Set(cards.flatMap((card) => list(card[name])))].sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
    const questions = [
        ["", "Everything"],
        ...every("changed").map((java) => [java, `What changed in ${java}?`]),
        ["same", "What is the same on all?"],
    ];
    const fields = {
        changed: ["Question", questions],
        lesson: ["Lesson", [["", "all"], ...every("lesson").map((lesson) => [lesson, lesson.replaceAll("-", " ")])]],
        java: ["Measured on", [["", "any Java"], ...every("java").map((java) => [java, `Java ${java}`])]],
    };
    const chosen = Object.fromEntries(Object.keys(fields).map((name) => [name, new URLSearchParams(location.search).get(name) ?? ""]));
    const home = document.getElementById("versions-choice");
    for (const [name, [label, options]] of Object.entries(fields)) {
        const field = document.createElement("select");
        field.id = `versions-${name}`;
        field.append(...options.map(([value, words]) => new Option(words, value)));
        if (!options.some(([value]) => value === chosen[name])) chosen[name] = "";
        field.value = chosen[name];
        field.addEventListener("change", () => {
            chosen[name] = field.value;
            shown = STEP;
            show();
        });
        const words = document.createElement("label");
        words.append(`${label} `, field);
        home.append(words);
    }
    const told = document.createElement("p");
    told.setAttribute("role", "status");
    home.append(told);
    const more = document.createElement("button");
    more.type = "button";
    more.addEventListener("click", () => {
        shown += STEP;
        show();
    });
    cards.at(-1).section.parentElement.after(more);
    more.className = "more-cards";

    let shown = STEP;
    const fits = (card) =>
        (!chosen.changed || (chosen.changed === "same" ? !card.changed : list(card.changed).includes(chosen.changed))) &&
        (!chosen.lesson || card.lesson === chosen.lesson) && (!chosen.java || list(card.java).includes(chosen.java));

    function show() {
        const found = cards.filter(fits);
        // a card to which a link leads is shown, whatever is chosen
        const linked = cards.find((card) => location.hash && card.section.querySelector(`[id="${CSS.escape(location.hash.slice(1))}"]`) || `#${card.section.id}` === location.hash);
        const visible = linked && shown === STEP && !location.search ? [linked] : found.slice(0, shown);
        for (const card of cards) card.section.hidden = !visible.includes(card);
        for (const group of new Set(cards.map((card) => card.section.parentElement))) {
            group.hidden = ![...group.querySelectorAll(":scope > section")].some((section) => !section.hidden);
        }
        told.textContent = found.length ? `${Math.min(shown, found.length)} of ${found.length} cards` : "No card answers this: choose another lesson or Java.";
        more.textContent = `Show ${Math.min(STEP, found.length - shown)} more`;
        more.hidden = shown >= found.length;
        const address = new URLSearchParams(Object.entries(chosen).filter(([, value]) => value));
        if (String(address) !== location.search.slice(1)) history.replaceState(null, "", `${location.pathname}${address.size ? `?${address}` : ""}`);
    }
    show();
})();
