// Pages on which a visitor guesses before the run is shown: drawings (div.draw, window.threadlabDrawn), and the guesses of
// a lesson (div.threadlab-guess, which its run has left there). Also loads a lesson's sliders once they come near.
(() => {
    const WORDS = {
        en: { compare: "Compare with the run", once: "Show at once", hidden: "What came out is hidden until you guess.",
            times: n => `This page asks you ${n === 1 ? "once" : `${n} times`} before it shows what came out.`, all: "Show everything at once" },
        ko: { compare: "실행 결과와 비교하기", once: "바로 보기", hidden: "예상할 때까지 결과를 숨깁니다.",
            times: n => `이 페이지는 결과를 보여 주기 전에 ${n}번 묻습니다.`, all: "모두 바로 보기" },
        ja: { compare: "実行結果と比べる", once: "すぐに見る", hidden: "予想するまで結果は表示されません。",
            times: n => `このページは結果を見せる前に ${n} 回質問します。`, all: "すべてすぐに見る" },
        zh: { compare: "与运行结果比较", once: "直接看结果", hidden: "在您猜测之前，结果是隐藏的。",
            times: n => `本页在显示结果之前会提问 ${n} 次。`, all: "直接显示全部" },
    };
    const words = WORDS[document.documentElement.lang.slice(0, 2)] ?? WORDS.en;

    function element(tag, attributes = {}, ...inside) {
        const made = document.createElement(tag);
        for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
        made.append(...inside);
        return made;
    }

    /** Asks in a place, then lays what was measured over the guess and calls open. Returns how to show it without one. */
    function ask(home, spec, was, open) {
        const place = element("div");
        const button = element("button", { type: "button", class: "compare" }, words.once);
        home.replaceChildren(place, button);
        const view = window.threadlabGuess(place, spec, (marks) => {
            button.textContent = marks.length ? words.compare : words.once;
            button.classList.toggle("drawn", marks.length > 0);
            button.hidden = false;
        });
        const show = () => {
            view.reveal(was);
            button.hidden = true;
            open();
        };
        button.addEventListener("click", show);
        return () => button.hidden || show();
    }

    // --- drawings ---

    /** What scrolls can be reached with the Tab key, too; what was hidden did not scroll when the theme looked. */
    function reachable() {
        for (const box of document.querySelectorAll("article :is(pre, .text_html, .pst-scrollable-table-container)")) {
            if (box.scrollWidth > box.clientWidth) box.tabIndex = 0;
        }
    }
    reachable();
    document.addEventListener("toggle", reachable, true); // a part was unfolded
    window.addEventListener("resize", () => {
        reachable();
        setTimeout(reachable, 400); // the theme looks later
    });

    function hide(parts) {
        for (const part of parts) part.hidden = true;
        return () => {
            for (const part of parts) part.hidden = false;
            reachable();
        };
    }

    const drawings = [...document.querySelectorAll("div.draw")];
    for (const home of drawings) {
        const { spec, series } = window.threadlabDrawn[home.dataset.draw];
        const names = home.dataset.names.split("|");
        const named = series.map((one, i) => ({ ...one, name: names[i] }));
        // the next drawing of the page, and what explains this one
        const after = document.querySelectorAll(`[data-after="${home.dataset.draw}"]`);
        ask(home, { ...spec, about: home.dataset.about, figure: home.dataset.figure }, { series: named, note: home.dataset.note }, hide(after));
    }

    // --- the guesses of a lesson ---

    const KINDS = ["virtual", "platform", "other"];
    const kind = (name) => KINDS.find((one) => name.startsWith(one)) ?? (name.includes("pool") ? "platform" : "other");
    const shows = [];

    /** What follows a guess, with its exercises, up to the next guess or the next part. */
    function following(cell) {
        const found = [];
        for (let next = cell.nextElementSibling; next; next = next.nextElementSibling) {
            if (next.querySelector(".threadlab-guess")) break;
            found.push(next);
        }
        return found;
    }

    const asked = [...document.querySelectorAll(".threadlab-guess")].filter((home) => home.dataset.guess);
    const cells = asked.map((home) => home.closest(".cell"));
    for (const [i, home] of asked.entries()) {
        const { spec, was } = JSON.parse(home.dataset.guess);
        was.series?.forEach((one) => Object.assign(one, { kind: kind(one.name) }));
        const parts = following(cells[i]);
        const note = element("p", { class: "hidden-note" }, words.hidden);
        // nobody can run the cell that asks, so its code comes with the answer
        const after = hide([...parts, ...cells[i].querySelectorAll(".cell_input")]);
        const open = () => {
            after();
            note.remove();
        };
        const show = ask(home, spec, was, open);
        if (parts.length) parts[0].before(note);
        shows.push(show);
        // a link to a hidden cell shows it
        const reach = () => {
            const there = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
            if (!there || !parts.some((part) => part.contains(there))) return;
            show();
            there.scrollIntoView();
        };
        window.addEventListener("hashchange", reach);
        reach();
    }
    if (shows.length) {
        const all = element("button", { type: "button" }, words.all);
        const told = element("p", { class: "asks" }, words.times(shows.length), " ", all);
        all.addEventListener("click", () => {
            shows.forEach((show) => show());
            told.remove();
        });
        document.querySelector("article h1")?.after(told);
        window.addEventListener("beforeprint", () => shows.forEach((show) => show()));
    }

    // --- a lesson's sliders ---

    async function load(home) {
        for (const script of home.dataset.scripts.split(" ")) {
            await new Promise((done) => document.head.append(Object.assign(element("script", { src: script }), { onload: done })));
        }
    }
    const near = new IntersectionObserver((entries) => {
        for (const { target } of entries.filter((entry) => entry.isIntersecting)) {
            near.unobserve(target);
            load(target);
        }
    }, { rootMargin: "600px" });
    for (const home of document.querySelectorAll("[data-scripts]")) near.observe(home);
})();
