package threadlab.kernel;

import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import jdk.jshell.JShell;
import org.dflib.jjava.jupyter.Extension;
import org.dflib.jjava.jupyter.channels.ShellHandler;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.display.Renderer;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;
import org.dflib.jjava.jupyter.messages.MessageType;
import org.dflib.jjava.jupyter.messages.request.ExecuteRequest;
import org.knowm.xchart.XYChart;
import tech.tablesaw.api.Table;
import threadlab.child.Program;
import threadlab.claim.Check;
import threadlab.claim.Claim;
import threadlab.measure.Printable;
import threadlab.plot.Animation;
import threadlab.trace.Traces;

/**
 * Teaches the kernel to show charts, tables, traces and claims, and imports what the cells of the course use. The kernel finds
 * it by itself.
 */
public final class NotebookExtension implements Extension {

    private static final Duration TIME_TO_ANSWER = Duration.ofMillis(300);

    /** Beside the kernel's own imports: java.util, java.util.concurrent, java.time and others. */
    private static final String IMPORTS = """
            import java.util.concurrent.atomic.*;
            import java.util.function.*;
            import java.util.stream.*;
            import tech.tablesaw.aggregate.AggregateFunctions;
            import tech.tablesaw.api.*;
            import threadlab.inspect.*;
            import threadlab.carriers.*;
            import threadlab.claim.*;
            import threadlab.child.*;
            import threadlab.load.*;
            import threadlab.measure.*;
            import threadlab.plot.*;
            import threadlab.trace.*;
            """;

    /** Made by the kernel. */
    public NotebookExtension() {}

    @Override
    public void install(BaseKernel kernel) {
        // the kernel reports the start and the end of each of its loops in the reader's terminal
        Logger.getLogger("").setLevel(Level.WARNING);
        Notebook.opened(kernel);
        register(kernel.getRenderer());
        kernel.getMagicsRegistry().registerLineMagic("libraries", new Libraries());
        kernel.eval(IMPORTS);
        var shell = shell(kernel);
        shell.onSnippetEvent(new Unresolved(shell));
        var warmUp = WarmUp.of(kernel, shell);
        Channels.whenConnected(
                (connection, cells) -> {
                    connection.setHandler(MessageType.KERNEL_INFO_REQUEST, new KernelInfo(kernel, cells));
                    connection.setHandler(MessageType.INSPECT_REQUEST, new Inspection(shell));
                    ShellHandler<ExecuteRequest> execute = connection.getHandler(MessageType.EXECUTE_REQUEST);
                    connection.setHandler(MessageType.EXECUTE_REQUEST, (environment, request) -> {
                        warmUp.end();
                        execute.handle(environment, request);
                    });
                },
                warmUp);
    }

    private static JShell shell(BaseKernel kernel) {
        try {
            // the kernel's own class is in no library that threadlab could be compiled with
            return (JShell) kernel.getClass().getMethod("getJShell").invoke(kernel);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("this kernel is not the JJava that threadlab knows", e);
        }
    }

    /**
     * Lets the JVM end soon after the kernel has answered the request to shut down. Otherwise threads that the kernel
     * keeps in reserve would hold it for a minute, and a restart would wait until Jupyter kills it.
     */
    @Override
    public void uninstall(BaseKernel kernel) {
        Thread.ofPlatform().daemon().name("exit").start(() -> {
            LockSupport.parkNanos(TIME_TO_ANSWER.toNanos());
            System.exit(0);
        });
    }

    private static void register(Renderer renderer) {
        renderer.createRegistration(XYChart.class)
                .preferring(MIMEType.IMAGE_PNG)
                .register((chart, context) -> context.renderIfRequested(MIMEType.IMAGE_PNG, () -> {
                    var words = ChartImage.description(chart);
                    var shown = Map.of("width", chart.getWidth(), "height", chart.getHeight(), "alt", words);
                    context.getOutputContainer().putMetaData(MIMEType.IMAGE_PNG, shown);
                    context.getOutputContainer().putText(words);
                    var png = ChartImage.base64(chart);
                    // pages give a PNG no text for readers who cannot see it
                    context.getOutputContainer().putHTML(Html.chart(words, chart.getWidth(), chart.getHeight(), png));
                    return png;
                }));
        renderer.createRegistration(Animation.class)
                .preferring(MIMEType.IMAGE_GIF)
                .register((animation, context) -> context.renderIfRequested(MIMEType.IMAGE_GIF, () -> {
                    var gif = Base64.getEncoder().encodeToString(animation.bytes());
                    var size = Map.of("width", animation.width(), "height", animation.height());
                    context.getOutputContainer().putMetaData(MIMEType.IMAGE_GIF, size);
                    context.getOutputContainer().putText(animation.description());
                    // for pages that show no GIF by itself, and with a text for readers who cannot see it
                    context.getOutputContainer().putHTML(Html.of(animation, gif));
                    return gif;
                }));
        // the page itself colours a source that it gets as Markdown, by day and by night
        renderer.createRegistration(Program.class)
                .preferring(MIMEType.TEXT_MARKDOWN)
                .register((program, context) -> context.renderIfRequested(
                        MIMEType.TEXT_MARKDOWN, () -> "[%1$s](%1$s), a file to open and edit:\n```java\n%2$s\n```"
                                .formatted(program.file().toString().replace('\\', '/'), program.source())));
        html(renderer, Table.class, Html::of);
        html(renderer, Claim.class, claim -> {
            Notebook.results()
                    .ifPresent(results -> results.keepClaim(
                            claim.statement(),
                            claim.value(),
                            claim.bound(),
                            claim.verdict().mark(),
                            claim.marginUsed()));
            return Html.of(claim);
        });
        html(renderer, Check.class, Html::of);
        html(renderer, Traces.class, Html::of);
        html(renderer, Printable.class, Html::of);
    }

    private static <T> void html(Renderer renderer, Class<T> type, Function<T, String> write) {
        renderer.createRegistration(type)
                .preferring(MIMEType.TEXT_HTML)
                .register((value, context) -> context.renderIfRequested(MIMEType.TEXT_HTML, () -> write.apply(value)));
    }
}
