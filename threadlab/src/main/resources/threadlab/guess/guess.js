// A reader's guess: a line over sizes, or a number on a scale, by mouse, finger and keyboard. In a notebook anywidget
// calls render; any other page calls guess(el, spec, told), which needs nothing else.

const SVG = "http://www.w3.org/2000/svg";
const PEN = "#F0E442", CASE = "#555555"; // as on the charts: Theme.GUESS
const STYLE = `
.guess { max-width: 660px; font: 14px/1.4 sans-serif; color: var(--jp-ui-font-color1, currentColor) }
.guess svg { display: block; width: 100%; overflow: visible; user-select: none; -webkit-user-select: none }
.guess svg > * { pointer-events: none }
.guess text { font-size: 13px; fill: currentColor }
.guess .grid { stroke: currentColor; opacity: 0.2 }
.guess .sheet { fill: currentColor; fill-opacity: 0.04; cursor: crosshair; touch-action: none; pointer-events: all !important }
.guess .case, .guess .pen { fill: none; stroke: ${CASE}; stroke-width: 9.5; stroke-linecap: round; stroke-linejoin: round }
.guess .pen { stroke: ${PEN}; stroke-width: 7 }
.guess .hint { opacity: 0.75; paint-order: stroke; stroke: var(--jp-layout-color1, Canvas); stroke-width: 6px }
.guess .handle { fill: transparent; outline: none }
.guess svg:not(.by-pen) .handle:focus-visible { stroke: currentColor; stroke-width: 2 }
.guess .said { display: flex; gap: 12px; align-items: baseline; min-height: 32px }
.guess button { font: inherit; color: inherit; background: none; border: 1px solid currentColor; border-radius: 4px;
    padding: 2px 10px; cursor: pointer; white-space: nowrap }
.guess button:disabled { opacity: 0.4; cursor: default }`;

const WORDS = {
    en: { draw: "Draw your guess here", tap: "Tap the scale, or type a number", yours: "Your guess:",
        kept: "Kept from last time:", at: (v, n) => `${v} at ${n}`,
        none: "no guess", undo: "Undo", log: "log scale", gone: "The kernel has ended: run this cell again to guess." },
    ko: { draw: "여기에 예상을 그려 보세요", tap: "눈금을 누르거나 숫자를 입력하세요", yours: "내 예상:",
        kept: "지난번 예상:", at: (v, n) => `${n}개일 때 ${v}`,
        none: "예상 없음", undo: "되돌리기", log: "로그 눈금", gone: "커널이 끝났습니다. 예상하려면 이 셀을 다시 실행하세요." },
    ja: { draw: "ここに予想を描いてください", tap: "目盛りをタップするか、数を入力", yours: "あなたの予想:",
        kept: "前回の予想:", at: (v, n) => `${n} で ${v}`,
        none: "予想なし", undo: "元に戻す", log: "対数目盛", gone: "カーネルが終了しました。予想するにはこのセルを再実行してください。" },
    zh: { draw: "在这里画出你的猜测", tap: "点一下刻度，或输入数字", yours: "你的猜测：",
        kept: "上次的猜测：", at: (v, n) => `${n} 时 ${v}`,
        none: "没有猜测", undo: "撤销", log: "对数刻度", gone: "内核已结束：要猜测，请重新运行此单元格。" },
};

const number = value => value.toLocaleString("en", { maximumSignificantDigits: 3 });

function element(parent, name, attributes = {}, text = "") {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return parent.appendChild(made);
}

/** A scale from values to pixels and back, logarithmic or linear, and its ticks. */
function scale(low, high, log, from, to) {
    const [f, back] = log ? [Math.log10, x => 10 ** x] : [x => x, x => x];
    const a = f(low), b = f(high);
    const step = log ? Math.max(1, Math.ceil((b - a) / 7)) : niceStep((b - a) / 5);
    const ticks = [];
    for (let i = Math.ceil(a / step - 1e-9); i * step <= b + 1e-9; i++) ticks.push(back(i * step));
    const at = value => from + (f(Math.max(value, low)) - a) / (b - a) * (to - from);
    const of = pixel => back(Math.min(b, Math.max(a, a + (pixel - from) / (to - from) * (b - a))));
    return { at, of, ticks, moved: (value, share) => of(at(value) + share * (to - from)) };
}

function niceStep(least) {
    const ten = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map(x => x * ten).find(x => x >= least - 1e-12);
}

/**
 * Shows a place for a guess.
 *
 * spec: about, figure, unit, sizes (ascending; [1] for a number), line (whether it is one), low, high, log (of the
 * values' scale), whole (for counts), kept (whether the first values shown are of an earlier time). told(values) gets a value for each size, null where there is none, after each stroke. Returns
 * show(values), gone(whether) and end().
 */
export function guess(el, spec, told) {
    const language = document.documentElement.lang || navigator.language || "en";
    const words = WORDS[language.slice(0, 2)] || WORDS.en;
    const root = el.appendChild(document.createElement("div"));
    root.className = "guess";
    root.appendChild(document.createElement("style")).textContent = STYLE;
    const svg = root.appendChild(document.createElementNS(SVG, "svg"));
    const said = root.appendChild(document.createElement("div"));
    said.className = "said";
    const undoButton = said.appendChild(document.createElement("button"));
    undoButton.textContent = "↶ " + words.undo;
    const out = said.appendChild(document.createElement("output"));

    const round = value => spec.whole ? Math.round(Number(value.toPrecision(2))) : Number(value.toPrecision(2));
    let values = spec.sizes.map(() => null), past = [], dead = false, pen = null, drawn = null, kept = spec.kept, typed = "";
    const withUnit = value => value === null ? words.none : number(value) + spec.unit;

    /** Draws the axes for the width there is, and a handle for each size. */
    function layOut() {
        svg.replaceChildren();
        const width = Math.max(260, Math.min(660, root.clientWidth || 660));
        const height = spec.line ? Math.round(Math.min(320, 90 + width * 0.4)) : 100;
        svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
        svg.setAttribute("height", height);
        svg.setAttribute("role", "group");
        svg.setAttribute("aria-label", `${spec.about}: ${spec.figure}`);
        const box = { left: spec.line ? 64 : 16, right: width - 18, top: spec.line ? 26 : 40, bottom: height - (spec.line ? 42 : 24) };
        const wide = spec.sizes.at(-1) / spec.sizes[0] >= 20;
        const inner = [box.left + 14, box.right - 14];
        const across = spec.line ? scale(wide ? spec.sizes[0] : 0, spec.sizes.at(-1), wide, ...inner)
            : scale(spec.low, spec.high, spec.log, ...inner);
        const up = spec.line ? scale(spec.low, spec.high, spec.log, box.bottom, box.top) : null;
        const label = (x, y, text, anchor) =>
            element(svg, "text", { x, y, "text-anchor": anchor, "aria-hidden": true }, text);
        const rule = (x1, y1, x2, y2) => element(svg, "line", { class: "grid", x1, y1, x2, y2 });
        const sheet = element(svg, "rect", { class: "sheet", x: box.left, y: box.top, width: box.right - box.left,
            height: box.bottom - box.top });
        sheet.onpointerdown = down;
        label(spec.line ? 0 : box.left, 14, spec.log ? `${spec.figure}, ${words.log}` : spec.figure, "start");
        for (const tick of spec.line ? up.ticks : []) {
            rule(box.left, up.at(tick), box.right, up.at(tick));
            label(box.left - 6, up.at(tick) + 4, number(tick), "end");
        }
        let free = Infinity; // labels that would touch the next one are left out
        for (const tick of [...(spec.line ? spec.sizes : across.ticks)].reverse()) {
            const x = across.at(tick), room = number(tick).length * 4 + 4;
            rule(x, box.top, x, box.bottom);
            if (x + room > free) continue;
            label(Math.min(x, width - room), box.bottom + 18, number(tick), "middle");
            free = x - room;
        }
        if (spec.line) label((box.left + box.right) / 2, height - 4, spec.about, "middle");
        const hint = label((box.left + box.right) / 2, (box.top + box.bottom) / 2 + 4, spec.line ? words.draw : words.tap,
            "middle");
        hint.setAttribute("class", "hint");
        const lines = ["case", "pen"].map(name => element(svg, "path", { class: name }));
        const numbers = spec.sizes.map(() => label(0, 0, "", "middle"));
        const handles = spec.sizes.map((size, i) => element(svg, "circle", { class: "handle", r: 11, role: "slider",
            tabindex: 0, "data-at": i, "aria-orientation": spec.line ? "vertical" : "horizontal",
            "aria-label": spec.line ? `${spec.figure}, n = ${number(size)}` : `${spec.about}: ${spec.figure}`,
            "aria-valuemin": spec.low, "aria-valuemax": spec.high }));
        drawn = { box, across, up, width, hint, lines, numbers, handles };
        show();
    }

    /** Shows the values: the line or mark, its numbers, the handles, and words. */
    function show() {
        const { box, across, up, width, hint, lines, numbers, handles } = drawn;
        const middle = (box.top + box.bottom) / 2;
        const points = values.map((value, i) => spec.line
            ? [across.at(spec.sizes[i]), value === null ? middle : up.at(value)]
            : [value === null ? (box.left + box.right) / 2 : across.at(value), middle]);
        const made = points.filter((_, i) => values[i] !== null);
        hint.textContent = made.length ? "" : spec.line ? words.draw : words.tap;
        const [x, y] = made.at(-1) ?? [];
        const path = spec.line ? [...made, [x, y]].map(point => point.join(",")).join(" L")
            : `${x},${box.top + 4} L${x},${box.bottom - 4}`;
        lines.forEach(line => line.setAttribute("d", made.length ? `M${path}` : ""));
        points.forEach(([px, py], i) => {
            const text = values[i] === null ? "" : spec.line ? number(values[i]) : withUnit(values[i]);
            const at = { x: Math.min(Math.max(px, 40), width - 40), y: spec.line ? Math.max(py - 11, 14) : 34 };
            Object.entries(at).forEach(([name, value]) => numbers[i].setAttribute(name, value));
            numbers[i].textContent = text;
            const told = { cx: px, cy: py, "aria-valuenow": values[i] ?? spec.low, "aria-valuetext": withUnit(values[i]),
                "aria-disabled": dead };
            Object.entries(told).forEach(([name, value]) => handles[i].setAttribute(name, value));
        });
        undoButton.disabled = dead || !past.length;
        const all = values.map((value, i) => value === null ? null
            : spec.line ? words.at(withUnit(value), number(spec.sizes[i])) : withUnit(value)).filter(Boolean);
        out.textContent = dead ? words.gone : all.length ? `${kept ? words.kept : words.yours} ${all.join(" · ")}` : "";
    }

    function place(event) {
        const area = svg.getBoundingClientRect();
        const ratio = svg.viewBox.baseVal.width / area.width;
        return [(event.clientX - area.left) * ratio, (event.clientY - area.top) * ratio];
    }

    /** The size nearest to a place across. */
    const nearest = x => spec.sizes.map((size, i) => [Math.abs(drawn.across.at(size) - x), i]).sort((a, b) => a[0] - b[0])[0][1];

    function stroke([x, y], from) {
        if (!spec.line) {
            values[0] = round(drawn.across.of(x));
        } else if (from) { // every size that the pen has passed
            const [left, right] = from[0] < x ? [from, [x, y]] : [[x, y], from];
            spec.sizes.forEach((size, i) => {
                const at = drawn.across.at(size);
                if (at < left[0] - 1e-9 || at > right[0] + 1e-9) return;
                const share = right[0] === left[0] ? 1 : (at - left[0]) / (right[0] - left[0]);
                values[i] = round(drawn.up.of(left[1] + share * (right[1] - left[1])));
            });
            if (nearest(x) === nearest(from[0])) values[nearest(x)] = round(drawn.up.of(y));
        } else {
            values[nearest(x)] = round(drawn.up.of(y));
        }
    }

    /** Before the values change. */
    function change() {
        past.push([...values]);
        kept = false;
    }

    function down(event) {
        if (dead || event.button > 0) return;
        event.preventDefault();
        change();
        svg.classList.add("by-pen");
        pen = place(event);
        stroke(pen);
        drawn.handles[spec.line ? nearest(pen[0]) : 0].focus({ preventScroll: true });
        show();
    }

    function move(event) {
        if (!pen) return;
        const next = place(event);
        stroke(next, pen);
        pen = next;
        show();
    }

    function up() {
        if (!pen) return;
        pen = null;
        told([...values]);
    }

    function undo() {
        if (dead || !past.length) return;
        values = past.pop();
        show();
        told([...values]);
    }

    /** Arrow keys move the page unless a reader came here by keyboard; other keys are left to the page. */
    function key(event) {
        const handle = event.target.closest?.(".handle");
        if (!handle || !svg.contains(handle) || dead || event.altKey) return;
        const i = Number(handle.dataset.at), value = values[i], control = event.ctrlKey || event.metaKey;
        const back = event.key === "Backspace" || control && event.key === "z";
        const byKeys = !svg.classList.contains("by-pen") && !control && !event.shiftKey;
        typed = /^[\d.]$/.test(event.key) && !control ? typed + event.key : "";
        const steps = { ArrowUp: 0.02, ArrowDown: -0.02, PageUp: 0.1, PageDown: -0.1 };
        if (!spec.line) Object.assign(steps, { ArrowRight: 0.02, ArrowLeft: -0.02 });
        const ends = { Home: spec.low, End: spec.high };
        const aside = spec.line ? { ArrowLeft: -1, ArrowRight: 1 }[event.key] : undefined;
        if (back) {
            undo();
        } else if (typed) {
            if (typed.length === 1) change();
            values[i] = round(Math.min(spec.high, Math.max(spec.low, Number(typed) || spec.low)));
            show();
            told([...values]);
        } else if (byKeys && (event.key in steps || event.key in ends || event.key === "Delete")) {
            change();
            const along = spec.line ? drawn.up : drawn.across;
            const middle = spec.log ? Math.sqrt(spec.low * spec.high) : (spec.low + spec.high) / 2;
            values[i] = event.key === "Delete" ? null : ends[event.key]
                ?? (value === null ? round(values.slice(0, i).findLast(v => v !== null) ?? middle) : next(along, value, steps[event.key]));
            show();
            told([...values]);
        } else if (byKeys && aside) {
            drawn.handles[Math.min(spec.sizes.length - 1, Math.max(0, i + aside))].focus();
        } else {
            return;
        }
        event.preventDefault();
        event.stopImmediatePropagation(); // before the page's own shortcuts
    }

    /** At least one step of two digits further. */
    function next(along, value, share) {
        const moved = round(along.moved(value, share));
        if (moved !== value) return moved;
        const least = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)) - 1);
        const digit = spec.whole ? Math.max(1, least) : least;
        return round(Math.min(spec.high, Math.max(spec.low, value + Math.sign(share) * digit)));
    }

    const listeners = [["pointermove", move], ["pointerup", up], ["pointercancel", up], ["keydown", key]];
    listeners.forEach(([name, listener]) => window.addEventListener(name, listener, true));
    undoButton.onclick = undo;
    svg.addEventListener("focusin", () => pen || svg.classList.remove("by-pen")); // reached with the Tab key
    svg.addEventListener("focusout", () => { typed = ""; });
    let width = 0;
    const watch = new ResizeObserver(() => {
        if (root.clientWidth !== width && !pen) layOut(width = root.clientWidth);
    });
    watch.observe(root);
    layOut();
    return {
        show(shown) { values = [...shown]; show(); },
        gone(whether) { dead = whether; show(); },
        end() {
            watch.disconnect();
            listeners.forEach(([name, listener]) => window.removeEventListener(name, listener, true));
        },
    };
}

export default {
    render({ model, el }) {
        const spec = Object.fromEntries(["about", "figure", "unit", "sizes", "line", "low", "high", "log", "whole", "kept"]
            .map(name => [name, model.get(name)]));
        const me = Math.random().toString(36).slice(2);
        // a message, since changes of the model may wait while the kernel is busy, and the next cell needs this one
        const view = guess(el, spec, values => model.send({ guess: values, by: me }));
        const load = () => { if (model.get("guess").by !== me) view.show(model.get("guess").values); };
        let ended = false;
        const turn = () => view.gone(ended = !ended);
        model.on("change:guess", load);
        model.on("comm_live_update", turn);
        load();
        return () => {
            model.off("change:guess", load);
            model.off("comm_live_update", turn);
            view.end();
        };
    },
};
