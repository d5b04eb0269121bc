package threadlab.kernel;

import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.stream.Collectors;
import javax.imageio.ImageIO;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;

/** Draws a chart with two image pixels per pixel of the page, so that it is sharp on dense screens and in print. */
final class ChartImage {

    private static final int SCALE = 2;

    private ChartImage() {}

    static BufferedImage of(XYChart chart) {
        var image = new BufferedImage(chart.getWidth() * SCALE, chart.getHeight() * SCALE, BufferedImage.TYPE_INT_RGB);
        var graphics = image.createGraphics();
        try {
            graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
            graphics.scale(SCALE, SCALE);
            chart.paint(graphics, chart.getWidth(), chart.getHeight());
        } finally {
            graphics.dispose();
        }
        return image;
    }

    static String base64(XYChart chart) {
        var bytes = new ByteArrayOutputStream();
        try {
            ImageIO.write(of(chart), "png", bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /** A description for readers who cannot see the chart. */
    static String description(XYChart chart) {
        var title = chart.getTitle().replace("\n", ". ");
        var shown = chart.getSeriesCollection().stream().filter(XYSeries::isShowInLegend);
        var names = shown.map(XYSeries::getName).collect(Collectors.joining(", "));
        return "Chart: %s. %s against %s, for %s."
                .formatted(title, chart.getYAxisTitle(), chart.getXAxisTitle(), names);
    }
}
