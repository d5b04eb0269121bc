package threadlab.child;

import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;

/**
 * A single-file Java program in the folder {@code programs} beside the notebook. As the last expression of a cell it
 * shows its source.
 */
public final class Program {

    /** The folder as seen from a notebook, from one in the folder {@code deeper}, and from the root of the clone. */
    private static final List<Path> FOLDERS =
            List.of(Path.of("programs"), Path.of("..", "programs"), Path.of("notebooks", "programs"));

    /** The class files of programs that are compiled already, by their names. */
    private static final Map<List<Object>, Map<String, byte[]>> COMPILED = new ConcurrentHashMap<>();

    private final Path file;
    /** What is shown of it; empty for all. */
    private final List<String> members;

    private Program(Path file, List<String> members) {
        this.file = file;
        this.members = members;
    }

    /**
     * {@return the program of a name}
     *
     * @param name the file's name in the folder {@code programs}, such as {@code Sleepers.java}, or a path
     * @throws IllegalArgumentException if there is no such file; the message names those that exist
     */
    public static Program of(String name) {
        var file = Stream.concat(FOLDERS.stream().map(folder -> folder.resolve(name)), Stream.of(Path.of(name)))
                .filter(Files::isRegularFile)
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException(
                        "there is no program \"%s\" in the folder programs; it has %s".formatted(name, names())));
        if (!name.endsWith(".java")) {
            throw new IllegalArgumentException(
                    "\"" + name + "\" is not a Java source file: its name must end in .java");
        }
        return new Program(file, List.of());
    }

    private static List<String> names() {
        for (Path folder : FOLDERS) {
            try (var files = Files.list(folder)) {
                return files.map(file -> file.getFileName().toString())
                        .filter(name -> name.endsWith(".java"))
                        .sorted()
                        .toList();
            } catch (IOException e) {
                // not this folder
            }
        }
        return List.of();
    }

    /** {@return the program's file, to open and edit, relative to the folder that the kernel runs in} */
    public Path file() {
        return file;
    }

    /** {@return the current content of the program's file} */
    public String source() {
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("%s cannot be read (%s)".formatted(file, e.getMessage()), e);
        }
    }

    /**
     * {@return the same program, which shows only the members that a reader needs}
     *
     * @param members names of methods and classes of the program's class, in the order in which they are to be shown
     * @throws IllegalArgumentException if the program has no member of this name
     */
    public Program only(String... members) {
        var only = new Program(file, List.of(members));
        only.shown();
        return only;
    }

    /** {@return the part of its source that it shows: all of it, or the chosen members} */
    public String shown() {
        return members.isEmpty() ? source() : members.stream().map(this::member).collect(Collectors.joining("\n\n"));
    }

    /** In a formatted file, a member begins and ends at the first level of indentation. */
    private String member(String name) {
        var declared = "^    (?![ /*@])[^\n=;(]*\\b" + Pattern.quote(name) + "\\b[^\n;]*\\{$.*?^    \\}$";
        var found =
                Pattern.compile(declared, Pattern.MULTILINE | Pattern.DOTALL).matcher(source());
        if (!found.find()) {
            throw new IllegalArgumentException("%s has no method or class \"%s\"".formatted(file.getFileName(), name));
        }
        return found.group().stripIndent();
    }

    /** The name of the class that the file is named after. */
    String mainClass() {
        return file.getFileName().toString().replace(".java", "");
    }

    /**
     * Writes the program's class files into an empty folder. It is compiled in this JVM, once for each text, Java and
     * class path: the compiler may take longer than the program.
     *
     * @throws IllegalArgumentException with the compiler's messages, if it does not compile
     */
    void compile(int release, String classPath, Path folder) throws IOException {
        var key = List.<Object>of(file, source(), release, classPath);
        var known = COMPILED.get(key);
        if (known == null) {
            compiled(release, classPath, folder);
            COMPILED.put(key, contents(folder));
            return;
        }
        for (var one : known.entrySet()) {
            Files.write(folder.resolve(one.getKey()), one.getValue());
        }
    }

    private static Map<String, byte[]> contents(Path folder) throws IOException {
        var contents = new HashMap<String, byte[]>();
        try (var files = Files.newDirectoryStream(folder, "*.class")) {
            for (var one : files) {
                contents.put(one.getFileName().toString(), Files.readAllBytes(one));
            }
        }
        return contents;
    }

    private void compiled(int release, String classPath, Path classes) throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        if (compiler == null) {
            throw new IllegalStateException("this Java (%s) has no compiler: the kernel must run on a JDK, not on a JRE"
                    .formatted(System.getProperty("java.home")));
        }
        var messages = new StringWriter();
        var folder = classes.toString();
        // an empty class path would mean the kernel's own
        var libraries = classPath.isEmpty() ? folder : classPath;
        var options = new ArrayList<>(List.of("--release", release + "", "-cp", libraries, "-d", folder));
        options.addAll(List.of("-proc:none", "-Xlint:none", "-nowarn"));
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            var sources = files.getJavaFileObjects(file);
            if (!compiler.getTask(messages, files, null, options, null, sources).call()) {
                var said = messages.toString().strip();
                throw new IllegalArgumentException(
                        "%s does not compile for Java %d:%n%s".formatted(file.getFileName(), release, said));
            }
        }
    }

    @Override
    public String toString() {
        return shown();
    }
}
