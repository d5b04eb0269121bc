package threadlab.plot;

import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.geom.Point2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * Names written beside their lines, where they touch no line, no mark and no other name. Either all contenders of a chart
 * have one, or all are left to the legend; a level, such as a prediction, has one wherever it has room.
 */
final class LineNames {

    private static final Font FONT = Theme.WORDS.deriveFont(12.5f);
    private static final double ASCENT = 10;
    private static final double DESCENT = 3;
    /** How far a name stays from its own line, and from all others. */
    private static final double OWN = 3;

    private static final double OTHERS = 9;
    /** Places are tried at every point of a line, and between them at this distance. */
    private static final double APART = 40;

    private static final int MOST_PLACES = 60;

    private record Name(XYSeries series, Rectangle2D box) {}

    /** A series in the picture: its line, if it has one, and its marks. */
    private record Drawn(List<Point2D> points, boolean line, boolean marks) {

        boolean touches(Rectangle2D box, double distance) {
            var wider = grown(box, distance, distance);
            for (int i = 0; i < points.size(); i++) {
                var point = points.get(i);
                var before = points.get(Math.max(0, i - 1));
                if (marks && wider.contains(point)
                        || line && wider.intersectsLine(before.getX(), before.getY(), point.getX(), point.getY())) {
                    return true;
                }
            }
            return false;
        }

        /** Where a name may stand, the end of the line first. */
        List<Point2D> places() {
            var places = new ArrayList<Point2D>();
            int every = Math.max(1, points.size() / MOST_PLACES);
            for (int i = points.size() - 1; i >= 0; i -= every) {
                var here = points.get(i);
                places.add(here);
                if (line && i >= every) {
                    var next = points.get(i - every);
                    int parts = (int) (here.distance(next) / APART);
                    for (int part = 1; part < parts; part++) {
                        double share = (double) part / parts;
                        places.add(new Point2D.Double(
                                here.getX() + share * (next.getX() - here.getX()),
                                here.getY() + share * (next.getY() - here.getY())));
                    }
                }
            }
            return places;
        }
    }

    private final Map<XYSeries, Drawn> drawn = new LinkedHashMap<>();
    private final List<Name> names = new ArrayList<>();
    private final List<XYSeries> unnamed = new ArrayList<>();
    private final Rectangle2D plot;

    LineNames(Card card, Rectangle2D plot) {
        this.plot = plot;
        for (var series : card.getSeriesCollection()) {
            boolean marks = series.getMarker() != SeriesMarkers.NONE;
            drawn.put(series, new Drawn(card.points(series), card.hasLine(series), marks));
        }
        var entries = card.getSeriesCollection().stream()
                .filter(XYSeries::isShowInLegend)
                .collect(Collectors.partitioningBy(
                        series -> card.isDashed(series) && series.getMarker() == SeriesMarkers.NONE));
        var levels = entries.get(true);
        var others = entries.get(false);
        boolean lines = others.stream()
                .allMatch(series ->
                        Card.is(series, XYSeriesRenderStyle.Line) || Card.is(series, XYSeriesRenderStyle.Step));
        if (!lines || !others.stream().allMatch(this::name)) {
            names.clear();
            unnamed.addAll(others);
        }
        levels.stream().filter(level -> !name(level)).forEach(unnamed::add);
    }

    /** Those that are left to a legend. */
    List<XYSeries> unnamed() {
        return List.copyOf(unnamed);
    }

    void paint(Graphics2D g) {
        g.setFont(FONT);
        for (var name : names) {
            var series = name.series;
            boolean marked = series.getMarker() != SeriesMarkers.NONE;
            g.setColor(readable(marked ? series.getMarkerColor() : series.getLineColor()));
            g.drawString(series.getLabel(), (float) name.box.getX(), (float) (name.box.getY() + ASCENT));
        }
    }

    private boolean name(XYSeries series) {
        var found = place(series);
        found.ifPresent(box -> names.add(new Name(series, box)));
        return found.isPresent();
    }

    private Optional<Rectangle2D> place(XYSeries series) {
        double width = Label.width(series.getLabel(), FONT);
        for (var at : drawn.get(series).places()) {
            for (double above : new double[] {-ASCENT - OWN - 5, OWN + 5 - DESCENT + 2}) {
                // with its end at the place, with its middle, with its beginning
                for (double left : new double[] {-width - 4, -width / 2, 4}) {
                    var box = new Rectangle2D.Double(at.getX() + left, at.getY() + above, width, ASCENT + DESCENT);
                    if (free(box, series)) {
                        return Optional.of(box);
                    }
                }
            }
        }
        return Optional.empty();
    }

    private boolean free(Rectangle2D box, XYSeries own) {
        return box.getMinX() > plot.getMinX() + 4
                && box.getMaxX() < plot.getMaxX() + 8
                && box.getMinY() > plot.getMinY()
                && box.getMaxY() < plot.getMaxY()
                && names.stream().noneMatch(name -> name.box.intersects(grown(box, OTHERS, OWN)))
                && drawn.entrySet().stream()
                        .noneMatch(entry -> entry.getValue().touches(box, entry.getKey() == own ? OWN : OTHERS));
    }

    private static Rectangle2D grown(Rectangle2D box, double across, double up) {
        return new Rectangle2D.Double(
                box.getX() - across, box.getY() - up, box.getWidth() + 2 * across, box.getHeight() + 2 * up);
    }

    /** A colour as it can be read on white. */
    private static Color readable(Color color) {
        return Theme.isDark(color) ? color : color.darker();
    }
}
