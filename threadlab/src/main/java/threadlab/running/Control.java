package threadlab.running;

/** Something by which a reader changes a {@link Running} experiment. */
public sealed interface Control permits Slider, Button {

    /**
     * What it changes.
     *
     * @return the name, with a unit where there is one
     */
    String name();
}
