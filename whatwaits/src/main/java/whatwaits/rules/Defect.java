package whatwaits.rules;

import java.util.List;
import java.util.stream.Stream;

/**
 * A known defect of Java that stops virtual threads.
 *
 * @param number such as {@code JDK-8364343}
 * @param affected features of Java: {@code 25, 26} or {@code 21 to 23}
 * @param repairedIn releases: {@code 25.0.3, 26.0.1}; other vendors' releases do not count
 */
public record Defect(String number, String affected, String repairedIn) {

    /**
     * A defect that a release has.
     *
     * @param number such as {@code JDK-8364343}
     * @param repairedIn the update of the same Java that repairs it; null if none is listed
     */
    public record Known(String number, String repairedIn) {

        @Override
        public String toString() {
            return number + (repairedIn == null ? "" : " (repaired in " + repairedIn + ")");
        }
    }

    /**
     * {@return those of the listed defects that affect a release's Java and that its updates have not repaired}
     *
     * @param listed all that are known
     * @param version the release, such as {@code 25.0.3+9-LTS}
     */
    public static List<Known> of(List<Defect> listed, String version) {
        var release = Release.of(version);
        return listed.stream()
                .filter(defect -> defect.affects(release.feature()))
                .map(defect -> new Known(defect.number, defect.repairOf(release)))
                .filter(known -> known.repairedIn == null || release.compareTo(Release.of(known.repairedIn)) < 0)
                .toList();
    }

    private static Stream<String> words(String list) {
        return Stream.of(list.split("[,;] *")).map(word -> word.replaceFirst(" \\(.*", ""));
    }

    /**
     * {@return whether a library has it on a Java} One that was seen in a version is in all until the repaired one.
     *
     * @param seenIn the version in which it was seen; empty if that is not known
     * @param library the version of the library
     * @param java the release of Java
     */
    public boolean isIn(String seenIn, String library, String java) {
        var release = Release.of(java);
        boolean onThis = affected.isEmpty()
                || affects(release.feature())
                || words(affected)
                        .filter(word -> word.matches("\\d+(\\.\\d+)+"))
                        .anyMatch(word -> Release.of(word).equals(release));
        var version = Release.of(library);
        boolean repaired = words(repairedIn)
                .filter(word -> word.matches("\\d+(\\.\\d+)*"))
                .anyMatch(word -> version.compareTo(Release.of(word)) >= 0);
        // without a repair, older versions are not known to have it
        boolean later = !repairedIn.isEmpty() || seenIn.isEmpty() || version.compareTo(Release.of(seenIn)) >= 0;
        return onThis && !repaired && later;
    }

    private boolean affects(int feature) {
        // a word such as "an update of 21" names no feature
        return words(affected).filter(word -> word.matches("\\d+( to \\d+)?")).anyMatch(word -> {
            var ends = word.split(" to ");
            return Integer.parseInt(ends[0]) <= feature && feature <= Integer.parseInt(ends[ends.length - 1]);
        });
    }

    /** The update of a release's own Java that repairs it; null if none is listed. */
    private String repairOf(Release release) {
        return words(repairedIn)
                .filter(word -> word.matches("\\d+(\\.\\d+)*"))
                .filter(word -> Release.of(word).feature() == release.feature())
                .findFirst()
                .orElse(null);
    }
}
