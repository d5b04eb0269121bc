package threadlab.running;

import threadlab.support.Arguments;

/** A whole number that a reader changes while an experiment runs; any thread may read it at any moment. */
public final class Slider implements Control {

    /** A slider has at most about this many places, so that keys reach all of them. */
    private static final int PLACES = 50;

    private final String name;
    private final int low;
    private final int high;
    private volatile int value;

    private Slider(String name, int low, int high, int first) {
        this.name = name;
        this.low = low;
        this.high = high;
        value = first;
    }

    /**
     * Makes a slider.
     *
     * @param name what it changes, with the unit, such as {@code service time (ms)}
     * @param low its lower end
     * @param high its upper end
     * @param first where it stands at first
     * @return the slider
     */
    public static Slider of(String name, int low, int high, int first) {
        Arguments.notBlank(name, "a slider needs a name, such as \"threads\"");
        Arguments.require(low < high, "a slider from %s to %s cannot move: give the lower end first", low, high);
        return new Slider(name, low, high, Arguments.inRange(name, first, low, high));
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * Where it stands now.
     *
     * @return the number, in the unit of the name
     */
    public int value() {
        return value;
    }

    /**
     * Moves it, as a page does.
     *
     * @param moved the new value, from the lower end to the upper one
     */
    public void set(int moved) {
        value = Arguments.inRange(name, moved, low, high);
    }

    /**
     * The lower end.
     *
     * @return in the unit of the name
     */
    public int low() {
        return low;
    }

    /**
     * The upper end.
     *
     * @return in the unit of the name
     */
    public int high() {
        return high;
    }

    /**
     * How far a key moves it.
     *
     * @return 1, 2 or 5 times a power of ten
     */
    public int step() {
        int ten = 1;
        while (10L * ten * PLACES <= high - low) {
            ten *= 10;
        }
        for (int factor : new int[] {1, 2, 5}) {
            if ((long) factor * ten * PLACES >= high - low) {
                return factor * ten;
            }
        }
        return 10 * ten;
    }

    @Override
    public String toString() {
        return name + " " + value;
    }
}
