package threadlab.plot;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collector;
import java.util.stream.Collectors;

/**
 * The script of a player: the page puts it into the place of the picture beside it, as SVG with buttons and a slider. It
 * asks no network, and several on one page do not know of each other.
 */
final class Player {

    /** Beyond this a page would get heavy: a longer run stays a picture. */
    static final int MOST_BYTES = 150_000;

    private static final Collector<CharSequence, ?, String> LIST = Collectors.joining(",", "[", "]");

    private Player() {}

    /**
     * Writes the script.
     *
     * @param threads the threads in the order of their indexes, each a list of its name, its colour and that of text on it
     * @param bars each the index of its thread, that of its lane, and from when until when, in ms
     * @param state what a thread is in a bar, such as mounted
     * @param legend whether the bars carry the threads' names
     * @return an element {@code script}; nothing for a run that is too long
     */
    static String script(
            List<String> lanes,
            List<List<String>> threads,
            List<double[]> bars,
            double end,
            String state,
            boolean legend,
            String title) {
        var data = "{\"lanes\":%s,\"threads\":%s,\"bars\":%s,\"end\":%s,\"state\":%s,\"legend\":%s,\"title\":%s}"
                .formatted(
                        strings(lanes),
                        threads.stream().map(Player::strings).collect(LIST),
                        bars.stream().map(Player::bar).collect(LIST),
                        ms(end),
                        string(state),
                        legend,
                        string(title));
        var script = "<script>(" + code() + ")(document.currentScript, " + data + ")</script>";
        return script.getBytes(StandardCharsets.UTF_8).length > MOST_BYTES ? "" : script;
    }

    private static String code() {
        try (var in = Player.class.getResourceAsStream("player.js")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String bar(double[] bar) {
        return "[%.0f,%.0f,%s,%s]".formatted(bar[0], bar[1], ms(bar[2]), ms(bar[3]));
    }

    private static String ms(double value) {
        return "%.3f".formatted(value);
    }

    private static String strings(List<String> texts) {
        return texts.stream().map(Player::string).collect(LIST);
    }

    /** As JSON has it; no sign in it can end the script. */
    private static String string(String text) {
        return text.chars()
                .mapToObj(c -> c < ' ' || c == '"' || c == '\\' || c == '<' || c == 0x2028 || c == 0x2029
                        ? "\\u%04x".formatted(c)
                        : String.valueOf((char) c))
                .collect(Collectors.joining("", "\"", "\""));
    }
}
