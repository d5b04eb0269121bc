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

function told(now) {
    if (!now.was) return now.open === false ? "Closed. Look at the screen." : "";
    const mine = marks.find(mark => mark.n === now.n)?.value;
    if (mine === undefined || now.spec.kind !== "figures") return `${now.spec.kind === "choice" && mine === now.value ? "Right" : "It was"}: ${now.was}`;
    const [more, times] = mine > now.value ? ["too high", mine / now.value] : ["too low", now.value / mine];
    const said = Number.isFinite(times) ? `${times.toLocaleString("en", { maximumSignificantDigits: 2 })} times ` : "";
    return `It was: ${now.was}. You are ${times <= 2 ? "within a factor of two" : said + more}.`;
}

function listen() {
    source?.close();
    source = new EventSource("now");
    source.onerror = () => say("Connecting …");
    source.onmessage = event => {
        const now = JSON.parse(event.data), other = now.cell !== shown.cell;
        shown = now;
        $("ask").textContent = now.ask;
        if (other) ask(now);
        $("place").inert = !now.open;
        $("was").textContent = told(now);
        say("");
        if (now.open && marks.length) send(); // what this phone drew before the page or the hall began anew
    };
}

listen();
document.addEventListener("visibilitychange", () => document.hidden || listen()); // a phone that slept
