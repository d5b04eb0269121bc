// A running experiment: its sliders and buttons, and λ, W and L of the last seconds, told ten times a second. In a
// notebook anywidget calls render.

const SVG = "http://www.w3.org/2000/svg";
const SHOWN = 15, CALM = 3; // seconds on the panels; ticks from one change of the numbers to the next
const COLORS = { arrived: "#888888", perSecond: "#009E73", latency: "#CC79A7", inside: "#7F7F00" };
const STYLE = `
.running { max-width: 660px; font: 14px/1.4 sans-serif; color: var(--jp-ui-font-color1, currentColor) }
.running .controls { display: grid; grid-template-columns: repeat(auto-fit, minmax(190px, 1fr)); gap: 4px 20px; align-items: end }
.running label { display: block }
.running output { float: right; font-weight: bold; font-variant-numeric: tabular-nums }
.running input { display: block; width: 100%; height: 26px; margin: 0; accent-color: ${COLORS.perSecond}; touch-action: pan-y }
.running button { font: inherit; color: inherit; background: none; border: 1px solid currentColor; border-radius: 4px;
    padding: 3px 12px; min-height: 28px; cursor: pointer }
.running button[aria-pressed=true] { background: currentColor }
.running button[aria-pressed=true] span { color: var(--jp-layout-color1, Canvas) }
.running .below { display: flex; flex-wrap: wrap; gap: 6px 20px; align-items: center; margin-top: 6px }
.running .left { margin-left: auto; opacity: 0.8; font-variant-numeric: tabular-nums }
.running .head { display: flex; flex-wrap: wrap; gap: 0 16px; margin: 8px 0 2px; font-variant-numeric: tabular-nums }
.running .head i { display: inline-block; width: 16px; height: 4px; margin-right: 5px; vertical-align: middle }
.running .head i.area { height: 10px }
.running .head i.dashed { height: 0; border-top: 2px dashed currentColor }
.running b { display: inline-block; min-width: 2.6em }
.running .plot { position: relative; height: 74px; background: color-mix(in srgb, currentColor 4%, transparent) }
.running .plot.tall { height: 100px }
.running svg { display: block; width: 100%; height: 100% }
.running svg * { vector-effect: non-scaling-stroke; fill: none; stroke-linejoin: round }
.running .plot span { position: absolute; left: 3px; top: 0; font-size: 12px; opacity: 0.8 }
.running .band { fill: currentColor; fill-opacity: 0.16 }
.running .ages { display: flex; justify-content: space-between; font-size: 12px; opacity: 0.8 }
.running .law { display: flex; flex-wrap: wrap; gap: 0 12px; margin-top: 4px; font-variant-numeric: tabular-nums }
.running .law span { min-width: 128px }
.running .law b { white-space: pre }`;

const WORDS = {
    en: { arrived: "arrivals per second", perSecond: "λ, leaving per second", latency: "W, latency", inside: "L, inside",
        served: "at the servers", waiting: "in the queue", product: "λ · W", whole: "queue and servers",
        service: "servers alone", panels: "λ, W and L over the last 15 seconds", past: `${SHOWN} s ago`,
        now: "now", left: s => `ends in ${s} s`, ended: "Ended. To run it again, run this cell." },
    ko: { arrived: "초당 도착", perSecond: "λ, 초당 퇴장", latency: "W, 지연 시간", inside: "L, 안에 있는 수",
        served: "처리 중", waiting: "대기열", product: "λ · W", whole: "대기열과 서버",
        service: "서버만", panels: "최근 15초 동안의 λ, W, L", past: `${SHOWN}초 전`,
        now: "지금", left: s => `${s}초 뒤에 끝남`, ended: "끝났습니다. 다시 실행하려면 이 셀을 실행하세요." },
    ja: { arrived: "毎秒の到着", perSecond: "λ、毎秒の退出", latency: "W、レイテンシ", inside: "L、中にいる数",
        served: "処理中", waiting: "待ち行列", product: "λ · W", whole: "待ち行列とサーバー",
        service: "サーバーだけ", panels: "直近15秒の λ、W、L", past: `${SHOWN}秒前`,
        now: "今", left: s => `あと${s}秒で終了`, ended: "終了しました。もう一度動かすには、このセルを実行してください。" },
    zh: { arrived: "每秒到达", perSecond: "λ，每秒离开", latency: "W，延迟", inside: "L，系统内",
        served: "处理中", waiting: "排队中", product: "λ · W", whole: "队列和服务端",
        service: "只看服务端", panels: "最近 15 秒的 λ、W 和 L", past: `${SHOWN} 秒前`,
        now: "现在", left: s => `${s} 秒后结束`, ended: "已结束。要再次运行，请运行此单元格。" },
};

const number = value => value.toLocaleString("en", { maximumFractionDigits: value < 9.95 ? 1 : 0 });
const scale = seconds => seconds < 1 ? `${number(seconds * 1e3)} ms` : `${number(seconds)} s`;
const time = seconds => seconds === null ? "–" : seconds < 0.9995 ? `${number(seconds * 1e3)} ms` : `${seconds.toFixed(2)} s`;

function html(parent, name, attributes = {}, text = "") {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.textContent = text;
    return parent.appendChild(made);
}

/** The least round number that is not below a value. */
function ceiling(value) {
    const ten = 10 ** Math.floor(Math.log10(value));
    return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map(x => x * ten).find(x => x >= value - 1e-12);
}

/** A panel over the last seconds: areas, lines and bands, as high as the highest of its values. */
function panel(parent, series, unit, tall = false) {
    const head = html(parent, "div", { class: "head" });
    const numbers = series.map(({ word, color, kind = "line", share = 1 }) => {
        const said = html(head, "span");
        html(said, "i", { class: kind, style: kind === "dashed" ? "" : `background: ${color}; opacity: ${share}` });
        said.append(`${word} `);
        return html(said, "b");
    });
    const plot = html(parent, "div", { class: tall ? "plot tall" : "plot", "aria-hidden": true });
    const svg = plot.appendChild(document.createElementNS(SVG, "svg"));
    svg.setAttribute("viewBox", `0 0 ${SHOWN} 100`);
    svg.setAttribute("preserveAspectRatio", "none");
    const add = (name, attributes) => {
        const made = svg.appendChild(document.createElementNS(SVG, name));
        Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
        return made;
    };
    const bands = add("g", {});
    const shapes = series.map(({ color, kind, share }) => add("path", kind === "area"
        ? { style: `fill: ${color}; fill-opacity: ${share}` }
        : { stroke: color, "stroke-width": kind === "thin" ? 1.4 : 2.2, ...(kind === "dashed" && { "stroke-dasharray": "5 4" }) }));
    const most = html(plot, "span");
    return (moments, now, calm) => {
        const high = ceiling(Math.max(1e-3, ...moments.flatMap(it => series.map(({ of }) => of(it) ?? 0))));
        const x = at => (at - now + SHOWN).toFixed(3), y = value => (100 - 94 * value / high).toFixed(2);
        shapes.forEach((shape, i) => {
            let path = "", pen = false;
            let first = null;
            for (const it of moments) {
                const value = series[i].of(it);
                if (value !== null) path += `${pen ? "L" : "M"}${x(it.seconds)},${y(value)}`;
                pen = value !== null;
                first ??= pen ? it.seconds : null;
            }
            if (series[i].kind === "area" && first !== null) path += `V100H${x(first)}Z`;
            shape.setAttribute("d", path);
        });
        bands.replaceChildren(...(moments.at(-1)?.bands ?? []).filter(band => band[1] > now - SHOWN).map(([from, to]) => {
            const band = document.createElementNS(SVG, "rect");
            const place = { class: "band", x: x(from), width: Math.max(0, Math.min(to, now) - from), y: 0, height: 100 };
            Object.entries(place).forEach(([key, value]) => band.setAttribute(key, value));
            return band;
        }));
        most.textContent = unit(high);
        if (calm) numbers.forEach((b, i) => { b.textContent = moments.length ? series[i].said(moments.at(-1)) : ""; });
    };
}

export default {
    render({ model, el }) {
        const language = document.documentElement.lang || navigator.language || "en";
        const words = WORDS[language.slice(0, 2)] || WORDS.en;
        const me = Math.random().toString(36).slice(2);
        const root = html(el, "div", { class: "running", role: "group", "aria-label": words.panels });
        html(root, "style", {}, STYLE);

        const controls = html(root, "div", { class: "controls" });
        const below = html(root, "div", { class: "below" });
        const inputs = model.get("controls").map((spec, control) => {
            if ("down" in spec) {
                const button = html(below, "button", { type: "button", "aria-pressed": false });
                html(button, "span", {}, `${spec.name} · ${spec.down} ms`);
                button.onclick = () => {
                    if (button.getAttribute("aria-pressed") === "true") return;
                    model.send({ control });
                    button.setAttribute("aria-pressed", true);
                    setTimeout(() => button.setAttribute("aria-pressed", false), spec.down);
                };
                return { input: button, show() {} };
            }
            const label = html(controls, "label", {}, `${spec.name} `);
            const out = html(label, "output");
            const range = { type: "range", min: spec.low, max: spec.high, step: spec.step, value: spec.first };
            const input = html(label, "input", { ...range, "aria-label": spec.name });
            input.oninput = () => {
                out.textContent = input.value;
                model.send({ control, value: Number(input.value), by: me });
            };
            return { input, show(value) { input.value = value; out.textContent = value; } };
        });
        const left = html(below, "div", { class: "left" });

        const waits = it => Math.max(0, it.inside - it.served);
        const panels = [
            panel(root, [
                { word: words.arrived, color: COLORS.arrived, kind: "thin", of: it => it.arrived, said: it => number(it.arrived) },
                { word: words.perSecond, color: COLORS.perSecond, of: it => it.perSecond, said: it => number(it.perSecond) },
            ], number),
            panel(root, [
                { word: words.latency, color: COLORS.latency, of: it => it.latency, said: it => time(it.latency) },
            ], scale),
            panel(root, [
                { word: words.served, color: COLORS.inside, kind: "area", share: 0.7, of: it => it.served, said: it => number(it.served) },
                { word: words.waiting, color: COLORS.inside, kind: "area", share: 0.35, of: it => it.inside, said: it => number(waits(it)) },
                { word: words.inside, color: COLORS.inside, of: it => it.inside, said: it => number(it.inside) },
                { word: words.product, color: "currentColor", kind: "dashed", of: it => it.product, said: it => number(it.product) },
            ], number, true),
        ];
        const ages = html(root, "div", { class: "ages", "aria-hidden": true });
        html(ages, "span", {}, words.past);
        html(ages, "span", {}, words.now);

        const boxes = [words.whole, words.service].map(box => {
            const row = html(root, "div", { class: "law" });
            html(row, "span", {}, box);
            return html(row, "b");
        });
        /** Both sides of the law; they differ where a box fills or empties. */
        const law = (inside, perSecond, seconds, product) => {
            const sign = Math.abs(inside - product) <= 0.1 * Math.max(inside, product, 0.1) ? "≈" : "≠";
            return `L = ${number(inside)}  ${sign}  λ · W = ${number(perSecond)}/s × ${time(seconds)} = ${number(product)}`;
        };

        const moments = [];
        let ticks = 0, dead = false;
        const draw = () => {
            const now = moments.at(-1)?.seconds ?? 0;
            while (moments.length && moments[0].seconds < now - SHOWN) moments.shift();
            const calm = ticks++ % CALM === 0;
            panels.forEach(show => show(moments, now, calm));
            if (calm && moments.length) {
                const it = moments.at(-1);
                boxes[0].textContent = law(it.inside, it.perSecond, it.latency, it.product);
                boxes[1].textContent = law(it.served, it.perSecond, it.service, it.servedProduct);
            }
            left.textContent = dead ? words.ended : words.left(Math.max(0, Math.ceil(model.get("lasts") - now)));
        };
        const load = () => {
            const now = model.get("now");
            if ("seconds" in now) moments.push(now);
            draw();
        };
        const place = () => {
            const { values, by } = model.get("values");
            if (by !== me) inputs.forEach((each, i) => each.show(values[i]));
        };
        const end = () => {
            dead = true;
            inputs.forEach(each => { each.input.disabled = true; });
            draw();
        };
        /** Keys that move a slider or press a button must not also move the page or its cells. */
        const keys = new Set(["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End", " ", "Enter"]);
        const key = event => {
            const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey;
            if (plain && keys.has(event.key) && root.contains(event.target)) event.stopImmediatePropagation();
        };
        window.addEventListener("keydown", key, true);
        model.on("change:now", load);
        model.on("change:values", place);
        model.on("comm_live_update", end);
        place();
        load();
        return () => {
            window.removeEventListener("keydown", key, true);
            model.off("change:now", load);
            model.off("change:values", place);
            model.off("comm_live_update", end);
        };
    },
};
