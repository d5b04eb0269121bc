package threadlab.plot;

import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.font.FontRenderContext;
import org.knowm.xchart.style.markers.Marker;

/** Words instead of a mark, centred on its point. */
final class Label extends Marker {

    private static final FontRenderContext CONTEXT = new FontRenderContext(null, true, true);

    private final String text;
    private final Font font;
    private final double rise;

    /**
     * A label.
     *
     * @param rise how far above its point the label stands, in pixels
     */
    Label(String text, Font font, double rise) {
        this.text = text;
        this.font = font;
        this.rise = rise;
    }

    double width() {
        return font.getStringBounds(text, CONTEXT).getWidth();
    }

    @Override
    public void paint(Graphics2D g, double x, double y, int size) {
        double middle = font.getSize2D() * 0.36;
        g.setFont(font);
        g.drawString(text, (float) (x - width() / 2), (float) (y + middle - rise));
    }
}
