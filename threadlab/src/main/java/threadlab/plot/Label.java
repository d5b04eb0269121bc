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
    private final double left;
    private final double rise;

    private Label(String text, Font font, double left, double rise) {
        this.text = text;
        this.font = font;
        this.left = left;
        this.rise = rise;
    }

    /** Words that begin this many pixels to the right of their point. */
    static Label rightOf(String text, Font font, double right) {
        return new Label(text, font, right, 0);
    }

    /** Words that end this many pixels to the left of their point. */
    static Label leftOf(String text, Font font, double left) {
        return new Label(text, font, -left - width(text, font), 0);
    }

    /** Words centred this many pixels above their point. */
    static Label above(String text, Font font, double rise) {
        return new Label(text, font, -width(text, font) / 2, rise);
    }

    static double width(String text, Font font) {
        try {
            return font.getStringBounds(text, CONTEXT).getWidth();
        } catch (RuntimeException | Error e) { // such as "Fontconfig head is null"; the second time another one
            throw new IllegalStateException(
                    "Java finds no fonts, so it draws no chart: install fontconfig and a font (Debian: apt install"
                            + " fontconfig fonts-dejavu-core), and restart the kernel",
                    e);
        }
    }

    /** Writes words in the current font, vertically centred at this height. */
    static void write(Graphics2D g, String text, double x, double middle) {
        g.drawString(text, (float) x, (float) (middle + g.getFont().getSize2D() * 0.36f));
    }

    @Override
    public void paint(Graphics2D g, double x, double y, int size) {
        g.setFont(font);
        write(g, text, x + left, y - rise);
    }

    /** The text, for tests. */
    @Override
    public String toString() {
        return text;
    }
}
