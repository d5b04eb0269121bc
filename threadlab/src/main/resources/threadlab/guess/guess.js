// A reader's guess: a line over sizes, a number on a scale, one of several answers, an order, or bars on lanes, by mouse,
// finger and keyboard; then what was measured, over it. In a notebook anywidget calls render. Any other page, such as one
// of the site or of a hall, calls guess(el, spec, told), and reveal(was) of what that returns: this file needs nothing
// else, no style, script, kernel or network.

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
.guess.told :is(.sheet, .bar, li) { touch-action: auto; cursor: default }
.guess.told output { order: -1; flex-basis: 100%; font-size: 17px; font-weight: bold }
.guess .was { fill: none; stroke-width: 2.5; stroke: currentColor; color: var(--ink, currentColor) }
.guess .was.virtual { color: var(--virtual, #0072b2) }
.guess .was.platform { color: var(--platform, #d55e00) }
.guess .was.other { color: var(--other, #009e73) }
.guess .join { stroke-width: 1.5; stroke-dasharray: 2 4 }
.guess .law { stroke-dasharray: 8 5; stroke-width: 1.5 }
.guess .dot { fill: currentColor }
.guess .dot.apart { fill: var(--card, Canvas) }
.guess text.name { fill: currentColor; stroke: var(--card, Canvas); stroke-width: 5px; paint-order: stroke; font-weight: bold }
.guess text.name.virtual { color: var(--virtual-text, #005f96) }
.guess text.name.platform { color: var(--platform-text, #a34700) }
.guess text.name.other { color: var(--other-text, #00684c) }
.guess .note { margin: 4px 0; opacity: 0.85 }
.guess summary { cursor: pointer; padding: 6px 0 }
.guess table { border-collapse: collapse; margin: 8px 0 }
.guess :is(th, td) { padding: 3px 14px 3px 0; text-align: right; font-weight: normal; font-variant-numeric: tabular-nums }
.guess thead th { border-bottom: 1px solid currentColor; vertical-align: bottom }
.guess .was-right { outline: 3px solid var(--virtual, #0072b2); outline-offset: 1px }
.guess .handle { fill: transparent; outline: none }
.guess svg:not(.by-pen) .handle:focus-visible { stroke: currentColor; stroke-width: 2 }
.guess .said { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: baseline; min-height: 32px }
.guess .said output { flex: 1 1 15em; min-width: 0 }
.guess fieldset { border: 0; margin: 0; padding: 0 }
.guess legend, .guess .asked { padding: 4px 0 }
.guess ol { list-style: none; margin: 0; padding: 0 }
.guess li, .guess .option { display: flex; gap: 10px; align-items: center; margin: 4px 0; padding: 6px 10px;
    border: 1px solid color-mix(in srgb, currentColor 45%, transparent); border-radius: 4px }
.guess .option { cursor: pointer }
.guess .option input { margin: 0; accent-color: ${CASE} }
.guess li { cursor: grab; touch-action: none; user-select: none; -webkit-user-select: none }
.guess li span { flex: 1 }
.guess .made li, .guess .option:has(:checked) { background: ${PEN}; color: #222222; border-color: ${CASE} }
.guess li button { min-width: 32px; min-height: 28px }
.guess .bar { cursor: grab; touch-action: none; pointer-events: all !important; outline: none }
.guess .bar rect { fill: ${PEN}; stroke: ${CASE}; stroke-width: 1.5 }
.guess .bar text { fill: #222222; font-weight: bold; font-size: 13px }
.guess .bar:focus-visible rect { stroke: currentColor; stroke-width: 3 }
.guess button { font: inherit; color: inherit; background: none; border: 1px solid currentColor; border-radius: 4px;
    padding: 2px 10px; min-height: 32px; cursor: pointer; white-space: nowrap }
.guess button:disabled { opacity: 0.4; cursor: default }`;

const WORDS = {
    en: { draw: "Draw your guess here", tap: "Tap the scale, or type a number", yours: "Your guess:",
        order: "Drag the rows into your order, or use ↑ and ↓",
        lanes: "Drag each bar onto a lane, or tap where it begins", up: "up", down: "down", open: "not placed",
        kept: "Kept from last time:", at: (v, n) => `${v} at ${n}`,
        none: "no guess", undo: "Undo", log: "log scale", gone: "The kernel has ended: run this cell again to guess.",
        again: "Guess again", mine: "you", measured: "measured", joined: "Dotted: nothing was measured in between", figures: "The figures",
        drew: (v, w, n, wrong) => `You drew ${v} at ${n}; it was ${w}: ${wrong}.`,
        guessed: (v, w, wrong) => `You guessed ${v}; it was ${w}: ${wrong}.`, it: w => `It was ${w}.`,
        right: "exactly right", over: (x, drew) => `you ${drew ? "drew" : "guessed"} ${x} times as much`,
        under: x => `${x} times as much`, percent: (p, high) => `${p} % too ${high ? "high" : "low"}`,
        side: high => high ? "too high" : "too low", chose: (a, b) => a === b ? `You chose ${a}: right.` : `You chose ${a}; it was ${b}.`,
        ends: (v, w, wrong) => `Your last bar ends at ${v} ms; it was ${w} ms: ${wrong}.` },
    ko: { draw: "여기에 예상을 그려 보세요", tap: "눈금을 누르거나 숫자를 입력하세요", yours: "내 예상:",
        order: "줄을 끌거나 ↑ ↓ 를 눌러 순서를 정하세요",
        lanes: "막대를 레인으로 끌어 놓거나, 시작할 곳을 누르세요", up: "위로", down: "아래로", open: "아직 놓지 않음",
        kept: "지난번 예상:", at: (v, n) => `${n}개일 때 ${v}`,
        none: "예상 없음", undo: "되돌리기", log: "로그 눈금", gone: "커널이 끝났습니다. 예상하려면 이 셀을 다시 실행하세요.",
        again: "다시 예상하기", mine: "내 예상", measured: "측정값", joined: "점선 구간은 측정하지 않았습니다", figures: "수치 보기",
        drew: (v, w, n, wrong) => `${n}개일 때 ${v}로 그렸고, 실제로는 ${w}였습니다. ${wrong}.`,
        guessed: (v, w, wrong) => `예상은 ${v}, 실제는 ${w}였습니다. ${wrong}.`, it: w => `실제는 ${w}였습니다.`,
        right: "정확히 맞았습니다", over: x => `예상이 ${x}배 컸습니다`, under: x => `실제가 ${x}배 컸습니다`,
        percent: (p, high) => `예상이 ${p} % ${high ? "높았습니다" : "낮았습니다"}`, side: high => high ? "예상이 높았습니다" : "예상이 낮았습니다",
        chose: (a, b) => a === b ? `${a}: 맞았습니다.` : `${a}을(를) 골랐고, 실제는 ${b}였습니다.`,
        ends: (v, w, wrong) => `마지막 막대가 ${v} ms에 끝나고, 실제는 ${w} ms였습니다. ${wrong}.` },
    ja: { draw: "ここに予想を描いてください", tap: "目盛りをタップするか、数を入力", yours: "あなたの予想:",
        order: "行をドラッグするか、↑ ↓ で並べてください",
        lanes: "棒をレーンにドラッグするか、始まる位置をタップ", up: "上へ", down: "下へ", open: "未配置",
        kept: "前回の予想:", at: (v, n) => `${n} で ${v}`,
        none: "予想なし", undo: "元に戻す", log: "対数目盛", gone: "カーネルが終了しました。予想するにはこのセルを再実行してください。",
        again: "もう一度予想する", mine: "予想", measured: "実測", joined: "点線の間は測定していません", figures: "数値を見る",
        drew: (v, w, n, wrong) => `${n} での予想は ${v}、実測は ${w} でした。${wrong}。`,
        guessed: (v, w, wrong) => `予想は ${v}、実測は ${w} でした。${wrong}。`, it: w => `実測は ${w} でした。`,
        right: "ぴったりです", over: x => `予想は ${x} 倍大きすぎました`, under: x => `実測は予想の ${x} 倍でした`,
        percent: (p, high) => `予想は ${p} % ${high ? "高すぎました" : "低すぎました"}`, side: high => high ? "予想が高すぎました" : "予想が低すぎました",
        chose: (a, b) => a === b ? `${a}：正解です。` : `選んだのは ${a}、実際は ${b} でした。`,
        ends: (v, w, wrong) => `最後の棒は ${v} ms で終わり、実測は ${w} ms でした。${wrong}。` },
    zh: { draw: "在这里画出你的猜测", tap: "点一下刻度，或输入数字", yours: "你的猜测：",
        order: "拖动各行排出您的顺序，或用 ↑ 和 ↓",
        lanes: "把每个条拖到通道上，或点一下它开始的位置", up: "上移", down: "下移", open: "未放置",
        kept: "上次的猜测：", at: (v, n) => `${n} 时 ${v}`,
        none: "没有猜测", undo: "撤销", log: "对数刻度", gone: "内核已结束：要猜测，请重新运行此单元格。",
        again: "重新猜", mine: "您的猜测", measured: "实测", joined: "虚线之间没有测量", figures: "查看数据",
        drew: (v, w, n, wrong) => `您在 ${n} 处画的是 ${v}，实测是 ${w}：${wrong}。`,
        guessed: (v, w, wrong) => `您猜 ${v}，实测是 ${w}：${wrong}。`, it: w => `实测是 ${w}。`,
        right: "完全正确", over: x => `猜测是实测的 ${x} 倍`, under: x => `实测是猜测的 ${x} 倍`,
        percent: (p, high) => `猜测${high ? "高" : "低"}了 ${p} %`, side: high => high ? "猜高了" : "猜低了",
        chose: (a, b) => a === b ? `${a}：正确。` : `您选了 ${a}，实际是 ${b}。`,
        ends: (v, w, wrong) => `您最后一个条在 ${v} ms 结束，实测是 ${w} ms：${wrong}。` },
};

/** As an axis has room for it. */
const short = value => value >= 1e6 ? `${number(value / 1e6)} M` : number(value);
const number = value => value.toLocaleString("en", { maximumSignificantDigits: 3 });

/** By how much a guess was wrong, in the words that a notebook uses. */
function wrong(words, mine, measured, drew) {
    const two = value => value.toLocaleString("en", { maximumSignificantDigits: 2 });
    if (number(mine) === number(measured)) return words.right;
    if (mine >= 2 * measured && measured > 0) return words.over(two(mine / measured), drew);
    if (measured >= 2 * mine && mine > 0) return words.under(two(measured / mine));
    if (!mine || !measured) return words.side(mine > measured);
    const percent = 100 * Math.abs(mine / measured - 1);
    return words.percent(percent < 1 ? percent.toPrecision(1) : two(percent), mine > measured);
}

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
    for (let i = Math.ceil(a / step - 1e-9); i * step <= b + 1e-9; i++) ticks.push(back(i * step) + 0); // no -0
    const at = value => from + (f(Math.max(value, low)) - a) / (b - a) * (to - from);
    const of = pixel => back(Math.min(b, Math.max(a, a + (pixel - from) / (to - from) * (b - a))));
    return { at, of, ticks, moved: (value, share) => of(at(value) + share * (to - from)) };
}

/** Places side by side, for names such as versions. */
function steps(names, from, to) {
    const wide = (to - from) / names.length;
    return { at: name => from + (names.indexOf(name) + 0.5) * wide, ticks: names };
}

function niceStep(least) {
    const ten = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map(x => x * ten).find(x => x >= least - 1e-12);
}

/**
 * Shows a place for a guess.
 *
 * spec: kind, about, figure, kept (whether the first guess shown is of an earlier time), and what the kind needs: see its
 * function. told(marks) gets the parts of the guess ({n, words, value}) after each change. Returns show(marks),
 * gone(whether), end(), and reveal(was), which lays what was measured over the guess, says by how much it was wrong, and
 * gives that sentence, or "" without a guess. was: {words} for an answer, {order} for an order, {end} in ms for bars, and
 * for numbers and lines {series}: each {name, kind (virtual, platform or other), points of {n, value, low, high}, apart
 * (whether it ran at another time than the first), law (a formula, which nobody measured)}; the first is what was asked.
 */
export function guess(el, spec, told) {
    const language = document.documentElement.lang || navigator.language || "en";
    const words = WORDS[language.slice(0, 2)] || WORDS.en;
    const root = el.appendChild(document.createElement("div"));
    root.className = "guess";
    root.appendChild(document.createElement("style")).textContent = STYLE;
    const place = root.appendChild(document.createElement("div"));
    const said = root.appendChild(document.createElement("div"));
    said.className = "said";
    const undoButton = said.appendChild(document.createElement("button"));
    undoButton.textContent = "↶ " + words.undo;
    const out = said.appendChild(document.createElement("output"));
    const below = root.appendChild(document.createElement("div"));
    const past = [];
    let kept = spec.kept;

    /** What all kinds share: each has a value, never changed in place, which it shows. */
    const shell = {
        root: place, below, words, value: undefined, dead: false, was: null,
        /** Before the value changes. */
        change() {
            past.push(shell.value);
            kept = false;
        },
        /** After it has changed. */
        changed() {
            show();
            told(view.marks());
        },
        set(value) {
            shell.change();
            shell.value = value;
            shell.changed();
        },
        undo() {
            if (shell.was) return again();
            if (shell.dead || !past.length) return;
            shell.value = past.pop();
            shell.changed();
        },
        show,
    };

    function show() {
        view.show();
        root.classList.toggle("told", Boolean(shell.was));
        undoButton.textContent = "↶ " + (shell.was ? words.again : words.undo);
        undoButton.disabled = !shell.was && (shell.dead || !past.length);
        const text = view.words();
        out.textContent = shell.was ? view.gap() : shell.dead ? words.gone : text ? `${kept ? words.kept : words.yours} ${text}` : "";
    }

    function reveal(was) {
        shell.was = was;
        shell.dead = true;
        show();
        return view.marks().length ? out.textContent : "";
    }

    /** The place for a guess, empty again. */
    function again() {
        shell.was = null;
        shell.dead = false;
        past.length = 0;
        shell.value = view.of([]);
        shell.changed();
    }

    function key(event) {
        if (shell.dead || event.altKey || !place.contains(event.target)) return;
        const control = event.ctrlKey || event.metaKey;
        const back = event.key === "Backspace" || control && event.key === "z";
        if (back) shell.undo();
        if (!back && !view.key(event, control)) return;
        event.preventDefault();
        event.stopImmediatePropagation(); // before the page's own shortcuts
    }

    const view = KINDS[spec.kind](shell, spec);
    const listeners = [["pointermove", event => view.move(event)], ["pointerup", event => view.up(event)],
        ["pointercancel", event => view.up(event)], ["keydown", key]].filter(([name]) => view.move || name === "keydown");
    listeners.forEach(([name, listener]) => window.addEventListener(name, listener, true));
    undoButton.onclick = shell.undo;
    let width = 0;
    const watch = new ResizeObserver(() => {
        if (place.clientWidth !== width && !view.busy?.()) view.layOut?.(width = place.clientWidth);
    });
    watch.observe(place);
    view.layOut?.();
    show();
    return {
        show(marks) { shell.value = view.of(marks); show(); },
        reveal,
        gone(whether) { shell.dead = whether; show(); },
        end() {
            watch.disconnect();
            listeners.forEach(([name, listener]) => window.removeEventListener(name, listener, true));
        },
    };
}

function picture(root, name) {
    const svg = root.appendChild(document.createElementNS(SVG, "svg"));
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", name);
    return svg;
}

/** Calls a listener when a pointer goes down, and keeps a finger from moving the page, or from going back to the last one. */
function pressed(part, listener) {
    part.addEventListener("pointerdown", listener);
    part.addEventListener("touchstart", event => {
        if (!event.target.closest("button, .told")) event.preventDefault();
    }, { passive: false });
}

/** Where a pointer is in a picture. */
function at(svg, event) {
    const area = svg.getBoundingClientRect();
    const ratio = svg.viewBox.baseVal.width / area.width;
    return [(event.clientX - area.left) * ratio, (event.clientY - area.top) * ratio];
}

function sized(root, svg, high) {
    const width = Math.max(260, Math.min(660, root.clientWidth || 660)), height = high(width);
    svg.replaceChildren();
    svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
    svg.setAttribute("height", height);
    return { width, height };
}

/**
 * A line or a number. spec: unit, sizes (ascending; [1] for a number), line (whether it is one), low, high, log (of the
 * values' scale), whole (for counts). The value: a number for each size, null where there is none.
 */
function figures(shell, spec) {
    const { root, words } = shell;
    const svg = picture(root, `${spec.about}: ${spec.figure}`);
    shell.value = spec.sizes.map(() => null);
    const round = value => spec.whole ? Math.round(Number(value.toPrecision(2))) : Number(value.toPrecision(2));
    const even = spec.line && spec.sizes[0] > spec.sizes.at(-1) / 2; // versions rather than sizes
    let pen = null, drawn = null, typed = "";
    const withUnit = value => value === null ? words.none : number(value) + spec.unit;

    /** Draws the axes for the width there is, and a handle for each size. */
    function layOut() {
        const { width, height } = sized(root, svg, wide => spec.line ? Math.round(Math.min(320, 150 + wide * 0.3)) : 120);
        const box = { left: spec.line ? 64 : 16, right: width - 18, top: spec.line ? 26 : 40, bottom: height - (spec.line ? 42 : 44) };
        const wide = spec.sizes.at(-1) / spec.sizes[0] >= 20;
        const inner = [box.left + 14, box.right - 14];
        const across = even ? steps(spec.sizes, ...inner)
            : spec.line ? scale(wide ? spec.sizes[0] : 0, spec.sizes.at(-1), wide, ...inner)
            : scale(spec.low, spec.high, spec.log, ...inner);
        const up = spec.line ? scale(spec.low, spec.high, spec.log, box.bottom, box.top) : null;
        const label = (x, y, text, anchor) =>
            element(svg, "text", { x, y, "text-anchor": anchor, "aria-hidden": true }, text);
        const rule = (x1, y1, x2, y2) => element(svg, "line", { class: "grid", x1, y1, x2, y2 });
        const sheet = element(svg, "rect", { class: "sheet", x: box.left, y: box.top, width: box.right - box.left,
            height: box.bottom - box.top });
        pressed(sheet, down);
        label(spec.line ? 0 : box.left, 14, spec.log ? `${spec.figure}, ${words.log}` : spec.figure, "start");
        for (const tick of spec.line ? up.ticks : []) {
            rule(box.left, up.at(tick), box.right, up.at(tick));
            label(box.left - 6, up.at(tick) + 4, short(tick), "end");
        }
        let free = Infinity; // labels that would touch the next one are left out
        for (const tick of [...(spec.line ? spec.sizes : across.ticks)].reverse()) {
            const x = across.at(tick), room = short(tick).length * 4 + 4;
            rule(x, box.top, x, box.bottom);
            if (x + room > free) continue;
            label(Math.min(x, width - room), box.bottom + 18, short(tick), "middle");
            free = x - room;
        }
        if (spec.line) label((box.left + box.right) / 2, height - 4, spec.about, "middle");
        const hint = label((box.left + box.right) / 2, (box.top + box.bottom) / 2 + 4, spec.line ? words.draw : words.tap,
            "middle");
        hint.setAttribute("class", "hint");
        const lines = ["case", "pen"].map(name => element(svg, "path", { class: name }));
        const numbers = spec.sizes.map(() => label(0, 0, "", "middle"));
        const over = element(svg, "g");
        const handles = spec.sizes.map((size, i) => element(svg, "circle", { class: "handle", r: 11, role: "slider",
            tabindex: 0, "data-at": i, "aria-orientation": spec.line ? "vertical" : "horizontal",
            "aria-label": spec.line ? `${spec.figure}, n = ${number(size)}` : `${spec.about}: ${spec.figure}`,
            "aria-valuemin": spec.low, "aria-valuemax": spec.high }));
        drawn = { box, across, up, width, hint, lines, numbers, handles, over };
        show();
    }

    /** Shows the values: the line or mark, its numbers, and the handles. */
    function show() {
        const values = shell.value;
        const { box, across, up, width, hint, lines, numbers, handles } = drawn;
        const middle = (box.top + box.bottom) / 2;
        const points = values.map((value, i) => spec.line
            ? [across.at(spec.sizes[i]), value === null ? middle : up.at(value)]
            : [value === null ? (box.left + box.right) / 2 : across.at(value), middle]);
        const made = points.filter((_, i) => values[i] !== null);
        hint.textContent = made.length || shell.was ? "" : spec.line ? words.draw : words.tap;
        lay();
        const [x, y] = made.at(-1) ?? [];
        const path = spec.line ? [...made, [x, y]].map(point => point.join(",")).join(" L")
            : `${x},${box.top + 4} L${x},${box.bottom - 4}`;
        lines.forEach(line => line.setAttribute("d", made.length ? `M${path}` : ""));
        points.forEach(([px, py], i) => {
            const text = values[i] === null ? "" : spec.line ? number(values[i]) : withUnit(values[i]);
            const at = { x: Math.min(Math.max(px, 40), width - 40), y: spec.line ? Math.max(py - 11, 14) : 34 };
            Object.entries(at).forEach(([name, value]) => numbers[i].setAttribute(name, value));
            numbers[i].textContent = shell.was && spec.line ? "" : text;
            const told = { cx: px, cy: py, "aria-valuenow": values[i] ?? spec.low, "aria-valuetext": withUnit(values[i]),
                "aria-disabled": shell.dead };
            Object.entries(told).forEach(([name, value]) => handles[i].setAttribute(name, value));
        });
    }

    /** Lays what was measured over the guess: each median with its range, joined by dots, for nothing was measured there. */
    function lay() {
        const { box, across, up, width, over } = drawn;
        over.replaceChildren();
        shell.below.replaceChildren();
        if (!shell.was) return;
        const taken = []; // places of names and marks: down, across, half of the width
        for (const { points, law } of shell.was.series) {
            if (spec.line && !law) taken.push(...points.map(point => [up.at(point.value) + 4, across.at(point.n), 7]));
        }
        for (const { name, kind, points, apart, law } of shell.was.series) {
            const draw = (tag, more, attributes) => element(over, tag, { class: `was ${kind} ${more}`, ...attributes });
            const places = points.map(point => spec.line ? [across.at(point.n), up.at(point.value)]
                : [across.at(point.value), (box.top + box.bottom) / 2]);
            if (!spec.line) {
                for (const [x] of places) draw("path", "", { d: `M${x},${box.top}V${box.bottom}` });
            } else {
                draw("path", law ? "law" : "join", { d: `M${places.map(place => place.join(",")).join(" L")}` });
            }
            points.forEach((point, i) => {
                const [x, y] = places[i];
                if (law || !spec.line) return;
                if (point.high > point.low) {
                    draw("path", "", { d: `M${x},${up.at(point.low)}V${up.at(point.high)}m-4,0h8M${x - 4},${up.at(point.low)}h8` });
                }
                draw("circle", `dot${apart ? " apart" : ""}`, { cx: x, cy: y, r: 5 });
            });
            // the name above the last point, or below where another one stands
            const [x] = places.at(-1), last = points.at(-1);
            const [y, under] = spec.line ? [up.at(last.high ?? last.value), up.at(last.low ?? last.value)] : [0, 0];
            const text = spec.line ? name : `${name} ${withUnit(points.at(-1).value)}`;
            const half = text.length * 3.9;
            const middle = Math.min(Math.max(x, half), width - half);
            const free = at => at > box.top - 10 && at < box.bottom - 2 && !taken.some(([other, wide, from]) =>
                Math.abs(other - at) < 14 && Math.abs(wide - middle) < half + from);
            const tops = spec.line ? [y - 12, under + 24, y - 28, under + 40, y - 44, under + 56] : [box.bottom + 36];
            const place = tops.find(free) ?? tops[0];
            taken.push([place, middle, half]);
            element(over, "text", { class: `name ${kind}`, x: middle, y: place, "text-anchor": "middle" }, text);
        }
        if (spec.line) tell();
    }

    /** What the chart shows, as a table. */
    function tell() {
        const folded = html(shell.below, "details");
        html(folded, "summary", {}, words.figures);
        const table = html(folded, "table");
        const row = (parent, tag, cells) => cells.reduce((line, text, i) => {
            html(line, i ? tag : "th", i && tag === "td" ? {} : { scope: i || tag === "th" ? "col" : "row" }, text);
            return line;
        }, html(parent, "tr"));
        row(html(table, "thead"), "th", [(spec.about.match(/^n (\S+)/) ?? spec.about.match(/(\S+) n$/))?.[1].replace(/,$/, "") ?? "n", words.mine,
            ...shell.was.series.filter(one => !one.law).map(one => one.name)]);
        const body = html(table, "tbody");
        for (const [i, n] of spec.sizes.entries()) {
            const cells = shell.was.series.filter(one => !one.law).map(one => one.points.find(point => point.n === n))
                .map(point => !point ? "–" : `${withUnit(point.value)}${point.high > point.low
                    ? ` (${number(point.low)} – ${number(point.high)})` : ""}`);
            row(body, "td", [number(n), shell.value[i] === null ? "–" : withUnit(shell.value[i]), ...cells]);
        }
        html(shell.below, "p", { class: "note" }, [shell.was.note, `${words.joined}.`].filter(Boolean).join(" "));
    }

    /** Of what was guessed and measured, where the two are farthest from each other. */
    function gap() {
        const asked = shell.was.series[0].points, along = spec.line ? drawn.up : drawn.across;
        const both = spec.sizes.map((n, i) => [n, shell.value[i], asked.find(point => point.n === n)?.value])
            .filter(([, mine, was]) => mine !== null && was !== undefined)
            .map(each => [Math.abs(along.at(each[1]) - along.at(each[2])), ...each]).sort((a, b) => b[0] - a[0]);
        if (!both.length) return spec.line ? "" : words.it(withUnit(asked[0].value));
        const [, n, mine, was] = both[0];
        const said = wrong(words, mine, was, spec.line);
        return spec.line ? words.drew(withUnit(mine), withUnit(was), number(n), said)
            : words.guessed(withUnit(mine), withUnit(was), said);
    }

    const told = () => shell.value.map((value, i) => value === null ? null
        : spec.line ? words.at(withUnit(value), number(spec.sizes[i])) : withUnit(value)).filter(Boolean).join(" · ");

    /** The size nearest to a place across. */
    const nearest = x => spec.sizes.map((size, i) => [Math.abs(drawn.across.at(size) - x), i]).sort((a, b) => a[0] - b[0])[0][1];

    function stroke([x, y], from) {
        const values = [...shell.value];
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
        shell.value = values;
    }

    function down(event) {
        if (shell.dead || event.button > 0) return;
        event.preventDefault();
        shell.change();
        svg.classList.add("by-pen");
        pen = at(svg, event);
        stroke(pen);
        drawn.handles[spec.line ? nearest(pen[0]) : 0].focus({ preventScroll: true });
        shell.show();
    }

    function move(event) {
        if (!pen) return;
        const next = at(svg, event);
        stroke(next, pen);
        pen = next;
        shell.show();
    }

    function up() {
        if (!pen) return;
        pen = null;
        shell.changed();
    }

    /** Arrow keys move the page unless a reader came here by keyboard; other keys are left to the page. */
    function key(event, control) {
        const handle = event.target.closest(".handle");
        if (!handle) return false;
        const i = Number(handle.dataset.at), value = shell.value[i];
        const byKeys = !svg.classList.contains("by-pen") && !control && !event.shiftKey;
        typed = /^[\d.]$/.test(event.key) && !control ? typed + event.key : "";
        const steps = { ArrowUp: 0.02, ArrowDown: -0.02, PageUp: 0.1, PageDown: -0.1 };
        if (!spec.line) Object.assign(steps, { ArrowRight: 0.02, ArrowLeft: -0.02 });
        const ends = { Home: spec.low, End: spec.high };
        const aside = spec.line ? { ArrowLeft: -1, ArrowRight: 1 }[event.key] : undefined;
        const put = made => shell.value.with(i, made);
        if (typed) {
            if (typed.length === 1) shell.change();
            shell.value = put(round(Math.min(spec.high, Math.max(spec.low, Number(typed) || spec.low))));
            shell.changed();
        } else if (byKeys && (event.key in steps || event.key in ends || event.key === "Delete")) {
            const along = spec.line ? drawn.up : drawn.across;
            const middle = spec.log ? Math.sqrt(spec.low * spec.high) : (spec.low + spec.high) / 2;
            shell.set(put(event.key === "Delete" ? null : ends[event.key] ?? (value === null
                ? round(shell.value.slice(0, i).findLast(v => v !== null) ?? middle) : next(along, value, steps[event.key]))));
        } else if (byKeys && aside) {
            drawn.handles[Math.min(spec.sizes.length - 1, Math.max(0, i + aside))].focus();
        } else {
            return false;
        }
        return true;
    }

    /** At least one step of two digits further. */
    function next(along, value, share) {
        const moved = round(along.moved(value, share));
        if (moved !== value) return moved;
        const least = 10 ** Math.floor(Math.log10(Math.max(value, 1e-9)) - 1);
        const digit = spec.whole ? Math.max(1, least) : least;
        return round(Math.min(spec.high, Math.max(spec.low, value + Math.sign(share) * digit)));
    }

    svg.addEventListener("focusin", () => pen || svg.classList.remove("by-pen")); // reached with the Tab key
    svg.addEventListener("focusout", () => { typed = ""; });
    return {
        layOut, show, move, up, key, gap, words: told, busy: () => pen,
        of: marks => spec.sizes.map(size => marks.find(mark => mark.n === size)?.value ?? null),
        marks: () => spec.sizes.map((n, i) => ({ n, words: "", value: shell.value[i] })).filter(mark => mark.value !== null),
    };
}

function html(parent, name, attributes = {}, text = "") {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return parent.appendChild(made);
}

/** One of several answers. spec: options. The value: the chosen one's number, null for none. */
function choice(shell, spec) {
    const { words } = shell;
    const group = html(shell.root, "fieldset"), name = Math.random().toString(36);
    html(group, "legend", {}, spec.about);
    shell.value = null;
    const inputs = spec.options.map((option, i) => {
        const label = html(group, "label", { class: "option" });
        const input = html(label, "input", { type: "radio", name });
        html(label, "span", {}, option);
        input.onchange = () => shell.set(i);
        return input;
    });
    return {
        show() {
            inputs.forEach((input, i) => {
                Object.assign(input, { checked: i === shell.value, disabled: shell.dead });
                input.parentElement.classList.toggle("was-right", shell.was?.words === spec.options[i]);
            });
        },
        gap: () => shell.value === null ? words.it(shell.was.words) : words.chose(spec.options[shell.value], shell.was.words),
        words: () => spec.options[shell.value] ?? "",
        of: ([mark]) => mark ? spec.options.indexOf(mark.words) : null,
        marks: () => shell.value === null ? [] : [{ n: 1, words: spec.options[shell.value], value: shell.value + 1 }],
        key(event) { // the browser's own, but not the page's
            if (event.key.startsWith("Arrow") || event.key === " ") event.stopImmediatePropagation();
            return false;
        },
    };
}

/** An order. spec: items. The value: the items' numbers, null before the reader has touched them. */
function order(shell, spec) {
    const { root, words } = shell;
    html(root, "div", { class: "asked" }, spec.about);
    const list = html(root, "ol", { "aria-label": spec.about });
    const hint = html(root, "div", {}, words.order);
    shell.value = null;
    let held = null;
    const now = () => shell.value ?? spec.items.map((_, i) => i);
    const rows = spec.items.map((item, i) => {
        const row = html(list, "li");
        html(row, "span", {}, item);
        for (const [sign, by, name] of [["↑", -1, words.up], ["↓", 1, words.down]]) {
            const button = html(row, "button", { "data-by": by, "aria-label": `${item}: ${name}` }, sign);
            button.onclick = () => step(i, by);
        }
        pressed(row, event => {
            if (shell.dead || event.button > 0 || event.target.closest("button")) return;
            event.preventDefault();
            shell.change();
            shell.value = now(); // the given order, too, may be meant
            held = i;
            shell.show();
        });
        return row;
    });

    /** Puts an item at a place. */
    function put(i, to) {
        const others = now().filter(other => other !== i);
        return others.toSpliced(to, 0, i);
    }

    function step(i, by) {
        const to = Math.min(spec.items.length - 1, Math.max(0, now().indexOf(i) + by));
        shell.set(put(i, to));
    }

    return {
        show() {
            list.classList.toggle("made", shell.value !== null);
            if (now().some((i, at) => list.children[at] !== rows[i])) {
                const focused = document.activeElement; // which loses the focus when it is moved
                list.append(...now().map(i => rows[i]));
                if (list.contains(focused)) focused.focus();
            }
            list.classList.toggle("was-right", Boolean(shell.was) && shell.value?.every((i, at) => spec.items[i] === shell.was.order[at]));
            rows.forEach(row => row.querySelectorAll("button").forEach(button => { button.disabled = shell.dead; }));
            hint.hidden = shell.value !== null;
        },
        gap() {
            const was = shell.was.order.join(", "), mine = shell.value?.map(i => spec.items[i]).join(", ");
            return mine ? words.chose(mine, was) : words.it(was);
        },
        words: () => shell.value === null ? "" : shell.value.map((i, at) => `${at + 1}. ${spec.items[i]}`).join(" · "),
        of: marks => marks.length ? [...marks].sort((a, b) => a.n - b.n).map(mark => spec.items.indexOf(mark.words)) : null,
        marks: () => (shell.value ?? []).map((i, at) => ({ n: at + 1, words: spec.items[i], value: i + 1 })),
        move(event) {
            if (held === null) return;
            const to = now().filter(i => i !== held).filter(i => {
                const area = rows[i].getBoundingClientRect();
                return area.top + area.height / 2 < event.clientY;
            }).length;
            if (now().indexOf(held) === to) return;
            shell.value = put(held, to);
            shell.show();
        },
        up() {
            if (held === null) return;
            held = null;
            shell.changed();
        },
        key(event) {
            const i = rows.findIndex(row => row.contains(event.target)), by = { ArrowUp: -1, ArrowDown: 1 }[event.key];
            if (by) step(i, by);
            if (event.key === "Enter" || event.key === " ") event.stopImmediatePropagation(); // the browser's own
            return by;
        },
    };
}

/**
 * Bars on lanes. spec: lanes (names), axis (its length in ms), bars ([name, ms] each). The value: for each bar its
 * [lane, beginning in ms], null while it has no place.
 */
function lanes(shell, spec) {
    const { root, words } = shell;
    html(root, "div", { class: "asked" }, spec.about);
    const svg = picture(root, spec.about);
    const unit = niceStep(spec.axis / 50), HIGH = 44, TRAY = 34;
    shell.value = spec.bars.map(() => null);
    let drawn = null, held = null;

    function layOut() {
        const wide = Math.max(...spec.lanes.map(lane => lane.length)) * 7.5 + 14;
        let across, tray;
        const { width, height } = sized(root, svg, full => {
            across = scale(0, spec.axis, false, wide, full - 14);
            let x = 0, row = 0;
            tray = spec.bars.map(([, ms]) => { // in as many rows as they need
                const long = across.at(ms) - wide;
                if (x + long > full) [x, row] = [0, row + 1];
                x += long + 6;
                return [x - long - 6, row * TRAY];
            });
            return (row + 1) * TRAY + spec.lanes.length * HIGH + 56;
        });
        const top = tray.at(-1)[1] + TRAY + 22, bottom = top + spec.lanes.length * HIGH;
        const label = (x, y, text, anchor) =>
            element(svg, "text", { x, y, "text-anchor": anchor, "aria-hidden": true }, text);
        const sheet = element(svg, "rect", { class: "sheet", x: wide, y: top, width: width - 14 - wide, height: bottom - top });
        pressed(sheet, event => grab(event, shell.value.findIndex(place => place === null)));
        spec.lanes.forEach((lane, i) => {
            label(wide - 8, top + (i + 0.5) * HIGH + 4, lane, "end");
            if (i) element(svg, "line", { class: "grid", x1: wide, x2: width - 14, y1: top + i * HIGH, y2: top + i * HIGH });
        });
        let free = Infinity;
        for (const tick of [...across.ticks].reverse()) {
            element(svg, "line", { class: "grid", x1: across.at(tick), x2: across.at(tick), y1: top, y2: bottom });
            if (across.at(tick) + 20 > free) continue;
            const end = free === Infinity;
            label(end ? width : across.at(tick), bottom + 16, number(tick) + (end ? " ms" : ""), end ? "end" : "middle");
            free = across.at(tick) - 36;
        }
        const hint = label(0, top - 8, words.lanes, "start");
        hint.setAttribute("class", "hint");
        const bars = spec.bars.map(([name, ms], i) => {
            const long = across.at(ms) - wide;
            const bar = element(svg, "g", { class: "bar", role: "slider", tabindex: 0, "aria-label": name,
                "aria-valuemin": 0, "aria-valuemax": spec.axis, "data-at": i });
            element(bar, "rect", { width: long, height: TRAY - 6, rx: 3 });
            element(bar, "text", { x: long / 2, y: TRAY / 2 + 2, "text-anchor": "middle", "aria-hidden": true }, name);
            pressed(bar, event => grab(event, i, at(svg, event)[0] - drawn.places[i][0]));
            return bar;
        });
        drawn = { across, tray, top, hint, bars, places: tray };
        show();
    }

    const told = i => shell.value[i] ? `${spec.lanes[shell.value[i][0]]}, ${number(shell.value[i][1])} ms` : words.open;

    function show() {
        const { across, tray, top, hint, bars } = drawn;
        drawn.places = shell.value.map((place, i) =>
            place ? [across.at(place[1]), top + place[0] * HIGH + (HIGH - TRAY + 6) / 2] : tray[i]);
        drawn.places.forEach(([x, y], i) => {
            const [dx, dy] = held?.i === i && held.at ? held.at : [x, y];
            const shown = { transform: `translate(${dx} ${dy})`, "aria-valuenow": shell.value[i]?.[1] ?? 0,
                "aria-valuetext": told(i), "aria-disabled": shell.dead };
            Object.entries(shown).forEach(([name, value]) => bars[i].setAttribute(name, value));
        });
        hint.textContent = shell.value.some(place => place === null) ? words.lanes : "";
    }

    /** The free place on a lane that is nearest to a moment, touching a bar that is as near; null if the lane is full. */
    function fit(i, lane, from, touching = 0) {
        const long = spec.bars[i][1];
        const others = shell.value.map((place, n) => place && place[0] === lane && n !== i
            ? [place[1], place[1] + spec.bars[n][1]] : null).filter(Boolean);
        const ends = [0, ...others.map(other => other[1]), ...others.map(other => other[0] - long)];
        const near = ends.find(end => Math.abs(end - from) < touching);
        return [near ?? Math.round(from / unit) * unit, ...ends]
            .filter(start => start >= 0 && start + long <= spec.axis
                && others.every(([a, b]) => start >= b - 1e-9 || start + long <= a + 1e-9))
            .sort((a, b) => Math.abs(a - from) - Math.abs(b - from)).map(start => [lane, start])[0] ?? null;
    }

    /** Takes a bar; on an empty lane the next one, by its beginning. */
    function grab(event, i, within = 0) {
        if (shell.dead || event.button > 0 || i < 0) return;
        event.preventDefault();
        shell.change();
        held = { i, within };
        drawn.bars[i].focus({ preventScroll: true });
        svg.append(drawn.bars[i]); // above the others
        move(event);
    }

    function move(event) {
        if (!held) return;
        const [x, y] = at(svg, event), { across, top } = drawn;
        const lane = Math.floor((y - top) / HIGH), inside = lane >= 0 && lane < spec.lanes.length;
        const from = Math.min(spec.axis - spec.bars[held.i][1], across.of(x - held.within));
        const place = inside ? fit(held.i, lane, from, unit * 1.5) : null;
        held.at = place ? null : [x - held.within, y - TRAY / 2 + 3];
        shell.value = shell.value.with(held.i, place);
        shell.show();
    }

    function up() {
        if (!held) return;
        drawn.bars.forEach(bar => svg.append(bar)); // in the order of the Tab key
        const bar = drawn.bars[held.i];
        held = null;
        bar.focus({ preventScroll: true });
        shell.changed();
    }

    function key(event, control) {
        const i = Number(event.target.closest(".bar")?.dataset.at ?? -1);
        if (i < 0 || control || event.shiftKey) return false;
        const place = shell.value[i], put = made => shell.set(shell.value.with(i, made));
        const by = { ArrowRight: unit, ArrowLeft: -unit, PageUp: 5 * unit, PageDown: -5 * unit }[event.key];
        const turn = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (event.key === "Delete") {
            put(null);
        } else if (by && place) {
            const from = Math.min(spec.axis - spec.bars[i][1], Math.max(0, place[1] + by));
            const others = shell.value.filter((other, n) => other && other[0] === place[0] && n !== i);
            const free = fit(i, place[0], from);
            // over a bar in the way, to its other side
            const stuck = free && (free[1] - place[1]) * by <= 0;
            const beyond = others.map(other => by > 0 ? other[1] + spec.bars[shell.value.indexOf(other)][1]
                : other[1] - spec.bars[i][1]).filter(end => (end - place[1]) * by > 0).sort((a, b) => (a - b) * by);
            put(stuck ? beyond.map(end => fit(i, place[0], end)).find(one => one && (one[1] - place[1]) * by > 0) ?? place : free);
        } else if (by || turn) { // from the tray behind the last bar of a lane; off the top lane back into the tray
            const lane = place ? place[0] + turn : turn === -1 ? spec.lanes.length - 1 : 0;
            if (lane >= spec.lanes.length) return true;
            const last = Math.max(0, ...shell.value.map((other, n) => other?.[0] === lane && n !== i
                ? other[1] + spec.bars[n][1] : 0));
            put(lane < 0 ? null : fit(i, lane, place ? place[1] : last));
        } else {
            return false;
        }
        return true;
    }

    return {
        layOut, show, move, up, key, busy: () => held,
        gap() {
            const was = shell.was.end, end = Math.max(...shell.value.map((place, i) => place ? place[1] + spec.bars[i][1] : Infinity));
            return Number.isFinite(end) ? words.ends(number(end), number(was), wrong(words, end, was)) : words.it(`${number(was)} ms`);
        },
        words: () => spec.lanes.map((lane, at) => [lane, shell.value.map((place, i) => place?.[0] === at
            ? [place[1], `${spec.bars[i][0]} ${number(place[1])} ms`] : null).filter(Boolean).sort((a, b) => a[0] - b[0])])
            .filter(([, bars]) => bars.length).map(([lane, bars]) => `${lane}: ${bars.map(bar => bar[1]).join(", ")}`)
            .join(" · "),
        of: marks => spec.bars.map((_, i) => {
            const mark = marks.find(one => one.n === i + 1);
            return mark ? [spec.lanes.indexOf(mark.words), mark.value] : null;
        }),
        marks: () => shell.value.map((place, i) => place && { n: i + 1, words: spec.lanes[place[0]], value: place[1] })
            .filter(Boolean),
    };
}

const KINDS = { figures, choice, order, lanes };

export default {
    render({ model, el }) {
        const me = Math.random().toString(36).slice(2);
        // a message, since changes of the model may wait while the kernel is busy, and the next cell needs this one
        const view = guess(el, model.get("spec"), marks => model.send({ guess: marks, by: me }));
        const load = () => { if (model.get("guess").by !== me) view.show(model.get("guess").marks); };
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
