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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.lines.SeriesLines;
import threadlab.guess.LanesGuess;
import threadlab.support.Arguments;

/**
 * A chart that writes its own words on common baselines: the finding in a size that fits, its figures on the next lines,
 * labels at the measured sizes, names at the lines, and the place of the measurement at the bottom. XChart lays out
 * the axes and draws the data. Dashed lines are drawn here, because XChart restarts the pattern at each point, so that
 * dense points merge into a solid line.
 */
final class Card extends XChartInternals {

    private static final Font TITLE = Theme.WORDS.deriveFont(Font.BOLD, 15f);
    /** The smallest size of a title; the author must shorten one that is still too long. */
    private static final float LEAST_POINTS = 8;
    /** The smallest size of figures on one line, legible where the chart is 130 mm wide; longer ones take two lines. */
    private static final float LEGIBLE_POINTS = 13;
    /** Where figures may be broken: after a mark between two of them. */
    private static final Pattern BREAK = Pattern.compile("(?<=[,;:]) ");

    private static final Pattern SPACE = Pattern.compile(" ");

    /** A hand that draws a line wavers this often, and by this much, in pixels. */
    private static final double HAND = 14;

    private static final double SHAKEN = 1.6;

    /** The most height of a guessed bar. */
    private static final double GUESSED = 17;

    private static final int MARK_LENGTH = 4;
    /** The least distance of words from the edge of the picture. */
    private static final int EDGE = 8;
    /** The height of the title and its figures, in addition to XChart's padding. */
    private static final int TOP = 46;
    /** The same where the page writes the title. */
    private static final int PHONE_TOP = 6;
    /** The most width of names at the ends of lines there; longer ones go below the chart. */
    private static final int PHONE_NAMES = 95;
    /** The height of a second line of figures. */
    private static final int LINE = 18;
    /** The additional height for the words of bands. */
    private static final int BAND_WORDS = 10;
    /** The height of the line that names the source. */
    private static final int FOOT = 18;
    /** More lines than these are drawn in panels, one above the other. */
    private static final int MOST_LINES = 3;

    private static final int PANEL = 150;
    /** The height of the line that says what the values of all panels are. */
    private static final int VALUES = 14;

    private record Band(String name, double from, double to) {}

    private final List<String> lanes;
    private final Map<XYSeries, BasicStroke> dashes = new LinkedHashMap<>();
    private final List<Band> bands = new ArrayList<>();
    private List<LanesGuess.Bar> guess = List.of();
    private String figures = "";
    private String spread = "";
    private String source = here();
    private double[] sizes = {};
    /** The width of the names to the right of the plot. */
    private int margin;

    private Rectangle2D plotted;
    /** Whether the chart is drawn for a phone. */
    private boolean onPhone;

    /** A chart without data whose axes carry numbers. */
    Card(String xTitle, String yTitle) {
        this(xTitle, yTitle, Theme.HEIGHT, List.of());
    }

    /** A chart without data; with lanes, its vertical axis carries their names, the first on top, instead of numbers. */
    Card(String xTitle, String yTitle, int height, List<String> lanes) {
        super(Theme.WIDTH, height);
        setXAxisTitle(xTitle);
        setYAxisTitle(yTitle);
        this.lanes = lanes;
        Theme.style(getStyler());
    }

    private static String here() {
        var java = Runtime.version().version().stream().map(String::valueOf).collect(Collectors.joining("."));
        int cpus = Runtime.getRuntime().availableProcessors();
        return "Java %s, %d %s, %s".formatted(java, cpus, cpus == 1 ? "CPU" : "CPUs", System.getProperty("os.name"));
    }

    /** Also labels the horizontal axis at these places. */
    void sizes(double... measured) {
        sizes = DoubleStream.concat(DoubleStream.of(sizes), DoubleStream.of(measured))
                .toArray();
    }

    /** Sets the line of figures below the title, which a cell sets; without a title it stands alone. */
    Card figures(String line) {
        figures = line;
        return this;
    }

    /** The title with its figures, unless the cell wrote a second line itself. */
    @Override
    public String getTitle() {
        var title = super.getTitle();
        if (title.isEmpty() || figures.isEmpty()) {
            return title + figures;
        }
        return title.contains("\n") ? title : title + "\n" + figures;
    }

    /** Says in the small line how the spread of the trials is drawn. */
    void spread(String words) {
        spread = words + " · ";
    }

    /** Says in the small line where the figures come from, if not from here: how often others measured is not known. */
    void source(String words) {
        spread = "";
        source = words;
    }

    /** Marks a stretch of the horizontal axis in grey, with a word. */
    void band(String name, double from, double to) {
        bands.add(new Band(name, from, to));
    }

    /** Lays the reader's bars above those on the lanes, and says so below the title. */
    void guess(List<LanesGuess.Bar> bars) {
        var axis = getStyler().getXAxisMax();
        boolean timed = axis != null && !lanes.isEmpty();
        Arguments.require(timed, "bars need lanes and a time axis: draw them on a chart of %s", "timeline or tasks");
        guess = bars.stream().filter(bar -> bar.lane() < lanes.size()).toList();
        if (!guess.isEmpty()) {
            figures += (figures.isEmpty() ? "" : "; ") + "the yellow bars are your guess";
            double end = guess.stream().mapToDouble(LanesGuess.Bar::until).max().orElseThrow();
            getStyler().setXAxisMax(Math.max(end, axis));
        }
    }

    /** The height of a chart with this many lines over time. */
    static int height(int lines) {
        return lines <= MOST_LINES ? Theme.HEIGHT : lines * PANEL + 130;
    }

    /** The series that are in the picture now. */
    List<XYSeries> drawn() {
        return getSeriesCollection().stream().filter(XYSeries::isEnabled).toList();
    }

    @Override
    public void paint(Graphics2D g, int width, int height) {
        g.setColor(Color.WHITE);
        g.fillRect(0, 0, width, height);
        g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        g.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
        var lines = drawn().stream()
                .filter(series -> is(series, XYSeriesRenderStyle.Step) && series.isShowInLegend())
                .toList();
        // the words of bands go between the title's figures and the plot
        onPhone = width <= ChartImage.PHONE; // whose page writes the title
        var figureLines = onPhone ? List.<String>of() : figureLines(width);
        var foot = onPhone && !spread.isEmpty() ? List.of(spread.replace(" · ", ""), source) : List.of(spread + source);
        int top = (onPhone ? PHONE_TOP : TOP)
                + (bands.isEmpty() ? 0 : BAND_WORDS)
                + LINE * Math.max(0, figureLines.size() - 1);
        g.translate(0, top);
        int room = height - top - FOOT * foot.size();
        if (lines.size() <= MOST_LINES) {
            paintPlot(g, width, room);
        } else {
            panels(g, width, room, lines);
        }
        margin = 0;
        g.translate(0, -top);
        if (!onPhone) {
            title(g, width, figureLines);
        }
        g.setFont(Theme.SOURCE);
        g.setColor(Theme.PREDICTION);
        for (int i = 0; i < foot.size(); i++) {
            int left = width - EDGE - g.getFontMetrics().stringWidth(foot.get(i));
            g.drawString(foot.get(i), Math.max(0, left), height - 7 - FOOT * (foot.size() - 1 - i));
        }
        setHeight(height);
        setWidth(width);
    }

    /** Draws each line in a panel of its own, all with the same axes. */
    private void panels(Graphics2D g, int width, int height, List<XYSeries> lines) {
        var style = getStyler();
        var values = getYAxisTitle();
        var xMax = style.getXAxisMax();
        var yMax = style.getYAxisMax();
        style.setXAxisMax(most(xMax, XYSeries::getXMax));
        style.setYAxisMax(most(yMax, XYSeries::getYMax));
        int each = (height - VALUES) / lines.size();
        lines.forEach(line -> margin = Math.max(margin, (int) Label.width(line.getLabel(), Theme.WORDS)));
        try {
            for (int i = 0; i < lines.size(); i++) {
                var own = lines.get(i);
                lines.forEach(line -> line.setEnabled(line == own));
                style.setXAxisTitleVisible(i == lines.size() - 1);
                setYAxisTitle(" ");
                g.translate(0, VALUES + i * each);
                paintPlot(g, width, each);
                g.translate(0, -VALUES - i * each);
            }
        } finally {
            lines.forEach(line -> line.setEnabled(true));
            style.setXAxisTitleVisible(true);
            setYAxisTitle(values);
            style.setXAxisMax(xMax);
            style.setYAxisMax(yMax);
        }
        g.setColor(Theme.INK);
        g.setFont(Theme.TICKS);
        g.drawString(values, (float) plotted.getMinX(), VALUES);
    }

    private void paintPlot(Graphics2D g, int width, int height) {
        var style = getStyler();
        boolean legendWanted = style.isLegendVisible();
        var xTitle = getXAxisTitle();
        var yTitle = getYAxisTitle();
        style.setLegendVisible(false);
        var across = xTitle + (style.isXAxisLogarithmic() ? ", log scale" : "");
        boolean wraps = onPhone && Label.width(across, Theme.WORDS) > width - 100;
        var acrossLines = wraps ? halved(across, SPACE, Theme.TICKS) : List.<String>of();
        setXAxisTitle(wraps ? " " : across);
        setYAxisTitle(yTitle + (style.isYAxisLogarithmic() ? ", log scale" : ""));
        dashes.clear();
        for (var series : drawn()) {
            var line = series.getLineStyle();
            if (line != null && (line.getDashArray() != null || line == Theme.CRAYON)) {
                dashes.put(series, series.getLineStyle());
                series.setLineStyle(SeriesLines.NONE);
            }
        }
        try {
            plotted = layOut(width, height);
            var names = new LineNames(this, plotted, false);
            boolean below = onPhone && names.margin() > PHONE_NAMES;
            if (below) {
                names = new LineNames(this, plotted, true);
            }
            var legend = new Legend(legendWanted || below ? names.unnamed() : List.of(), width);
            int under = legend.height() + (wraps ? LINE : 0);
            // panels above each other end at the same place
            margin = Math.max(margin, names.margin());
            int wide = width - margin;
            if (under > 0 || margin > 0) {
                plotted = layOut(wide, height - under);
                names = new LineNames(this, plotted, below);
            }
            paintAll(g, wide, height - under);
            g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
            g.setRenderingHint(RenderingHints.KEY_TEXT_ANTIALIASING, RenderingHints.VALUE_TEXT_ANTIALIAS_ON);
            labels(g);
            guess(g);
            names.paint(g);
            legend.paint(g, height - legend.height());
            g.setFont(Theme.TICKS);
            g.setColor(Theme.INK);
            double middle = height - under - 10;
            for (var line : acrossLines) {
                Label.write(g, line, (width - Label.width(line, Theme.TICKS)) / 2, middle);
                middle += LINE - 1;
            }
        } finally {
            dashes.forEach(XYSeries::setLineStyle);
            style.setLegendVisible(legendWanted);
            setXAxisTitle(xTitle);
            setYAxisTitle(yTitle);
        }
    }

    static boolean is(XYSeries series, XYSeriesRenderStyle style) {
        return series.getXYSeriesRenderStyle().filter(style::equals).isPresent();
    }

    private double least(Double set, ToDoubleFunction<XYSeries> of) {
        return set != null ? set : drawn().stream().mapToDouble(of).min().orElse(0);
    }

    private double most(Double set, ToDoubleFunction<XYSeries> of) {
        return set != null ? set : drawn().stream().mapToDouble(of).max().orElse(1);
    }

    private double[] across() {
        var style = getStyler();
        double min = least(style.getXAxisMin(), XYSeries::getXMin);
        double max = most(style.getXAxisMax(), XYSeries::getXMax);
        return Ticks.across(sizes, min, max, style.isXAxisLogarithmic());
    }

    private double[] up() {
        var style = getStyler();
        double min = least(style.getYAxisMin(), XYSeries::getYMin);
        double max = most(style.getYAxisMax(), XYSeries::getYMax);
        return lanes.isEmpty() ? Ticks.between(min, max, style.isYAxisLogarithmic(), 6) : new double[0];
    }

    @Override
    void beneath(Graphics2D g) {
        g.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        for (var band : bands) {
            double left = Math.max(getScreenXFromChart(band.from), plotted.getMinX());
            double right = Math.min(getScreenXFromChart(band.to), plotted.getMaxX());
            g.setColor(Theme.BAND);
            g.fill(new Rectangle2D.Double(left, plotted.getMinY(), right - left, plotted.getHeight()));
            g.setColor(Theme.PREDICTION);
            g.setFont(Theme.VALUE);
            double wide = Label.width(band.name, Theme.VALUE);
            Label.write(g, band.name, (left + right - wide) / 2, plotted.getMinY() - 6);
        }
        g.setColor(Theme.GRID);
        g.setStroke(new BasicStroke(0.8f));
        for (double x : across()) {
            double at = getScreenXFromChart(x);
            g.draw(new Line2D.Double(at, plotted.getMinY(), at, plotted.getMaxY()));
        }
        for (double y : up()) {
            double at = getScreenYFromChart(y);
            g.draw(new Line2D.Double(plotted.getMinX(), at, plotted.getMaxX(), at));
        }
        dashes.forEach((series, stroke) -> { // first, since it is wide and theory's line is thin
            if (stroke == Theme.CRAYON) {
                crayon(g, points(series), series.getLineColor(), Theme.CRAYON);
            }
        });
        dashes.forEach((series, stroke) -> {
            if (stroke == Theme.CRAYON) {
                return;
            }
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

    /** Each bar of the guess between the lane's upper edge and the bars of the run. */
    private void guess(Graphics2D g) {
        double lane = plotted.getHeight() / Math.max(1, lanes.size());
        float high = (float) Math.min(GUESSED, 0.2 * lane);
        var stroke = new BasicStroke(high, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND);
        for (var bar : guess) {
            double y = getScreenYFromChart(lanes.size() - 1 - bar.lane()) - 0.44 * lane;
            double from = getScreenXFromChart(bar.from()) + 1.5;
            double until = getScreenXFromChart(bar.until()) - 1.5;
            var line = List.<Point2D>of(new Point2D.Double(from, y), new Point2D.Double(until, y));
            crayon(g, line, Theme.GUESS, stroke);
            double wide = Label.width(bar.name(), Theme.NAME);
            if (wide < until - from && high >= Theme.NAME.getSize2D()) {
                g.setColor(Theme.INK);
                g.setFont(Theme.NAME);
                Label.write(g, bar.name(), (from + until - wide) / 2, y);
            }
        }
    }

    /** Draws a line as by hand, in a case that keeps it apart from what is behind it. */
    private static void crayon(Graphics2D g, List<Point2D> points, Color color, BasicStroke stroke) {
        var hand = new Random(points.size()); // the same each time
        var path = new Path2D.Double();
        var last = points.getFirst();
        path.moveTo(last.getX(), last.getY());
        for (var point : points) {
            int steps = (int) Math.ceil(last.distance(point) / HAND);
            for (int i = 1; i <= steps; i++) {
                double share = (double) i / steps;
                double shaken = i < steps ? hand.nextDouble(-SHAKEN, SHAKEN) : 0;
                path.lineTo(
                        last.getX() + share * (point.getX() - last.getX()),
                        last.getY() + share * (point.getY() - last.getY()) + shaken);
            }
            last = point;
        }
        path.lineTo(last.getX(), last.getY()); // a single point is a dot
        var shape = stroke.createStrokedShape(path);
        g.setColor(Theme.PREDICTION);
        g.setStroke(Theme.CASE);
        g.draw(shape);
        g.setColor(color);
        g.fill(shape);
    }

    /** The points of a series in the picture and, for steps, the corners between them. */
    List<Point2D> points(XYSeries series) {
        var points = new ArrayList<Point2D>();
        boolean steps = is(series, XYSeriesRenderStyle.Step);
        for (int i = 0; i < series.getXData().length; i++) {
            if (Double.isNaN(series.getYData()[i])) {
                continue;
            }
            double x = getScreenXFromChart(series.getXData()[i]);
            if (steps && !points.isEmpty()) {
                points.add(new Point2D.Double(x, points.getLast().getY()));
            }
            points.add(new Point2D.Double(x, getScreenYFromChart(series.getYData()[i])));
        }
        return points;
    }

    /** Draws the numbers at the axes. */
    private void labels(Graphics2D g) {
        g.setFont(Theme.TICKS);
        g.setStroke(new BasicStroke(1f));
        var metrics = g.getFontMetrics();
        var words = getStyler().getXAxisTickLabelsFormattingFunction();
        double free = Double.MAX_VALUE;
        var ticks = across();
        // from the right, because a title is about the largest size
        for (int i = ticks.length - 1; i >= 0; i--) {
            double at = getScreenXFromChart(ticks[i]);
            g.setColor(Theme.MARK);
            g.draw(new Line2D.Double(at, plotted.getMaxY(), at, plotted.getMaxY() + MARK_LENGTH));
            var text = words.apply(ticks[i]);
            // names that are wider than their column on a phone take two lines
            var lines = onPhone && metrics.stringWidth(text) > plotted.getWidth() / ticks.length
                    ? halved(text, SPACE, Theme.TICKS)
                    : List.of(text);
            double wide = widest(lines, Theme.TICKS);
            double left = Math.min(at - wide / 2, plotted.getMaxX() + 24 - wide);
            if (left + wide + 8 < free) {
                g.setColor(Theme.INK);
                for (int line = 0; line < lines.size(); line++) {
                    double inset = (wide - metrics.stringWidth(lines.get(line))) / 2;
                    g.drawString(lines.get(line), (float) (left + inset), (float) plotted.getMaxY() + 18 + 15 * line);
                }
                free = left;
            }
        }
        for (double y : up()) {
            double at = getScreenYFromChart(y);
            g.setColor(Theme.MARK);
            g.draw(new Line2D.Double(plotted.getMinX() - MARK_LENGTH, at, plotted.getMinX(), at));
            var text = Plots.number(y);
            g.setColor(Theme.INK);
            Label.write(g, text, plotted.getMinX() - 8 - metrics.stringWidth(text), at);
        }
        names(g);
    }

    /** Writes the names of the lanes, long ones in as many lines as a lane has room for. */
    private void names(Graphics2D g) {
        double high = Theme.TICKS.getSize2D() * 1.15;
        double lane = plotted.getHeight() / Math.max(1, lanes.size());
        g.setColor(Theme.INK);
        for (int i = 0; i < lanes.size(); i++) {
            var lines = Lanes.wrapped(lanes.get(i), Math.max(1, (int) (lane / high)));
            double at = getScreenYFromChart(lanes.size() - 1 - i) - high * (lines.size() - 1) / 2;
            for (var line : lines) {
                var font = fitting(line, Theme.TICKS, plotted.getMinX() - 8 - EDGE, LEAST_POINTS);
                g.setFont(font);
                Label.write(g, line, plotted.getMinX() - 8 - Label.width(line, font), at);
                at += high;
            }
        }
    }

    /** The font in the largest size, to this one at least, in which a line has room. */
    static Font fitting(String line, Font font, double room, float least) {
        var fitting = font;
        while (Label.width(line, fitting) > room && fitting.getSize2D() > least) {
            fitting = fitting.deriveFont(fitting.getSize2D() - 0.25f);
        }
        return fitting;
    }

    private static double room(int width) {
        return width - 32;
    }

    /** What stands below the title: one line if it can be read, else two of about the same width. */
    List<String> figureLines(int width) {
        var title = getTitle().split("\n", 2);
        if (title.length == 1) {
            return List.of();
        }
        var line = title[1];
        var legible = Theme.WORDS.deriveFont(LEGIBLE_POINTS);
        if (Label.width(line, legible) <= room(width)) {
            return List.of(line);
        }
        return halved(line, BREAK, legible);
    }

    /** A line in two of about the same width, if it has a place for that. */
    private static List<String> halved(String line, Pattern at, Font font) {
        return at.matcher(line)
                .results()
                .map(found -> List.of(line.substring(0, found.start()), line.substring(found.end())))
                .min(Comparator.comparingDouble(halves -> widest(halves, font)))
                .orElse(List.of(line));
    }

    private static double widest(List<String> lines, Font font) {
        return lines.stream().mapToDouble(line -> Label.width(line, font)).max().orElse(0);
    }

    private void title(Graphics2D g, int width, List<String> figureLines) {
        g.setColor(Theme.INK);
        double baseline = 24;
        centred(g, getTitle().split("\n", 2)[0], TITLE, width, baseline);
        baseline += 21;
        for (var line : figureLines) {
            centred(g, line, Theme.WORDS, width, baseline);
            baseline += LINE;
        }
    }

    private static void centred(Graphics2D g, String line, Font font, int width, double baseline) {
        var fitting = fitting(line, font, room(width), LEAST_POINTS);
        g.setFont(fitting);
        g.drawString(line, (float) (width - Label.width(line, fitting)) / 2, (float) baseline);
    }
}
