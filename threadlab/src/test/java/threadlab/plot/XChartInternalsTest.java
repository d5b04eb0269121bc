package threadlab.plot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.geom.Rectangle2D;
import java.awt.image.BufferedImage;
import org.junit.jupiter.api.Test;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;

/** What {@link XChartInternals} takes from XChart exists. */
class XChartInternalsTest {

    @Test
    void what_lies_beneath_is_drawn_over_the_axes_and_under_the_data() {
        var chart = new XChartInternals(400, 300) {
            private Rectangle2D plot;

            @Override
            void beneath(Graphics2D g) {
                g.setColor(Color.RED);
                g.fill(plot);
            }
        };
        chart.getStyler().setPlotBackgroundColor(new Color(0, true));
        chart.getStyler().setLegendVisible(false);
        var area = chart.addSeries("area", new double[] {0, 0, 1, 1}, new double[] {0, 1, 1, 0});
        area.setXYSeriesRenderStyle(XYSeriesRenderStyle.PolygonArea);
        area.setFillColor(Color.GREEN);
        chart.plot = chart.layOut(400, 300);
        assertTrue(
                chart.plot.getWidth() > 200 && chart.plot.getMaxX() <= 400 && chart.plot.getMaxY() <= 300,
                "XChart's plot has no bounds after painting: " + chart.plot);
        var image = new BufferedImage(400, 300, BufferedImage.TYPE_INT_RGB);
        chart.paintAll(image.createGraphics(), 400, 300);
        int x = (int) chart.plot.getCenterX();
        int middle = image.getRGB(x, (int) chart.plot.getCenterY());
        assertEquals(Color.GREEN.getRGB(), middle, "XChart draws data before its axes");
        int top = image.getRGB(x, (int) chart.plot.getMinY() + 2);
        var why = "XChart does not paint by its field axisPair, or paints the plot's background after it";
        assertEquals(Color.RED.getRGB(), top, why);
    }
}
