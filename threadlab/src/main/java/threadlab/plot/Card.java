package threadlab.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.geom.Line2D;
import java.awt.geom.Path2D;
import java.awt.geom.Point2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.DoubleStream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.internal.chartpart.AxisPair;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.lines.SeriesLines;

/**
 * A chart that writes its words itself, on common baselines: the title in the size that fits, labels at the measured
 * sizes, names at the lines where there is room, else a legend. XChart lays out the axes and draws the data; but it begins
 * the pattern of a dashed line anew at each of its points, so that dense points melt into a solid line: those are drawn
 * here, too.
 */
final class Card extends XYChart {

    static final Font WORDS = new Font(Font.SANS_SERIF, Font.PLAIN, 13);

    private static final Font TITLE = WORDS.deriveFont(Font.BOLD, 15f);
    /** Smaller no title gets: a sentence that is still too long is for its author to shorten. */
    private static final float LEAST_POINTS = 8;

    private static final Font TICKS = WORDS.deriveFont(12f);
    private static final Color CLEAR = new Color(0, true);
    private static final Color GRID = new Color(0xDD, 0xDD, 0xDD);
    private static final Color MARK = new Color(0x88, 0x88, 0x88);
    private static final int MARK_LENGTH = 4;
    /** No word comes nearer to the edge of the picture. */
    private static final int EDGE = 8;
    /** The strip of the title, beside the padding that XChart leaves. */
    private static final int TOP = 28;

    private final boolean lanes;
    private final Map<XYSeries, BasicStroke> dashes = new LinkedHashMap<>();
    private double[] sizes = {};
    private Rectangle2D plotted;

    /**
     * A card without data.
     *
     * @param lanes whether the vertical axis carries names, which XChart writes, instead of numbers
     */
    Card(String xTitle, String yTitle, int height, boolean lanes) {
        super(new XYChartBuilder()
                .width(Theme.WIDTH)
                .height(height)
                .xAxisTitle(xTitle)
                .yAxisTitle(yTitle));
        this.lanes = lanes;
        axisPair = new AxisPair<XYStyler, XYSeries>(this) {
            @Override
            public void paint(Graphics2D g) {
                super.paint(g);
                if (plotted != null) {
                    beneath(g);
                }
            }
        };
    }

    /** Leaves to XChart what is not drawn here. */
    void style() {
        var style = getStyler();
        style.setChartTitleVisible(false);
        style.setPlotBackgroundColor(CLEAR);
        style.setPlotGridLinesVisible(false);
        style.setAxisTicksMarksVisible(false);
        style.setXAxisTickLabelsColor(CLEAR);
        style.setYAxisTickLabelsColor(lanes ? Theme.INK : CLEAR);
    }

    /** Labels the horizontal axis at these places, too. */
    void sizes(double... measured) {
        sizes = DoubleStream.concat(DoubleStream.of(sizes), DoubleStream.of(measured))
                .toArray();
    }

    @Override
    public void paint(Graphics2D g, int width, int height) {
        boolean legendWanted = getStyler().isLegendVisible();
        getStyler().setLegendVisible(false);
        dashes.clear();
        for (var series : getSeriesCollection()) {
            if (series.getLineStyle() != null && series.getLineStyle().getDashArray() != null) {
                dashes.put(series, series.getLineStyle());
                series.setLineStyle(SeriesLines.NONE);
            }
        }
        try {
            layOut(width, height - TOP);
            var names = new LineNames(this, dashes, plotted);
            var legend = new Legend(names.complete() || !legendWanted ? List.of() : names.unnamed(), dashes, width);
            if (legend.height() > 0) {
                layOut(width, height - TOP - legend.height());
                names = new LineNames(this, dashes, plotted);
            }
            g.setColor(Color.WHITE);
            g.fillRect(0, 0, width, height);
            g.translate(0, TOP);
            super.paint(g, width, height - TOP - legend.height());
            g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            g.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
            labels(g);
            names.paint(g);
            g.translate(0, -TOP);
            title(g, width);
            legend.paint(g, height - legend.height());
        } finally {
            dashes.forEach(XYSeries::setLineStyle);
            getStyler().setLegendVisible(legendWanted);
            plotted = null;
            setHeight(height);
        }
    }

    /** Paints on nothing, to learn where the plot is. */
    private void layOut(int width, int height) {
        plotted = null;
        var nothing = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
        super.paint(nothing, width, height);
        nothing.dispose();
        plotted = plot.getBounds();
    }

    /** Where a value lies in the picture. */
    Point2D place(double x, double y) {
        return new Point2D.Double(getScreenXFromChart(x), getScreenYFromChart(y));
    }

    private double[] across() {
        var style = getStyler();
        double min = style.getXAxisMin() != null
                ? style.getXAxisMin()
                : getSeriesCollection().stream()
                        .mapToDouble(XYSeries::getXMin)
                        .min()
                        .orElse(0);
        double max = style.getXAxisMax() != null
                ? style.getXAxisMax()
                : getSeriesCollection().stream()
                        .mapToDouble(XYSeries::getXMax)
                        .max()
                        .orElse(1);
        return Ticks.across(sizes, min, max, style.isXAxisLogarithmic());
    }

    private double[] up() {
        var style = getStyler();
        double min = style.getYAxisMin() != null
                ? style.getYAxisMin()
                : getSeriesCollection().stream()
                        .mapToDouble(XYSeries::getYMin)
                        .min()
                        .orElse(0);
        double max = style.getYAxisMax() != null
                ? style.getYAxisMax()
                : getSeriesCollection().stream()
                        .mapToDouble(XYSeries::getYMax)
                        .max()
                        .orElse(1);
        return lanes ? new double[0] : Ticks.between(min, max, style.isYAxisLogarithmic(), 6);
    }

    /** The grid and the dashed lines, below the data. */
    private void beneath(Graphics2D g) {
        g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        g.setColor(GRID);
        g.setStroke(new BasicStroke(0.8f));
        for (double x : across()) {
            double at = getScreenXFromChart(x);
            g.draw(new Line2D.Double(at, plotted.getMinY(), at, plotted.getMaxY()));
        }
        for (double y : up()) {
            double at = getScreenYFromChart(y);
            g.draw(new Line2D.Double(plotted.getMinX(), at, plotted.getMaxX(), at));
        }
        dashes.forEach((series, stroke) -> {
            g.setColor(series.getLineColor());
            g.setStroke(stroke);
            var path = new Path2D.Double();
            for (var point : points(series)) {
                if (path.getCurrentPoint() == null) {
                    path.moveTo(point.getX(), point.getY());
                } else {
                    path.lineTo(point.getX(), point.getY());
                }
            }
            g.draw(path);
        });
    }

    /** A series in the picture: its points, and for steps the corners between them. */
    List<Point2D> points(XYSeries series) {
        var points = new ArrayList<Point2D>();
        boolean steps = series.getXYSeriesRenderStyle()
                .filter(XYSeriesRenderStyle.Step::equals)
                .isPresent();
        for (int i = 0; i < series.getXData().length; i++) {
            if (Double.isNaN(series.getYData()[i])) {
                continue;
            }
            var point = place(series.getXData()[i], series.getYData()[i]);
            if (steps && !points.isEmpty()) {
                points.add(new Point2D.Double(point.getX(), points.getLast().getY()));
            }
            points.add(point);
        }
        return points;
    }

    /** The numbers at the axes. */
    private void labels(Graphics2D g) {
        g.setFont(TICKS);
        g.setStroke(new BasicStroke(1f));
        var metrics = g.getFontMetrics();
        Function<Double, String> words = getStyler().getXAxisTickLabelsFormattingFunction();
        double free = Double.MAX_VALUE;
        var ticks = across();
        // from the right: the largest size is the one that a title speaks of
        for (int i = ticks.length - 1; i >= 0; i--) {
            double at = getScreenXFromChart(ticks[i]);
            g.setColor(MARK);
            g.draw(new Line2D.Double(at, plotted.getMaxY(), at, plotted.getMaxY() + MARK_LENGTH));
            var text = words == null ? Plots.number(ticks[i]) : words.apply(ticks[i]);
            double wide = metrics.stringWidth(text);
            double left = Math.min(at - wide / 2, getWidth() - EDGE - wide);
            if (left + wide + 8 < free) {
                g.setColor(Theme.INK);
                g.drawString(text, (float) left, (float) plotted.getMaxY() + 18);
                free = left;
            }
        }
        for (double y : up()) {
            double at = getScreenYFromChart(y);
            g.setColor(MARK);
            g.draw(new Line2D.Double(plotted.getMinX() - MARK_LENGTH, at, plotted.getMinX(), at));
            var text = Plots.number(y);
            g.setColor(Theme.INK);
            g.drawString(
                    text,
                    (float) (plotted.getMinX() - 8 - metrics.stringWidth(text)),
                    (float) at + TICKS.getSize2D() * 0.36f);
        }
    }

    private void title(Graphics2D g, int width) {
        var font = TITLE;
        while (g.getFontMetrics(font).stringWidth(getTitle()) > width - 32 && font.getSize2D() > LEAST_POINTS) {
            font = font.deriveFont(font.getSize2D() - 0.25f);
        }
        g.setFont(font);
        g.setColor(Theme.INK);
        g.drawString(getTitle(), (width - g.getFontMetrics().stringWidth(getTitle())) / 2f, 27);
    }
}
