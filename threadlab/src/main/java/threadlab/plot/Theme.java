package threadlab.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.geom.Ellipse2D;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;
import threadlab.measure.Kind;

/**
 * The only place for colours, and the look of all charts: a white card, legible on a light page, on a dark one and on
 * paper, and the colours of Okabe and Ito, which colour-blind readers can also tell apart. Platform threads are always
 * vermilion, virtual threads always blue; several of the same kind in one chart have different shades. Virtual threads
 * on a Java other than this JVM's have a shade of violet, the same for that version in all charts.
 */
public final class Theme {

    /** The colour of an answer or claim that holds, and of a task that ended well. */
    public static final Color RIGHT = new Color(0x009E73);

    /** The colour of an answer or claim that does not hold. */
    public static final Color WRONG = new Color(0xD55E00);

    /** The colour of a question without an answer. */
    public static final Color OPEN = new Color(0x999999);

    /** The colour of a reader's guess, drawn wide and in a case, because it is pale. */
    public static final Color GUESS = new Color(0xF0E442);

    /** The colours of a task that failed or was cancelled; not those of the two kinds of threads, on which it may run. */
    static final Color FAILED = new Color(0xCC79A7);

    static final Color CANCELLED = new Color(0x777777);

    /** The least contrast of small words with what is behind them. */
    static final double LEGIBLE = 4.5;

    static final int WIDTH = 700;
    static final int HEIGHT = 420;
    /** The approximate width of the plot beside lanes with short names. */
    static final double PLOT_WIDTH = WIDTH - 130;

    static final Color INK = new Color(0x222222);
    static final Color PREDICTION = new Color(0x555555);
    static final Color BAND = new Color(0xE9E9E9);
    /** The colour of the higher of two outcomes, whatever they are of; the lower one has that of a band. */
    static final Color HIGH = new Color(0x882255);

    static final Color GRID = new Color(0xDDDDDD);
    static final Color MARK = new Color(0x888888);
    private static final Color CLEAR = new Color(0, true);

    static final Font WORDS = new Font(Font.SANS_SERIF, Font.PLAIN, 14);
    static final Font TICKS = WORDS.deriveFont(13f);
    /** The font of a number at its mark. */
    static final Font VALUE = WORDS.deriveFont(13f);
    /** The font of the line that says where a chart was measured. */
    static final Font SOURCE = WORDS.deriveFont(11f);
    /** The font of a name on its bar. */
    static final Font NAME = WORDS.deriveFont(Font.BOLD, 12f);

    static final Font TASK = TICKS.deriveFont(Font.BOLD);

    private static final List<Color> PLATFORM = colors(0xD55E00, 0xE69F00, 0x8C3D00);
    private static final List<Color> VIRTUAL = colors(0x0072B2, 0x56B4E9, 0x003F63, 0xA6BDE8, 0x5B6FC4);
    /** The colours of Java 21 to 28: all close to blue; the most used ones, 21, 25, 26 and 27, grow lighter. */
    private static final List<Color> JAVAS =
            colors(0x332288, 0x7A4FA3, 0x9B59B6, 0xB07CC6, 0x5C3D99, 0x7F74D6, 0xB3A7EE, 0x6C5B7B);

    private static final List<Color> OTHERS = colors(0x009E73, 0xCC79A7, 0x7F7F00, 0x555555);
    /** Based on Paul Tol's muted colours; none is the colour of platform or virtual threads. */
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

    /**
     * Writes a colour for a page.
     *
     * @param color the colour
     * @return its red, green and blue, such as {@code #009E73}
     */
    public static String hex(Color color) {
        return "#%06X".formatted(color.getRGB() & 0xFFFFFF);
    }

    private static List<Color> colors(int... rgb) {
        return Arrays.stream(rgb).mapToObj(Color::new).toList();
    }

    /** The look of a contender, given how many of its kind come before it in its chart. */
    static Look look(Kind kind, int place) {
        var colors = colors(kind);
        var marker =
                switch (kind) {
                    case PLATFORM -> SeriesMarkers.CIRCLE;
                    case VIRTUAL -> SeriesMarkers.SQUARE;
                    default -> SeriesMarkers.DIAMOND;
                };
        return new Look(colors.get(place % colors.size()), marker);
    }

    /** The colour of a line about a kind of thread, taken from the name's first word; grey for anything else. */
    static Color named(String name) {
        var own = Stream.of(Kind.PLATFORM, Kind.VIRTUAL).filter(kind -> name.startsWith(kind.toString()));
        return own.findFirst().map(kind -> look(kind, 0).color()).orElse(PREDICTION);
    }

    /** The look of virtual threads on a Java, the same in all charts. */
    static Look onJava(int version) {
        var color = JAVAS.get(Math.floorMod(version - 21, JAVAS.size()));
        return version == Runtime.version().feature() ? look(Kind.VIRTUAL, 0) : new Look(color, SeriesMarkers.SQUARE);
    }

    /** Whether two kinds take their colours from the same list. */
    static boolean alike(Kind one, Kind other) {
        return colors(one) == colors(other);
    }

    private static List<Color> colors(Kind kind) {
        return kind == Kind.PLATFORM ? PLATFORM : kind == Kind.VIRTUAL ? VIRTUAL : OTHERS;
    }

    /** A colour for the i-th of many similar things: the first eight differ most, and they repeat after forty. */
    static Color distinct(int i) {
        var base = DISTINCT.get(i % DISTINCT.size());
        double shift = ROUNDS[i / DISTINCT.size() % ROUNDS.length];
        int goal = shift > 0 ? 255 : 0;
        IntUnaryOperator mix = from -> (int) Math.round(from + (goal - from) * Math.abs(shift));
        return new Color(
                mix.applyAsInt(base.getRed()), mix.applyAsInt(base.getGreen()), mix.applyAsInt(base.getBlue()));
    }

    /** The colour of what is inferred about something of this colour. */
    static Color pale(Color color) {
        IntUnaryOperator mix = from -> (from + 255) / 2;
        return new Color(
                mix.applyAsInt(color.getRed()), mix.applyAsInt(color.getGreen()), mix.applyAsInt(color.getBlue()));
    }

    /** White, ink or black: the first that can be read on a colour. Where white cannot, black can. */
    static Color textOn(Color background) {
        return Stream.of(Color.WHITE, INK)
                .filter(text -> contrast(text, background) >= LEGIBLE)
                .findFirst()
                .orElse(Color.BLACK);
    }

    /** The colour of words about what is drawn in this colour: darker, of the same hue, and legible on white. */
    static Color text(Color color) {
        var text = new Color(color.getRGB());
        for (double light = 1; contrast(text, Color.WHITE) < LEGIBLE; light -= 0.01) {
            text = new Color(
                    (int) (light * color.getRed()), (int) (light * color.getGreen()), (int) (light * color.getBlue()));
        }
        return text;
    }

    /** How many times as bright one of two colours is, from 1 to 21, as the guidelines for web content compute it. */
    static double contrast(Color one, Color other) {
        double a = luminance(one) + 0.05;
        double b = luminance(other) + 0.05;
        return Math.max(a, b) / Math.min(a, b);
    }

    private static double luminance(Color color) {
        return 0.2126 * linear(color.getRed()) + 0.7152 * linear(color.getGreen()) + 0.0722 * linear(color.getBlue());
    }

    private static double linear(int part) {
        double share = part / 255.0;
        return share <= 0.04045 ? share / 12.92 : Math.pow((share + 0.055) / 1.055, 2.4);
    }

    /** Leaves to XChart what {@link Card} does not draw: of the labels at the axes only their room. */
    static void style(AxesChartStyler style) {
        Label.width("text", WORDS); // without fonts it fails here, and not when the chart is painted
        style.setBaseFont(WORDS);
        style.setAxisTitleFont(WORDS);
        style.setAxisTickLabelsFont(TICKS);
        style.setChartFontColor(INK);
        style.setXAxisTitleColor(INK);
        style.setYAxisTitleColor(INK);
        style.setXAxisTickLabelsColor(CLEAR);
        style.setYAxisTickLabelsColor(CLEAR);
        style.setXAxisTickLabelsFormattingFunction(Plots::number);
        style.setYAxisTickLabelsFormattingFunction(Plots::number);
        style.setAxisTicksMarksVisible(false);
        // this also colours the axes
        style.setAxisTickMarksColor(MARK);
        style.setChartBackgroundColor(Color.WHITE);
        style.setChartTitleVisible(false);
        style.setChartPadding(14);
        style.setPlotBackgroundColor(CLEAR);
        style.setPlotBorderVisible(false);
        style.setPlotGridLinesVisible(false);
        // a ring around a mark at the edge is not cut off
        style.setPlotContentSize(0.88);
        style.setMarkerSize(8);
        style.setXAxisMaxLabelCount(12);
    }

    /** A circle of some radius, in marks; an empty one hides what is behind it. */
    private static Marker ring(double radius, float stroke, boolean empty) {
        return new Marker() {
            @Override
            public void paint(Graphics2D g, double x, double y, int size) {
                double r = radius * size;
                var ring = new Ellipse2D.Double(x - r, y - r, 2 * r, 2 * r);
                var color = g.getColor();
                if (empty) {
                    g.setColor(Color.WHITE);
                    g.fill(ring);
                    g.setColor(color);
                }
                g.setStroke(new BasicStroke(stroke));
                g.draw(ring);
            }
        };
    }

    /** A ring with room for a mark inside. */
    static final Marker AROUND = ring(1, 1.6f, false);
    /** Around each other. */
    static final List<Marker> RINGS = List.of(AROUND, ring(1.4, 1.6f, false), ring(1.8, 1.6f, false));
    /** An empty mark, for a value that was not measured in this run. */
    static final Marker RING = ring(0.5, 2, true);

    /** The bar from the smallest to the largest trial. */
    static final BasicStroke RANGE = new BasicStroke(5f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND);

    static final BasicStroke SOLID = new BasicStroke(2.2f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
    /** The stroke of a reader's guess, and that around it. */
    static final BasicStroke CRAYON = new BasicStroke(7f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);

    static final BasicStroke CASE = new BasicStroke(2.5f, BasicStroke.CAP_ROUND, BasicStroke.JOIN_ROUND);
    static final BasicStroke DASHED = dashed(7f, 5f);
    /** The patterns for the levels of one chart, one each. */
    static final List<BasicStroke> PATTERNS = List.of(DASHED, dashed(18f, 5f), dashed(12f, 4f, 3f, 4f));

    private static BasicStroke dashed(float... pattern) {
        return new BasicStroke(1.8f, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 1f, pattern, 0f);
    }
}
