package threadlab.plot;

import java.awt.BasicStroke;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Writes the names of the series below a chart, in as many rows as they need. */
final class Legend {

    private static final int ROW = 22;
    private static final int BELOW = 10;
    private static final int GAP = 24;
    private static final int MARK = 14;
    private static final int TO_TEXT = 7;
    /** The size of a name that is wider than the chart. */
    private static final float SMALLEST = 11;

    private final List<List<XYSeries>> rows = new ArrayList<>();
    private final int width;

    Legend(List<XYSeries> entries, int width) {
        this.width = width;
        double room = 0;
        for (var entry : entries) {
            if (rows.isEmpty() || room < wide(entry)) {
                rows.add(new ArrayList<>());
                room = width - 24.0;
            }
            rows.getLast().add(entry);
            room -= wide(entry) + GAP;
        }
    }

    /** The legend's height, in pixels; 0 without entries. */
    int height() {
        return rows.isEmpty() ? 0 : rows.size() * ROW + BELOW;
    }

    void paint(Graphics2D g, int top) {
        double middle = top + ROW / 2.0;
        for (var row : rows) {
            double all = row.stream().mapToDouble(Legend::wide).sum() + GAP * (row.size() - 1);
            double x = Math.max(12, (width - all) / 2);
            for (var entry : row) {
                symbol(g, entry, x, middle);
                g.setColor(Theme.INK);
                g.setFont(Card.fitting(entry.getLabel(), Theme.WORDS, width - 24.0 - MARK - TO_TEXT, SMALLEST));
                Label.write(g, entry.getLabel(), x + MARK + TO_TEXT, middle);
                x += wide(entry) + GAP;
            }
            middle += ROW;
        }
    }

    private static void symbol(Graphics2D g, XYSeries entry, double x, double middle) {
        if (Card.is(entry, XYSeriesRenderStyle.PolygonArea)) {
            g.setColor(entry.getFillColor());
            g.fill(new Rectangle2D.Double(x, middle - 6, MARK, 12));
        } else if (entry.getMarker() == SeriesMarkers.NONE) {
            g.setColor(entry.getLineColor());
            g.setStroke(new BasicStroke(2f));
            g.draw(new Line2D.Double(x, middle, x + MARK, middle));
        } else {
            g.setColor(entry.getMarkerColor());
            entry.getMarker().paint(g, x + MARK / 2.0, middle, 8);
        }
    }

    private static double wide(XYSeries entry) {
        return MARK + TO_TEXT + Label.width(entry.getLabel(), Theme.WORDS);
    }
}
