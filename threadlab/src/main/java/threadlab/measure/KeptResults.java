package threadlab.measure;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToIntFunction;
import java.util.function.UnaryOperator;
import tech.tablesaw.api.ColumnType;
import tech.tablesaw.api.DoubleColumn;
import tech.tablesaw.api.Row;
import tech.tablesaw.api.StringColumn;
import tech.tablesaw.api.Table;
import tech.tablesaw.io.csv.CsvReadOptions;
import tech.tablesaw.io.csv.CsvReader;
import tech.tablesaw.selection.Selection;
import threadlab.guess.Guess;

/**
 * What a notebook measured on this machine, in a small file of its own: the median figures of its trials and loads, its
 * claims, and the machine. It is written as the cells run, outlives the kernel, and has no personal names and no paths.
 * What cannot be written, such as on a full disk, is written later, together with what comes next; a line says so.
 *
 * <p>Its columns: {@code what} ({@code machine}, {@code figure}, {@code claim}, {@code guess} or {@code measured}, what came out
 * beside a guess), {@code name} (of the
 * fact or the experiment, the claim's statement, or what was guessed), {@code contender}, {@code n}, {@code figure} (the
 * column of the trials, with its unit), {@code value} (for a figure, the median over the trials that ended well; for a
 * guess, what the reader expected, as in {@link Guess.Mark}), {@code words} (for the machine, what is not a number; for
 * a claim, its bound; for a guess, what was chosen), {@code held} (✔, ✘ or ≈) and {@code margin used (%)}; a cell is empty
 * where a row has no such value.
 */
public final class KeptResults {

    static final Path FOLDER = Path.of("results");
    private static final String WAY_OUT = ": free space on the disk, or make its folder writable";
    private static final List<String> KEY = List.of("what", "name", "contender", "n", "figure");

    private final Path file;
    /** Not in the file yet, each from the table before it to the one with it. */
    private final List<UnaryOperator<Table>> waiting = new ArrayList<>();

    private boolean said;

    KeptResults(Path file) {
        this.file = file;
    }

    /**
     * Finds where the results of a notebook are kept.
     *
     * @param notebook the notebook's file, as the page names it; only the words of the file name count
     * @return a file in the folder {@code results} beside the notebooks, which need not exist yet
     */
    public static KeptResults ofNotebook(String notebook) {
        return new KeptResults(FOLDER.resolve(words(notebook) + ".csv"));
    }

    /** A notebook may be renumbered, but it keeps its words. */
    private static String words(String notebook) {
        return notebook.replace('\\', '/').replaceAll("^.*/|\\.ipynb$", "").replaceFirst("^\\d\\d-", "");
    }

    /**
     * What a notebook measured here.
     *
     * @param notebook the notebook's name, such as {@code "find-what-pins"}
     * @return a row for each fact of the machine, each figure and each claim, in the columns that this class describes
     * @throws IllegalStateException if no results of that notebook are kept
     */
    public static Table of(String notebook) {
        return of(notebook, FOLDER);
    }

    static Table of(String notebook, Path folder) {
        var kept = folder.resolve(words(notebook) + ".csv");
        if (!Files.isRegularFile(kept)) {
            throw new IllegalStateException("no results are kept of notebook \"" + notebook
                    + "\" on this machine: open it from JupyterLab and run it first");
        }
        try {
            return new KeptResults(kept).read();
        } catch (IOException e) {
            throw new IllegalStateException("%s: make it readable, or remove it".formatted(problem(kept, "read", e)));
        }
    }

    /**
     * Writes a notebook's kept results to a separate file that the reader can hand in.
     *
     * @return the file, and what it holds
     */
    static String share(String notebook, Path folder) {
        var kept = of(notebook, folder);
        // named after its contents: a class puts its files in one folder, and a personal name would say whose each is
        int contents = kept.printAll().hashCode();
        var file = folder.resolve("shared").resolve("%s-%08x.csv".formatted(words(notebook), contents));
        try {
            new KeptResults(file).write(kept);
        } catch (IOException e) {
            throw new IllegalStateException(problem(file, "written", e) + WAY_OUT);
        }
        ToIntFunction<String> rows = kept.stringColumn("what")::countOccurrences;
        var path = file.toString().replace('\\', '/');
        return ("%s holds this machine (%d rows), its figures (%d) and claims (%d), your guesses (%d), and no names or"
                        + " paths. Hand it in.")
                .formatted(
                        path,
                        rows.applyAsInt("machine"),
                        rows.applyAsInt("figure"),
                        rows.applyAsInt("claim"),
                        rows.applyAsInt("guess"));
    }

    /**
     * Keeps the medians of trials, replacing those of an earlier run of the same experiment. They are written with
     * the next claim, so that the chart of a run does not wait for the disk.
     *
     * @param run a table with the columns of {@link Trials}
     */
    public synchronized void keepFigures(Table run) {
        var copy = run.copy();
        waiting.add(table -> {
            addFigures(table, copy);
            return table;
        });
    }

    /**
     * Keeps a claim, replacing an earlier one with the same statement, and writes all results.
     *
     * @param statement the claim in words
     * @param value what was measured
     * @param bound what it allows, in words
     * @param held its mark: ✔, ✘ or ≈
     * @param marginUsed the share of its margin that was used; 1 is the bound
     */
    public synchronized void keepClaim(String statement, double value, String bound, String held, double marginUsed) {
        keep(table -> {
            for (var fact : Machine.here().table()) {
                rowOf(table, "machine", fact.getString("what"), "", "", "").setString("words", fact.getString("value"));
            }
            var row = rowOf(table, "claim", statement, "", "", "");
            row.setDouble("value", value);
            row.setString("words", bound);
            row.setString("held", held);
            row.setDouble("margin used (%)", Double.isFinite(marginUsed) ? Math.ceil(100 * marginUsed) : Double.NaN);
            return table;
        });
    }

    /**
     * Keeps what a reader expects and what came out, replacing an earlier guess of the same, and writes all results.
     *
     * @param guess the guess, which may be open again
     */
    public synchronized void keepGuess(Guess guess) {
        List<Guess.Mark> marks = List.copyOf(guess.marks()), measured = List.copyOf(guess.measured());
        keep(table -> {
            var old = of(table, "guess", guess).or(of(table, "measured", guess));
            var kept = table.where(Selection.withRange(0, table.rowCount()).andNot(old));
            add(kept, "guess", guess, marks);
            add(kept, "measured", guess, measured);
            return kept;
        });
    }

    private static void add(Table kept, String what, Guess guess, List<Guess.Mark> marks) {
        for (var mark : marks) {
            var row = rowOf(kept, what, guess.about(), "", String.valueOf(mark.n()), guess.figure());
            row.setDouble("value", mark.value());
            row.setString("words", mark.words());
        }
    }

    /** Writes a change and those that wait. Where that is not possible the experiment goes on, and a line says so. */
    private void keep(UnaryOperator<Table> change) {
        waiting.add(change);
        try {
            write(current());
            waiting.clear();
            said = false;
        } catch (IOException | RuntimeException e) { // the library's, such as without a free descriptor
            if (!said) {
                System.out.println("Your results and guesses are not kept: " + problem(file, "written", e) + WAY_OUT
                        + "; the next claim or guess then keeps them all.");
                said = true;
            }
        }
    }

    /**
     * Sets a guess to what the reader expected when the lesson was last open, if that still fits.
     *
     * @param guess the guess
     */
    public synchronized void recall(Guess guess) {
        var marks = new ArrayList<Guess.Mark>();
        try {
            var table = current();
            for (var row : table.where(of(table, "guess", guess))) {
                if (row.getString("figure").equals(guess.figure())) {
                    int n = Integer.parseInt(row.getString("n"));
                    marks.add(new Guess.Mark(n, row.getString("words"), row.getDouble("value")));
                }
            }
            guess.set(marks);
            if (!table.where(of(table, "measured", guess)).isEmpty()) {
                keepGuess(guess); // it asks again, so what came out the last time goes
            }
        } catch (IOException | IllegalArgumentException e) {
            return; // the lesson has changed its question since
        }
    }

    private static Selection of(Table table, String what, Guess guess) {
        return table.stringColumn("what")
                .isEqualTo(what)
                .and(table.stringColumn("name").isEqualTo(guess.about()));
    }

    /** The named figures of a run and the seconds of its trials. */
    private static void addFigures(Table table, Table run) {
        for (var column : run.numericColumns()) {
            var figure = column.name();
            if (figure.equals("seconds") || !Results.COLUMNS.contains(figure)) {
                for (var spread : Results.spread(run, figure)) {
                    var n = String.valueOf(spread.getInt("n"));
                    var row = rowOf(table, "figure", run.name(), spread.getString("contender"), n, figure);
                    row.setDouble("value", spread.getDouble("median"));
                }
            }
        }
    }

    /** The row of a key, added if it is missing; the other columns of a new row hold missing values. */
    private static Row rowOf(Table table, String... key) {
        for (var row : table) {
            if (KEY.stream().map(row::getString).toList().equals(List.of(key))) {
                return row;
            }
        }
        var row = table.appendRow();
        for (int i = 0; i < key.length; i++) {
            row.setString(KEY.get(i), key[i]);
        }
        return row;
    }

    private static Table empty() {
        var table = Table.create("kept results");
        KEY.forEach(key -> table.addColumns(StringColumn.create(key)));
        table.addColumns(DoubleColumn.create("value"), StringColumn.create("words"), StringColumn.create("held"));
        return table.addColumns(DoubleColumn.create("margin used (%)"));
    }

    /** What the file holds, with what it will hold once it can be written. */
    private Table current() throws IOException {
        var table = read();
        for (var change : waiting) {
            table = change.apply(table);
        }
        return table;
    }

    /** A file that does not exist, or holds something else, counts as empty. */
    private Table read() throws IOException {
        var empty = empty();
        try {
            var text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
            var types = empty.types().toArray(ColumnType[]::new);
            var read = new CsvReader()
                    .read(CsvReadOptions.builderFromString(text)
                            .columnTypes(types)
                            .build());
            return read.columnNames().equals(empty.columnNames()) ? read.setName(empty.name()) : empty;
        } catch (NoSuchFileException | RuntimeException e) {
            return empty;
        }
    }

    /** Replaces the file by a whole one, or leaves it as it is. */
    private void write(Table table) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        var fresh = file.resolveSibling(file.getFileName() + ".new");
        try {
            Files.writeString(fresh, table.write().toString("csv"));
            Files.move(fresh, file, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }

    private static String problem(Path file, String what, Exception e) {
        var why =
                switch (e) {
                    case AccessDeniedException _ -> "access denied";
                    case FileAlreadyExistsException _ -> "a file is where its folder should be";
                    case FileSystemException known when known.getReason() != null -> known.getReason();
                    default -> e.getMessage();
                };
        return "%s cannot be %s (%s)".formatted(file, what, why);
    }
}
