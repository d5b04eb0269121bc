package threadlab.plot;

import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.internal.chartpart.AxisPair;
import org.knowm.xchart.style.XYStyler;

/** What {@link Card} needs of XChart beyond its documented interface; written against version 4.0.3. */
abstract class XChartInternals extends XYChart {

    private boolean underlay;

    /**
     * XChart draws the axes, then the data, and offers no way to draw between them; drawings on top would hide the
     * data. So its axes are replaced by ones that also draw what lies beneath the data.
     */
    XChartInternals(int width, int height) {
        super(width, height);
        axisPair = new AxisPair<XYStyler, XYSeries>(this) {
            @Override
            public void paint(Graphics2D g) {
                super.paint(g);
                if (underlay) {
                    beneath(g);
                }
            }
        };
    }

    /** Draws between the axes and the data. */
    abstract void beneath(Graphics2D g);

    /** XChart lays out a chart only while it paints, so this paints without output to find the place of the plot. */
    final Rectangle2D layOut(int width, int height) {
        underlay = false;
        var nothing = new BufferedImage(1, 1, BufferedImage.TYPE_INT_RGB).createGraphics();
        super.paint(nothing, width, height);
        nothing.dispose();
        return plot.getBounds();
    }

    /** Paints what XChart paints, and what lies beneath the data. */
    final void paintAll(Graphics2D g, int width, int height) {
        underlay = true;
        super.paint(g, width, height);
    }
}
