package threadlab.kernel;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.dflib.jjava.jupyter.Extension;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.display.RenderContext;
import org.dflib.jjava.jupyter.kernel.display.Renderer;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;
import org.knowm.xchart.internal.chartpart.Chart;
import tech.tablesaw.api.Table;
import threadlab.child.Program;
import threadlab.claim.Check;
import threadlab.claim.Claim;
import threadlab.claim.Claims;
import threadlab.guess.Gap;
import threadlab.guess.Guess;
import threadlab.plot.ChartImage;
import threadlab.plot.Replay;
import threadlab.running.Running;
import threadlab.trace.Traces;

/**
 * Extends the kernel: it shows charts, tables, traces and claims, and imports what the cells of the course use. The
 * kernel finds this class as a service.
 */
public final class NotebookExtension implements Extension {

    /** Whether charts are also drawn for phones, for pages of the site. */
    private static final boolean NARROW = System.getenv("THREADLAB_NARROW") != null;

    private static final Duration TIME_TO_ANSWER = Duration.ofMillis(300);

    /** In addition to the kernel's own imports: java.util, java.util.concurrent, java.time and others. */
    static final String IMPORTS = """
            import java.util.concurrent.atomic.*;
            import java.util.function.*;
            import java.util.stream.*;
            import tech.tablesaw.aggregate.AggregateFunctions;
            import tech.tablesaw.api.*;
            import threadlab.inspect.*;
            import threadlab.carriers.*;
            import threadlab.claim.*;
            import threadlab.child.*;
            import threadlab.guess.*;
            import threadlab.load.*;
            import threadlab.measure.*;
            import threadlab.plot.*;
            import threadlab.running.*;
            import threadlab.trace.*;
            import whatwaits.look.Jvm;
            import whatwaits.rules.ThreadDump;
            import whatwaits.rules.Verdict;
            import whatwaits.rules.WaitReason;
            """;

    /** Made by the kernel. */
    public NotebookExtension() {}

    @Override
    public void install(BaseKernel kernel) {
        Notebook.opened(kernel);
        register(kernel.getRenderer());
        kernel.getMagicsRegistry().registerLineMagic("libraries", new Libraries());
        kernel.evalBuilder(IMPORTS).eval();
    }

    /**
     * Lets the JVM end soon after the kernel has answered the request to shut down. Otherwise the kernel's idle
     * threads would keep it alive for a minute, and a restart would wait until Jupyter kills it.
     */
    @Override
    public void uninstall(BaseKernel kernel) {
        Thread.ofPlatform().daemon().name("exit").start(() -> {
            LockSupport.parkNanos(TIME_TO_ANSWER.toNanos());
            System.exit(0);
        });
    }

    static void register(Renderer renderer) {
        show(
                renderer,
                Chart.class,
                MIMEType.IMAGE_PNG,
                (chart, context) -> picture(context, chart, ChartImage.description(chart), ""));
        // a page that drops scripts keeps the picture
        show(
                renderer,
                Replay.class,
                MIMEType.IMAGE_PNG,
                (replay, context) -> picture(context, replay.chart(), replay.toString(), replay.player()));
        // the page itself colours source that it gets as Markdown, in light and dark themes
        show(renderer, Program.class, MIMEType.TEXT_MARKDOWN, (program, _) -> {
            var file = program.file().toString().replace('\\', '/');
            return "[%1$s](%1$s), a file to open and edit:\n```java\n%2$s\n```".formatted(file, program.shown());
        });
        html(renderer, Table.class, Html::of);
        renderer.createRegistration(Guess.class)
                .preferring(MIMEType.TEXT_PLAIN)
                .register((guess, context) -> GuessViews.show(guess, context.getOutputContainer()));
        html(renderer, Gap.class, gap -> {
            GuessViews.end(gap.guess(), gap.was());
            return Html.guess(gap.sentence());
        });
        renderer.createRegistration(Running.class)
                .preferring(MIMEType.TEXT_PLAIN)
                .register((running, context) -> RunningViews.show(running, context.getOutputContainer()));
        html(renderer, Claim.class, claim -> {
            claim.guess().ifPresent(guess -> GuessViews.end(guess.made(), guess.was()));
            if (Claims.lists(claim)) {
                var mark = claim.verdict().mark();
                Notebook.results()
                        .ifPresent(results -> results.keepClaim(
                                claim.statement(), claim.value(), claim.bound(), mark, claim.marginUsed()));
            }
            return Html.of(claim);
        });
        html(renderer, Check.class, Html::of);
        html(renderer, Traces.class, Html::of);
    }

    /** A picture with words for readers who cannot see it; the script may replace it. */
    private static String picture(RenderContext context, Chart<?, ?> chart, String words, String script) {
        int width = chart.getWidth();
        int height = chart.getHeight();
        var png = ChartImage.base64(chart);
        var shown = context.getOutputContainer();
        shown.putMetaData(MIMEType.IMAGE_PNG, Map.of("width", width, "height", height, "alt", words));
        shown.putText(words);
        // a page shows a PNG without text for readers who cannot see it
        var html = Html.picture(words, width, height, png, script);
        shown.putHTML(NARROW && script.isEmpty() ? Html.narrow(html, words, chart) : html);
        return png;
    }

    private static <T> void html(Renderer renderer, Class<T> type, Function<T, String> write) {
        show(renderer, type, MIMEType.TEXT_HTML, (value, _) -> write.apply(value));
    }

    private static <T> void show(
            Renderer renderer, Class<T> type, MIMEType kind, BiFunction<T, RenderContext, String> write) {
        renderer.createRegistration(type)
                .preferring(kind)
                .register((value, context) -> context.renderIfRequested(kind, () -> write.apply(value, context)));
    }
}
