package threadlab.child;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonDeserializer;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonPrimitive;
import com.google.gson.JsonSerializer;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;

/**
 * The parent of this JVM, as a program in a child JVM sees it. It gives an order at the start, in the environment,
 * which other users cannot read; it gets answers, lines of JSON on standard output; and it asks questions, lines of
 * JSON on standard input. All are records. Whatever else the program prints goes on to the reader.
 */
public final class Parent {
    /** The environment variable with the order, or with the file that holds it. */
    static final String ORDER = "THREADLAB_ORDER";
    /** Linux allows 128 kB for a variable, Windows 32 kB; a longer order is in a file. */
    static final int LONGEST_VARIABLE = 30_000;
    /** How an answer begins, which no text for a reader contains: the record separator of RFC 7464. */
    static final String ANSWER = "\u001ethreadlab:";

    private static final Gson JSON = new GsonBuilder()
            .serializeSpecialFloatingPointValues()
            .registerTypeAdapter(
                    Duration.class, (JsonSerializer<Duration>) (time, _, _) -> new JsonPrimitive(time.toString()))
            .registerTypeAdapter(
                    Duration.class, (JsonDeserializer<Duration>) (time, _, _) -> Duration.parse(time.getAsString()))
            .create();
    /** Not {@link System#out}, whose encoding is the system's. */
    private static final FileOutputStream OUT = new FileOutputStream(FileDescriptor.out);

    private Parent() {}

    /**
     * Reads the order.
     *
     * @param <T> its type
     * @param type the record that {@link ChildJvm#order} was given
     * @return the order
     */
    public static <T> T order(Class<T> type) {
        var order = System.getenv(ORDER);
        try {
            return read(order.startsWith("{") ? order : Files.readString(Path.of(order)), type);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Answers the parent, which reads it with {@link RunningChild#answer}.
     *
     * @param answer a record
     */
    public static void answer(Object answer) {
        var named = new JsonObject();
        named.add(answer.getClass().getSimpleName(), JSON.toJsonTree(answer));
        var line = (ANSWER + JSON.toJson(named) + "\n").getBytes(StandardCharsets.UTF_8);
        synchronized (OUT) {
            System.out.flush();
            try {
                OUT.write(line);
            } catch (IOException e) {
                // the parent has gone, and the guard ends this JVM
            }
        }
    }

    /**
     * Answers the questions of the parent until it has gone.
     *
     * @param <T> the type of the questions
     * @param type the record that {@link RunningChild#ask} is given
     * @param answer gives the answer, a record
     * @throws InterruptedException if this thread is interrupted
     */
    public static <T> void answerQuestions(Class<T> type, Function<T, ?> answer) throws InterruptedException {
        while (true) {
            answer(answer.apply(read(Guard.QUESTIONS.take(), type)));
        }
    }

    static String write(Object told) {
        return JSON.toJson(told);
    }

    static <T> T read(String json, Class<T> type) {
        return JSON.fromJson(json, type);
    }

    static <T> T read(JsonElement json, Class<T> type) {
        return JSON.fromJson(json, type);
    }
}
