package threadlab.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class JavadocTest {

    @Test
    void tags_become_words_lists_and_code() {
        var html = Javadoc.html("""
                 Runs {@code List<String>} as {@link java.lang.Thread#start() it} or {@link #run(int)} does.

                 <p>See <a href="../util/List.html">there</a> &amp; <a href="https://openjdk.org">here</a>.
                 {@snippet :
                   if (a < b) run();
                 }
                 @apiNote do not {@literal <run>}
                 @param <T> the kind
                 @param n how many
                 @return {@link java.util.List}
                 @throws java.io.IOException if {@code n} is 0
                 @author nobody
                """);
        assertTrue(
                html.contains("Runs <code>List&lt;String&gt;</code> as <code>it</code> or <code>run(int)</code>"),
                html);
        assertTrue(html.contains("<a>there</a> &amp; <a href=\"https://openjdk.org\">here</a>"), html);
        assertTrue(html.contains("<pre>if (a &lt; b) run();</pre>"), html);
        assertTrue(html.contains("<strong>API note:</strong> do not &lt;run&gt;"), html);
        assertTrue(
                html.contains("<strong>Parameters</strong><ul><li><code>&lt;T&gt;</code> – the kind</li>"
                        + "<li><code>n</code> – how many</li></ul>"),
                html);
        assertTrue(html.contains("<strong>Returns:</strong> <code>List</code>"), html);
        assertTrue(html.contains("<li><code>IOException</code> – if <code>n</code> is 0</li>"), html);
        assertFalse(html.contains("nobody") || html.contains("{@"), html);
    }

    @Test
    void a_constant_of_the_library_is_shown_by_its_value() {
        assertEquals(
                "<p>By default 3, not <code>Elsewhere.N</code>.",
                Javadoc.html("By default {@value threadlab.measure.Trials#REPEATS}, not {@value Elsewhere#N}."));
    }

    @Test
    void a_page_without_html_gets_the_same_in_lines() {
        var plain = Inspection.plain(
                Javadoc.html("WaitClassifier.\n<p>For {@code a<b}.\n@param n how many\n@return &quot;yes&quot;"));
        assertEquals("WaitClassifier.\n\nFor a<b.\n\nParameters\n\n- n – how many\n\nReturns: \"yes\"", plain);
    }
}
