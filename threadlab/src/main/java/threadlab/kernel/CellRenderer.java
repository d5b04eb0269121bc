package threadlab.kernel;

import java.awt.image.RenderedImage;
import java.util.Map;
import java.util.Optional;
import org.dflib.jjava.jupyter.kernel.display.DisplayData;
import org.dflib.jjava.jupyter.kernel.display.Renderer;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;
import org.knowm.xchart.internal.chartpart.Chart;
import threadlab.cells.ValueText;
import threadlab.plot.ChartImage;

/**
 * Shows the value of a cell. JJava 1.0a8 writes every value as its {@code toString}, however long, and fails for null
 * and for a list that contains itself.
 */
final class CellRenderer extends Renderer {

    @Override
    public DisplayData render(Object value, Map<String, Object> params) {
        return inWords(value).orElseGet(() -> super.render(value, params));
    }

    @Override
    public DisplayData renderAs(Object value, Map<String, Object> params, String... types) {
        return inWords(value).orElseGet(() -> super.renderAs(value, params, types));
    }

    /** What is shown of a value that no renderer can take. */
    private static Optional<DisplayData> inWords(Object value) {
        return switch (value) {
            case null -> Optional.of(new DisplayData("null"));
            case Chart<?, ?> chart -> tooLarge(chart.getWidth(), chart.getHeight());
            case RenderedImage image -> tooLarge(image.getWidth(), image.getHeight());
            default -> Optional.empty();
        };
    }

    private static Optional<DisplayData> tooLarge(int width, int height) {
        return ChartImage.refusal(width, height).map(DisplayData::new);
    }

    @Override
    protected DisplayData finalizeDisplayData(DisplayData data, Object value) {
        var text = data.getData(MIMEType.TEXT_PLAIN);
        data.putText(CellErrors.plain(ValueText.of(text == null ? value : text)));
        return data;
    }
}
