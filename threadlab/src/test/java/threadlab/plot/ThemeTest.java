package threadlab.plot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.awt.Color;
import java.awt.Font;
import java.awt.font.FontRenderContext;
import java.awt.geom.Rectangle2D;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import threadlab.measure.Kind;

class ThemeTest {

    /** Every colour that a line, a mark or a bar may have. */
    private static List<Color> drawn() {
        var all = new ArrayList<>(
                List.of(Theme.RIGHT, Theme.WRONG, Theme.OPEN, Theme.FAILED, Theme.CANCELLED, Theme.PREDICTION));
        for (var kind : Kind.values()) {
            IntStream.range(0, 6)
                    .forEach(place -> all.add(Theme.look(kind, place).color()));
        }
        IntStream.rangeClosed(21, 28)
                .forEach(version -> all.add(Theme.onJava(version).color()));
        IntStream.range(0, 40).forEach(i -> all.add(Theme.distinct(i)));
        return all;
    }

    private static void assertLegible(Color text, Color background) {
        double contrast = Theme.contrast(text, background);
        assertTrue(contrast >= 4.5, Theme.hex(text) + " on " + Theme.hex(background) + ": " + contrast);
    }

    @Test
    void the_names_and_numbers_of_all_lines_can_be_read_on_white() {
        drawn().forEach(color -> assertLegible(Theme.text(color), Color.WHITE));
    }

    @Test
    void the_words_on_all_bars_and_tiles_can_be_read() {
        Stream.concat(drawn().stream(), Stream.of(Theme.BAND, Color.WHITE, Color.BLACK))
                .forEach(color -> assertLegible(Theme.textOn(color), color));
    }

    @Test
    void axes_titles_and_the_line_below_can_be_read() {
        assertLegible(Theme.INK, Color.WHITE);
        assertLegible(Theme.PREDICTION, Color.WHITE);
        assertLegible(Theme.PREDICTION, Theme.BAND);
    }

    @Test
    void the_contrast_is_that_of_the_guidelines_for_web_content() {
        assertEquals(21, Theme.contrast(Color.BLACK, Color.WHITE), 1e-9);
        assertEquals(3.87, Theme.contrast(Theme.WRONG, Color.WHITE), 0.01);
        assertEquals(3.42, Theme.contrast(Color.WHITE, Theme.RIGHT), 0.01);
    }

    @Test
    void words_keep_the_hue_of_what_they_name_and_a_dark_colour_stays() {
        var vermilion = Theme.look(Kind.PLATFORM, 0).color();
        var text = Theme.text(vermilion);
        assertEquals(hue(vermilion), hue(text), 0.01);
        assertTrue(text.getRed() < vermilion.getRed(), Theme.hex(text));
        var blue = Theme.look(Kind.VIRTUAL, 0).color();
        assertEquals(blue, Theme.text(blue));
        assertEquals(blue, Theme.text(Theme.look(Kind.VIRTUAL, 0).faint()), "without its transparency");
    }

    private static float hue(Color color) {
        return Color.RGBtoHSB(color.getRed(), color.getGreen(), color.getBlue(), null)[0];
    }

    @Test
    void without_fonts_a_sentence_says_what_to_install() {
        var none = new Font(Font.SANS_SERIF, Font.PLAIN, 14) {
            @Override
            public Rectangle2D getStringBounds(String text, FontRenderContext context) {
                throw new IllegalStateException("Fontconfig head is null");
            }
        };
        var said = assertThrows(IllegalStateException.class, () -> Label.width("text", none));
        assertTrue(said.getMessage().contains("install fontconfig and a font"), said.getMessage());
    }
}
