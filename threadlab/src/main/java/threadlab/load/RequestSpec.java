package threadlab.load;

import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * What a request says beside where it goes.
 *
 * @param method {@code GET} or {@code POST}
 * @param headers name and value of each that the reader has set
 * @param body what is sent; null for none
 */
record RequestSpec(String method, List<Header> headers, byte[] body) implements Serializable {

    /** One header. */
    record Header(String name, String value) implements Serializable {}

    private static final Set<String> OWN =
            Set.of("host", "content-length", "transfer-encoding", "connection", "expect");
    private static final Pattern NAME = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+");
    private static final Pattern VALUE = Pattern.compile("[\\t\\x20-\\x7e\\x80-\\xff]*");

    static RequestSpec get() {
        return new RequestSpec("GET", List.of(), null);
    }

    RequestSpec posting(String contentType, String text) {
        return new RequestSpec("POST", headers, text.getBytes(StandardCharsets.UTF_8))
                .with("Content-Type", contentType);
    }

    /**
     * The same with one more header, or another value of it.
     *
     * @throws IllegalArgumentException if it is none, or belongs to the generator
     */
    RequestSpec with(String name, String value) {
        if (name == null || !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException(
                    "\"%s\" is no name of a header: write one such as Authorization".formatted(name));
        }
        if (OWN.contains(name.toLowerCase(Locale.ROOT))) {
            throw new IllegalArgumentException("the header %s is set by the generator itself".formatted(name));
        }
        if (value == null || !VALUE.matcher(value).matches()) {
            throw new IllegalArgumentException("the header %s cannot have this value: it has one line".formatted(name));
        }
        var all = new ArrayList<Header>();
        headers.stream().filter(header -> !header.name.equalsIgnoreCase(name)).forEach(all::add);
        all.add(new Header(name, value));
        return new RequestSpec(method, List.copyOf(all), body);
    }

    /** Whether a server that has answered nothing may be asked again: then nothing happens twice. */
    boolean mayBeRepeated() {
        return body == null;
    }
}
