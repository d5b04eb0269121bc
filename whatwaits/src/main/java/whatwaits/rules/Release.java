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
        var digits = version.replaceFirst("^1\\.(?=\\d)", "").split("[^\\d.]", 2)[0];
        var numbers = new ArrayList<Integer>();
        for (String part : digits.replaceFirst("(\\.0*)+$", "").split("\\.")) {
            numbers.add(Integer.parseInt(part));
        }
        return new Release(numbers);
    }

    int feature() {
        return numbers.getFirst();
    }

    @Override
    public int compareTo(Release other) {
        for (int i = 0; i < Math.min(numbers.size(), other.numbers.size()); i++) {
            if (!numbers.get(i).equals(other.numbers.get(i))) {
                return Integer.compare(numbers.get(i), other.numbers.get(i));
            }
        }
        // what is longer has a number above zero there
        return Integer.compare(numbers.size(), other.numbers.size());
    }
}
