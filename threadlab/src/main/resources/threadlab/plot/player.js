// Puts a player into the place of the picture beside its script. What it plays: the lanes' names, the threads
// (name, colour, colour of text on it), the bars (thread, lane, from, until), the rows below the lanes and the rests in
// them, in the same form, a sentence on how these were inferred, the end, the state, a title; times in ms.
// It takes so many seconds; the slider has the accent's colour.
(script, run) => {
    const picture = script?.parentElement?.querySelector("img");
    if (!picture) return;
    const LANE = 34, AXIS = 24, NAMED = 6, LEGEND = 40, GAP = 10, FINGER = 16;
    const still = matchMedia("(prefers-reduced-motion: reduce)");
    const made = (element, attributes, ...inside) => {
        for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
        element.append(...inside);
        return element;
    };
    const html = (name, attributes = {}, ...inside) => made(document.createElement(name), attributes, ...inside);
    const svg = (name, attributes = {}, ...inside) =>
        made(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, ...inside);
    const share = ms => 100 * ms / run.end + "%";
    const digits = run.end < 50 ? 1 : 0;

    // each thread has a strip of its own in a row, where many are at once
    const strip = Math.min(10, 70 / run.threads.length), row = run.threads.length * strip + GAP;
    const lanes = run.lanes.length * LANE, height = lanes + run.rows.length * row;
    const stays = [
        ...run.bars.map(([thread, lane, from, until]) => ({
            thread, from, until, y: lane * LANE + 4, height: LANE - 8, is: `${run.state} on ${run.lanes[lane]}`,
        })),
        ...run.rests.map(([thread, lane, from, until]) => ({
            thread, from, until, lane, y: lanes + GAP + lane * row + thread * strip, height: strip - Math.min(1, strip / 4),
            is: run.rows[lane],
        })),
    ].sort((a, b) => a.from - b.from);
    let followed = null;
    const own = () => stays.filter(stay => followed === null || stay.thread === followed);

    // the moments at which a thread goes elsewhere; those that no eye could tell apart are one
    let moments = [];
    const findMoments = () => {
        moments = [0];
        const changes = own().flatMap(({from, until}) => [from, until]).sort((a, b) => a - b);
        for (const change of [...changes, run.end])
            if (change - moments.at(-1) > run.end / 500) moments.push(change);
        moments[moments.length - 1] = run.end;
    };

    const id = "replay-" + Math.random().toString(36).slice(2);
    const bar = ({thread, lane, from, until, y, height}) => {
        const box = {x: share(from), width: share(until - from), y, height};
        return svg("g", {class: "of", "data-thread": thread},
            svg("rect", {...box, fill: run.threads[thread][1]}),
            ...(lane === undefined ? [] : [svg("rect", {...box, fill: `url(#${id}-stripes)`})]));
    };
    const names = run.legend ? run.bars.map(([thread, lane, from, until]) => ({
        part: (until - from) / run.end,
        room: 7 * run.threads[thread][0].length + 4,
        text: svg("text", {
            x: share((from + until) / 2), y: lane * LANE + LANE / 2 + 4, class: "name of", fill: run.threads[thread][2],
            "data-thread": thread,
        }, run.threads[thread][0]),
    })) : [];
    const seen = svg("rect", {height});
    const now = svg("line", {y1: 0, y2: height, class: "now"});
    const ticks = svg("g"), way = svg("g");
    const plot = svg("svg", {height: height + AXIS, role: "img", "aria-label": run.title},
        svg("clipPath", {id}, seen),
        svg("pattern", {
            id: id + "-stripes", width: 5, height: 5, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)",
        }, svg("rect", {width: 2.5, height: 5, fill: "white", style: "stroke: none"})),
        ticks,
        svg("g", {class: "later"}, ...stays.map(bar)),
        svg("g", {"clip-path": `url(#${id})`}, ...stays.map(bar), ...names.map(name => name.text), way),
        svg("line", {x2: "100%", y1: height, y2: height, class: "axis"}),
        now);
    const chips = run.legend && run.threads.length <= LEGEND
        ? run.threads.map(([name, color], thread) => html("button", {type: "button", class: "chip", "data-thread": thread},
            html("i", {style: "background:" + color}), name)) : [];
    const play = html("button", {type: "button", class: "play"}, "Play");
    const back = html("button", {type: "button"}, "Step back");
    const on = html("button", {type: "button"}, "Step on");
    const slider = html("input", {type: "range", min: 0, max: run.end, step: "any", "aria-label": "time in ms"});
    const said = html("output");
    // the page's own shortcuts leave these keys alone (JupyterLab reads the attribute)
    const host = html("div", {class: "threadlab-player", "data-lm-suppress-shortcuts": "true"});
    host.attachShadow({mode: "open"}).append(
        html("style", {}, `
            :host { display: block; max-width: 780px; color: inherit; font: 13px/1.5 sans-serif; text-align: left }
            .title { font-weight: bold; margin: 6px 0 10px }
            .plot { display: grid; grid-template-columns: auto 1fr; column-gap: 10px; margin-right: 18px }
            .lanes { max-width: 7.5em; text-align: right }
            .lanes div { height: ${LANE}px; line-height: ${LANE}px }
            .lanes .rest { display: grid; align-items: center; height: ${row - GAP}px; margin-top: ${GAP}px; line-height: 1.3 }
            svg { width: 100%; overflow: visible; cursor: pointer; touch-action: pan-y }
            text { font: 12px sans-serif; text-anchor: middle }
            .name { font: bold 11px sans-serif }
            rect { stroke: currentColor; stroke-opacity: .35; stroke-width: .5 }
            .later { opacity: .2 }
            .following .of:not(.followed) { opacity: .12 }
            .way { stroke: currentColor; stroke-width: 1.5; stroke-dasharray: 3 2 }
            .axis { stroke: currentColor; stroke-opacity: .6 }
            .grid { stroke: currentColor; stroke-opacity: .15 }
            .now { stroke: currentColor; stroke-width: 1.5 }
            input { width: calc(100% + 16px); margin: 2px -8px; accent-color: ${run.accent}; cursor: pointer }
            .row { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 8px; margin: 6px 0 }
            .chip { padding: 2px 7px; border-color: transparent }
            .chip[aria-pressed=true] { border-color: currentColor }
            .here { text-decoration: underline 2px }
            .note { margin: 6px 0 }
            i { display: inline-block; width: 11px; height: 11px; margin-right: 4px; border: .5px solid currentColor }
            button { font: inherit; color: inherit; background: transparent; border: 1px solid currentColor;
                border-radius: 4px; padding: 2px 10px; cursor: pointer }
            .play { min-width: 64px }
            :focus-visible { outline: 2px solid currentColor; outline-offset: 2px }
            output { flex: 1 1 24em; font-variant-numeric: tabular-nums }
            @media (max-width: 480px) { .lanes { max-width: 5em } output { min-height: 3em } }
        `),
        html("div", {role: "group", "aria-label": "Replay of a run"},
            html("div", {class: "title"}, run.title),
            html("div", {class: "plot"},
                html("div", {class: "lanes", "aria-hidden": "true"}, ...run.lanes.map(lane => html("div", {}, lane)),
                    ...run.rows.map(lane => html("div", {class: "rest"}, lane))),
                plot, html("span"), slider),
            html("div", {class: "row"}, play, back, on, said),
            html("div", {class: "row", role: "group", "aria-label": "Follow a thread"}, ...chips),
            ...(run.inferred ? [html("p", {class: "note"}, run.inferred)] : [])));

    let moment = run.end, stop = null; // what ends the playing
    const show = at => {
        moment = Math.min(Math.max(at, 0), run.end);
        const there = stays.filter(({from, until}) => from <= moment && moment < until);
        const of = lane => [...new Set(there.filter(stay => stay.lane === lane).map(({thread}) => thread))];
        const here = of().sort((a, b) => a - b);
        const who = here.length === 0 ? "no thread"
            : here.length <= NAMED ? here.map(thread => run.threads[thread][0]).join(", ") : here.length + " threads";
        const rests = run.rows.map((name, lane) => `, ${name}: ${of(lane).length}`).join("");
        const does = followed === null ? `${who} ${run.state}${rests}`
            : `${run.threads[followed][0]} ${there.find(({thread}) => thread === followed)?.is ?? "is not recorded"}`;
        const words = `${moment.toFixed(digits)} ms: ${does}`;
        seen.setAttribute("width", share(moment));
        now.setAttribute("x1", share(moment));
        now.setAttribute("x2", share(moment));
        slider.value = moment;
        slider.setAttribute("aria-valuetext", words);
        said.textContent = words;
        chips.forEach((chip, thread) => chip.classList.toggle("here", here.includes(thread)));
    };
    // the others fade, and lines lead from where the thread was to where it goes
    const follow = thread => {
        followed = thread === followed ? null : thread;
        plot.classList.toggle("following", followed !== null);
        for (const part of plot.querySelectorAll(".of")) part.classList.toggle("followed", part.dataset.thread === `${followed}`);
        for (const [i, chip] of chips.entries()) chip.setAttribute("aria-pressed", i === followed);
        const middle = stay => stay.y + stay.height / 2;
        way.replaceChildren(...(followed === null ? [] : own().slice(1).map((stay, i) => svg("line", {
            x1: share(own()[i].until), x2: share(stay.from), y1: middle(own()[i]), y2: middle(stay), class: "way",
        }))));
        findMoments();
        show(moment);
    };
    const pause = () => {
        stop?.();
        stop = null;
        play.textContent = "Play";
        said.setAttribute("aria-live", "polite");
    };
    const step = by => {
        pause();
        const near = run.end / 1e6;
        show(by > 0 ? moments.find(at => at > moment + near) ?? run.end
            : moments.findLast(at => at < moment - near) ?? 0);
    };
    const start = () => {
        if (moment >= run.end) show(0);
        play.textContent = "Pause";
        said.setAttribute("aria-live", "off"); // it would be read aloud sixty times a second
        if (still.matches) {
            // nothing glides: from change to change
            const next = () => {
                const rest = moments.filter(at => at > moment);
                if (!rest.length || !host.isConnected) return pause();
                show(rest[0]);
                wait();
            };
            const wait = () => {
                const timer = setTimeout(next, 600);
                stop = () => clearTimeout(timer);
            };
            return wait();
        }
        let before = performance.now(), request = 0;
        const frame = time => {
            show(moment + Math.max(time - before, 0) / 1000 / run.seconds * run.end);
            before = time;
            if (moment >= run.end || !host.isConnected) return pause();
            request = requestAnimationFrame(frame);
        };
        request = requestAnimationFrame(frame);
        stop = () => cancelAnimationFrame(request);
    };
    const toggle = () => stop ? pause() : start();
    const drag = event => {
        const box = plot.getBoundingClientRect();
        pause();
        show((event.clientX - box.left) / box.width * run.end);
    };
    // strips are thinner than a finger: the nearest one is meant
    const tap = event => {
        const y = event.clientY - plot.getBoundingClientRect().top;
        const far = stay => Math.max(stay.y - y, y - stay.y - stay.height, 0);
        const near = stays.filter(stay => stay.from <= moment && moment <= stay.until && far(stay) < FINGER)
            .sort((a, b) => far(a) - far(b))[0];
        if (near || followed !== null) follow(near && near.thread !== followed ? near.thread : followed);
    };

    play.addEventListener("click", toggle);
    back.addEventListener("click", () => step(-1));
    on.addEventListener("click", () => step(1));
    slider.addEventListener("input", () => { pause(); show(Number(slider.value)); });
    let down = 0;
    plot.addEventListener("pointerdown", event => {
        plot.setPointerCapture(event.pointerId);
        down = event.clientX;
        drag(event);
    });
    plot.addEventListener("pointermove", event => { if (plot.hasPointerCapture(event.pointerId)) drag(event); });
    plot.addEventListener("pointerup", event => { if (Math.abs(event.clientX - down) < 5) tap(event); });
    chips.forEach((chip, thread) => chip.addEventListener("click", () => follow(thread)));
    const keys = {
        ArrowRight: () => step(1), ArrowUp: () => step(1), ArrowLeft: () => step(-1), ArrowDown: () => step(-1),
        Home: () => { pause(); show(0); }, End: () => { pause(); show(run.end); }, " ": toggle,
        Escape: () => follow(followed),
    };
    host.shadowRoot.addEventListener("keydown", event => {
        const pressed = event.key === " " && event.target.localName === "button"; // that button's own key
        if (!keys[event.key] || pressed || event.key === "Escape" && followed === null || event.ctrlKey || event.metaKey || event.altKey) return;
        event.preventDefault();
        event.stopPropagation();
        keys[event.key]();
    });

    // what depends on the width: which names fit into their bars, and how many ticks the axis has
    new ResizeObserver(() => {
        const width = plot.getBoundingClientRect().width;
        if (!width) return;
        for (const name of names) name.text.style.display = name.part * width > name.room ? "" : "none";
        const least = run.end / Math.max(width / 80, 1);
        const power = 10 ** Math.floor(Math.log10(least));
        const apart = [1, 2, 5, 10].map(by => by * power).find(by => by >= least);
        ticks.replaceChildren();
        for (let at = 0; at <= run.end; at += apart)
            ticks.append(
                svg("line", {x1: share(at), x2: share(at), y1: 0, y2: height, class: "grid"}),
                svg("text", {x: share(at), y: height + 16, fill: "currentColor"},
                    Number(at.toPrecision(6)).toLocaleString("en") + (at ? "" : " ms")));
    }).observe(plot);

    picture.replaceWith(host);
    follow(null);
    show(run.end);
    pause();
    // plays once, when it first comes into view
    new IntersectionObserver((entries, watch) => {
        if (!entries.some(entry => entry.isIntersecting)) return;
        watch.disconnect();
        if (!still.matches && !stop && moment >= run.end) start();
    }, {threshold: 0.6}).observe(host);
}
