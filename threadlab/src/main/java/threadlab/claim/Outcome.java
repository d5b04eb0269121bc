package threadlab.claim;

/** The result of judging a claim. */
public enum Outcome {

    /** The measurement agrees with the prediction. */
    HELD("✔"),

    /** The measurement does not agree, or there is none. */
    BROKEN("✘"),

    /** Other programs, or the load itself, kept the CPUs busy: the measurement says nothing about the prediction. */
    NOT_JUDGED("≈");

    private final String mark;

    Outcome(String mark) {
        this.mark = mark;
    }

    /**
     * The verdict as pages, tables and files show it.
     *
     * @return one character
     */
    public String mark() {
        return mark;
    }
}
