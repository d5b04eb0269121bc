// The pages with sliders: a prediction first, then the model (window.waitsModel) answers while a slider moves, and what
// was measured (window.waitsMarks) stands beside its line. Nothing moves by itself.
(() => {
    const model = window.waitsModel();
    const measured = window.waitsMarks;
    // a slider changes one setting: most of what the picture shows has been computed before
    const known = new Map();
    function ask(what, ...settings) {
        const key = `${what} ${settings}`;
        if (!known.has(key)) {
            const text = model[what](...settings);
            known.set(key, text.split(",").map((one) => (one === "" ? NaN : Number(one))));
        }
        return known.get(key);
    }
    const many = (number) => (number < 10 ? Number(number.toPrecision(2)) : Math.round(number)).toLocaleString("en");
    const CAPACITY = 12;

    // --- the explorables: sliders, a question, and what the model says ---

    const pool = {
        question: "1,000 clients send one request after another, each of which waits 50 ms. How many requests per second does a pool of 200 threads serve?",
        start: { clients: 1000, threads: 200, wait: 50, compute: 0 },
        unit: "requests/s",
        sliders: [
            ["clients", "clients", 10, 1000, 10, ""],
            ["threads", "threads of the pool", 5, 1000, 5, ""],
            ["wait", "a request waits", 5, 500, 5, " ms"],
            ["compute", "and computes, on 2 CPUs", 0, 10, 0.5, " ms"],
        ],
        presets: [
            ["as measured", "clients=1000&threads=200&wait=50&compute=0"],
            ["a larger pool", "clients=1000&threads=1000&wait=50&compute=0"],
            ["the CPUs are the limit", "clients=1000&threads=200&wait=50&compute=5"],
            ["fewer clients than threads", "clients=100&threads=200&wait=50&compute=0"],
        ],
        run({ clients, threads, wait, compute }) {
            const of = (size, n) => ask("pool", n, size, wait, compute);
            const [x, w, inside] = of(threads, clients);
            const [free, alone] = of(0, clients);
            // few points, and the one at which the pool is full: a line between them is what the law says
            const line = (size) => [...new Set([1, 250, 500, 750, 1000, clients, ...(size ? [size] : [])])].sort((a, b) => a - b).map((n) => [n, of(size, n)[0]]);
            const alike = wait === 50 && compute === 0;
            const marks = measured.pool
                .filter((one) => alike && (one.contender === "virtual" || (one.contender === "pool of 200" ? threads === 200 : threads === one.n)))
                .map((one) => ({ x: one.n, y: one["requests/s"], kind: one.kind }));
            const ceiling = compute > 0 ? Math.min((1000 * threads) / (wait + compute), 2000 / compute) : (1000 * threads) / wait;
            return {
                value: x,
                answer: `With ${many(clients)} clients a pool of ${many(threads)} serves ${many(x)} requests per second; each takes ${many(w)} ms. L = λ · W: ${many((x * w) / 1000)} = ${many(x)} × ${(w / 1000).toPrecision(3)} s. With a virtual thread for each: ${many(free)} per second, ${many(alone)} ms.`,
                note: `The ceiling of this pool is ${many(ceiling)} per second.${alike ? "" : " Rings of what was measured appear where 50 ms are waited and nothing is computed."}${marks.some((one) => one.kind === "platform" && one.x === 1000 && threads === 1000) ? " 1,000 platform threads were measured below the model, which leaves out the CPU time of handing over." : ""}`,
                chart: {
                    x: ["clients", 1000],
                    y: ["requests per second"],
                    lines: [
                        { name: "a virtual thread each", kind: "virtual", points: line(0) },
                        { name: `pool of ${many(threads)}`, kind: "platform", points: line(threads) },
                    ],
                    marks,
                    here: [clients, x],
                },
            };
        },
    };

    const JAVAS = [21, 25, 26, 27];
    const holds = (what, java) => {
        const row = measured.holds.find((one) => one.what === what && java >= one.from && (one.until === "" || java <= one.until));
        return row ? (row.carrier === "held" ? "HOLD" : "COMPENSATED") : "WAIT";
    };
    const carriers = {
        question: "Six virtual threads wait inside synchronized for half a second, on two carriers. After 100 ms a newcomer starts. How long does it wait for a carrier on Java 21?",
        start: { what: "synchronized", threads: 6, carriers: 2, wait: 500 },
        unit: "ms",
        choice: ["what", "the threads wait in", [...new Set(measured.newcomers.map((one) => one.what))].filter((what) => measured.newcomers.some((one) => one.what === what && one.java === 25))],
        words: (what) => measured.holds.find((one) => one.what === what)?.["in words"] ?? "Thread.sleep",
        sliders: [
            ["threads", "threads that wait", 0, 12, 1, ""],
            ["carriers", "carriers", 1, 8, 1, ""],
            ["wait", "for", 100, 1000, 50, " ms"],
        ],
        presets: [
            ["synchronized", "what=synchronized&threads=6&carriers=2&wait=500"],
            ["a slow file", "what=file&threads=6&carriers=2&wait=500"],
            ["fewer waits than carriers", "what=synchronized&threads=2&carriers=4&wait=500"],
        ],
        run({ what, threads, carriers: number, wait }) {
            const rows = JAVAS.map((java) => {
                const [waits] = ask("newcomer", holds(what, java), threads, number, wait);
                const mark = measured.newcomers.find((one) => one.what === what && one.java === java && one.kind === "virtual");
                return { name: `Java ${java}`, value: waits, mark: threads === 6 && number === 2 && wait === 500 ? mark?.waits : undefined };
            });
            const late = rows.filter((row) => row.value > 0);
            const named = (some) => some.map((row) => row.name.replace("Java ", "")).join(", ");
            const soon = rows.filter((row) => row.value === 0);
            const parts = [];
            if (late.length) parts.push(`On Java ${named(late)} the newcomer waits ${many(late[0].value)} ms for a carrier, because the waiting threads hold ${number === 1 ? "the only one" : number === 2 ? "both" : `all ${number}`}.`);
            if (soon.length) parts.push(`On Java ${named(soon)} it runs at once.`);
            return {
                value: rows[0].value,
                answer: parts.join(" "),
                note: rows.some((row) => row.mark !== undefined) ? "" : "Rings of what was measured appear at six threads, two carriers and 500 ms.",
                lanes: { x: ["the newcomer waits (ms)", Math.max(0.8 * wait, 100)], rows },
            };
        },
    };

    const door = {
        question: "A warehouse can serve 400 orders per second. 600 come, and whoever waits for more than 360 ms has left. How many good answers per second are there without a limit?",
        start: { load: 150, permits: 24, patience: 360, takes: 30 },
        unit: "good answers per second",
        sliders: [
            ["load", "orders that come, of the capacity", 25, 300, 25, " %"],
            ["permits", "permits of the limit", 1, 200, 1, ""],
            ["patience", "patience of a client", 60, 1200, 20, " ms"],
            ["takes", "an order takes", 10, 100, 5, " ms"],
        ],
        presets: [
            ["as measured", "load=150&permits=24&patience=360&takes=30"],
            ["too many permits", "load=150&permits=200&patience=360&takes=30"],
            ["too few permits", "load=150&permits=6&patience=360&takes=30"],
            ["a slow day", "load=300&permits=24&patience=360&takes=60"],
        ],
        run({ load, permits, patience, takes }) {
            const capacity = (1000 * CAPACITY) / takes;
            const of = (share, number, runs) => ask("door", (capacity * share) / 100, number, patience, takes, runs);
            const [good, refused, p99] = of(load, permits, 3);
            const [open] = of(load, 0, 3);
            const grid = [25, 75, 100, 125, 150, 200, 300];
            const line = (number) => grid.map((share) => [share, of(share, number, 1)[0]]);
            const alike = permits === 24 && patience === 360 && takes === 30;
            const marks = measured.doors
                .filter((one) => alike && (one.contender === "filter" || one.contender === "no limit"))
                .map((one) => ({ x: 150, y: one["good/s"], kind: one.contender === "filter" ? "other" : "virtual" }));
            return {
                value: open,
                answer: `At ${load} % a limit of ${permits} permits leaves ${many(good)} good answers per second, of a capacity of ${many(capacity)}${Number.isNaN(p99) ? "" : `; 99 % of them within ${many(p99)} ms`}. It refuses ${many(refused)}. Without a limit: ${many(open)}.`,
                note: `By Little's law ${permits} permits before a warehouse with room for 12 mean ${many(Math.max(1, permits / CAPACITY) * takes)} ms.${alike ? "" : " Rings of what was measured appear at 24 permits, 360 ms and 30 ms."}`,
                chart: {
                    x: ["orders that come (% of the capacity)", 300],
                    y: ["good answers per second", capacity],
                    lines: [
                        { name: "no limit", kind: "virtual", points: line(0) },
                        { name: `limit of ${permits}`, kind: "other", points: line(permits) },
                    ],
                    marks,
                    here: [load, good],
                },
            };
        },
    };

    // how long each part of each thread computed in the recorded run, and when its second carrier began
    const busy = Object.values(Object.groupBy(measured.replay, (one) => one.thread)).map((own) => own.map((one) => one["until (ms)"] - one["from (ms)"]));
    const PARTS = busy[0].length;
    const lag = measured.replay[1]["from (ms)"] - measured.replay[0]["from (ms)"];
    const mean = Math.round(busy.flat().reduce((sum, one) => sum + one) / busy.flat().length);
    const follow = {
        question: `Seven virtual threads compute three times, ${mean} ms on average, and sleep for 50 ms in between. They share two carriers. After how many ms has the last one ended?`,
        start: { follow: 1, threads: 7, carriers: 2, sleeps: 50 },
        unit: "ms",
        sliders: [
            ["follow", "follow thread", 1, 12, 1, ""],
            ["threads", "threads", 1, 12, 1, ""],
            ["carriers", "carriers, each with a CPU", 1, 4, 1, ""],
            ["sleeps", "each sleeps, twice", 0, 300, 10, " ms"],
        ],
        presets: [
            ["as measured", "follow=1&threads=7&carriers=2&sleeps=50"],
            ["one carrier", "follow=1&threads=7&carriers=1&sleeps=50"],
            ["more carriers than threads", "follow=1&threads=3&carriers=4&sleeps=50"],
            ["long sleeps", "follow=1&threads=7&carriers=2&sleeps=300"],
        ],
        run({ follow: chosen, threads, carriers: number, sleeps }) {
            const figures = ask("mounts", busy.flat().map((ms) => `${Math.round(1000 * ms)};`).join(""), PARTS, threads, number, sleeps, lag);
            const bars = Array.from({ length: figures.length / 4 }, (_, i) => figures.slice(4 * i, 4 * i + 4)).map(([thread, carrier, from, until]) => ({ thread: thread + 1, carrier: carrier + 1, from, until }));
            const end = Math.max(...bars.map((bar) => bar.until));
            const thread = Math.min(chosen, threads);
            const own = bars.filter((bar) => bar.thread === thread);
            const computes = own.reduce((sum, bar) => sum + bar.until - bar.from, 0);
            const waits = Math.max(0, own.at(-1).until - computes - sleeps * (PARTS - 1));
            const on = new Set(own.map((bar) => bar.carrier));
            const alike = threads === 7 && number === 2 && sleeps === 50;
            const ran = measured.replay.filter((one) => one.thread === `v${thread}`).map((one) => ({ carrier: Number(one.carrier.split("-").at(-1)), from: one["from (ms)"], until: one["until (ms)"] }));
            return {
                value: end,
                answer: `Thread ${thread} runs on carrier ${own.map((bar) => bar.carrier).join(", then ")}${on.size === 1 ? ", always the same" : ""}. It computes for ${many(computes)} ms, sleeps for ${many(sleeps * (PARTS - 1))} ms, and waits ${many(waits)} ms for a carrier. All ${many(threads)} have ended after ${many(end)} ms.`,
                note: alike ? `In the recorded run all ended after ${many(measured.replay.at(-1)["until (ms)"])} ms. Which carrier a thread gets may differ: they are alike.` : "What was measured appears at seven threads, two carriers and 50 ms.",
                trace: { bars, carriers: number, thread, end, ran: alike ? ran : [] },
            };
        },
    };

    const WAYS = [
        ["Java 25, woken by a timer", "timer", 25, "a timer"],
        ["Java 25, woken by a socket", "timer", 25, "a socket"],
        ["Java 25, woken by the thread that computes", "computing", 25, "the thread that computes"],
        ["Java 25, woken by the thread that starts them", "starter", 25, "the thread that starts them"],
        ["Java 21, woken by a timer", "timer", 21, "a timer"],
    ];
    const overtake = {
        question: "A timer wakes a virtual thread after 20 ms, but the only carrier is busy until 65 ms. At 45 ms, 20 newcomers come; each computes for 5 ms. On Java 25, how long after it was woken does the thread run?",
        start: { newcomers: 20, computes: 5, until: 65, permits: 0 },
        unit: "ms",
        sliders: [
            ["newcomers", "newcomers, after 45 ms", 0, 40, 1, ""],
            ["computes", "each computes", 1, 20, 1, " ms"],
            ["until", "the carrier is busy until", 50, 200, 5, " ms"],
            ["permits", "permits of a limit (0: no limit)", 0, 20, 1, ""],
        ],
        presets: [
            ["as measured", "newcomers=20&computes=5&until=65&permits=0"],
            ["a limit of four", "newcomers=20&computes=5&until=65&permits=4"],
            ["a burst", "newcomers=40&computes=10&until=65&permits=0"],
        ],
        run({ newcomers, computes, until, permits }) {
            const of = (way, java) => ask("overtaken", way, java > 21, newcomers, computes, until, permits);
            const measuredAt = newcomers === 20 && computes === 5 && until === 65;
            const rows = WAYS.map(([name, way, java, what]) => ({
                name,
                value: of(way, java)[0],
                mark: measuredAt ? measured.overtaken.find((one) => one.java === java && one.what === what && one.permits === permits)?.late : undefined,
            }));
            const [late, before] = of("timer", 25);
            const [soon] = of("timer", 21);
            return {
                value: late,
                answer: `Woken by a timer or a socket on Java 25, the thread runs ${many(late)} ms after it was woken: ${before === 0 ? "no newcomer runs" : before === 1 ? "one newcomer runs" : `${many(before)} newcomers run`} before it. In order, as on Java 21, it would be ${many(soon)} ms.`,
                note: rows.some((row) => row.mark !== undefined) ? "" : "Rings of what was measured appear at 20 newcomers, 5 ms and 65 ms, without a limit or with one of four.",
                lanes: { x: ["from the wake-up until it runs (ms)", Math.max(...rows.map((row) => row.value), ...rows.map((row) => row.mark ?? 0))], rows, above: true },
            };
        },
    };

    const EXPLORABLES = { pool, carriers, door, follow, overtake };

    // --- the picture ---

    const SVG = "http://www.w3.org/2000/svg";
    function draw(tag, attributes, text) {
        const made = document.createElementNS(SVG, tag);
        for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
        if (text !== undefined) made.textContent = text;
        return made;
    }

    /** Round numbers from 0 to a bit more than the most. */
    function ticks(most, count) {
        const raw = most / count;
        const power = 10 ** Math.floor(Math.log10(raw));
        const step = [1, 2, 5, 10].map((one) => one * power).find((one) => one >= raw);
        return Array.from({ length: Math.floor(most / step + 1e-9) + 1 }, (_, i) => i * step);
    }

    function frame(width, height, words) {
        const svg = draw("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": words });
        svg.append(draw("rect", { x: 0, y: 0, width, height, class: "ground" }));
        return svg;
    }

    function chart({ x, y, lines, marks, here }, width, words) {
        const height = Math.round(Math.min(400, Math.max(280, width * 0.6)));
        const [left, right, top, bottom] = [64, 14, 34, 48];
        const svg = frame(width, height, words);
        const most = 1.08 * Math.max(y[1] ?? 0, ...lines.flatMap((line) => line.points.map((point) => point[1])), ...marks.map((mark) => mark.y), 1e-9);
        const at = (vx) => left + ((width - left - right) * vx) / x[1];
        const up = (vy) => height - bottom - ((height - top - bottom) * vy) / most;
        for (const tick of ticks(most, 4)) {
            svg.append(draw("path", { d: `M${left} ${up(tick)}H${width - right}`, class: "grid" }));
            svg.append(draw("text", { x: left - 8, y: up(tick) + 4, "text-anchor": "end" }, tick.toLocaleString("en")));
        }
        for (const tick of ticks(x[1], width < 420 ? 4 : 6)) {
            svg.append(draw("text", { x: at(tick), y: height - bottom + 20, "text-anchor": tick === x[1] ? "end" : "middle" }, tick.toLocaleString("en")));
        }
        svg.append(draw("text", { x: left - 54, y: 18 }, y[0]));
        svg.append(draw("text", { x: width - right, y: height - 8, "text-anchor": "end" }, x[0]));
        const taken = [];
        for (const line of lines) {
            const path = line.points.map(([px, py], i) => `${i ? "L" : "M"}${at(px).toFixed(1)} ${up(py).toFixed(1)}`).join("");
            svg.append(draw("path", { d: path, class: `line ${line.kind}` }));
            // above its end, or where another name stands there, further down
            let place = Math.max(top + 2, up(line.points.at(-1)[1]) - 9);
            while (taken.some((other) => Math.abs(other - place) < 17)) place += 17;
            taken.push(place);
            svg.append(draw("text", { x: width - right - 2, y: place, "text-anchor": "end", class: `name ${line.kind}` }, line.name));
        }
        svg.append(draw("path", { d: `M${at(here[0])} ${height - bottom}V${top}`, class: "cut" }));
        svg.append(draw("circle", { cx: at(here[0]), cy: up(here[1]), r: 5, class: "here" }));
        for (const mark of marks) svg.append(draw("circle", { cx: at(mark.x), cy: up(mark.y), r: 9, class: `mark ${mark.kind}` }));
        if (marks.length) svg.append(...legend(left + 12, top + 12, "measured"));
        return svg;
    }

    function legend(x, y, words) {
        return [draw("circle", { cx: x, cy: y - 4, r: 7, class: "mark" }), draw("text", { x: x + 14, y }, words)];
    }

    function lanes({ x, rows, above }, width, words) {
        // a long name stands above its bar
        const [left, right, lane, down] = above ? [10, 16, 58, 14] : [76, 16, 46, 0];
        const height = rows.length * lane + 74;
        const svg = frame(width, height, words);
        const at = (vx) => left + ((width - left - right) * vx) / (1.1 * x[1]);
        for (const tick of ticks(x[1], 4)) {
            svg.append(draw("path", { d: `M${at(tick)} 26V${height - 46}`, class: "grid" }));
            svg.append(draw("text", { x: at(tick), y: height - 28, "text-anchor": "middle" }, tick.toLocaleString("en")));
        }
        rows.forEach((row, i) => {
            const y = 30 + i * lane + down;
            svg.append(draw("text", { x: above ? left : 6, y: above ? y : y + 24 }, row.name));
            if (row.value > 0) svg.append(draw("rect", { x: left, y: y + 8, width: at(row.value) - left, height: 22, class: "bar virtual" }));
            const spoken = row.value > 0 ? `${many(row.value)} ms` : "at once";
            const inside = at(row.value) - left > 90;
            svg.append(draw("text", { x: inside ? left + 10 : at(row.value) + 18, y: y + 24, class: inside ? "on" : "" }, spoken));
            if (row.mark !== undefined) svg.append(draw("circle", { cx: at(row.mark), cy: y + 19, r: 9, class: "mark virtual" }));
        });
        svg.append(draw("text", { x: width - right, y: height - 8, "text-anchor": "end" }, x[0]));
        if (rows.some((row) => row.mark !== undefined)) svg.append(...legend(left + 8, 18, "measured"));
        return svg;
    }

    /** Who was on which carrier, and below it the stays of one thread: the model's, and what was measured. */
    function trace({ bars, carriers: number, thread, end, ran }, width, words) {
        const [left, right, lane] = [86, 14, 34];
        const rows = number + 1 + (ran.length ? 1 : 0);
        const height = rows * lane + 84;
        const svg = frame(width, height, words);
        const most = Math.max(end, ...ran.map((bar) => bar.until));
        const at = (ms) => left + ((width - left - right) * ms) / most;
        const row = (i) => 12 + i * lane + (i >= number ? 14 : 0);
        for (const tick of ticks(most, width < 420 ? 3 : 5)) {
            svg.append(draw("path", { d: `M${at(tick)} 8V${height - 46}`, class: "grid" }));
            svg.append(draw("text", { x: at(tick), y: height - 28, "text-anchor": "middle" }, tick.toLocaleString("en")));
        }
        svg.append(draw("text", { x: width - right, y: height - 8, "text-anchor": "end" }, "time (ms)"));
        const named = (i, name) => svg.append(draw("text", { x: 6, y: row(i) + 19 }, name));
        function stay(bar, i, words, kind) {
            const wide = Math.max(1, at(bar.until) - at(bar.from) - 1);
            const box = draw("rect", { x: at(bar.from), y: row(i) + 2, width: wide, height: 24, class: kind });
            svg.append(box);
            if (wide > 7 * String(words).length + 4) svg.append(draw("text", { x: at(bar.from) + wide / 2, y: row(i) + 19, "text-anchor": "middle", class: kind === "bar virtual" ? "on" : "" }, words));
            return box;
        }
        for (let i = 0; i < number; i++) named(i, `carrier ${i + 1}`);
        for (const bar of bars) stay(bar, bar.carrier - 1, bar.thread, bar.thread === thread ? "bar virtual" : "bar rest").dataset.follow = bar.thread;
        named(number, "its carriers");
        for (const bar of bars.filter((one) => one.thread === thread)) stay(bar, number, bar.carrier, "bar virtual");
        if (ran.length) named(number + 1, "measured");
        for (const bar of ran) stay(bar, number + 1, bar.carrier, "mark virtual");
        return svg;
    }

    /** The picture with the colours that the page gives it, so that it stands alone. */
    function alone(svg) {
        const copy = svg.cloneNode(true);
        const parts = [...svg.querySelectorAll("*")];
        [...copy.querySelectorAll("*")].forEach((part, i) => {
            const style = getComputedStyle(parts[i]);
            for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-family", "font-weight"]) {
                part.style.setProperty(name, style.getPropertyValue(name));
            }
            part.removeAttribute("class");
        });
        copy.setAttribute("xmlns", SVG);
        return new XMLSerializer().serializeToString(copy);
    }

    async function save(svg, name) {
        const picture = new Image();
        picture.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(alone(svg))}`;
        await picture.decode();
        const canvas = document.createElement("canvas");
        const box = svg.viewBox.baseVal;
        [canvas.width, canvas.height] = [2 * box.width, 2 * box.height];
        canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
        const link = document.createElement("a");
        link.href = canvas.toDataURL("image/png");
        link.download = `${name}.png`;
        link.click();
    }

    // --- the page ---

    function element(tag, attributes = {}, ...inside) {
        const made = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
        made.append(...inside);
        return made;
    }

    function build(home) {
        const name = home.dataset.explorable;
        const it = EXPLORABLES[name];
        // in a lesson the address is that of a cell
        const inside = home.dataset.scripts !== undefined;
        const explained = inside ? [] : document.querySelectorAll('[data-after="explorable"]');
        const settings = { ...it.start };
        const controls = element("div", { class: "sliders" });
        const answer = element("p", { class: "answer", "aria-live": "polite" });
        const note = element("p", { class: "note" });
        const picture = element("div", { class: "picture" });
        const fields = {};

        if (it.choice) {
            const [key, label, options] = it.choice;
            const field = element("select", { id: `${name}-${key}` }, ...options.map((one) => new Option(it.words(one), one)));
            field.addEventListener("change", () => change(key, field.value));
            fields[key] = { field };
            controls.append(element("p", { class: "wide" }, element("label", { for: field.id }, label), field));
        }
        for (const [key, label, min, max, step, unit] of it.sliders) {
            const field = element("input", { type: "range", id: `${name}-${key}`, min, max, step });
            const shown = element("output", { for: field.id });
            field.addEventListener("input", () => change(key, Number(field.value)));
            fields[key] = { field, shown, unit };
            controls.append(element("p", {}, element("label", { for: field.id }, label, " ", shown), field));
        }

        function write() {
            for (const [key, { field, shown, unit }] of Object.entries(fields)) {
                field.value = settings[key];
                const words = `${many(settings[key])}${unit}`;
                if (shown) {
                    shown.textContent = words;
                    field.setAttribute("aria-valuetext", words);
                }
            }
        }

        let asked = 0;
        function change(key, value) {
            settings[key] = value;
            write();
            cancelAnimationFrame(asked);
            asked = requestAnimationFrame(show);
        }

        let kept;
        function show() {
            const said = it.run(settings);
            const width = Math.max(280, Math.floor(picture.clientWidth));
            const svg = said.chart ? chart(said.chart, width, said.answer) : said.trace ? trace(said.trace, width, said.answer) : lanes(said.lanes, width, said.answer);
            picture.replaceChildren(svg);
            answer.textContent = said.answer;
            note.textContent = said.note;
            clearTimeout(kept);
            if (!inside) kept = setTimeout(() => history.replaceState(null, "", `#${new URLSearchParams(settings)}`), 300);
            return said;
        }

        function follow(address) {
            for (const [key, value] of new URLSearchParams(new URL(address).hash.slice(1))) {
                if (!(key in settings)) continue;
                const limits = it.sliders.find((one) => one[0] === key);
                if (limits && Number.isFinite(Number(value))) settings[key] = Math.min(limits[3], Math.max(limits[2], Number(value)));
                if (!limits && it.choice[2].includes(value)) settings[key] = value;
            }
            write();
        }

        const presets = element("p", { class: "presets" }, "Try: ");
        for (const [words, hash] of it.presets) {
            const link = element("a", { href: `#${hash}` }, words);
            // the address may have these settings already, and a slider others
            link.addEventListener("click", (event) => {
                if (inside) event.preventDefault();
                follow(link.href);
                show();
            });
            presets.append(link, " ");
        }
        const picturing = element("button", { type: "button" }, "Save as picture");
        picturing.addEventListener("click", () => save(picture.querySelector("svg"), name));
        // what the slider does, too
        picture.addEventListener("click", (event) => {
            if (event.target.dataset.follow) change("follow", Number(event.target.dataset.follow));
        });
        const verdict = element("p", { class: "verdict", tabindex: "-1" });
        const shown = element("div", { hidden: "" }, verdict, answer, picture, controls, note, presets, picturing);

        const guess = element("input", { type: "number", id: `${name}-guess`, min: 0, step: "any", inputmode: "numeric", required: "" });
        const form = element(
            "form",
            { class: "predict" },
            element("p", {}, element("strong", {}, "Predict. "), element("label", { for: guess.id }, it.question)),
            element("p", {}, guess, ` ${it.unit} `, element("button", { type: "submit" }, "Show"), " ", element("button", { type: "button" }, "Show without a guess")),
        );
        form.addEventListener("submit", (event) => {
            event.preventDefault();
            open(Number(guess.value));
        });
        form.querySelector("button[type=button]").addEventListener("click", () => open());

        function open(said) {
            form.hidden = true;
            shown.hidden = false;
            for (const part of explained) part.hidden = false;
            const { value } = show();
            verdict.hidden = said === undefined;
            if (said !== undefined) {
                const near = Math.abs(said - value) <= 0.1 * Math.max(value, 10);
                verdict.textContent = `You said ${many(said)}. The model says ${many(value)} ${it.unit}${near ? ": right" : ""}.`;
                verdict.focus({ preventScroll: true });
            }
        }

        home.replaceChildren(form, shown);
        for (const part of explained) part.hidden = true;
        if (!inside) window.addEventListener("hashchange", (event) => {
            // not what a slider has written into the address meanwhile
            follow(event.newURL);
            if (shown.hidden) open();
            else show();
        });
        let before = 0;
        new ResizeObserver(() => {
            if (!shown.hidden && picture.clientWidth !== before) {
                before = picture.clientWidth;
                show();
            }
        }).observe(picture);
        if (inside) return write();
        follow(location.href);
        // whoever follows a link to settings wants to see them
        if (location.hash.includes("=")) open();
    }

    for (const home of document.querySelectorAll("[data-explorable]")) build(home);
})();
