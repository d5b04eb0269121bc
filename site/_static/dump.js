// The page on which a dump is dropped. A worker reads it with the compiled rules (window.whatwaitsRules), so that the
// page stays alive; the worker starts from a Blob, because a page on a disk may not load one from a file.
(() => {
    const id = (name) => document.getElementById(name);
    const result = id("dump-result");
    const status = id("dump-status");
    let worker;
    const waiting = new Map();

    /** Runs in the worker, after the rules. */
    function work(rules) {
        const PART = 1 << 20;

        // a pull from the file, part by part: only one part is in memory at a time
        function read(blob, rule = rules.read) {
            const reader = new FileReaderSync();
            const decoder = new TextDecoder();
            let at = 0;
            let ended = false;
            return rule(() => {
                if (ended) return null;
                const part = new Uint8Array(reader.readAsArrayBuffer(blob.slice(at, at + PART)));
                at += part.length;
                ended = at >= blob.size;
                postMessage({ kind: "progress", share: at / blob.size });
                return decoder.decode(part, { stream: !ended });
            });
        }

        /** The parts of a zip by their names, from the directory at its end; each is inflated when it is asked for. */
        async function parts(file) {
            const tail = file.slice(Math.max(0, file.size - 66_000));
            const end = new DataView(await tail.arrayBuffer());
            let at = end.byteLength - 22;
            while (at >= 0 && end.getUint32(at, true) !== 0x06054b50) at--;
            if (at < 0) throw new Error("its directory is missing: it is cut off, or no zip");
            const directory = new DataView(
                await file.slice(end.getUint32(at + 16, true), file.size - end.byteLength + at).arrayBuffer(),
            );
            const found = new Map();
            let from = 0;
            for (let left = end.getUint16(at + 10, true); left > 0; left--) {
                const [method, packed] = [directory.getUint16(from + 10, true), directory.getUint32(from + 20, true)];
                const [name, extra, comment] = [28, 30, 32].map((place) => directory.getUint16(from + place, true));
                const start = directory.getUint32(from + 42, true);
                const words = new TextDecoder().decode(new Uint8Array(directory.buffer, from + 46, name));
                found.set(words, async () => {
                    const head = new DataView(await file.slice(start, start + 30).arrayBuffer());
                    const data = start + 30 + head.getUint16(26, true) + head.getUint16(28, true);
                    const inside = file.slice(data, data + packed);
                    if (method === 0) return inside;
                    return new Response(inside.stream().pipeThrough(new DecompressionStream("deflate-raw"))).blob();
                });
                from += 46 + name + extra + comment;
            }
            return found;
        }

        async function open(file, wanted) {
            const start = new Uint8Array(await file.slice(0, 2).arrayBuffer());
            if (start[0] !== 0x50 || start[1] !== 0x4b) return read(file);
            const inside = await parts(file);
            // a whole dump before what jcmd prints; what belongs to the tool is no dump
            const dumps = [...inside.keys()]
                .filter((name) => /\.(json|txt|dump|tdump)$/i.test(name) && !/(^|\/)(about|samples)\.json$/.test(name))
                .sort((one, other) => /json$/i.test(other) - /json$/i.test(one) || (one < other ? -1 : 1));
            if (!dumps.length) throw new Error("it has no dump: no .json and no .txt");
            const name = dumps.includes(wanted) ? wanted : dumps[0];
            postMessage({ kind: "parts", names: dumps, name });
            const answer = read(await inside.get(name)());
            // a circle may need two dumps: whoever has moved in between waits for nobody
            const later = name === "dump.json" && inside.get("later.json");
            return later && !JSON.parse(answer).error ? read(await later(), rules.confirm) : answer;
        }

        onmessage = async ({ data }) => {
            const { ask, file, part, number, words } = data;
            try {
                const answer =
                    ask === "open" ? await open(file, part) : ask === "group" ? rules.group(number) : rules.find(words);
                postMessage({ kind: ask, number, words, answer: JSON.parse(answer) });
            } catch (why) {
                postMessage({ kind: "failed", why: String(why.message ?? why) });
            }
        };
    }

    function open(file, name, part) {
        worker?.terminate();
        const source = `${window.whatwaitsRules}\n${work}\nwork(whatwaitsRules());`;
        const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
        worker = new Worker(address);
        URL.revokeObjectURL(address);
        const begin = performance.now();
        result.replaceChildren();
        if (!part) id("dump-parts").hidden = true;
        id("dump-progress").hidden = false;
        id("dump-bar").value = 0;
        status.textContent = `Reading ${name} …`;
        result.removeAttribute("data-seconds");
        worker.onmessage = ({ data }) => {
            if (data.kind === "progress") id("dump-bar").value = data.share;
            if (data.kind === "parts") offer(data, file, name);
            if (data.kind === "group" || data.kind === "find") waiting.get(key(data))?.(data.answer);
            if (data.kind === "open" || data.kind === "failed") {
                id("dump-progress").hidden = true;
                const seconds = (performance.now() - begin) / 1000;
                const why = data.why ?? data.answer.error;
                status.textContent =
                    why === undefined
                        ? `Read ${name}, ${size(file.size)}, in ${seconds.toFixed(1)} s.${data.answer.missing ? ` It is cut off: ${data.answer.missing}.` : ""}`
                        : `${name} could not be read: ${why}. Take the dump again as shown below, or drop another file.`;
                if (why === undefined) show(data.answer);
                result.dataset.seconds = seconds;
            }
        };
        worker.onerror = (event) => {
            id("dump-progress").hidden = true;
            status.textContent = `${name} could not be read: ${event.message}.`;
        };
        worker.postMessage({ ask: "open", file, part });
    }

    function offer({ names, name }, file, zip) {
        const choice = id("dump-part");
        choice.replaceChildren(...names.map((one) => new Option(one, one, false, one === name)));
        choice.onchange = () => open(file, zip, choice.value);
        id("dump-parts").hidden = names.length < 2;
    }

    // a search may be asked while the stacks of a group are on their way
    const key = ({ number, words }) => `${number} ${words}`;

    function ask(question) {
        return new Promise((answered) => {
            waiting.set(key(question), answered);
            worker.postMessage(question);
        });
    }

    // --- what is shown ---

    const size = (bytes) => (bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : `${(bytes / 1e6).toFixed(1)} MB`);
    const many = (number) => number.toLocaleString("en");

    function element(tag, attributes = {}, ...inside) {
        const made = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
        made.append(...inside);
        return made;
    }

    function show(dump) {
        // who is in a circle stands beside its ring
        const [first] = dump.findings;
        const heading = !first
            ? "No limit is met"
            : first.what === "limit"
              ? `The limit that is met: ${first.name}`
              : `${dump.circles.length === 1 ? "A circle" : `${dump.circles.length} circles`}: threads that wait for each other`;
        result.replaceChildren(
            element("h2", { id: "dump-verdict", tabindex: "-1" }, heading),
            element("p", { class: "words" }, dump.verdict),
            ...dump.circles.map(circle),
            element("h3", {}, "Limits"),
            limits(dump.limits),
            element("h3", {}, "Virtual threads"),
            states(dump),
            element("h3", {}, "What the threads wait for"),
            groups(dump.groups),
            search(),
            element("details", {}, element("summary", {}, "As text"), element("pre", { tabindex: "0" }, dump.text)),
        );
        id("dump-verdict").focus({ preventScroll: true });
    }

    /** A ring with the threads as numbers, and beside it the list that says who they are. */
    function circle({ proven, threads: members, behind }, which) {
        const how = proven ? "proven: the JVM names each holder" : "probable: it follows from the stacks, and nothing that is seen contradicts it";
        const shown = members.slice(0, 12);
        const [middle, radius, dot] = [100, shown.length === 1 ? 0 : 70, 17];
        const place = (i) => {
            const turn = (2 * Math.PI * i) / shown.length - Math.PI / 2;
            return [middle + radius * Math.cos(turn), middle + radius * Math.sin(turn)];
        };
        const arrows = shown.map((_, i) => {
            const turn = (step) => (2 * Math.PI * (i + step)) / shown.length - Math.PI / 2;
            const gap = ((dot + 4) / radius / (2 * Math.PI)) * shown.length;
            const [from, to] = [turn(gap), turn(1 - gap - 0.03 * shown.length)];
            const at = (angle) => `${middle + radius * Math.cos(angle)} ${middle + radius * Math.sin(angle)}`;
            return `<path d="M ${at(from)} A ${radius} ${radius} 0 0 1 ${at(to)}" marker-end="url(#ring-${which})"/>`;
        });
        const dots = shown.map((one, i) => {
            const [x, y] = place(i);
            const kind = one.virtual ? "virtual" : "platform";
            return `<circle cx="${x}" cy="${y}" r="${dot}" class="${kind}"/><text x="${x}" y="${y + 5}">${i + 1}</text>`;
        });
        const ring = element("div", { class: "ring" });
        ring.innerHTML = `<svg viewBox="0 0 200 200" role="img" aria-label="${members.length} threads in a ring; each waits for the next one"><defs><marker id="ring-${which}" viewBox="0 0 10 10" refX="6" refY="5" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L10 5L0 10z"/></marker></defs>${radius ? arrows.join("") : ""}${dots.join("")}</svg>`;
        const list = element("ol");
        for (const one of shown) {
            const kind = one.virtual ? "virtual thread" : "platform thread";
            list.append(element("li", {}, element("strong", {}, one.name), ` (${kind})${one.sentence.slice(one.name.length)}`));
        }
        if (members.length > shown.length) list.append(element("li", {}, `and ${members.length - shown.length} more`));
        return element("figure", { class: "circle" }, ring, element("div", {}, list, element("p", { class: "how" }, behind ? `${how}; ${many(behind)} more wait behind` : how)));
    }

    function limits(found) {
        const rows = found.map((limit) => {
            const use = limit.inUse === undefined ? "unknown" : `${limit.inUse}${limit.of === undefined ? "" : ` of ${limit.of}`}`;
            const share = limit.inUse === undefined || !limit.of ? 0 : Math.min(1, limit.inUse / limit.of);
            return element(
                "tr",
                limit.met ? { class: "met" } : {},
                element("th", { scope: "row" }, limit.name),
                element("td", {}, use, bar(share)),
                element("td", {}, limit.waiting === undefined ? "unknown" : many(limit.waiting)),
                element("td", {}, limit.met ? "met" : ""),
            );
        });
        return table(["limit", "in use", "wait", ""], rows);
    }

    function bar(share) {
        return element("span", { class: "bar", "aria-hidden": "true" }, element("i", { style: `width:${100 * share}%` }));
    }

    function table(heads, rows) {
        const head = element("tr", {}, ...heads.map((words) => element(words ? "th" : "td", words ? { scope: "col" } : {}, words)));
        const made = element("table", {}, element("thead", {}, head), element("tbody", {}, ...rows));
        return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": heads[0] }, made);
    }

    function states(dump) {
        if (!dump.virtual) return element("p", {}, "This dump has none.");
        const kinds = [
            ["on a carrier", dump.onCarriers],
            ["waiting for a carrier", dump.queued],
            ["parked: they hold no carrier, and want none", dump.parked],
        ];
        const rows = kinds.map(([words, number]) =>
            element("tr", {}, element("th", { scope: "row" }, words), element("td", {}, many(number), bar(number / dump.virtual))),
        );
        return table(["state", `of ${many(dump.virtual)}`], rows);
    }

    function groups(found) {
        const most = Math.max(1, ...found.map((group) => group.threads));
        const list = element("div", { class: "groups" });
        found.forEach((group, number) => {
            const inside = element("div");
            const kind = group.virtual ? "virtual" : "platform";
            const folded = element(
                "details",
                { class: kind },
                element(
                    "summary",
                    {},
                    element("span", {}, group.sentence),
                    bar(group.threads / most),
                    element("code", { class: "where" }, group.line ? `at ${group.line}` : ""),
                ),
                inside,
            );
            folded.addEventListener("toggle", async () => {
                if (!folded.open || inside.childElementCount) return;
                const { different, stacks } = await ask({ ask: "group", number });
                for (const one of stacks) {
                    const more = one.threads > one.labels.length ? ", …" : "";
                    inside.append(
                        element("p", {}, `${many(one.threads)} × ${one.labels.join(", ")}${more}`),
                        element("pre", { tabindex: "0" }, one.stack || "no frames"),
                    );
                }
                if (different > stacks.length) inside.append(element("p", {}, `${many(different - stacks.length)} further stacks`));
            });
            // hundreds of groups are hundreds of single threads: the search finds them
            if (number < 60) list.append(folded);
        });
        if (found.length > 60) list.append(element("p", {}, `And ${many(found.length - 60)} smaller groups: search for them.`));
        return list;
    }

    function search() {
        const field = element("input", { type: "search", id: "dump-words", autocomplete: "off", spellcheck: "false" });
        const answers = element("div", { id: "dump-found", role: "status" });
        let typed;
        field.addEventListener("input", () => {
            clearTimeout(typed);
            typed = setTimeout(async () => {
                const words = field.value.trim();
                answers.replaceChildren();
                if (!words) return;
                const { count, threads } = await ask({ ask: "find", words });
                answers.replaceChildren(
                    element("p", {}, `${many(count)} thread${count === 1 ? "" : "s"}${count > threads.length ? `, the first ${threads.length}` : ""}`),
                    ...threads.map((one) =>
                        element(
                            "details",
                            { class: one.virtual ? "virtual" : "platform" },
                            element("summary", {}, `${one.label}${one.state ? `, ${one.state}` : ""}${one.blocker ? `, ${one.blocker}` : ""}`),
                            element("pre", { tabindex: "0" }, one.stack || "no frames"),
                        ),
                    ),
                );
            }, 150);
        });
        return element(
            "div",
            { class: "search" },
            element("h3", {}, "Search"),
            element("p", {}, element("label", { for: "dump-words" }, "A thread's name, a class, a method, a lock"), " ", field),
            answers,
        );
    }

    // --- what is dropped, pasted, chosen ---

    const drop = id("dump-drop");
    for (const kind of ["dragover", "dragleave", "drop"]) {
        drop.addEventListener(kind, (event) => {
            event.preventDefault();
            drop.classList.toggle("over", kind === "dragover");
            const [file] = kind === "drop" ? event.dataTransfer.files : [];
            if (file) open(file, file.name);
        });
    }
    id("dump-file").addEventListener("change", ({ target }) => {
        if (target.files.length) open(target.files[0], target.files[0].name);
    });
    id("dump-read").addEventListener("click", () => open(new Blob([id("dump-text").value]), "the pasted text"));
    for (const button of document.querySelectorAll("[data-sample]")) {
        const { sample } = button.dataset;
        button.addEventListener("click", () => open(new Blob([window.whatwaitsSamples[sample]]), `the sample “${button.textContent}”`));
    }
})();
