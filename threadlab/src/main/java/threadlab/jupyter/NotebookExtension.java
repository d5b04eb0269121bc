package threadlab.jupyter;

import java.util.Base64;
import java.util.Map;
import org.dflib.jjava.jupyter.Extension;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import org.dflib.jjava.jupyter.kernel.display.Renderer;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;
import org.knowm.xchart.XYChart;
import tech.tablesaw.api.Table;
import threadlab.claim.Claim;
import threadlab.plot.Animation;

/**
 * Teaches the kernel to show charts, tables and claims, and imports what the cells of the course use. The kernel finds
 * it by itself.
 */
public final class NotebookExtension implements Extension {

    /** Beside the kernel's own imports: java.util, java.util.concurrent, java.time and others. */
    private static final String IMPORTS = """
            import java.util.concurrent.atomic.*;
            import java.util.function.*;
            import java.util.stream.*;
            import tech.tablesaw.api.*;
            import threadlab.carriers.*;
            import threadlab.claim.*;
            import threadlab.measure.*;
            import threadlab.plot.*;
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
        renderer.createRegistration(Animation.class)
                .preferring(MIMEType.IMAGE_GIF)
                .register((animation, context) -> context.renderIfRequested(MIMEType.IMAGE_GIF, () -> {
                    var gif = Base64.getEncoder().encodeToString(animation.bytes());
                    var data = context.getOutputContainer();
                    data.putMetaData(
                            MIMEType.IMAGE_GIF, Map.of("width", animation.width(), "height", animation.height()));
                    data.putText(animation.description());
                    // for pages that show no GIF by itself, and with a text for readers who cannot see it
                    data.putHTML(Html.of(animation, gif));
                    return gif;
                }));
        renderer.createRegistration(Table.class)
                .preferring(MIMEType.TEXT_HTML)
                .register((table, context) -> context.renderIfRequested(MIMEType.TEXT_HTML, () -> Html.of(table)));
        renderer.createRegistration(Claim.class)
                .preferring(MIMEType.TEXT_HTML)
                .register((claim, context) -> context.renderIfRequested(MIMEType.TEXT_HTML, () -> Html.of(claim)));
    }
}
