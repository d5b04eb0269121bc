package threadlab.widget;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.dflib.jjava.jupyter.kernel.display.mime.MIMEType;
import org.junit.jupiter.api.Test;

/** Where no page is connected; {@code tests/notebooks/test_widgets.py} has the page. */
class WidgetTest {

    @Test
    void without_a_page_a_widget_keeps_its_state_and_shows_its_words() throws Exception {
        try (var widget = Widget.of("a dial", "export default {}", Map.of("angle", 30))) {
            widget.set("angle", 40).send("turn");
            assertEquals(40, widget.get("angle"));
            assertEquals("a dial", widget.view().getData(MIMEType.TEXT_PLAIN));
            assertFalse(widget.view().hasDataForType(MIMEType.parse(Widget.VIEW)));
        }
    }

    @Test
    void what_json_cannot_say_is_refused_and_changes_nothing() {
        var widget = Widget.of("a dial", "export default {}", Map.of("angle", 30));
        assertThrows(IllegalArgumentException.class, () -> widget.set("angle", Double.NaN));
        assertEquals(30, widget.get("angle"));
        assertEquals(null, widget.set("angle", null).get("angle"));
    }
}
