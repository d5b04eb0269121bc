package threadlab.plot;

import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Base64;
import java.util.Optional;
import java.util.stream.Collectors;
import javax.imageio.ImageIO;
import org.knowm.xchart.internal.chartpart.AxesChart;
import org.knowm.xchart.internal.chartpart.Chart;
import org.knowm.xchart.internal.series.Series;

/**
 * Draws a chart with two image pixels per pixel of the page, so that it is sharp on dense screens and in print, and with
 * one if it is larger than a screen, so that the picture fits into the kernel's memory.
 */
public final class ChartImage {

    /** The widest and highest picture in pixels. */
    private static final int LIMIT = 4_000;

    /** The series that a description names. */
    private static final int NAMES = 20;

    /** The width of a chart for a phone, in pixels of the page. */
    public static final int PHONE = 340;

    private ChartImage() {}

    /**
     * Why a picture of some size is not shown.
     *
     * @param width in pixels
     * @param height in pixels
     * @return a sentence, or nothing if it is shown
     */
    public static Optional<String> refusal(int width, int height) {
        var reason =
                "A picture of %,d × %,d pixels is not shown, because a cell shows at most %,d × %,d: make it smaller,"
                        + " or write it to a file.";
        return Math.max(width, height) <= LIMIT
                ? Optional.empty()
                : Optional.of(reason.formatted(width, height, LIMIT, LIMIT));
    }

    /**
     * Draws a chart; prints what was left out.
     *
     * @param chart any
     * @return its picture
     */
    public static BufferedImage of(Chart<?, ?> chart) {
        return of(chart, chart.getWidth(), chart.getHeight());
    }

    private static BufferedImage of(Chart<?, ?> chart, int width, int height) {
        int scale = 2 * Math.max(width, height) <= LIMIT ? 2 : 1;
        var image = new BufferedImage(width * scale, height * scale, BufferedImage.TYPE_INT_RGB);
        var graphics = image.createGraphics();
        try (var thinned = Thinned.of(chart)) {
            thinned.said().forEach(System.out::println);
            graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
            graphics.scale(scale, scale);
            chart.paint(graphics, width, height);
        } finally {
            graphics.dispose();
        }
        return image;
    }

    /**
     * Draws a chart.
     *
     * @param chart any
     * @return a PNG in Base64
     */
    public static String base64(Chart<?, ?> chart) {
        return base64(of(chart));
    }

    /**
     * Draws a chart anew for a phone: as narrow as its page, with letters as large as ever, and without its title, which the
     * page writes as text.
     *
     * @param chart any
     * @return a PNG in Base64
     */
    public static String narrow(Chart<?, ?> chart) {
        int width = chart.getWidth();
        int height = chart.getHeight();
        boolean titled = chart.getStyler().isChartTitleVisible();
        chart.getStyler().setChartTitleVisible(false);
        try {
            return base64(of(chart, PHONE, phoneHeight(chart)));
        } finally {
            chart.getStyler().setChartTitleVisible(titled);
            // a chart keeps the size at which it was painted last
            chart.paint(new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics(), width, height);
        }
    }

    /**
     * The height of a chart for a phone.
     *
     * @param chart any
     * @return in pixels of the page: lower than the chart, unless that is high because it has many rows
     */
    public static int phoneHeight(Chart<?, ?> chart) {
        return chart.getHeight() <= Theme.HEIGHT ? Math.min(chart.getHeight(), PHONE) : chart.getHeight();
    }

    private static String base64(BufferedImage image) {
        var bytes = new ByteArrayOutputStream();
        try {
            ImageIO.write(image, "png", bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return Base64.getEncoder().encodeToString(bytes.toByteArray());
    }

    /**
     * Describes a chart for readers who cannot see it.
     *
     * @param chart any
     * @return a sentence
     */
    public static String description(Chart<?, ?> chart) {
        var title = chart.getTitle().isEmpty()
                ? "without a title"
                : chart.getTitle().replace("\n", ". ");
        var names = chart.getSeriesCollection().stream()
                .filter(Series::isShowInLegend)
                .map(Series::getName)
                .toList();
        var named = names.stream().limit(NAMES).collect(Collectors.joining("; ")); // a name may hold a comma
        var series = named.isEmpty() ? "" : ". Shown: " + named;
        var more = names.size() > NAMES ? "; and %,d more".formatted(names.size() - NAMES) : "";
        return "%s: %s%s%s%s.".formatted(kind(chart), title, axes(chart), series, more);
    }

    private static String kind(Chart<?, ?> chart) {
        // a chart whose class has no name has a styler of its kind
        var kind = chart.getStyler().getClass().getSimpleName().replace("Styler", "");
        return kind.equals("XY") ? "Chart" : kind.replaceAll("(?<=[a-z])(?=[A-Z])", " ") + " chart";
    }

    private static String axes(Chart<?, ?> chart) {
        return chart instanceof AxesChart<?, ?> axes
                        && !axes.getYAxisTitle().isEmpty()
                        && !axes.getXAxisTitle().isEmpty()
                ? ". %s against %s".formatted(axes.getYAxisTitle(), axes.getXAxisTitle())
                : "";
    }
}
