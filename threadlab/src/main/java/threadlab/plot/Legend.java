package threadlab.plot;

import java.awt.BasicStroke;
import java.awt.Graphics2D;
import java.awt.font.FontRenderContext;
import java.awt.geom.Line2D;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.lines.SeriesLines;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The names of the series below a chart, in as many rows as they need. */
final class Legend {

    private static final FontRenderContext CONTEXT = new FontRenderContext(null, true, true);
    private static final int ROW = 22;
    private static final int BELOW = 10;
    private static final int GAP = 24;
    private static final int LINE = 26;
    private static final int MARK = 14;
    private static final int TO_TEXT = 7;

    private final List<List<XYSeries>> rows = new ArrayList<>();
    private final Map<XYSeries, BasicStroke> dashes;
    private final int width;

    Legend(List<XYSeries> entries, Map<XYSeries, BasicStroke> dashes, int width) {
        this.dashes = dashes;
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

    /** What it takes, in pixels; nothing without entries. */
    int height() {
        return rows.isEmpty() ? 0 : rows.size() * ROW + BELOW;
    }

    void paint(Graphics2D g, int top) {
        g.setFont(Card.WORDS);
        double middle = top + ROW / 2.0;
        for (var row : rows) {
            double all = row.stream().mapToDouble(this::wide).sum() + GAP * (row.size() - 1);
            double x = (width - all) / 2;
            for (var entry : row) {
                symbol(g, entry, x, middle);
                g.setColor(Theme.INK);
                g.drawString(
                        entry.getLabel(),
                        (float) (x + symbol(entry) + TO_TEXT),
                        (float) middle + Card.WORDS.getSize2D() * 0.36f);
                x += wide(entry) + GAP;
            }
            middle += ROW;
        }
    }

    private void symbol(Graphics2D g, XYSeries entry, double x, double middle) {
        if (is(entry, XYSeriesRenderStyle.PolygonArea)) {
            g.setColor(entry.getFillColor());
            g.fill(new Rectangle2D.Double(x, middle - 6, MARK, 12));
            return;
        }
        double center = x + symbol(entry) / 2.0;
        if (line(entry)) {
            g.setColor(entry.getLineColor());
            g.setStroke(dashes.getOrDefault(entry, entry.getLineStyle()));
            g.draw(new Line2D.Double(x, middle, x + LINE, middle));
        }
        if (entry.getMarker() != null && entry.getMarker() != SeriesMarkers.NONE) {
            g.setColor(entry.getMarkerColor());
            entry.getMarker().paint(g, center, middle, 8);
        }
    }

    private double wide(XYSeries entry) {
        return symbol(entry)
                + TO_TEXT
                + Card.WORDS.getStringBounds(entry.getLabel(), CONTEXT).getWidth();
    }

    private int symbol(XYSeries entry) {
        return line(entry) ? LINE : MARK;
    }

    private boolean line(XYSeries entry) {
        return dashes.containsKey(entry)
                || entry.getLineStyle() != SeriesLines.NONE
                        && (is(entry, XYSeriesRenderStyle.Line) || is(entry, XYSeriesRenderStyle.Step));
    }

    private static boolean is(XYSeries entry, XYSeriesRenderStyle style) {
        return entry.getXYSeriesRenderStyle().filter(style::equals).isPresent();
    }
}
