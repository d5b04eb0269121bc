package whatwaits.look;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonParseException;
import com.google.gson.reflect.TypeToken;
import com.google.gson.stream.MalformedJsonException;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Form;
import whatwaits.rules.Log;
import whatwaits.rules.Moment;
import whatwaits.rules.Outside;
import whatwaits.rules.Requests;
import whatwaits.rules.Sample;

/**
 * What was seen of a JVM, as it came: what a {@link Report} judges, and what is saved. It holds names of classes,
 * methods, threads, files, and of options; no environment, no values of properties or arguments, no messages of
 * exceptions.
 *
 * @param about the circumstances
 * @param samples taken over time; empty if none were
 * @param prints texts of {@code Thread.print}, in the order in which they were taken
 * @param dump all threads in JSON; null if none was taken
 * @param later the same from a moment later; null unless the first showed threads that may wait for each other
 * @param recording of Flight Recorder; null if there is none
 * @param large a file of text that is too large to be kept, and read again for its dumps; null for most. It is not saved
 */
public record Evidence(
        About about,
        List<Sample> samples,
        List<String> prints,
        byte[] dump,
        byte[] later,
        byte[] recording,
        Path large) {

    /** What is kept, as it came. */
    Evidence(About about, List<Sample> samples, List<String> prints, byte[] dump, byte[] later, byte[] recording) {
        this(about, samples, prints, dump, later, recording, null);
    }

    /**
     * The circumstances of a look. A figure that is not known is NaN, all else that is not known null.
     *
     * @param source what was looked at, in words
     * @param pid the number of the process
     * @param main its main class or jar
     * @param java its release
     * @param begun when, as ISO 8601 writes it
     * @param seconds how long
     * @param cpus available to that JVM
     * @param machine share of the machine's CPUs that was busy with any program
     * @param outside what the system says of the process; null in a zip from before it was asked
     * @param requests those that ended meanwhile
     * @param own the classes on its stacks that are the program's
     * @param jars the names of its jars
     * @param options its options; of properties their names
     * @param costs what looking took, in words
     * @param left what stays in that JVM, in words
     * @param missing what could not be seen, and why, in words
     */
    public record About(
            String source,
            Long pid,
            String main,
            String java,
            String begun,
            double seconds,
            double cpus,
            double machine,
            Outside outside,
            Requests requests,
            List<String> own,
            List<String> jars,
            List<String> options,
            List<String> costs,
            List<String> left,
            List<String> missing) {

        /** Of a JVM that was reached. */
        static About of(Reach reach, Window window, Outside outside, Requests requests, Program program, Notes notes) {
            return new About(
                    reach.source,
                    reach.pid,
                    reach.main,
                    reach.version,
                    window.begun.truncatedTo(ChronoUnit.SECONDS).toString(),
                    window.seconds,
                    window.cpus,
                    window.machine,
                    outside,
                    requests,
                    program.own,
                    program.jars,
                    program.options,
                    notes.costs(),
                    notes.left(),
                    notes.missing());
        }

        /** Of a file, which says little besides what it holds. */
        static About ofFile(String source) {
            return new About(
                    source,
                    null,
                    null,
                    null,
                    null,
                    Double.NaN,
                    Double.NaN,
                    Double.NaN,
                    Outside.UNKNOWN,
                    Requests.unknown("a file does not say"),
                    null,
                    List.of(),
                    List.of(),
                    List.of(),
                    List.of(),
                    new ArrayList<>());
        }
    }

    /** When it was looked, on how many CPUs, and the share of its machine's that was busy. */
    record Window(Instant begun, double seconds, double cpus, double machine) {}

    /** The program's own classes, its jars and its options. */
    record Program(List<String> own, List<String> jars, List<String> options) {}

    /** The number of the format of a zip: it grows when an older whatwaits would misread it. */
    private static final int NUMBER = 1;

    private static final String FORMAT = "format.txt";
    private static final String ABOUT = "about.json";
    private static final String SAMPLES = "samples.json";
    private static final String DUMP = "dump.json";
    private static final String LATER = "later.json";
    private static final String PRINT = "threads-";
    private static final String RECORDING = "events.jfr";
    /** The parts of a look that may be unknown. */
    private static final Set<String> UNKNOWN = Set.of("pid", "main", "java", "begun", "outside", "own");

    /** Unpacked, a zip may have this part of the heap: reading takes several times its size. */
    private static final int SHARE = 8;

    /** Of a text, so many bytes are kept; from a larger one its dumps are read as it comes. */
    private static final long KEPT = 16 << 20;

    /** No array has more bytes. */
    private static final long ARRAY = Integer.MAX_VALUE - 16;

    private static final Gson JSON = new GsonBuilder()
            .serializeSpecialFloatingPointValues()
            .setPrettyPrinting()
            .create();

    /**
     * Writes everything into a zip.
     *
     * @param file that is written, or replaced
     * @throws IllegalArgumentException if it cannot be written
     */
    public void save(Path file) {
        try {
            var bytes = new ByteArrayOutputStream();
            try (var zip = new ZipOutputStream(bytes)) {
                put(zip, FORMAT, String.valueOf(NUMBER).getBytes(StandardCharsets.UTF_8));
                put(zip, ABOUT, JSON.toJson(about).getBytes(StandardCharsets.UTF_8));
                put(zip, SAMPLES, JSON.toJson(samples).getBytes(StandardCharsets.UTF_8));
                for (int i = 0; i < prints.size(); i++) {
                    put(zip, PRINT + (i + 1) + ".txt", prints.get(i).getBytes(StandardCharsets.UTF_8));
                }
                put(zip, DUMP, dump);
                put(zip, LATER, later);
                put(zip, RECORDING, recording);
            }
            Whole.write(file, bytes.toByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e); // nothing but memory is written to
        }
    }

    private static void put(ZipOutputStream zip, String name, byte[] content) throws IOException {
        if (content != null) {
            zip.putNextEntry(new ZipEntry(name));
            zip.write(content);
            zip.closeEntry();
        }
    }

    /**
     * {@return what a file holds: a saved zip, dumps of any form, several in a log or in a zip, a recording} Of one whose
     * end is missing, what is there.
     *
     * @param file its path
     * @throws IllegalArgumentException if it cannot be read, cannot be text, or is a zip that is too large or damaged
     */
    public static Evidence read(Path file) {
        try {
            if (Files.isDirectory(file)) {
                throw new IllegalArgumentException(
                        "%s is a folder: give the files in it, as in %s".formatted(file, file.resolve("*.txt")));
            }
            try (var content = Content.of(file)) {
                return read(file, content);
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("%s cannot be read: %s".formatted(file, problem(e)));
        }
    }

    private static Evidence read(Path file, Content content) throws IOException {
        if (content.begins("PK\3\4") || content.begins("PK\5\6")) {
            return zipped(file, content);
        }
        var missing = new ArrayList<String>();
        if (content.begins("FLR\0")) {
            var recording = recorded(file, content);
            note(file.getFileName(), content, missing);
            return of(file, List.of(), null, recording, missing);
        }
        if (content.binary() != null) {
            throw new IllegalArgumentException(none("the file " + file.getFileName(), content.binary()));
        }
        // what is no file, such as /dev/stdin, comes once
        boolean again = Files.isRegularFile(file);
        long heap = Runtime.getRuntime().maxMemory();
        long most = again ? Math.min(KEPT, most(heap)) : most(2 * heap);
        var bytes = new ByteArrayOutputStream();
        boolean more = copy(content, bytes, most) > most;
        if (more && again) {
            var about = About.ofFile("the file " + file.getFileName());
            return new Evidence(about, List.of(), List.of(), null, null, null, file);
        }
        if (more) {
            throw new IllegalArgumentException(
                    "%s gives more than %d MB, a quarter of the heap: write it to a file, and read that, which may be larger"
                            .formatted(file, most >> 20));
        }
        note(file.getFileName(), content, missing);
        var text = unmarked(bytes.toString(content.charset()));
        return text.stripLeading().startsWith("{")
                ? of(file, List.of(), text.getBytes(StandardCharsets.UTF_8), null, missing)
                : of(file, List.of(text), null, null, missing);
    }

    private static void note(Object file, Content content, List<String> missing) {
        if (content.cut()) {
            missing.add("the end of %s: it is cut off or damaged".formatted(file));
        }
    }

    private static String none(String source, String why) {
        return "%s has no dump that can be read: %s".formatted(source, why);
    }

    private static String text(byte[] bytes) {
        var charset = Form.charset(Arrays.copyOf(bytes, Math.min(bytes.length, 1_024)));
        return unmarked(new String(bytes, Charset.forName(charset)));
    }

    private static String unmarked(String text) {
        return text.startsWith("\uFEFF") ? text.substring(1) : text;
    }

    /** A recording is needed whole. */
    private static byte[] recorded(Path file, Content content) throws IOException {
        if (content.packed()) {
            var bytes = new ByteArrayOutputStream();
            long most = most(Runtime.getRuntime().maxMemory());
            requireSmall(file, most - copy(content, bytes, most));
            return bytes.toByteArray();
        }
        if (!Files.isRegularFile(file)) {
            return content.readAllBytes();
        }
        if (Files.size(file) > ARRAY) {
            throw new IllegalArgumentException(
                    "%s is a recording of %d MB, and up to %d MB are read: leave out what is not needed, with jfr scrub --include-events \"%s\" %s small.jfr"
                            .formatted(file, Files.size(file) >> 20, ARRAY >> 20, Recording.NEEDED, file));
        }
        return Files.readAllBytes(file);
    }

    private static void requireSmall(Path file, long left) {
        if (left < 0) {
            throw new IllegalArgumentException(
                    "%s unpacks to more than %d MB, an eighth of the heap: unpack it, if you trust it, and read what was in it"
                            .formatted(file, most(Runtime.getRuntime().maxMemory()) >> 20));
        }
    }

    /** Whether it is dumps alone, and no look or recording. */
    boolean isDumps() {
        return about.pid() == null && samples.isEmpty() && recording == null;
    }

    /**
     * The dumps in it.
     *
     * @throws IllegalArgumentException if it has none: one sentence says what it is, and what to do
     */
    List<Moment> moments(DumpReader stacks) {
        var texts = new ArrayList<>(prints);
        if (dump != null) {
            texts.add(new String(dump, StandardCharsets.UTF_8));
        }
        var moments = new ArrayList<Moment>();
        for (String text : texts) {
            moments.addAll(new Log(stacks).all(text));
        }
        var first = texts.isEmpty() ? "" : texts.getFirst();
        first = first.substring(0, Math.min(first.length(), START));
        if (large != null) {
            first = streamed(stacks, moments);
        }
        if (moments.isEmpty()) {
            var why = first.isEmpty() && !about.missing().isEmpty()
                    ? about.missing().getFirst()
                    : Log.other(first);
            throw new IllegalArgumentException(none(about.source(), why));
        }
        return moments;
    }

    private static final int START = 10_000;

    /** Adds the dumps of a large text; returns its first characters. */
    private String streamed(DumpReader stacks, List<Moment> moments) {
        try (var content = Content.of(large);
                var text = new InputStreamReader(content, content.charset())) {
            try {
                moments.addAll(new Log(stacks).read(text));
            } catch (IllegalStateException | NumberFormatException | MalformedJsonException | EOFException e) {
                // as above
            }
            note(large.getFileName(), content, about.missing());
            return content.beginning();
        } catch (IOException e) {
            throw new IllegalArgumentException("%s cannot be read: %s".formatted(large, problem(e)));
        }
    }

    /** Why a file cannot be read, and what to do: a part of a sentence. */
    static String problem(IOException e) {
        return switch (e) {
            case NoSuchFileException missing -> "there is no such file";
            case AccessDeniedException denied -> "access denied: run this as a user who may read it, such as its owner";
            default -> Whole.why(e);
        };
    }

    private static boolean begins(byte[] bytes, String with) {
        return new String(bytes, 0, Math.min(with.length(), bytes.length), StandardCharsets.ISO_8859_1).equals(with);
    }

    private static Evidence of(Path file, List<String> prints, byte[] dump, byte[] recording, List<String> missing) {
        var about = About.ofFile("the file " + file.getFileName());
        about.missing.addAll(missing);
        return new Evidence(about, List.of(), prints, dump, null, recording);
    }

    private static Evidence zipped(Path file, InputStream bytes) throws IOException {
        var parts = new TreeMap<String, byte[]>();
        var missing = new ArrayList<String>();
        var last = "it";
        long left = most(Runtime.getRuntime().maxMemory());
        try (var zip = new ZipInputStream(bytes)) {
            for (var entry = zip.getNextEntry(); entry != null; entry = zip.getNextEntry()) {
                last = entry.getName();
                var content = Content.of(zip);
                if (content.binary() != null) {
                    missing.add("%s in it: %s".formatted(last, content.binary()));
                    continue;
                }
                var part = new ByteArrayOutputStream();
                try {
                    left -= copy(content, part, left);
                } finally {
                    parts.put(last, part.toByteArray());
                }
                if (content.cut() && !content.packed()) {
                    throw new EOFException();
                }
                note(last, content, missing);
                requireSmall(file, left);
            }
        } catch (IOException e) {
            missing.add("%s is cut off or damaged in %s".formatted(file.getFileName(), last));
        }
        if (!parts.containsKey(ABOUT) && !parts.containsKey(FORMAT)) {
            return collected(file, parts, missing);
        }
        requireKnown(file, parts.get(FORMAT));
        var about = parsed(file, ABOUT, parts, new TypeToken<About>() {});
        var samples = parsed(file, SAMPLES, parts, new TypeToken<List<Sample>>() {});
        if (about == null) {
            throw new IllegalArgumentException(
                    "%s is not what whatwaits look --save FILE.zip has written: it has no %s".formatted(file, ABOUT));
        }
        about.missing.addAll(missing);
        var prints = parts.entrySet().stream()
                .filter(part -> part.getKey().startsWith(PRINT))
                .map(part -> new String(part.getValue(), StandardCharsets.UTF_8))
                .toList();
        return new Evidence(
                about,
                samples == null ? List.of() : samples,
                prints,
                parts.get(DUMP),
                parts.get(LATER),
                parts.get(RECORDING));
    }

    /** A zip of somebody's dumps. */
    private static Evidence collected(Path file, Map<String, byte[]> parts, List<String> missing) {
        var texts = new ArrayList<String>();
        parts.forEach((name, bytes) -> {
            if (begins(bytes, "FLR\0") || begins(bytes, "PK\3\4")) {
                missing.add("%s in it: unpack it, and read it by itself".formatted(name));
            } else if (bytes.length > 0) {
                texts.add(text(bytes));
            }
        });
        return of(file, texts, null, null, missing);
    }

    /** The first zips have no number. */
    private static void requireKnown(Path file, byte[] format) {
        var number = format == null ? "" : new String(format, StandardCharsets.UTF_8).strip();
        if (number.matches("\\d{1,9}") && Integer.parseInt(number) > NUMBER) {
            throw new IllegalArgumentException(
                    "%s has format %s, and this whatwaits reads up to %d: read it with the one that has written it"
                            .formatted(file, number, NUMBER));
        }
    }

    /** How many bytes are read with some heap; no array has two billion. */
    static long most(long heap) {
        return Math.min(heap / SHARE, Integer.MAX_VALUE / 2);
    }

    /** Copies until there is no more, or more than so much; returns how much. */
    private static long copy(InputStream from, ByteArrayOutputStream to, long most) throws IOException {
        var buffer = new byte[8192];
        for (int read = from.read(buffer); read >= 0 && to.size() <= most; read = from.read(buffer)) {
            to.write(buffer, 0, read);
        }
        return to.size();
    }

    private static <T> T parsed(Path file, String name, Map<String, byte[]> parts, TypeToken<T> type) {
        if (!parts.containsKey(name)) {
            return null;
        }
        try {
            T value = JSON.fromJson(new String(parts.get(name), StandardCharsets.UTF_8), type);
            requireWhole(value);
            return value;
        } catch (JsonParseException | ReflectiveOperationException e) {
            throw new IllegalArgumentException(
                    "%s is not what whatwaits look --save FILE.zip has written, or damaged: its %s cannot be read"
                            .formatted(file, name));
        }
    }

    /** The reader of JSON leaves a part out that is not in the text. */
    private static void requireWhole(Object value) throws ReflectiveOperationException {
        switch (value) {
            case null -> throw new JsonParseException("nothing");
            case List<?> all -> {
                for (Object one : all) {
                    requireWhole(one);
                }
            }
            case Map<?, ?> all -> requireWhole(List.copyOf(all.values()));
            case Record whole -> {
                for (var part : whole.getClass().getRecordComponents()) {
                    var accessor = part.getAccessor();
                    accessor.setAccessible(true);
                    var found = accessor.invoke(whole);
                    if (found != null || !UNKNOWN.contains(part.getName())) {
                        requireWhole(found);
                    }
                }
            }
            default -> {}
        }
    }
}
