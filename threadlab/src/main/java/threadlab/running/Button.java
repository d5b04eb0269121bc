package threadlab.running;

import java.time.Duration;
import threadlab.support.Arguments;

/** A button that stays down for a while after a press; any thread may ask for how long. */
public final class Button implements Control {

    private final String name;
    private final Duration down;
    /** A time of {@link System#nanoTime}. */
    private long until = System.nanoTime();

    private Button(String name, Duration down) {
        this.name = name;
        this.down = down;
    }

    /**
     * Makes a button.
     *
     * @param name what it does, such as {@code freeze for 500 ms}
     * @param down for how long it stays down, up to 10 s
     * @return the button
     */
    public static Button of(String name, Duration down) {
        Arguments.notBlank(name, "a button needs a name, such as \"freeze for 500 ms\"");
        return new Button(name, Arguments.inRange(name, down, Duration.ofMillis(1), Duration.ofSeconds(10)));
    }

    @Override
    public String name() {
        return name;
    }

    /**
     * For how long it stays down after a press.
     *
     * @return the same for every press
     */
    public Duration down() {
        return down;
    }

    /**
     * Presses it, as a page does.
     *
     * @return whether it was up; otherwise nothing changes
     */
    public synchronized boolean press() {
        if (left().isPositive()) {
            return false;
        }
        until = System.nanoTime() + down.toNanos();
        return true;
    }

    /**
     * For how long it is still down.
     *
     * @return zero while it is up
     */
    public synchronized Duration left() {
        return Duration.ofNanos(Math.max(0, until - System.nanoTime()));
    }

    @Override
    public String toString() {
        return name;
    }
}
