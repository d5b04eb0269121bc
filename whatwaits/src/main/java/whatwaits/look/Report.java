package whatwaits.look;

import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import whatwaits.rules.Container;
import whatwaits.rules.DumpReader;
import whatwaits.rules.Finding;
import whatwaits.rules.Log;
import whatwaits.rules.Moment;
import whatwaits.rules.Observation;
import whatwaits.rules.Outside;
import whatwaits.rules.Owner;
import whatwaits.rules.Pin;
import whatwaits.rules.PoolFigures;
import whatwaits.rules.Sample;
import whatwaits.rules.Series;
import whatwaits.rules.TextDump;
import whatwaits.rules.ThreadDump;
import whatwaits.rules.ThreadState;
import whatwaits.rules.Thresholds;
import whatwaits.rules.Verdict;

/**
 * What follows from the evidence, of a running JVM or from a file alike.
 *
 * @param evidence what was seen
 * @param verdict which limit is met; null if no threads were seen
 * @param all whether virtual threads without a carrier were seen, too
 * @param carriers what held them
 * @param pauses of the collector, in milliseconds; null if none were recorded
 * @param defects known ones of this Java and of its libraries
 * @param missing what could not be seen, and why
 * @param series the dumps of a file or of several; null of a look
 */
public record Report(
        Evidence evidence,
        Verdict verdict,
        boolean all,
        Carriers carriers,
        List<Double> pauses,
        List<KnownDefects.Found> defects,
        List<String> missing,
        Series series) {

    /**
     * What held carriers.
     *
     * @param pins threads that held one while they waited
     * @param pinned the time of these ÷ (carriers × time of the look); NaN where it is not known
     * @param files milliseconds of virtual threads in reads and writes of files, by line, the longest first
     * @param filed the same ÷ (carriers × time of the look); NaN where it is not known
     */
    public record Carriers(List<Pin> pins, double pinned, Map<String, Double> files, double filed) {}

    /**
     * {@return the report on some evidence}
     *
     * @param evidence what was seen
     * @throws IllegalArgumentException if it holds neither threads nor a recording
     */
    public static Report of(Evidence evidence) {
        if (evidence.isDumps()) {
            return of(List.of(evidence), sentence -> {
                        throw new IllegalArgumentException(sentence);
                    })
                    .getFirst();
        }
        return of(evidence, List.of(), Reading::report);
    }

    /**
     * {@return the reports on files: on each look and recording its own, on dumps one for each JVM; the worst first}
     *
     * @param files what was read
     * @param refused takes a sentence for each of which nothing can be said
     */
    public static List<Report> of(List<Evidence> files, Consumer<String> refused) {
        var reports = new ArrayList<Report>();
        var stacks = new DumpReader(Owner::byName);
        var from = new IdentityHashMap<Moment, Evidence>();
        var moments = new ArrayList<Moment>();
        for (Evidence file : files) {
            try {
                if (file.isDumps()) {
                    for (Moment one : file.moments(stacks)) {
                        moments.add(one);
                        from.put(one, file);
                    }
                } else {
                    reports.add(of(file));
                }
            } catch (IllegalArgumentException | IllegalStateException e) {
                refused.accept(e.getMessage());
            }
        }
        var jvms = Series.of(moments);
        for (Series series : jvms) {
            var read = series.read().stream().map(from::get).distinct().toList();
            var which = series.origin().isEmpty() ? "JVM " + (jvms.indexOf(series) + 1) : series.origin();
            reports.add(new Reading(merged(read, jvms.size() == 1 ? "" : ", " + which), stacks, series).report());
        }
        reports.sort(Comparator.comparing(Report::rank));
        return reports;
    }

    /** By what is named first; then come those of which it is open, then those of which nothing is. */
    private int rank() {
        var findings = findings();
        int all = Finding.What.values().length;
        boolean open = verdict == null || verdict.undecided().isPresent();
        return findings.isEmpty()
                ? open ? all : all + 1
                : findings.getFirst().what().ordinal();
    }

    /** Several files as one, with words on which of their JVMs is meant. */
    private static Evidence merged(List<Evidence> files, String which) {
        var names = files.stream().map(one -> one.about().source()).distinct().toList();
        var source = names.size() == 1
                ? names.getFirst()
                : "the files "
                        + names.stream()
                                .map(name -> name.replaceFirst("^the file ", ""))
                                .collect(Collectors.joining(", "));
        var about = Evidence.About.ofFile(source + which);
        files.forEach(one -> about.missing().addAll(one.about().missing()));
        return new Evidence(about, List.of(), List.of(), null, null, null);
    }

    /** What is asked of some evidence, with figures of pools, as its JVM itself reports them. */
    static <T> T of(Evidence evidence, List<PoolFigures> pools, Function<Reading, T> asked) {
        try {
            return asked.apply(new Reading(evidence, pools));
        } catch (IOException | IllegalStateException | NumberFormatException e) {
            var sentence = evidence.recording() != null && evidence.about().pid() == null
                    ? "%s is cut off, damaged or not finished, and none of its events can be read: write it again, with jcmd"
                            + " PID JFR.dump"
                    : "what was saved of %s is damaged, and its threads cannot be read: look again";
            throw new IllegalArgumentException(
                    sentence.formatted(evidence.about().source()), e);
        }
    }

    /** {@return what is named: circles and limits, then held carriers, then defects; the first comes first} */
    public List<Finding> findings() {
        var all = new ArrayList<Finding>(verdict == null ? List.of() : verdict.findings());
        if (carriers.pinned >= Thresholds.PINNED || carriers.pins.stream().anyMatch(Pin::isNow)) {
            all.add(Finding.ofPinned(carriers.pins));
        }
        defects.stream()
                .filter(KnownDefects.Found::repaired)
                .map(KnownDefects.Found::finding)
                .forEach(all::add);
        return all;
    }

    /** {@return which classes of things are named} */
    public Set<Finding.What> named() {
        return findings().stream().map(Finding::what).collect(Collectors.toCollection(HashSet::new));
    }

    private static final Pattern RELEASE = Pattern.compile("\"runtimeVersion\" *: *\"([^\"]+)\"");

    /** Reads the parts of evidence. */
    static final class Reading {
        private final Evidence evidence;
        private final Evidence.About about;
        private final DumpReader stacks;
        private final List<String> missing;
        private final List<TextDump> prints = new ArrayList<>();
        private Recording recording;
        private String version;
        private boolean all;

        /** The print from which the threads are taken; null if they are not from one. */
        private TextDump judged;

        /** The threads; null if none were seen. */
        final ThreadDump dump;

        private final List<PoolFigures> pools;

        /** The dumps of a file or of several; null of a look. */
        private Series series;

        private Reading(Evidence evidence, List<PoolFigures> pools) throws IOException {
            this.evidence = evidence;
            this.pools = pools;
            about = evidence.about();
            missing = new ArrayList<>(about.missing());
            version = about.java();
            stacks = new DumpReader(owners(about.own()));
            for (String print : evidence.prints()) {
                read(print);
            }
            if (evidence.recording() != null) {
                recording = Recording.read(evidence.recording(), stacks, missing);
                version = version == null ? recording.version : version;
                if (about.pid() == null && !recording.prints.isEmpty()) {
                    var moments = new ArrayList<Moment>();
                    for (String print : recording.prints) {
                        moments.addAll(new Log(stacks).read(new StringReader(print)));
                    }
                    series = moments.isEmpty() ? null : Series.of(moments).getFirst();
                }
            }
            dump = series == null ? dump() : judged();
        }

        private Reading(Evidence evidence, DumpReader stacks, Series series) {
            this.evidence = evidence;
            this.stacks = stacks;
            this.series = series;
            pools = List.of();
            about = evidence.about();
            missing = new ArrayList<>(about.missing());
            dump = judged();
        }

        /** Of several dumps, the one that the last one confirms. */
        private ThreadDump judged() {
            missing.addAll(series.missing());
            all = series.all();
            version = version == null ? series.version() : version;
            return series.dump();
        }

        /** As the look has decided, and for other files by name. */
        private static Function<String, Owner> owners(List<String> own) {
            if (own == null) {
                return Owner::byName;
            }
            var known = Set.copyOf(own);
            var places = new HashMap<String, Owner>();
            return type -> places.computeIfAbsent(
                    type, one -> Owner.of(one, other -> known.contains(one) ? Owner.OWN : Owner.LIBRARY));
        }

        Report report() {
            var verdict = dump == null ? null : Verdict.of(observation());
            var defects = version == null ? List.<KnownDefects.Found>of() : KnownDefects.of(version, about.jars());
            var pauses = recording == null ? null : recording.pauses;
            return new Report(evidence, verdict, all, carriers(), pauses, defects, missing, series);
        }

        /** What is judged; its dump is corrected by the CPU time of carriers. */
        Observation observation() {
            return new Observation(
                    samples(), dump, pools, cpus(), machine(), about.requests(), moments(dump.java()), outside());
        }

        private int cpus() {
            if (!Double.isNaN(about.cpus())) {
                return (int) about.cpus();
            }
            return recording == null ? 0 : recording.cpus;
        }

        Carriers carriers() {
            var pins = new ArrayList<Pin>();
            if (dump != null) {
                var corrected = observation().dump();
                pins.addAll(corrected.pinned(stillPinned(corrected)));
            }
            pins.addAll(recording == null ? List.of() : recording.pins);
            pins.sort(Comparator.comparing(pin -> !pin.isNow()));
            if (recording == null) {
                return new Carriers(pins, Double.NaN, Map.of(), Double.NaN);
            }
            double carriers = evidence.samples().stream()
                    .mapToDouble(Sample::parallelism)
                    .filter(value -> value > 0)
                    .average()
                    .orElse(cpus());
            var window = 1e3 * seconds();
            double pinned = recording.pins.stream()
                    .mapToDouble(pin -> Math.min(window, pin.milliseconds()))
                    .sum();
            var files = recording.files.entrySet().stream()
                    .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                    .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue, (a, b) -> a, LinkedHashMap::new));
            double filed =
                    files.values().stream().mapToDouble(Double::doubleValue).sum();
            return new Carriers(pins, pinned / (carriers * window), files, filed / (carriers * window));
        }

        /** What else was seen. */
        private List<ThreadDump> moments(int java) {
            if (series != null) {
                return series.others();
            }
            if (evidence.samples().isEmpty()) {
                return List.of();
            }
            return prints.stream()
                    .filter(print -> print != judged)
                    .map(print -> print.dump(java, about.source()))
                    .toList();
        }

        private void read(String print) throws IOException {
            var read = TextDump.read(new StringReader(print), stacks);
            if (!read.threads().isEmpty()) {
                prints.add(read);
                version = version == null ? read.version() : version;
            }
        }

        private Outside outside() {
            var outside = about.outside() == null ? Outside.UNKNOWN : about.outside();
            return recording == null ? outside : outside.withCollecting(recording.full / 1e3 / seconds());
        }

        private double seconds() {
            return !Double.isNaN(about.seconds()) || recording == null
                    ? about.seconds()
                    : recording.last - recording.first;
        }

        private double machine() {
            return recording != null && Double.isNaN(about.machine()) ? recording.machine : about.machine();
        }

        /** A recording has no samples, but the mean of the process's CPU time. */
        private List<Sample> samples() {
            if (!evidence.samples().isEmpty() || recording == null || Double.isNaN(recording.process)) {
                return evidence.samples();
            }
            double unknown = Double.NaN;
            double cpus = recording.process * recording.cpus;
            return List.of(new Sample(0, unknown, unknown, unknown, unknown, unknown, cpus, Map.of(), Map.of()));
        }

        private ThreadDump dump() throws IOException {
            int java = version == null ? 0 : Integer.parseInt(version.split("\\D", 2)[0]);
            if (evidence.dump() != null) {
                var text = new String(evidence.dump(), StandardCharsets.UTF_8);
                var dump = stacks.read(new StringReader(text), cut -> missing.add("the end of the dump: " + cut));
                if (version == null) {
                    java = dump.java();
                    var named = RELEASE.matcher(text);
                    version = named.find() ? named.group(1) : String.valueOf(java);
                }
                all = !dump.threads().isEmpty();
                if (all || prints.isEmpty()) {
                    return still(confirmed(completed(dump, 1)));
                }
            }
            if (prints.isEmpty()) {
                if (about.pid() != null) {
                    // the look has said why
                    return null;
                }
                if (recording == null || Double.isNaN(recording.last)) {
                    throw new IOException(missing.isEmpty() ? "nothing to read" : missing.getFirst());
                }
                var waiting = recording.waiting();
                missing.add(
                        waiting.isEmpty()
                                ? "the threads: the recording has no event jdk.ThreadDump"
                                : "all threads but those whose waits were recorded: the recording has no event jdk.ThreadDump");
                return waiting.isEmpty()
                        ? null
                        : new ThreadDump(List.of(new Container("<root>", null, waiting)), java, about.source());
            }
            var middle = prints.get(prints.size() / 2);
            all = middle.hasAll();
            judged = middle;
            var dump = middle.dump(java, about.source());
            var last = prints.getLast();
            // as a second dump confirms a first; but not where nobody has seen the virtual threads
            boolean again = last != middle && !evidence.samples().isEmpty() && !dump.isHiding();
            return still(again ? dump.confirmedBy(last.dump(java, about.source())) : dump);
        }

        /** With what a print from just after it adds. */
        private ThreadDump completed(ThreadDump dump, int print) {
            return prints.size() > print ? prints.get(print).complete(dump) : dump;
        }

        /** Where there is a dump from a moment later, its circles are those that this one still shows. */
        private ThreadDump confirmed(ThreadDump dump) throws IOException {
            if (evidence.later() == null) {
                return dump;
            }
            var text = new StringReader(new String(evidence.later(), StandardCharsets.UTF_8));
            var later = stacks.read(text, cut -> missing.add("the end of the second dump: " + cut));
            return later.threads().isEmpty() ? dump : dump.confirmedBy(completed(later, 2));
        }

        /**
         * Corrects a dump before Java 24, where the scheduler does not say whether its carriers are mounted all the time:
         * of one that carries the same thread in two prints and uses no CPU in between, the thread waits.
         */
        private ThreadDump still(ThreadDump dump) {
            if (prints.size() < 3 || evidence.samples().isEmpty() || dump.java() >= Reach.SCHEDULER_SINCE) {
                return dump;
            }
            var still = new HashSet<Long>();
            var last = evidence.samples().getLast().threads();
            double most = Thresholds.still(machine());
            prints.get(1).carriers().forEach((thread, carrier) -> {
                if (carrier.equals(prints.get(2).carriers().get(thread)) && last.getOrDefault(carrier, 1.0) < most) {
                    still.add(carrier);
                }
            });
            return dump.withStill(still);
        }

        /** Whether another look, a moment later, shows a thread on its carrier, in the same line. */
        private Predicate<ThreadState> stillPinned(ThreadDump dump) {
            if (series != null) {
                return thread -> series.isStill(thread);
            }
            boolean fromDump = evidence.dump() != null && dump.java() >= Reach.NAMES_STATES_SINCE;
            int next = fromDump ? 1 : 2;
            if (prints.size() <= next) {
                return thread -> false;
            }
            var later = prints.get(next);
            return thread -> {
                var same = later.threads().stream()
                        .filter(other -> other.virtual() && other.id() == thread.id())
                        .findFirst();
                return same.map(other ->
                                other.stack().where().equals(thread.stack().where()))
                        .orElse(thread.carrier() == later.carriers().getOrDefault(thread.id(), -1L));
            };
        }
    }
}
