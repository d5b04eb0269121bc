// Puts a player into the place of the picture beside its script. What it plays: the lanes' names, the threads
// (name, colour, colour of text on it), the bars (thread, lane, from, until), the end, the state, a title; times in ms.
// It takes so many seconds; the slider has the accent's colour.
(script, run) => {
    const picture = script?.parentElement?.querySelector("img");
    if (!picture) return;
    const LANE = 34, AXIS = 24, NAMED = 6, LEGEND = 12;
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

    // the moments at which a thread mounts or unmounts; those that no eye could tell apart are one
    const moments = [0];
    const changes = run.bars.flatMap(([, , from, until]) => [from, until]).sort((a, b) => a - b);
    for (const change of [...changes, run.end])
        if (change - moments.at(-1) > run.end / 500) moments.push(change);
    moments[moments.length - 1] = run.end;

    const height = run.lanes.length * LANE;
    const id = "replay-" + Math.random().toString(36).slice(2);
    const bar = ([thread, lane, from, until]) => svg("rect", {
        x: share(from), width: share(until - from), y: lane * LANE + 4, height: LANE - 8, fill: run.threads[thread][1],
    });
    const names = run.legend ? run.bars.map(([thread, lane, from, until]) => ({
        part: (until - from) / run.end,
        room: 7 * run.threads[thread][0].length + 4,
        text: svg("text", {
            x: share((from + until) / 2), y: lane * LANE + LANE / 2 + 4, class: "name", fill: run.threads[thread][2],
        }, run.threads[thread][0]),
    })) : [];
    const seen = svg("rect", {height});
    const now = svg("line", {y1: 0, y2: height, class: "now"});
    const ticks = svg("g");
    const plot = svg("svg", {height: height + AXIS, role: "img", "aria-label": run.title},
        svg("clipPath", {id}, seen),
        ticks,
        svg("g", {class: "later"}, ...run.bars.map(bar)),
        svg("g", {"clip-path": `url(#${id})`}, ...run.bars.map(bar), ...names.map(name => name.text)),
        svg("line", {x2: "100%", y1: height, y2: height, class: "axis"}),
        now);
    const chips = run.legend && run.threads.length <= LEGEND
        ? run.threads.map(([name, color]) => html("span", {}, html("i", {style: "background:" + color}), name)) : [];
    const play = html("button", {type: "button"}, "Play");
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
            .lanes div { height: ${LANE}px; line-height: ${LANE}px; text-align: right }
            svg { width: 100%; overflow: visible; cursor: pointer; touch-action: none }
            text { font: 12px sans-serif; text-anchor: middle }
            .name { font: bold 11px sans-serif }
            rect { stroke: currentColor; stroke-opacity: .35; stroke-width: .5 }
            .later { opacity: .2 }
            .axis { stroke: currentColor; stroke-opacity: .6 }
            .grid { stroke: currentColor; stroke-opacity: .15 }
            .now { stroke: currentColor; stroke-width: 1.5 }
            input { width: calc(100% + 16px); margin: 2px -8px; accent-color: ${run.accent}; cursor: pointer }
            .row { display: flex; flex-wrap: wrap; align-items: center; gap: 6px 8px; margin: 6px 0 }
            .row span { opacity: .75 }
            .row span.here { opacity: 1; text-decoration: underline 2px }
            i { display: inline-block; width: 11px; height: 11px; margin-right: 4px; border: .5px solid currentColor }
            button { font: inherit; color: inherit; background: transparent; border: 1px solid currentColor;
                border-radius: 4px; padding: 2px 10px; cursor: pointer }
            button:first-child { min-width: 64px }
            :focus-visible { outline: 2px solid currentColor; outline-offset: 2px }
            output { margin-left: 8px }
        `),
        html("div", {role: "group", "aria-label": "Replay of a run"},
            html("div", {class: "title"}, run.title),
            html("div", {class: "plot"},
                html("div", {class: "lanes", "aria-hidden": "true"}, ...run.lanes.map(lane => html("div", {}, lane))),
                plot, html("span"), slider),
            html("div", {class: "row"}, play, back, on, said),
            html("div", {class: "row", "aria-hidden": "true"}, ...chips)));

    let moment = run.end, stop = null; // what ends the playing
    const show = at => {
        moment = Math.min(Math.max(at, 0), run.end);
        const mounted = run.bars.filter(([, , from, until]) => from <= moment && moment < until);
        const here = [...new Set(mounted.map(([thread]) => thread))].sort((a, b) => a - b);
        const who = here.length === 0 ? "no thread"
            : here.length <= NAMED ? here.map(thread => run.threads[thread][0]).join(", ") : here.length + " threads";
        const words = `${moment.toFixed(digits)} ms: ${who} ${run.state}`;
        seen.setAttribute("width", share(moment));
        now.setAttribute("x1", share(moment));
        now.setAttribute("x2", share(moment));
        slider.value = moment;
        slider.setAttribute("aria-valuetext", words);
        said.textContent = words;
        chips.forEach((chip, thread) => chip.classList.toggle("here", here.includes(thread)));
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

    play.addEventListener("click", toggle);
    back.addEventListener("click", () => step(-1));
    on.addEventListener("click", () => step(1));
    slider.addEventListener("input", () => { pause(); show(Number(slider.value)); });
    plot.addEventListener("pointerdown", event => { plot.setPointerCapture(event.pointerId); drag(event); });
    plot.addEventListener("pointermove", event => { if (plot.hasPointerCapture(event.pointerId)) drag(event); });
    const keys = {
        ArrowRight: () => step(1), ArrowUp: () => step(1), ArrowLeft: () => step(-1), ArrowDown: () => step(-1),
        Home: () => { pause(); show(0); }, End: () => { pause(); show(run.end); }, " ": toggle,
    };
    host.shadowRoot.addEventListener("keydown", event => {
        const pressed = event.key === " " && event.target.localName === "button"; // that button's own key
        if (!keys[event.key] || pressed || event.ctrlKey || event.metaKey || event.altKey) return;
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
    show(run.end);
    pause();
    // plays once, when it first comes into view
    new IntersectionObserver((entries, watch) => {
        if (!entries.some(entry => entry.isIntersecting)) return;
        watch.disconnect();
        if (!still.matches && !stop && moment >= run.end) start();
    }, {threshold: 0.6}).observe(host);
}
