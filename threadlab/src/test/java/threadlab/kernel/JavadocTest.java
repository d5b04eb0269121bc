package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import threadlab.cells.Javadoc;

class JavadocTest {

    @Test
    void tags_become_words_and_code() {
        var html = Javadoc.html("""
                 Runs {@code List<String>} as {@link java.lang.Thread#start() it} or {@link #run(int)} does.
                 {@snippet :
                   @Override void run() { if (a < b) { run(); } }
                 }
                 @apiNote do not {@literal <run>}
                 @param n how many
                 @return {@link java.util.List}
                 @throws java.io.IOException if {@code n} is 0
                 @author nobody
                """);
        assertTrue(html.contains("Runs <code>List&lt;String&gt;</code> as it or <code>run(int)</code> does."), html);
        assertTrue(html.contains("<pre>&#64;Override void run() { if (a &lt; b) { run(); } }</pre>"), html);
        assertTrue(html.contains("<strong>API note:</strong> do not &lt;run&gt;"), html);
        assertTrue(html.contains("<strong>Parameter:</strong> <code>n</code> – how many"), html);
        assertTrue(html.contains("<strong>Returns:</strong> <code>List</code>"), html);
        assertTrue(html.contains("<code>IOException</code> – if <code>n</code> is 0"), html);
        assertFalse(html.contains("nobody") || html.contains("{@"), html);
        assertTrue(Inspection.plain(html).endsWith("Throws: IOException – if n is 0"), Inspection.plain(html));
    }

    @Test
    void a_first_sentence_that_is_the_answer_says_so() {
        assertEquals("<p>Returns a <code>List</code>. Slow.", Javadoc.html("{@return a {@code List}} Slow."));
    }

    @Test
    void a_constant_of_the_library_is_shown_by_its_value() {
        assertEquals(
                "<p>By default 3, not <code>Elsewhere.N</code>.",
                Javadoc.html("By default {@value threadlab.measure.Trials#REPEATS}, not {@value Elsewhere#N}."));
    }
}
