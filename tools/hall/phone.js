// The page of a phone: the open question, drawn or voted on with the notebooks' own widget, and kept on the phone.

import { guess } from "/guess.js";

const $ = id => document.getElementById(id), say = words => { $("state").textContent = words; };
const store = { // a browser may refuse to keep anything
    get(key) { try { return JSON.parse(localStorage.getItem(key)); } catch { return null; } },
    set(key, value) { try { localStorage.setItem(key, JSON.stringify(value)); } catch { /* until the page is closed */ } },
};
const token = store.get("token") ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), byte => byte.toString(16).padStart(2, "0")).join("");
store.set("token", token);
let shown = {}, view = null, marks = [], waiting = null, source = null;

async function send() {
    clearTimeout(waiting);
    const { cell, spec } = shown, last = spec.sizes?.at(-1);
    try {
        const { ok } = await fetch("answer", { method: "POST", body: JSON.stringify({ token, cell, marks }) });
        if (cell !== shown.cell) return;
        say(!ok ? "Too late: the question is closed." : !marks.length ? ""
            : spec.line && marks.every(mark => mark.n !== last) ? `Draw on to ${last.toLocaleString("en")}: there it is compared.`
            : "It has arrived. You can still change it.");
    } catch {
        say("No connection; it is sent again …");
        waiting = setTimeout(send, 1000);
    }
}

function ask(now) {
    view?.end();
    clearTimeout(waiting);
    $("place").replaceChildren();
    const kept = store.get(now.cell);
    marks = kept && Date.now() - kept.at < 12 * 3600e3 ? kept.marks : [];
    view = now.spec ? guess($("place"), now.spec, made => {
        marks = made;
        store.set(now.cell, { marks, at: Date.now() });
        clearTimeout(waiting);
        waiting = setTimeout(send, 250); // keys may come in a row
    }) : null;
    if (marks.length) view?.show(marks);
}

function listen() {
    source?.close();
    source = new EventSource("now");
    source.onerror = () => say("Connecting …");
    source.onmessage = event => {
        const now = JSON.parse(event.data);
        const other = now.cell !== shown.cell || shown.was && !now.was;
        shown = now;
        $("ask").textContent = now.ask;
        if (other) ask(now);
        $("place").inert = !now.open;
        say(now.open === false && !now.was ? "Closed. Look at the screen." : "");
        if (now.was) view.reveal(now.was);
        if (now.open && marks.length) send(); // what this phone drew before the page or the hall began anew
    };
}

listen();
document.addEventListener("visibilitychange", () => document.hidden || listen()); // a phone that slept
