// The projector's page. Space, the arrows or a presenter's keys go on and back, E exports.

const $ = id => document.getElementById(id);
const KEYS = { " ": "forward", ArrowRight: "forward", ArrowDown: "forward", PageDown: "forward", Enter: "forward",
    ArrowLeft: "back", ArrowUp: "back", PageUp: "back", Backspace: "back", e: "export", E: "export" };
const ASK = 0;
let before = {}, drawing = 0;

async function draw(now) {
    const own = ++drawing;
    const svg = now.ask ? await (await fetch("picture.svg")).text() : "";
    if (own === drawing) $("picture").innerHTML = svg;
}

/** A long question gets smaller letters, so that the picture keeps half of the screen. */
function fit(html) {
    $("ask").innerHTML = html;
    for (let size = 36; size > 14; size -= 1) {
        $("ask").style.fontSize = `${size}px`;
        if ($("ask").scrollHeight <= Math.min(innerHeight * (html.includes("<table") ? 0.52 : 0.42), $("ask").clientHeight + 1)) break;
    }
}

function words(now) {
    $("told").replaceChildren(now.told || (now.ask ? "" : now.step ? "Thank you." : "Draw what you expect, on your phone"));
    if (now.reply) $("told").appendChild(document.createElement("small")).textContent = now.reply;
}

new EventSource("now").onmessage = event => {
    const now = JSON.parse(event.data), asks = now.ask && now.phase === ASK;
    document.body.classList.toggle("start", !now.ask);
    if (now.ask !== before.ask) fit(now.ask);
    $("code").hidden = $("address").hidden = now.ask ? !asks : now.step > 0;
    $("address").textContent = now.address.replace("http://", "");
    $("count").textContent = asks ? `${now.count} ${now.count === 1 ? "answer" : "answers"}` : now.share ?? "";
    words(now);
    if (now.step !== before.step || !asks) draw(now);
    before = now;
};

addEventListener("keydown", async event => {
    const key = KEYS[event.key];
    if (!key || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    const done = await fetch("do", { method: "POST", headers: { "X-Key": key } });
    if (key === "export") $("told").textContent = done.ok ? `Exported to ${await done.text()}` : "It could not be exported: is the disk full?";
});
