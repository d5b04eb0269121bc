package threadlab.plot;

import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.font.FontRenderContext;
import org.knowm.xchart.style.markers.Marker;

/** Words instead of a mark, centred on its point or beside it. */
final class Label extends Marker {

    private static final FontRenderContext CONTEXT = new FontRenderContext(null, true, true);

    private final String text;
    private final Font font;
    private final double rise;
    private final double right;

    /**
     * A label.
     *
     * @param rise how far above its point the label stands, in pixels
     */
    Label(String text, Font font, double rise) {
        this(text, font, rise, Double.NaN);
    }

    private Label(String text, Font font, double rise, double right) {
        this.text = text;
        this.font = font;
        this.rise = rise;
        this.right = right;
    }

    /**
     * A label to the right of its point.
     *
     * @param right how far from its point the words begin, in pixels
     */
    static Label rightOf(String text, Font font, double right) {
        return new Label(text, font, 0, right);
    }

    /**
     * A label to the left of its point.
     *
     * @param left how far from its point the words end, in pixels
     */
    static Label leftOf(String text, Font font, double left) {
        return rightOf(text, font, -left - new Label(text, font, 0).width());
    }

    double width() {
        return font.getStringBounds(text, CONTEXT).getWidth();
    }

    @Override
    public void paint(Graphics2D g, double x, double y, int size) {
        double middle = font.getSize2D() * 0.36;
        g.setFont(font);
        double left = Double.isNaN(right) ? -width() / 2 : right;
        g.drawString(text, (float) (x + left), (float) (y + middle - rise));
    }
}
