package threadlab.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.geom.Ellipse2D;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;
import threadlab.measure.Kind;

/**
 * The one look of all charts: a white card, so that it reads on a light page, on a dark one and on paper, and the
 * colours of Okabe and Ito, which differ for colour-blind readers too. Platform threads are always vermilion, virtual
 * threads always blue; of several alike in one chart, each further one has another shade. Virtual threads on another Java
 * than this JVM's have a violet, the same for that version in all charts.
 */
final class Theme {

    static final int WIDTH = 780;
    static final int HEIGHT = 420;
    static final Color INK = new Color(0x22, 0x22, 0x22);
    static final Color PREDICTION = new Color(0x55, 0x55, 0x55);

    private static final List<Color> PLATFORM = colors(0xD55E00, 0xE69F00, 0x8C3D00);
    private static final List<Color> VIRTUAL = colors(0x0072B2, 0x56B4E9, 0x003F63, 0xA6BDE8, 0x5B6FC4);
    /** Of Java 21 to 28: each next to blue, and those that are most used, 21, 25, 26 and 27, lighter one by one. */
    private static final List<Color> JAVAS =
            colors(0x332288, 0x7A4FA3, 0x9B59B6, 0xB07CC6, 0x5C3D99, 0x7F74D6, 0xB3A7EE, 0x6C5B7B);

    private static final List<Color> OTHERS = colors(0x009E73, 0xCC79A7, 0x7F7F00, 0x555555);
    /** After Paul Tol's muted colours; none is that of platform or of virtual threads. */
    private static final List<Color> DISTINCT =
            colors(0x117733, 0xDDCC77, 0x882255, 0x88CCEE, 0x999933, 0xAA4499, 0x44AA99, 0x777777);
    /** How far each further round of the distinct colours goes towards white (above 0) or black (below). */
    private static final double[] ROUNDS = {0, 0.45, -0.35, 0.7, -0.6};

    /** How one contender is drawn. */
    record Look(Color color, Marker marker) {
        Color faint() {
            return new Color(color.getRed(), color.getGreen(), color.getBlue(), 110);
        }
    }

    private Theme() {}

    private static List<Color> colors(int... rgb) {
        return Arrays.stream(rgb).mapToObj(Color::new).toList();
    }

    /**
     * The look of a contender.
     *
     * @param place how many alike come before it in its chart
     */
    static Look look(Kind kind, int place) {
        var colors = colors(kind);
        var marker =
                switch (kind) {
                    case PLATFORM -> SeriesMarkers.CIRCLE;
                    case VIRTUAL -> SeriesMarkers.SQUARE;
                    case SHARING, OTHER -> SeriesMarkers.DIAMOND;
                };
        return new Look(colors.get(place % colors.size()), marker);
    }

    /** The look of virtual threads on a Java, the same in all charts. */
    static Look onJava(int version) {
        return version == Runtime.version().feature()
                ? look(Kind.VIRTUAL, 0)
                : new Look(JAVAS.get(Math.floorMod(version - 21, JAVAS.size())), SeriesMarkers.SQUARE);
    }

    /** Whether two kinds take their colours from the same list. */
    static boolean alike(Kind one, Kind other) {
        return colors(one) == colors(other);
    }

    private static List<Color> colors(Kind kind) {
        return switch (kind) {
            case PLATFORM -> PLATFORM;
            case VIRTUAL -> VIRTUAL;
            case SHARING, OTHER -> OTHERS;
        };
    }

    /** A colour for the i-th of many alike things: the first eight differ most, after forty they come again. */
    static Color distinct(int i) {
        var base = DISTINCT.get(i % DISTINCT.size());
        double shift = ROUNDS[i / DISTINCT.size() % ROUNDS.length];
        int goal = shift > 0 ? 255 : 0;
        return new Color(
                mix(base.getRed(), goal, Math.abs(shift)),
                mix(base.getGreen(), goal, Math.abs(shift)),
                mix(base.getBlue(), goal, Math.abs(shift)));
    }

    private static int mix(int from, int to, double share) {
        return (int) Math.round(from + (to - from) * share);
    }

    /** White or ink, whichever reads better on a colour. */
    static Color textOn(Color background) {
        double luma = 0.299 * background.getRed() + 0.587 * background.getGreen() + 0.114 * background.getBlue();
        return luma < 130 ? Color.WHITE : INK;
    }

    static Card chart(String xTitle, String yTitle) {
        return chart(xTitle, yTitle, HEIGHT, false);
    }

    /** A chart whose vertical axis carries names. */
    static Card lanes(String xTitle, String yTitle, int height) {
        return chart(xTitle, yTitle, height, true);
    }

    private static Card chart(String xTitle, String yTitle, int height, boolean lanes) {
        var chart = new Card(xTitle, yTitle, height, lanes);
        style(chart.getStyler());
        chart.style();
        return chart;
    }

    private static void style(AxesChartStyler style) {
        var sans = new Font(Font.SANS_SERIF, Font.PLAIN, 13);
        style.setBaseFont(sans);
        style.setAxisTitleFont(sans);
        style.setAxisTickLabelsFont(sans.deriveFont(12f));
        style.setChartFontColor(INK);
        style.setXAxisTitleColor(INK);
        style.setYAxisTitleColor(INK);
        style.setAxisTickLabelsColor(INK);
        style.setChartBackgroundColor(Color.WHITE);
        style.setPlotBackgroundColor(Color.WHITE);
        style.setPlotBorderVisible(false);
        style.setAxisTickMarksColor(new Color(0x88, 0x88, 0x88));
        style.setChartPadding(14);
        style.setMarkerSize(8);
        style.setPlotContentSize(0.94);
        style.setXAxisMaxLabelCount(12);
        style.setLocale(Locale.ROOT);
    }

    /** A single trial: the same place as a marker, half its size. */
    static final Marker TRIAL = new Marker() {
        @Override
        public void paint(Graphics2D g, double x, double y, int size) {
            double r = size / 4.0;
            g.fill(new Ellipse2D.Double(x - r, y - r, 2 * r, 2 * r));
        }
    };

    /** An empty mark, for what was not measured here and now. */
    static final Marker RING = new Marker() {
        @Override
        public void paint(Graphics2D g, double x, double y, int size) {
            double r = size / 2.0;
            var color = g.getColor();
            var ring = new Ellipse2D.Double(x - r, y - r, 2 * r, 2 * r);
            g.setColor(Color.WHITE);
            g.fill(ring);
            g.setColor(color);
            g.setStroke(new BasicStroke(2f));
            g.draw(ring);
        }
    };

    static final BasicStroke SOLID = new BasicStroke(2.2f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
    static final BasicStroke DASHED = dashed(7f, 5f);
    /** The levels of one chart, each with a pattern of its own. */
    static final List<BasicStroke> PATTERNS = List.of(DASHED, dashed(18f, 5f), dashed(12f, 4f, 3f, 4f));

    private static BasicStroke dashed(float... pattern) {
        return new BasicStroke(1.8f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1f, pattern, 0f);
    }
}
