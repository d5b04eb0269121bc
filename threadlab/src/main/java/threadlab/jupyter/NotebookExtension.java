package threadlab.jupyter;

import java.util.Map;
import org.dflib.jjava.jupyter.Extension;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.display.Renderer;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;
import org.knowm.xchart.XYChart;
import tech.tablesaw.api.Table;
import threadlab.claim.Claim;
import threadlab.trace.Traces;

/**
 * Teaches the kernel to show charts, tables, traces and claims, and imports what the cells of the course use. The kernel finds
 * it by itself.
 */
public final class NotebookExtension implements Extension {

    /** Beside the kernel's own imports: java.util, java.util.concurrent, java.time and others. */
    private static final String IMPORTS = """
            import java.util.concurrent.atomic.*;
            import java.util.function.*;
            import java.util.stream.*;
            import tech.tablesaw.api.*;
            import threadlab.claim.*;
            import threadlab.measure.*;
            import threadlab.plot.*;
            import threadlab.trace.*;
            """;

    /** Made by the kernel. */
    public NotebookExtension() {}

    @Override
    public void install(BaseKernel kernel) {
        register(kernel.getRenderer());
        kernel.eval(IMPORTS);
    }

    private static void register(Renderer renderer) {
        renderer.createRegistration(XYChart.class)
                .preferring(MIMEType.IMAGE_PNG)
                .register((chart, context) -> context.renderIfRequested(MIMEType.IMAGE_PNG, () -> {
                    var data = context.getOutputContainer();
                    data.putMetaData(
                            MIMEType.IMAGE_PNG, Map.of("width", chart.getWidth(), "height", chart.getHeight()));
                    data.putText(ChartImage.description(chart));
                    return ChartImage.base64(chart);
                }));
        renderer.createRegistration(Table.class)
                .preferring(MIMEType.TEXT_HTML)
                .register((table, context) -> context.renderIfRequested(MIMEType.TEXT_HTML, () -> Html.of(table)));
        renderer.createRegistration(Traces.class)
                .preferring(MIMEType.TEXT_HTML)
                .register((traces, context) -> context.renderIfRequested(MIMEType.TEXT_HTML, () -> Html.of(traces)));
        renderer.createRegistration(Claim.class)
                .preferring(MIMEType.TEXT_HTML)
                .register((claim, context) -> context.renderIfRequested(MIMEType.TEXT_HTML, () -> Html.of(claim)));
    }
}
