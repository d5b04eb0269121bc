package threadlab.kernel;

import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.dflib.jjava.jupyter.kernel.BaseKernel;
import threadlab.measure.KeptResults;

/**
 * The kernel that runs in this JVM, once it has installed the extension, and the place where its notebook's results are
 * kept, if Jupyter started it for a notebook.
 */
final class Notebook {

    /** The variable in which Jupyter's server names the notebook for which it starts a kernel. */
    private static final String STARTED_FOR = "JPY_SESSION_NAME";

    private static final Optional<KeptResults> RESULTS =
            Optional.ofNullable(System.getenv(STARTED_FOR)).map(KeptResults::ofNotebook);

    private static volatile BaseKernel kernel;

    private Notebook() {}

    static void opened(BaseKernel running) {
        kernel = running;
    }

    static Optional<KeptResults> results() {
        return RESULTS;
    }

    /** The file of the notebook for which Jupyter has started the kernel, if it can be read. */
    static Optional<Path> file() {
        return Optional.ofNullable(System.getenv(STARTED_FOR)).map(Path::of).filter(Files::isReadable);
    }

    /** The cells of a notebook's file; none if it cannot be read. */
    static List<JsonObject> cells(Path file) {
        try {
            var cells = JsonParser.parseString(Files.readString(file))
                    .getAsJsonObject()
                    .getAsJsonArray("cells");
            return cells.asList().stream().map(JsonElement::getAsJsonObject).toList();
        } catch (IOException | RuntimeException e) {
            return List.of();
        }
    }

    /** The source of a cell, which a file has as a text or as its lines. */
    static String source(JsonObject cell) {
        var source = cell.get("source");
        return source.isJsonArray()
                ? source.getAsJsonArray().asList().stream()
                        .map(JsonElement::getAsString)
                        .collect(Collectors.joining())
                : source.getAsString();
    }

    /** The kernel; null if none runs. */
    static BaseKernel kernel() {
        return kernel;
    }
}
