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

        const MOST = 1e9;
        let all = 0;
        let done = 0;

        // a pull from the file, part by part: only one part is in memory at a time
        function add(blob) {
            const reader = new FileReaderSync();
            const bytes = (from, to) => new Uint8Array(reader.readAsArrayBuffer(blob.slice(from, to)));
            const decoder = new TextDecoder(rules.charset(String.fromCharCode(...bytes(0, 1024))));
            let at = 0;
            let ended = false;
            return rules.add(() => {
                if (ended) return null;
                const part = bytes(at, at + PART);
                at += part.length;
                ended = at >= blob.size;
                postMessage({ kind: "progress", share: (done + at) / all });
                return decoder.decode(part, { stream: !ended });
            });
        }

        /** What was packed, unless that is too much. */
        async function unpacked(blob, how) {
            let left = MOST;
            const counted = new TransformStream({
                transform(chunk, out) {
                    left -= chunk.length;
                    if (left < 0) throw new Error("it unpacks to more than 1 GB");
                    out.enqueue(chunk);
                },
            });
            return new Response(blob.stream().pipeThrough(new DecompressionStream(how)).pipeThrough(counted)).blob();
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
                    return unpacked(inside, "deflate-raw");
                });
                from += 46 + name + extra + comment;
            }
            return found;
        }

        /** The dumps in a file: itself, or what it packs. Of a zip of whatwaits only one, and a later one that confirms it. */
        async function dumps(file, wanted) {
            const start = new Uint8Array(await file.slice(0, 4).arrayBuffer());
            const begins = (...bytes) => bytes.every((one, i) => start[i] === one);
            if (begins(0x46, 0x4c, 0x52, 0)) {
                throw new Error("it is a recording, which this page does not read: java -jar whatwaits.jar read FILE does");
            }
            if (begins(0x1f, 0x8b)) return [await unpacked(file, "gzip")];
            if (!begins(0x50, 0x4b)) return [file];
            const inside = await parts(file);
            if (!inside.has("about.json")) {
                const whole = [...inside.keys()].filter((name) => !/\/$|\.(jfr|zip|gz)$/i.test(name));
                return Promise.all(whole.map((name) => inside.get(name)()));
            }
            // a whole dump before what jcmd prints; what belongs to the tool is no dump
            const names = [...inside.keys()]
                .filter((name) => /\.(json|txt)$/i.test(name) && !/(^|\/)((about|samples)\.json|format\.txt)$/.test(name))
                .sort((one, other) => /json$/i.test(other) - /json$/i.test(one) || (one < other ? -1 : 1));
            if (!names.length) throw new Error("it has no dump: no .json and no .txt");
            const name = names.includes(wanted) ? wanted : names[0];
            postMessage({ kind: "parts", names, name });
            // a circle may need two dumps: whoever has moved in between waits for nobody
            const later = name === "dump.json" && inside.get("later.json");
            return Promise.all([name, ...(later ? ["later.json"] : [])].map((one) => inside.get(one)()));
        }

        async function open(files, wanted) {
            rules.begin();
            const refused = [];
            all = files.reduce((sum, file) => sum + file.size, 0);
            for (const file of files) {
                try {
                    const found = await dumps(file, wanted);
                    if (found[0] !== file) all += found.reduce((sum, one) => sum + one.size, -file.size);
                    const whys = found.map((one) => {
                        const why = add(one);
                        done += one.size;
                        return why;
                    });
                    if (whys.every(Boolean)) refused.push(`${file.name ?? "it"}: ${whys[0] ?? "it is empty"}`);
                } catch (why) {
                    refused.push(`${file.name ?? "it"}: ${why.message ?? why}`);
                }
            }
            return { ...JSON.parse(rules.report(0)), refused };
        }

        onmessage = async ({ data }) => {
            const { ask, files, part, number, words } = data;
            try {
                const answer =
                    ask === "open"
                        ? await open(files, part)
                        : JSON.parse(ask === "jvm" ? rules.report(number) : ask === "group" ? rules.group(number) : rules.find(words));
                postMessage({ kind: ask, number, words, answer });
            } catch (why) {
                postMessage({ kind: "failed", why: String(why.message ?? why) });
            }
        };
    }

    function open(files, name, part) {
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
            if (data.kind === "parts") {
                offer("In this zip", data.names, data.name, (chosen) => open(files, name, chosen));
            }
            if (data.kind === "group" || data.kind === "find") waiting.get(key(data))?.(data.answer);
            if (data.kind === "jvm") show(data.answer);
            if (data.kind === "open" || data.kind === "failed") {
                id("dump-progress").hidden = true;
                const seconds = (performance.now() - begin) / 1000;
                told(data, files, name, seconds);
                result.dataset.seconds = seconds;
            }
        };
        worker.onerror = (event) => {
            id("dump-progress").hidden = true;
            status.textContent = `${name} could not be read: ${event.message}.`;
        };
        worker.postMessage({ ask: "open", files, part });
    }

    function told({ why, answer }, files, name, seconds) {
        const refused = why === undefined ? answer.refused : [why];
        if (why !== undefined || answer.error) {
            const words = refused.map((one) => one.replace(`${name}: `, "").replace(/^it: /, ""));
            status.textContent = `${name} could not be read: ${words.join("; ")}.`;
            return;
        }
        const bytes = files.reduce((sum, file) => sum + file.size, 0);
        const missing = answer.missing.map((one) => ` Not in it: ${one}.`).join("");
        const others = refused.map((one) => ` Not read, ${one}.`).join("");
        status.textContent = `Read ${name}, ${size(bytes)}, in ${seconds.toFixed(1)} s.${others}${missing}`;
        if (answer.jvms > 1) {
            const names = [...Array(answer.jvms)].map((_, jvm) => `${jvm + 1}`);
            offer("These dumps are of several JVMs: number", names, "1", (chosen) => worker.postMessage({ ask: "jvm", number: chosen - 1 }));
        }
        show(answer);
    }

    function offer(label, names, name, choose) {
        const choice = id("dump-part");
        document.querySelector("label[for=dump-part]").textContent = label;
        choice.replaceChildren(...names.map((one) => new Option(one, one, false, one === name)));
        choice.onchange = () => choose(choice.value);
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
            ? dump.undecided
                ? "Undecided"
                : "No limit is met"
            : first.what === "limit"
              ? `The limit that is met: ${first.name}`
              : `${dump.circles.length === 1 ? "A circle" : `${dump.circles.length} circles`}: threads that wait for each other`;
        result.replaceChildren(
            element("h2", { id: "dump-verdict", tabindex: "-1" }, heading),
            ...dump.circles.map(circle),
            element("p", { class: "words" }, dump.verdict),
            ...dump.findings.map((one, i) => todo(one, dump.advice[i])),
            ...together(dump),
            element("h3", {}, "Limits"),
            limits(dump.limits),
            element("h3", {}, "Virtual threads"),
            states(dump),
            element("h3", {}, "What the threads wait for"),
            groups(dump.groups),
            ...scopes(dump.scopes),
            search(),
            element("details", {}, element("summary", {}, "As text"), element("pre", { tabindex: "0" }, dump.text)),
        );
        id("dump-verdict").focus({ preventScroll: true });
        id("dump-verdict").scrollIntoView({ block: "start" });
    }

    /** What to do about a finding, and where the course shows it: the row of this page's table has the link. */
    function todo({ what, kind }, advice) {
        const row = id(`kind-${what === "circle" ? "circle" : kind}`)?.closest("tr");
        const link = row?.querySelector("a")?.cloneNode(true);
        const words = element("p", { class: "todo" }, element("strong", {}, "Do: "), advice ?? "");
        if (link) words.append(" Shown in ", link, ".");
        return words;
    }

    /** What lasts through several dumps. */
    function together({ series, together: [first, ...lines] }) {
        if (!first) return [];
        const rows = series.still.map((one) =>
            element(
                "tr",
                {},
                element("td", {}, many(one.threads)),
                element("td", {}, one.sentence.replace(/^\S+ /, "")),
                element("td", {}, element("details", {}, element("summary", {}, "names"), one.names.join(", "))),
            ),
        );
        const others = lines.filter((line) => !line.startsWith("Not moved: "));
        return [
            element("h3", {}, "The dumps together"),
            element("p", {}, `${first}.`),
            ...(rows.length ? [table(["threads", "have not moved", "who"], rows)] : []),
            ...(others.length ? [element("ul", {}, ...others.map((line) => element("li", {}, line)))] : []),
        ];
    }

    /** Executors and task scopes, each within the one that has opened it. */
    function scopes(found) {
        if (!found.length) return [];
        const names = new Set(found.map((one) => one.name));
        const within = (parent) => found.filter((one) => (parent === null ? !names.has(one.parent) : one.parent === parent));
        const tree = (parent, depth) => {
            const list = element("ul");
            for (const one of within(parent).slice(0, 60)) {
                const more = one.threads > one.names.length ? ", …" : "";
                const item = element("li", {}, element("code", {}, one.name), one.threads ? `: ${many(one.threads)} × ${one.names.join(", ")}${more}` : "");
                if (depth < 20 && within(one.name).length) item.append(tree(one.name, depth + 1));
                list.append(item);
            }
            return list;
        };
        return [element("h3", {}, "Executors and task scopes"), tree(null, 0)];
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

    const choose = (files) => files.length && open(files, files.length === 1 ? files[0].name : `${files.length} files`);

    const drop = id("dump-drop");
    for (const kind of ["dragover", "dragleave", "drop"]) {
        drop.addEventListener(kind, (event) => {
            event.preventDefault();
            drop.classList.toggle("over", kind === "dragover");
            if (kind === "drop") choose([...event.dataTransfer.files]);
        });
    }
    id("dump-file").addEventListener("change", ({ target }) => {
        choose([...target.files]);
    });
    id("dump-read").addEventListener("click", () => open([new Blob([id("dump-text").value])], "the pasted text"));
    for (const button of document.querySelectorAll("[data-sample]")) {
        const { sample } = button.dataset;
        button.addEventListener("click", () => open([new Blob([window.whatwaitsSamples[sample]])], `the sample “${button.textContent}”`));
    }
})();
