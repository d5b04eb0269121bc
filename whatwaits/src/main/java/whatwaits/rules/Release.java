package whatwaits.rules;

import java.util.ArrayList;
import java.util.List;

/**
 * A release of Java.
 *
 * @param numbers such as 25, 0, 3; without zeros at the end
 */
record Release(List<Integer> numbers) implements Comparable<Release> {

    /** Of {@code 25.0.2+10-LTS}, {@code 26-ea} or {@code 1.8.0_292}, which is a release of Java 8. */
    static Release of(String version) {
        var numbers = new ArrayList<Integer>();
        for (String part : version.replaceFirst("^1\\.(?=\\d)", "")
                .split("[^\\d.].*", 2)[0]
                .split("\\.")) {
            numbers.add(part.isEmpty() ? 0 : Integer.parseInt(part));
        }
        while (numbers.size() > 1 && numbers.getLast() == 0) {
            numbers.removeLast();
        }
        return new Release(List.copyOf(numbers));
    }

    int feature() {
        return numbers.getFirst();
    }

    @Override
    public int compareTo(Release other) {
        for (int i = 0; i < Math.max(numbers.size(), other.numbers.size()); i++) {
            int mine = i < numbers.size() ? numbers.get(i) : 0;
            int others = i < other.numbers.size() ? other.numbers.get(i) : 0;
            if (mine != others) {
                return Integer.compare(mine, others);
            }
        }
        return 0;
    }
}
