package whatwaits.command;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class ScreenTest {

    @Test
    void a_narrow_terminal_breaks_lines_between_words_and_loses_none() {
        var text = """
                VERDICT
                  33 virtual wait for a permit, at Shop.pay(Shop.java:11)
                  at.a.line.that.cannot.be.broken.because.it.is.one.word
                """;
        assertEquals("""
                VERDICT
                  33 virtual wait for a permit, at
                    Shop.pay(Shop.java:11)
                  at.a.line.that.cannot.be.broken.because.it.is.one.word
                """, Screen.wrapped(text, 34));
        assertEquals(text, Screen.wrapped(text, 80));
    }
}
