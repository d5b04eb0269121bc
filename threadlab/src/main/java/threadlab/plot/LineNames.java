package threadlab.plot;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.awt.geom.Point2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Writes the names of lines, each to the right of its line's end, one below the other where lines end together. */
final class LineNames {

    private static final int TO_NAME = 12;
    private static final double ROW = 17;

    private record Name(XYSeries series, Point2D end, Rectangle2D box) {}

    private final List<Name> names = new ArrayList<>();
    private final List<XYSeries> unnamed = new ArrayList<>();
    private final Rectangle2D plot;

    /** With all names left for a legend, where there is no room at the lines. */
    LineNames(Card card, Rectangle2D plot, boolean below) {
        this.plot = plot;
        for (var series : card.drawn()) {
            var points = card.points(series);
            if (!series.isShowInLegend() || series.getLabel().isEmpty() || points.isEmpty()) {
                continue;
            }
            boolean isLine = Card.is(series, XYSeriesRenderStyle.Line) || Card.is(series, XYSeriesRenderStyle.Step);
            if (isLine && !below) {
                var end = points.getLast();
                double wide = Label.width(series.getLabel(), Theme.WORDS);
                var box = new Rectangle2D.Double(end.getX() + TO_NAME, end.getY() - ROW / 2, wide, ROW);
                names.add(new Name(series, end, box));
            } else {
                unnamed.add(series);
            }
        }
        names.sort(Comparator.comparingDouble(name -> name.end.getY()));
        apart();
    }

    /** Moves names down until none touches the one above it, and up again where they leave the plot. */
    private void apart() {
        for (int i = 0; i < names.size(); i++) {
            for (var above : names.subList(0, i)) {
                if (names.get(i).box.intersects(above.box)) {
                    moveTo(names.get(i), above.box.getMaxY());
                }
            }
        }
        double free = plot.getMaxY() + ROW / 2;
        for (var name : names.reversed()) {
            if (name.box.getMaxY() > free) {
                moveTo(name, free - ROW);
                free -= ROW;
            }
        }
    }

    private static void moveTo(Name name, double y) {
        name.box.setRect(name.box.getX(), y, name.box.getWidth(), ROW);
    }

    /** The series left for a legend: marks without lines on lanes, and areas. */
    List<XYSeries> unnamed() {
        return List.copyOf(unnamed);
    }

    /**
     * The width of the names to the right of the plot, in pixels. A line that ends before the plot does moves left by
     * less than the plot shrinks, so its name needs more.
     */
    int margin() {
        double most = 0;
        for (var name : names) {
            double beyond = name.box.getMaxX() - plot.getMaxX();
            most = Math.max(most, beyond * plot.getWidth() / Math.max(1, name.end.getX() - plot.getMinX()));
        }
        return (int) Math.ceil(most);
    }

    void paint(Graphics2D g) {
        g.setFont(Theme.WORDS);
        for (var name : names) {
            g.setColor(new Color(255, 255, 255, 200));
            g.fill(name.box);
            var series = name.series;
            boolean marked = series.getMarker() != SeriesMarkers.NONE;
            g.setColor(Theme.text(marked ? series.getMarkerColor() : series.getLineColor()));
            if (Math.abs(name.box.getCenterY() - name.end.getY()) > ROW / 2) {
                g.setStroke(new BasicStroke(0.6f));
                double left = name.box.getX() - 2;
                g.draw(new Line2D.Double(name.end.getX(), name.end.getY(), left, name.box.getCenterY()));
            }
            Label.write(g, series.getLabel(), name.box.getX(), name.box.getCenterY());
        }
    }
}
